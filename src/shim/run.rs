//! One frame after the other: to the daemon, or to the bot in this process, and the answer back.

use super::courier::{Courier, caught_up};
use super::input;
use super::journal::{Journal, folder_of};
use super::line::{Handed, Line};
use super::local::{Local, Thinking};
use super::tale::Tale;
use crate::link::relay::{Bye, Heard, Hello, Request};
use games::{Dialogue, DialogueSetup, Kit, Next, SetupError};
use nix::sys::signal::{SigSet, Signal};
use std::io::{self, BufRead, ErrorKind, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// How long the daemon may take for a message that wants no decision.
const NOTE_WITHIN: Duration = Duration::from_secs(1);
/// Part of a decision's time after which the daemon's answer is not waited for any more: a share, and
/// at most so much. The daemon's own margin is twice that.
const REST_SHARE: u32 = 8;
const REST_MAX: Duration = Duration::from_millis(250);
/// How long a daemon is left alone that was too slow.
const SLOW_WAIT: Duration = Duration::from_secs(3);
/// Most messages that are handed over on the arbiter's clock when the daemon is back.
const LAST_MAX: u64 = 8;
/// How long a shim that is told to stop waits for the message at hand.
const STOP_WITHIN: Duration = Duration::from_millis(200);
/// How often it looks whether that one is done.
const STOP_LOOK: Duration = Duration::from_millis(2);

/// What a shim plays, and with whom it speaks.
#[derive(Clone)]
pub struct ShimOptions {
    /// The game.
    pub kit: &'static dyn Kit,
    /// The built-in bot.
    pub bot: String,
    /// Under which name the arbiter is kept.
    pub referee: String,
    /// The daemon's socket; `None`: the bot plays in this process.
    pub socket: Option<PathBuf>,
    /// How long the bot may think where it plays in this process.
    pub thinking: Thinking,
    /// Told in a sentence what an operator should know.
    pub note: fn(&str),
}

/// Why a shim ends before its arbiter does, as a sentence.
#[derive(Debug, thiserror::Error)]
pub enum ShimError {
    /// No such bot.
    #[error(transparent)]
    Bot(#[from] SetupError),
    /// The arbiter cannot be read or answered.
    #[error("the arbiter's pipe: {0}")]
    Pipe(#[from] io::Error),
}

/// Plays until the arbiter closes its pipe. SIGTERM and SIGINT end the process in good order.
///
/// # Errors
/// [`ShimError`]; a closed pipe is none.
pub fn run(
    options: ShimOptions,
    mut input: impl BufRead,
    mut output: impl Write,
) -> Result<(), ShimError> {
    let kit = options.kit;
    // Before any thread starts: all inherit it.
    let signals = blocked_signals();
    let shim = Arc::new(Mutex::new(Shim::begin(options)?));
    if let Some(signals) = signals {
        on_signal(signals, &shim);
    }
    let relayed = relay(kit, &shim, &mut input, &mut output);
    let bye = Bye {
        why: match &relayed {
            Ok(()) => "the arbiter closed its pipe".to_owned(),
            Err(error) => error.to_string(),
        },
        hung_up: relayed.is_ok(),
    };
    lock(&shim).bye(bye);
    relayed
}

/// Answers until either pipe is closed.
fn relay(
    kit: &dyn Kit,
    shim: &Mutex<Shim>,
    input: &mut impl BufRead,
    output: &mut impl Write,
) -> Result<(), ShimError> {
    while let Some(frame) = input::frame(input, kit)? {
        let received = Instant::now();
        let answer = lock(shim).answer(frame, received)?;
        if answer.is_empty() {
            continue;
        }
        let said = output
            .write_all((answer + "\n").as_bytes())
            .and_then(|()| output.flush());
        match said {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(()),
            said => said?,
        }
    }
    Ok(())
}

fn lock(shim: &Mutex<Shim>) -> MutexGuard<'_, Shim> {
    shim.lock().unwrap_or_else(PoisonError::into_inner)
}

/// SIGTERM and SIGINT, kept from this thread and those that it starts. Without it they end the process
/// as they do any other.
fn blocked_signals() -> Option<SigSet> {
    let mut signals = SigSet::empty();
    signals.add(Signal::SIGTERM);
    signals.add(Signal::SIGINT);
    signals.thread_block().ok().map(|()| signals)
}

/// Ends the process on one of these signals once the daemon is told.
fn on_signal(signals: SigSet, shim: &Arc<Mutex<Shim>>) {
    let shim = Arc::clone(shim);
    let wait = move || {
        if signals.wait().is_err() {
            return;
        }
        let until = Instant::now() + STOP_WITHIN;
        while Instant::now() < until {
            if let Ok(mut shim) = shim.try_lock() {
                shim.bye(Bye {
                    why: "the shim was told to stop".to_owned(),
                    hung_up: false,
                });
                break;
            }
            std::thread::park_timeout(STOP_LOOK);
        }
        std::process::exit(0);
    };
    // A process without it still ends: its parent may kill it.
    drop(
        std::thread::Builder::new()
            .name("signals".to_owned())
            .spawn(wait),
    );
}

struct Shim {
    options: ShimOptions,
    tale: Arc<Tale>,
    /// The line to the daemon, while there is one.
    line: Option<Line>,
    /// Who looks for the daemon while there is none.
    courier: Option<Courier>,
    /// The bot in this process, while it plays.
    local: Option<Local>,
    /// A bot of the weakest kind, which knows how long a decision may take.
    clock: Option<Box<dyn Dialogue>>,
    journal: Option<Journal>,
    /// Whether a bot that plays in this process alone has heard anything.
    begun: bool,
    /// Whether it was noted that no journal can be kept.
    unjournalled: bool,
    /// Whether what is written down must survive a power cut.
    synced: bool,
}

impl Shim {
    fn begin(options: ShimOptions) -> Result<Self, SetupError> {
        let tale = Arc::new(Tale::new(hello(&options)));
        let mut shim = Self {
            tale,
            line: None,
            courier: None,
            local: None,
            clock: None,
            journal: None,
            begun: false,
            unjournalled: false,
            synced: true,
            options,
        };
        match shim.options.socket.clone() {
            Some(socket) => {
                shim.clock = Some(weakest(shim.options.kit)?);
                match Line::call(&socket, &shim.tale.hello) {
                    Ok(line) => shim.adopt(line),
                    Err(error) => shim.alone(&error),
                }
            }
            None => shim.local = Some(shim.fold()?),
        }
        Ok(shim)
    }

    fn fold(&self) -> Result<Local, SetupError> {
        let ShimOptions {
            kit, bot, thinking, ..
        } = &self.options;
        let exchanges = self.tale.exchanges();
        Local::fold(*kit, bot, self.tale.hello.market, *thinking, &exchanges)
    }

    fn adopt(&mut self, line: Line) {
        self.synced = line.welcome.synced;
        self.line = Some(line);
        self.local = None;
        if let Some(journal) = self.journal.take() {
            journal.remove();
        }
    }

    /// The daemon does not answer. One that is there and slow is left alone for longer, so that it
    /// costs no more of the game's clock.
    fn alone(&mut self, why: &io::Error) {
        let slow = matches!(why.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut);
        let delay = if slow { SLOW_WAIT } else { Duration::ZERO };
        let why = format!("the daemon does not answer ({why}): playing alone until it does");
        (self.options.note)(&why);
        self.line = None;
        self.look(delay);
    }

    /// Has the daemon looked for and brought up to date.
    fn look(&mut self, delay: Duration) {
        if let Some(socket) = self.options.socket.clone() {
            self.courier = Some(Courier::send(socket, Arc::clone(&self.tale), delay));
        }
    }

    /// Another game with the same arbiter.
    fn begin_again(&mut self) -> Result<(), SetupError> {
        let undelivered = self.tale.undelivered().is_some();
        let over = Request::Bye(Bye {
            why: "the arbiter began another game".to_owned(),
            hung_up: true,
        });
        if let Some(line) = &mut self.line {
            // What it had ended by itself stays as it ended. A line that is broken shows below.
            let _ = line.ask(&over);
        }
        self.tale = Arc::new(Tale::new(hello(&self.options)));
        self.local = None;
        // What the daemon does not have of the last game stays in its journal.
        self.journal = None;
        if self.options.socket.is_none() {
            self.local = Some(self.fold()?);
            return Ok(());
        }
        self.clock = Some(weakest(self.options.kit)?);
        if let Some(courier) = self.courier.take() {
            courier.call_off();
        }
        let greeted = match &mut self.line {
            Some(line) if !undelivered => line.greet(&self.tale.hello),
            _ => Err(ErrorKind::NotConnected.into()),
        };
        if let Err(error) = greeted {
            self.alone(&error);
        }
        Ok(())
    }

    fn answer(&mut self, frame: String, received: Instant) -> Result<String, SetupError> {
        let begins = || {
            self.options
                .kit
                .route(frame.as_bytes())
                .is_ok_and(|route| route.begins)
        };
        if (self.begun || self.tale.next() > 1) && begins() {
            self.begin_again()?;
        }
        if self.options.socket.is_none() {
            let said = match &mut self.local {
                Some(local) => local.answer(&frame, received),
                None => String::new(),
            };
            self.begun = true;
            return Ok(said);
        }
        if let Some(line) = self.courier.as_ref().and_then(Courier::back) {
            self.courier = None;
            if self.tale.behind() > LAST_MAX {
                // The game runs faster than it is handed over.
                self.look(Duration::ZERO);
            } else {
                match caught_up(line, &self.tale) {
                    Ok(line) => self.adopt(line),
                    Err(error) => self.alone(&error),
                }
            }
        }
        let number = self.tale.next();
        if let Some(said) = self.relayed(number, &frame) {
            self.tale
                .add(heard(number, frame, Some(said.clone())), true);
            return Ok(said);
        }
        let mut local = match self.local.take() {
            Some(local) => local,
            None => self.fold()?,
        };
        let said = local.answer(&frame, received);
        self.local = Some(local);
        self.told(&said);
        let mut heard = heard(number, frame, Some(said.clone()));
        heard.at_us = Some(i64::try_from(now_us()).unwrap_or(i64::MAX));
        self.note(&Request::Heard(heard.clone()));
        self.tale.add(heard, false);
        Ok(said)
    }

    /// The daemon's answer, if it comes in time.
    fn relayed(&mut self, number: u64, frame: &str) -> Option<String> {
        let request = Request::Heard(heard(number, frame.to_owned(), None));
        let asked = self.line.as_mut().map(|line| line.ask(&request));
        // While the daemon is at work; and the clock hears everything.
        let within = self.within(frame);
        let asked = asked?;
        let line = self.line.as_mut()?;
        let handed = asked.and_then(|()| match line.handed(number, within)? {
            Handed::Say(said) => Ok(said),
            Handed::Have(count) => {
                // It has lost what it had: it gets everything again.
                self.tale.has(count);
                Err(ErrorKind::InvalidData.into())
            }
        });
        match handed {
            Ok(said) => {
                self.told(&said);
                Some(said)
            }
            Err(error) => {
                self.alone(&error);
                None
            }
        }
    }

    /// How long the daemon's answer to this frame is waited for.
    fn within(&mut self, frame: &str) -> Duration {
        let next = self
            .clock
            .as_mut()
            .map(|clock| clock.receive(frame.as_bytes()));
        match next {
            Some(Ok(Next::Think { within, worth, .. })) => {
                let most = within.saturating_sub(REST_MAX.min(within / REST_SHARE));
                worth.map_or(most, |worth| (worth + NOTE_WITHIN).min(most))
            }
            _ => NOTE_WITHIN,
        }
    }

    /// Tells the clock what was answered.
    fn told(&mut self, said: &str) {
        if let Some(clock) = &mut self.clock {
            clock.said(said);
        }
    }

    /// Writes down what the daemon does not hear now.
    fn note(&mut self, request: &Request) {
        let Some(socket) = &self.options.socket else {
            return;
        };
        let folder = folder_of(socket);
        let noted = match &mut self.journal {
            Some(journal) => journal.write(request),
            None => Journal::begin(folder, &self.tale.hello, self.synced).and_then(|journal| {
                // Kept locked whatever becomes of it: the daemon must not take it for an orphan's.
                self.journal.insert(journal).write(request)
            }),
        };
        match noted {
            Err(error) if !self.unjournalled => {
                self.unjournalled = true;
                let folder = folder.display();
                (self.options.note)(&format!("no journal in {folder}: {error}"));
            }
            _ => {}
        }
    }

    /// The game is over for us.
    fn bye(&mut self, bye: Bye) {
        if self.tale.next() == 1 {
            return;
        }
        let Some(socket) = self.options.socket.clone() else {
            return;
        };
        if let Some(courier) = self.courier.take() {
            courier.call_off();
        }
        let bye = Request::Bye(bye);
        let line = match self.line.take() {
            Some(line) => Ok(line),
            None => Line::call(&socket, &self.tale.hello),
        };
        let told = line.and_then(|line| {
            let mut line = caught_up(line, &self.tale)?;
            line.ask(&bye)
        });
        match (told, self.journal.take()) {
            (Ok(()), Some(journal)) => journal.remove(),
            (Ok(()), None) => {}
            (Err(_), journal) => {
                self.journal = journal;
                self.note(&bye);
            }
        }
    }
}

fn weakest(kit: &'static dyn Kit) -> Result<Box<dyn Dialogue>, SetupError> {
    kit.dialogue(&DialogueSetup {
        bot: kit.bots().first().map_or("", |card| card.name).to_owned(),
        ..DialogueSetup::default()
    })
}

fn heard(n: u64, text: String, said: Option<String>) -> Heard {
    Heard {
        n,
        text,
        said,
        at_us: None,
    }
}

fn hello(options: &ShimOptions) -> Hello {
    Hello {
        game: options.kit.game().to_owned(),
        bot: options.bot.clone(),
        referee: options.referee.clone(),
        market: now_us(),
        id: u64::from(std::process::id()),
    }
}

fn now_us() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    u64::try_from(since.unwrap_or_default().as_micros()).unwrap_or(u64::MAX)
}

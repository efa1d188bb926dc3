//! Frame by frame: to the daemon, or to the bot in this process, and the answer back.

use super::input;
use super::journal::{Journal, folder_of, path_of};
use super::line::{Handed, Line, WITHIN};
use super::local::{Due, Local, Thinking};
use super::reconnector::{Reconnector, caught_up};
use super::transcript::ShimTranscript;
use crate::clock::now_us;
use crate::link::relay::{Bye, Hello, NumberedMessage, Request};
use games::answer::{MARGIN, awaited_target, margin};
use games::neutral::PREFIX;
use games::{Kit, SetupError};
use nix::sys::signal::{SigSet, Signal};
use parking_lot::Mutex;
use std::io::{self, BufRead, ErrorKind, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long the daemon may take for a message that asks for no decision.
const NOTE_WITHIN: Duration = Duration::from_secs(1);
/// The shim waits for the daemon until this part of the margin is left; the daemon's own margin is all of it.
const MARGIN_PART: u32 = 2;
/// How long a daemon that was too slow is left alone.
const SLOW_WAIT: Duration = Duration::from_secs(3);
/// The maximum number of messages handed over between two of the arbiter's when the daemon is back.
const LAST_MAX: u64 = 8;
/// How long each of them may take.
const LAST_WITHIN: Duration = Duration::from_millis(50);
/// How long a shim that is asked to stop waits for the current message.
const STOP_WITHIN: Duration = Duration::from_millis(200);
/// How often it checks whether that message is done.
const STOP_LOOK: Duration = Duration::from_millis(2);

/// What a shim plays, and with which daemon.
#[derive(Clone)]
pub struct ShimOptions {
    /// The game.
    pub kit: &'static dyn Kit,
    /// The built-in bot.
    pub bot: String,
    /// The name under which the arbiter is stored.
    pub referee: String,
    /// The daemon's socket; `None`: the bot plays in this process.
    pub socket: Option<PathBuf>,
    /// The bot's budget where it plays in this process.
    pub thinking: Thinking,
    /// Called with a sentence that an operator should know.
    pub note: fn(&str),
}

/// Why a shim ends before its arbiter does, as a sentence.
#[derive(Debug, thiserror::Error)]
pub enum ShimError {
    /// No such bot.
    #[error(transparent)]
    Bot(#[from] SetupError),
    /// The arbiter cannot be read from or answered.
    #[error("the arbiter's pipe: {0}")]
    Pipe(#[from] io::Error),
}

/// Plays until the arbiter closes its pipe. SIGTERM and SIGINT end the process cleanly.
///
/// # Errors
/// [`ShimError`]; a closed pipe is not an error.
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
            Ok(Ended::HungUp) => "the arbiter closed its pipe".to_owned(),
            Ok(Ended::Unheard) => "the arbiter does not hear us any more".to_owned(),
            Err(error) => error.to_string(),
        },
        hung_up: matches!(relayed, Ok(Ended::HungUp)),
    };
    shim.lock().bye(bye);
    relayed.map(drop)
}

/// Which pipe was closed.
enum Ended {
    /// The one that we read from.
    HungUp,
    /// The one that we write to.
    Unheard,
}

/// Answers until either pipe is closed.
fn relay(
    kit: &dyn Kit,
    shim: &Mutex<Shim>,
    input: &mut impl BufRead,
    output: &mut impl Write,
) -> Result<Ended, ShimError> {
    while let Some(frame) = input::frame(input, kit)? {
        let received = Instant::now();
        let answer = shim.lock().answer(frame, received)?;
        if answer.is_empty() {
            shim.lock().look_back();
            continue;
        }
        let said = output
            .write_all((answer + "\n").as_bytes())
            .and_then(|()| output.flush());
        match said {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(Ended::Unheard),
            said => said?,
        }
        // No clock is running now.
        shim.lock().look_back();
    }
    Ok(Ended::HungUp)
}

/// Blocks SIGTERM and SIGINT in this thread and those that it starts. If that fails, they end the process as
/// usual.
fn blocked_signals() -> Option<SigSet> {
    let mut signals = SigSet::empty();
    signals.add(Signal::SIGTERM);
    signals.add(Signal::SIGINT);
    signals.thread_block().ok().map(|()| signals)
}

/// Ends the process on one of these signals, after notifying the daemon.
fn on_signal(signals: SigSet, shim: &Arc<Mutex<Shim>>) {
    let shim = Arc::clone(shim);
    let wait = move || {
        if signals.wait().is_err() {
            return;
        }
        let until = Instant::now() + STOP_WITHIN;
        while Instant::now() < until {
            if let Some(mut shim) = shim.try_lock() {
                shim.bye(Bye {
                    why: "the shim was told to stop".to_owned(),
                    // Engines that have no end message are stopped together with their players.
                    hung_up: true,
                });
                break;
            }
            std::thread::park_timeout(STOP_LOOK);
        }
        std::process::exit(0);
    };
    // If this fails, the process still ends: its parent may kill it.
    drop(
        std::thread::Builder::new()
            .name("signals".to_owned())
            .spawn(wait),
    );
}

/// The daemon's answer to a message.
struct Relayed {
    text: String,
    /// Whether the daemon has stored it, and not just received it.
    stored: bool,
}

struct Shim {
    options: ShimOptions,
    transcript: Arc<ShimTranscript>,
    /// The connection to the daemon, if there is one.
    line: Option<Line>,
    /// Looks for the daemon while there is no connection.
    reconnector: Option<Reconnector>,
    /// The bot in this process.
    local: Local,
    journal: Option<Journal>,
    /// Whether a bot that plays only in this process has received anything.
    begun: bool,
    /// Whether the operator was notified that this game's journal cannot be written.
    unjournalled: bool,
    /// Whether what is written must survive a power cut.
    synced: bool,
}

impl Shim {
    fn begin(options: ShimOptions) -> Result<Self, SetupError> {
        let transcript = Arc::new(ShimTranscript::new(hello(&options)));
        let mut shim = Self {
            local: bot(&options, &transcript)?,
            transcript,
            line: None,
            reconnector: None,
            journal: None,
            begun: false,
            unjournalled: false,
            synced: true,
            options,
        };
        if let Some(socket) = shim.options.socket.clone() {
            match Line::call(&socket, &shim.transcript.hello) {
                Ok(line) => shim.adopt(line),
                Err(error) => shim.alone(&error),
            }
        }
        Ok(shim)
    }

    fn adopt(&mut self, line: Line) {
        self.synced = line.welcome.synced;
        self.line = Some(line);
        if let Some(journal) = self.journal.take() {
            journal.remove();
        }
    }

    /// The daemon does not answer. One that is running but slow is left alone for longer, so that it costs no
    /// more of the game's clock.
    fn alone(&mut self, why: &io::Error) {
        let slow = matches!(why.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut);
        let delay = if slow { SLOW_WAIT } else { Duration::ZERO };
        let why = format!("the daemon does not answer ({why}): playing alone until it does");
        (self.options.note)(&why);
        self.line = None;
        self.look(delay);
    }

    /// Starts looking for the daemon and bringing it up to date.
    fn look(&mut self, delay: Duration) {
        if let Some(socket) = self.options.socket.clone() {
            self.reconnector = Some(Reconnector::start(
                socket,
                Arc::clone(&self.transcript),
                delay,
            ));
        }
    }

    /// Another game with the same arbiter.
    fn begin_again(&mut self) -> Result<(), SetupError> {
        let over = Bye {
            why: "the arbiter began another game".to_owned(),
            hung_up: true,
        };
        // A connection with nothing left to deliver is kept.
        let line = self.line.take();
        let kept = line.and_then(|line| {
            let mut line = caught_up(line, &self.transcript, WITHIN).ok()?;
            line.ask(&Request::Bye(over.clone())).ok()?;
            Some(line)
        });
        if kept.is_none() && self.options.socket.is_some() {
            self.bye(over);
        }
        self.transcript = Arc::new(ShimTranscript::new(hello(&self.options)));
        self.local = bot(&self.options, &self.transcript)?;
        // What the daemon does not have of the last game stays in its journal.
        self.journal = None;
        self.unjournalled = false;
        if self.options.socket.is_none() {
            return Ok(());
        }
        if let Some(reconnector) = self.reconnector.take() {
            reconnector.call_off();
        }
        let greeted = match kept {
            Some(mut line) => line
                .greet(&self.transcript.hello)
                .map(|()| self.line = Some(line)),
            None => Err(ErrorKind::NotConnected.into()),
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
        if (self.begun || self.transcript.next() > 1) && begins() {
            self.begin_again()?;
        }
        if self.options.socket.is_none() {
            self.local.hear(&frame);
            self.begun = true;
            return Ok(self.local.answer(received));
        }
        let number = self.transcript.next();
        match self.relayed(number, &frame, received) {
            Some(said) => {
                self.local.told(&said.text);
                let exchange = heard(number, frame, Some(said.text.clone()));
                self.transcript.add(exchange, said.stored);
                Ok(said.text)
            }
            None => {
                let said = self.local.answer(received);
                let mut heard = heard(number, frame, Some(said.clone()));
                heard.at_us = Some(now_us());
                self.note(&Request::Heard(heard.clone()));
                self.transcript.add(heard, false);
                Ok(said)
            }
        }
    }

    /// Returns to the daemon if the reconnector has found it, off the arbiter's clock.
    fn look_back(&mut self) {
        let Some(line) = self.reconnector.as_ref().and_then(Reconnector::back) else {
            return;
        };
        self.reconnector = None;
        if self.transcript.behind() > LAST_MAX {
            // The game runs faster than it is handed over.
            self.look(Duration::ZERO);
            return;
        }
        match caught_up(line, &self.transcript, LAST_WITHIN) {
            Ok(line) => self.adopt(line),
            Err(error) => self.alone(&error),
        }
    }

    /// The daemon's answer, if it comes in time. The bot in this process gets the frame in any case, while
    /// the daemon is working.
    fn relayed(&mut self, number: u64, frame: &str, received: Instant) -> Option<Relayed> {
        let request = Request::Heard(heard(number, frame.to_owned(), None));
        let asked = self.line.as_mut().map(|line| line.ask(&request));
        let due = self.local.hear(frame);
        let asked = asked?;
        let line = self.line.as_mut()?;
        if due == Due::Nothing {
            line.owes(number);
        }
        let until = received + self.within(due);
        let line = self.line.as_mut()?;
        let handed = asked.and_then(|()| match due {
            // Nothing waits for it, and the next message must not either.
            Due::Nothing => line.keep_up(until).map(|()| Relayed {
                text: String::new(),
                stored: false,
            }),
            _ => match line.handed(number, until)? {
                Handed::Say { text, stored } => Ok(Relayed { text, stored }),
                Handed::Have(count) => {
                    // It has lost what it had, so it gets everything again.
                    self.transcript.has(count);
                    Err(ErrorKind::InvalidData.into())
                }
            },
        });
        handed.map_err(|error| self.alone(&error)).ok()
    }

    /// How long to wait for the daemon's answer.
    fn within(&self, due: Due) -> Duration {
        match due {
            Due::Decision { limit, target } => {
                let most = limit.saturating_sub(margin(MARGIN, limit) / MARGIN_PART);
                let kit = self.options.kit;
                let contest = (kit.answer_within(), kit.open_within());
                let target = match self.options.bot.starts_with(PREFIX) {
                    true => awaited_target(contest, (limit, target)),
                    false => target,
                };
                target.map_or(most, |target| (target + NOTE_WITHIN).min(most))
            }
            Due::Nothing | Due::Answer { .. } => NOTE_WITHIN.min(self.options.kit.answer_within()),
        }
    }

    /// Journals a request that the daemon is not receiving now.
    fn note(&mut self, request: &Request) {
        let Some(socket) = &self.options.socket else {
            return;
        };
        let folder = folder_of(socket);
        let noted = match &mut self.journal {
            Some(journal) => journal.write(request),
            None => {
                Journal::begin(folder, &self.transcript.hello, self.synced).and_then(|journal| {
                    // Kept locked whatever becomes of it: the daemon must not take it for an orphan's.
                    let journal = self.journal.insert(journal);
                    // All that the daemon is not known to have, without which the rest is useless.
                    let before = self.transcript.missing().into_iter().map(Request::Heard);
                    let all: Vec<Request> = before.chain([request.clone()]).collect();
                    journal.write_all(&all)
                })
            }
        };
        match noted {
            Err(error) if !self.unjournalled => {
                self.unjournalled = true;
                let path = path_of(folder, &self.transcript.hello);
                let from = self.transcript.next();
                (self.options.note)(&format!(
                    "the journal {} cannot be written ({error}): what is answered from message {from} on \
                     is lost unless the daemon is back before this game ends",
                    path.display()
                ));
            }
            Err(_) => {}
            Ok(()) => self.unjournalled = false,
        }
    }

    /// The game is over for us.
    fn bye(&mut self, bye: Bye) {
        if self.transcript.next() == 1 {
            return;
        }
        let Some(socket) = self.options.socket.clone() else {
            return;
        };
        if let Some(reconnector) = self.reconnector.take() {
            reconnector.call_off();
        }
        let bye = Request::Bye(bye);
        let noted = self.journal.is_some();
        if noted {
            // The arbiter may end us before everything is handed over.
            self.note(&bye);
        }
        let line = match self.line.take() {
            Some(line) => Ok(line),
            None => Line::call(&socket, &self.transcript.hello),
        };
        let told = line.and_then(|line| {
            let mut line = caught_up(line, &self.transcript, WITHIN)?;
            line.ask(&bye)
        });
        match (told, self.journal.take()) {
            (Ok(()), Some(journal)) => journal.remove(),
            (Ok(()), None) => {}
            (Err(_), journal) => {
                self.journal = journal;
                if !noted {
                    self.note(&bye);
                }
                self.mourn();
            }
        }
    }

    /// Reports what neither the daemon nor a journal has of a game that is over.
    fn mourn(&self) {
        let missing = self.transcript.missing();
        let (Some(first), Some(last)) = (missing.first(), missing.last()) else {
            return;
        };
        let Some(socket) = self.options.socket.as_ref().filter(|_| self.unjournalled) else {
            return;
        };
        let Hello {
            game, market, id, ..
        } = &self.transcript.hello;
        let path = path_of(folder_of(socket), &self.transcript.hello);
        (self.options.note)(&format!(
            "lost: messages {} to {} of the {game} session {market}/{id}, answered while the daemon was away: \
             they are not in the journal {}",
            first.n,
            last.n,
            path.display()
        ));
    }
}

/// The bot for a game that begins.
fn bot(options: &ShimOptions, transcript: &ShimTranscript) -> Result<Local, SetupError> {
    let ShimOptions {
        kit, bot, thinking, ..
    } = options;
    Local::new(*kit, bot, transcript.hello.market, *thinking)
}

fn heard(n: u64, text: String, said: Option<String>) -> NumberedMessage {
    NumberedMessage {
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
        market: now_us().unsigned_abs(),
        id: u64::from(std::process::id()),
    }
}

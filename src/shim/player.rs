//! To the daemon, or to the bot in this process.

use super::journal::{Journal, folder_of, path_of};
use super::line::{Handed, Line};
use super::local::{Due, Local};
use super::options::ShimOptions;
use super::patience::Patience;
use super::reconnector::{Reconnector, caught_up};
use super::transcript::ShimTranscript;
use crate::clock::now_us;
use crate::link::relay::{Bye, Hello, NumberedMessage, Request};
use games::SetupError;
use games::answer::{Bounds, awaited_target};
use games::neutral::PREFIX;
use std::cell::Cell;
use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// The least time for a search next to the daemon's.
const OWN_MIN: Duration = Duration::from_millis(1);
/// How often a search looks whether the daemon has answered.
const LOOK_EVERY: Duration = Duration::from_micros(500);
/// How long the end of a game waits for the daemon: for its word that it is stored, whatever is to be handed over
/// before. Then the journal is left for it.
const PART_WITHIN: Duration = Duration::from_secs(1);
/// The same where another game has begun.
const PART_SOON: Duration = Duration::from_millis(50);
/// The wait before the daemon is called again at the end of a game that is in no journal.
const PART_AGAIN: Duration = Duration::from_millis(20);
/// The maximum number of messages handed over between two of the arbiter's when the daemon is back.
const LAST_MAX: u64 = 8;

/// The daemon's answer to a message.
struct Relayed {
    text: String,
    /// Whether the daemon has stored it, and not just received it.
    stored: bool,
}

/// One seat at an arbiter's table, played by the daemon or by the bot in this process.
pub struct Player {
    options: ShimOptions,
    transcript: Arc<ShimTranscript>,
    /// The connection to the daemon, if there is one.
    line: Option<Line>,
    /// How long the daemon is waited for.
    patience: Patience,
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
    /// Whether leave was taken of this game.
    parted: bool,
    /// Whether the last decision was waited for in vain: the search next to it was as long as the clock allows.
    waited: bool,
}

impl Player {
    /// Connects to the daemon, if there is one; the game begins with the arbiter's first message.
    ///
    /// # Errors
    /// [`SetupError`] if there is no such bot.
    pub fn begin(options: ShimOptions) -> Result<Self, SetupError> {
        let transcript = Arc::new(ShimTranscript::new(hello(&options)));
        let mut player = Self {
            local: bot(&options, &transcript)?,
            transcript,
            line: None,
            patience: Patience::default(),
            reconnector: None,
            journal: None,
            begun: false,
            unjournalled: false,
            synced: true,
            parted: false,
            waited: false,
            options,
        };
        if let Some(daemon) = player.options.daemon.clone() {
            match Line::call(&*daemon, &player.transcript.hello) {
                Ok(line) => player.line = Some(line),
                Err(error) => player.alone(&error),
            }
        }
        Ok(player)
    }

    /// The daemon is back and has everything.
    fn adopt(&mut self, line: Line) {
        self.line = Some(line);
        if let Some(journal) = self.journal.take() {
            journal.remove();
        }
    }

    /// The daemon does not answer. One that is running but slow is left alone for longer, so that it costs no
    /// more of the game's clock.
    fn alone(&mut self, why: &io::Error) {
        let slow = matches!(why.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut);
        let delay = if slow {
            self.patience.late()
        } else {
            Duration::ZERO
        };
        let place = self.options.daemon.as_ref();
        let place = place.map_or_else(String::new, |daemon| {
            format!(" at {}", daemon.socket().display())
        });
        let why = format!("the daemon does not answer{place} ({why}): playing alone until it does");
        (self.options.note)(&why);
        self.hang_up();
        self.look(delay);
    }

    /// Takes the connection, and with it what the daemon has said about itself.
    fn hang_up(&mut self) -> Option<Line> {
        let line = self.line.take();
        let welcome = line.as_ref().and_then(|line| line.welcome.as_ref());
        if let Some(welcome) = welcome {
            self.synced = welcome.synced;
        }
        line
    }

    /// Starts looking for the daemon and bringing it up to date.
    fn look(&mut self, delay: Duration) {
        if let Some(daemon) = self.options.daemon.clone() {
            self.reconnector = Some(Reconnector::start(
                daemon,
                Arc::clone(&self.transcript),
                delay,
            ));
        }
    }

    /// Another game with the same arbiter.
    fn begin_again(&mut self) -> Result<(), SetupError> {
        let over = Bye {
            n: None,
            why: "the arbiter began another game".to_owned(),
            hung_up: true,
        };
        // The new game's clock may run already.
        let kept = self.part(over, PART_SOON);
        self.transcript = Arc::new(ShimTranscript::new(hello(&self.options)));
        self.local = bot(&self.options, &self.transcript)?;
        // What the daemon does not have of the last game stays in its journal.
        self.journal = None;
        self.patience.begin_again();
        self.unjournalled = false;
        self.parted = false;
        let Some(daemon) = &self.options.daemon else {
            return Ok(());
        };
        let hello = &self.transcript.hello;
        let greeted = match kept {
            Some(mut line) => line.greet(hello).map(|()| line),
            None => Line::call(&**daemon, hello),
        };
        match greeted {
            Ok(line) => self.line = Some(line),
            Err(error) => self.alone(&error),
        }
        Ok(())
    }

    /// The answer to a message of the arbiter, received at this moment.
    ///
    /// # Errors
    /// [`SetupError`] if another game begins and its bot cannot be made.
    pub fn answer(&mut self, frame: String, received: Instant) -> Result<String, SetupError> {
        let begins = || {
            self.options
                .kit
                .card()
                .dialect
                .route(frame.as_bytes())
                .is_ok_and(|route| route.begins)
        };
        if (self.begun || self.transcript.next() > 1) && begins() {
            self.begin_again()?;
        }
        if self.options.daemon.is_none() {
            self.local.receive(&frame);
            self.begun = true;
            return Ok(self.local.answer(received, false));
        }
        let number = self.transcript.next();
        match self.relayed(number, &frame, received) {
            Some(said) => {
                self.local.said(&said.text);
                let exchange = numbered(number, frame, Some(said.text.clone()));
                self.transcript.add(exchange, said.stored);
                Ok(said.text)
            }
            None => {
                self.patience.played_alone();
                let said = self.local.answer(received, self.waited);
                let mut message = numbered(number, frame, Some(said.clone()));
                message.at_us = Some(now_us());
                self.note(&Request::Message(message.clone()));
                self.transcript.add(message, false);
                Ok(said)
            }
        }
    }

    /// Returns to the daemon if the reconnector has found it, off the arbiter's clock.
    pub fn look_back(&mut self) {
        let Some(line) = self.reconnector.as_mut().and_then(Reconnector::back) else {
            return;
        };
        self.reconnector = None;
        if self.transcript.behind() > LAST_MAX {
            // The game runs faster than it is handed over.
            self.look(Duration::ZERO);
            return;
        }
        let until = Instant::now() + self.patience.catching_up();
        match caught_up(line, &self.transcript, until) {
            Ok(line) => self.adopt(line),
            Err(error) => self.alone(&error),
        }
    }

    /// The daemon's answer, if it comes in time. The bot in this process gets the frame in any case, while
    /// the daemon is working.
    fn relayed(&mut self, number: u64, frame: &str, received: Instant) -> Option<Relayed> {
        let request = Request::Message(numbered(number, frame.to_owned(), None));
        let asked = self.line.as_mut().map(|line| line.ask(&request));
        let due = self.local.receive(frame);
        self.waited = false;
        let handed = asked?.and_then(|()| match due {
            _ if self.local.is_certain(due) => self.known(number),
            Due::Decision(asked) => self.decided(number, asked, received),
            Due::Nothing | Due::Answer => {
                let within = self.patience.message(self.options.kit.card().limits.answer);
                let handed = self.connection()?.handed(number, received + within)?;
                self.taken(handed)
            }
        });
        handed.map_err(|error| self.alone(&error)).ok()
    }

    fn connection(&mut self) -> io::Result<&mut Line> {
        self.line
            .as_mut()
            .ok_or_else(|| ErrorKind::NotConnected.into())
    }

    /// What the daemon will say is known, and nothing waits for it.
    fn known(&mut self, number: u64) -> io::Result<Relayed> {
        let line = self.connection()?;
        line.owes(number);
        line.keep_up()?;
        Ok(Relayed {
            text: self.local.say(),
            stored: false,
        })
    }

    /// The daemon's decision, if it comes in time; the bot in this process searches next to it where waiting on could
    /// cost the answer.
    fn decided(&mut self, number: u64, asked: Bounds, received: Instant) -> io::Result<Relayed> {
        let Bounds { limit, target } = asked;
        let kit = self.options.kit;
        let limits = kit.card().limits;
        let awaited = match target {
            Some(_) if !self.local.thinks() => Some(Duration::ZERO),
            _ if self.options.bot.starts_with(PREFIX) => awaited_target(limits, asked),
            _ => target,
        };
        // Bots that do not think need a moment, too.
        let own = self.local.needs(target).max(OWN_MIN);
        let wait = self.patience.wait(limit, awaited, own);
        let (search_from, give_up) = (received + wait.search_from, received + wait.give_up);
        let searched = give_up.min(search_from + own);
        // A daemon that does not even get to this message is not thinking about it.
        let reached = give_up.min(received + self.patience.message(kit.card().limits.answer));
        let handed = loop {
            let now = Instant::now();
            let line = self
                .line
                .as_mut()
                .ok_or_else(|| io::Error::from(ErrorKind::NotConnected))?;
            if line.has_input() {
                if let Some(handed) = line.arrived(number, give_up)? {
                    break handed;
                }
            } else if now >= give_up || now >= reached && line.is_owed() {
                // One that hangs is found out before the search next to it begins.
                self.waited = now >= search_from;
                return Err(ErrorKind::TimedOut.into());
            } else if now < search_from || now >= searched || self.local.has_searched() {
                let moments = [reached, search_from, give_up];
                let next = moments.into_iter().filter(|moment| *moment > now).min();
                let next = next.unwrap_or(give_up);
                line.waits(next);
                self.patience.woke(next.elapsed());
            } else {
                let looked = Cell::new(now);
                self.local.search(&|| {
                    let now = Instant::now();
                    let looks = now >= looked.get() + LOOK_EVERY;
                    if looks {
                        looked.set(now);
                    }
                    now >= searched || looks && line.has_input()
                });
            }
        };
        self.patience.in_time();
        self.taken(handed)
    }

    /// The daemon's answer to a message.
    fn taken(&mut self, handed: Handed) -> io::Result<Relayed> {
        match handed {
            Handed::Say { text, stored } => Ok(Relayed { text, stored }),
            Handed::Have(count) => {
                // It has lost what it had, so it gets everything again.
                self.transcript.has(count);
                Err(ErrorKind::InvalidData.into())
            }
        }
    }

    /// Journals a request that the daemon is not receiving now.
    fn note(&mut self, request: &Request) {
        let Some(daemon) = &self.options.daemon else {
            return;
        };
        let folder = folder_of(daemon.socket());
        let noted = match &mut self.journal {
            Some(journal) => journal.write(request),
            None => {
                Journal::begin(folder, &self.transcript.hello, self.synced).and_then(|journal| {
                    // Kept locked in any case: the daemon must not take it for an orphan's.
                    let journal = self.journal.insert(journal);
                    // All that the daemon is not known to have, without which the rest is useless.
                    let before = self.transcript.missing().into_iter().map(Request::Message);
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

    /// The arbiter has nothing more to say: takes leave of the daemon, or leaves the journal for it.
    pub fn leave(&mut self, bye: Bye) {
        drop(self.part(bye, PART_WITHIN));
    }

    /// The game is over for us: its end is in the journal until the daemon has stored it, and left there if that takes
    /// too long. The connection, if nothing is left to be said on it.
    fn part(&mut self, bye: Bye, within: Duration) -> Option<Line> {
        let daemon = self.options.daemon.clone()?;
        if self.transcript.next() == 1 || std::mem::replace(&mut self.parted, true) {
            return self.hang_up();
        }
        if let Some(reconnector) = self.reconnector.take() {
            reconnector.call_off();
        }
        let until = Instant::now() + within;
        let mut line = self.hang_up();
        // The arbiter may end us at any moment, and the daemon may end before it has stored what it has received.
        self.note(&Request::Bye(bye.clone()));
        loop {
            let called = line.is_none();
            let parted = line
                .take()
                .map_or_else(|| Line::call(&*daemon, &self.transcript.hello), Ok)
                .and_then(|line| parted(line, called, &self.transcript, &bye, until));
            match parted {
                Ok(line) => {
                    if let Some(journal) = self.journal.take() {
                        journal.remove();
                    }
                    return Some(line);
                }
                // A daemon that was started again is a call away; the next one finds the journal.
                Err(error) if called && !self.unjournalled || Instant::now() >= until => {
                    if let Some(Err(why)) = self.journal.as_ref().map(Journal::sync) {
                        (self.options.note)(&format!("the journal cannot be synced ({why})"));
                    }
                    self.mourn(&error);
                    return None;
                }
                Err(_) if called => daemon.pause(PART_AGAIN),
                Err(_) => {}
            }
        }
    }

    /// Reports what neither the daemon nor a journal has of a game that is over.
    fn mourn(&self, why: &io::Error) {
        let Some(daemon) = self.options.daemon.as_ref().filter(|_| self.unjournalled) else {
            return;
        };
        let Hello {
            game, market, id, ..
        } = &self.transcript.hello;
        let path = path_of(folder_of(daemon.socket()), &self.transcript.hello);
        let missing = self.transcript.missing();
        let what = match (missing.first(), missing.last()) {
            (Some(first), Some(last)) => format!("messages {} to {} and the end", first.n, last.n),
            _ => "the end".to_owned(),
        };
        (self.options.note)(&format!(
            "lost: {what} of the {game} session {market}/{id}: the daemon does not answer ({why}), and they are \
             not in the journal {}",
            path.display()
        ));
    }
}

/// Takes leave on this connection, which is new if `called`: it is given back once the daemon has stored the end.
fn parted(
    mut line: Line,
    called: bool,
    transcript: &ShimTranscript,
    bye: &Bye,
    until: Instant,
) -> io::Result<Line> {
    if called {
        line = caught_up(line, transcript, until)?;
    }
    let messages = transcript.next() - 1;
    let Some(count) = line.part(messages, bye, until)? else {
        return Ok(line);
    };
    transcript.has(count);
    let mut line = caught_up(line, transcript, until)?;
    match line.part(messages, bye, until)? {
        None => Ok(line),
        Some(_) => Err(ErrorKind::InvalidData.into()),
    }
}

/// The bot for a game that begins.
fn bot(options: &ShimOptions, transcript: &ShimTranscript) -> Result<Local, SetupError> {
    let ShimOptions {
        kit, bot, thinking, ..
    } = options;
    Local::new(*kit, bot, transcript.hello.market, *thinking)
}

fn numbered(n: u64, text: String, said: Option<String>) -> NumberedMessage {
    NumberedMessage {
        n,
        text,
        said,
        at_us: None,
    }
}

fn hello(options: &ShimOptions) -> Hello {
    Hello {
        game: options.kit.card().name.to_owned(),
        bot: options.bot.clone(),
        referee: options.referee.clone(),
        market: now_us().unsigned_abs(),
        id: u64::from(std::process::id()),
    }
}

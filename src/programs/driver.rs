//! A user's program in the place of a dialogue's bot: it gets the dialogue's messages, is asked for what is due, and
//! what it answers is handed to the dialogue. The dialogue's own bot is its fallback.

use super::account::{Account, Taken};
use super::bots::Bots;
use super::instance::{Instance, Leaving};
use super::launch::Launch;
use super::opening::{Opening, Reply};
use crate::history;
use crate::programs::contest;
use crate::store::types::SessionId;
use crate::store::{Note, Store};
use games::answer::ProgramTimes;
use games::neutral::{End, Line, PREFIX, Post};
use games::{Cause, DialogueSetup, Ending, Kit};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// What came of asking a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It answered the decision with this number: the dialogue acts so, if that is legal, when it thinks next.
    Given(u64),
    /// Nothing in time.
    Late,
    /// It is not running, and cannot be started again in time.
    Gone,
}

/// A program in the place of a dialogue's bot.
pub struct Driver {
    bots: Bots,
    /// As history has it: `bot:NAME@VERSION`.
    spec: String,
    launch: Option<Arc<Launch>>,
    post: Post,
    /// Lines that it was sent, and how many of them the dialogue is about to say again.
    lines_sent: usize,
    skip: usize,
    opening: Option<Opening>,
    instance: Option<Instance>,
    end: Option<End>,
    /// Who took the decisions that it was asked for.
    account: Account,
    /// Whether the program speaks its game's own protocol.
    native: bool,
    /// Whether it was ever late.
    was_late: AtomicBool,
}

impl Driver {
    /// The program that history calls so, which is not started yet. Without a `launch` it never is.
    #[must_use]
    pub fn new(bots: Bots, spec: String, launch: Option<Arc<Launch>>) -> Self {
        let native = launch.as_ref().is_some_and(|launch| launch.is_native());
        Self {
            native,
            was_late: AtomicBool::new(false),
            bots,
            spec,
            launch,
            post: Post::default(),
            lines_sent: 0,
            skip: 0,
            opening: None,
            instance: None,
            end: None,
            account: Account::default(),
        }
    }

    /// A fresh dialogue is about to receive the whole match: what the program received of it before, it is
    /// not sent again.
    pub fn attend(&mut self, setup: &mut DialogueSetup) {
        self.post = match self.native {
            true => Post::native(),
            false => Post::default(),
        };
        self.skip = self.lines_sent;
        setup.post = Some(self.post.clone());
    }

    /// What the program receives when it is started.
    pub const fn opening(&mut self) -> &mut Option<Opening> {
        &mut self.opening
    }

    /// Whether it was started, and not ended since.
    #[must_use]
    pub const fn is_running(&self) -> bool {
        self.instance.is_some()
    }

    /// As history has it: `bot:NAME@VERSION`.
    #[must_use]
    pub fn spec(&self) -> &str {
        &self.spec
    }

    /// The program's name.
    #[must_use]
    pub fn name(&self) -> &str {
        let name = self.spec.strip_prefix(PREFIX).unwrap_or(&self.spec);
        name.split_once('@').map_or(name, |(name, _)| name)
    }

    /// What the program has noted last, once.
    #[must_use]
    pub fn noted(&self, game: &str) -> Option<Note> {
        let note = self.instance.as_ref()?.noted()?;
        Some(Note {
            bot: self.name().to_owned(),
            game: game.to_owned(),
            note,
        })
    }

    /// Gives the program, before it is started, the note that it begins this session's match with: what it noted last, or
    /// what it was given if the match began before.
    pub async fn recall(&mut self, store: &Store, session: SessionId) {
        let name = self.name().to_owned();
        let Some(opening) = &mut self.opening else {
            return;
        };
        let (game, began) = (opening.game, opening.start.again);
        match history::give_note(store, session, &name, game, began).await {
            Ok(note) => opening.start.note = note.unwrap_or_default(),
            Err(error) => {
                tracing::warn!(bot = name, %error, "a program's note could not be read");
            }
        }
    }

    /// Sends the program what its dialogue has received; the first time it is started.
    pub fn tell(&mut self) {
        let lines = match self.post.take() {
            Ok(lines) => lines,
            Err(why) => {
                tracing::warn!(bot = self.spec, why, "a program is sent nothing more");
                return self.give_up();
            }
        };
        let skipped = self.skip.min(lines.len());
        self.skip -= skipped;
        let lines: Vec<Line> = lines.into_iter().skip(skipped).collect();
        self.lines_sent += lines.len();
        if self.instance.is_none() {
            self.start();
        }
        if let Some(instance) = &self.instance
            && !instance.send_lines(lines)
        {
            tracing::warn!(
                bot = self.spec,
                "a program is too slow to take in its match"
            );
            self.give_up();
        }
    }

    fn start(&mut self) {
        let (Some(launch), Some(opening)) = (self.launch.clone(), self.opening.take()) else {
            return;
        };
        match Instance::start(&self.bots, launch, opening) {
            Ok(instance) => self.instance = Some(instance),
            Err(error) => tracing::error!(bot = self.spec, %error, "a program cannot be started"),
        }
    }

    /// It is not sent or asked anything more.
    fn give_up(&mut self) {
        self.instance = None;
        self.launch = None;
    }

    /// Who took the decisions that it was asked for; shared with what ends the match.
    #[must_use]
    pub const fn account(&self) -> &Account {
        &self.account
    }

    /// It is not asked for a decision that leaves no choice: the only legal answer is given.
    pub fn forced(&self) {
        self.account.took(Taken::Forced);
    }

    /// Has it answer the decision that is due before this deadline.
    pub async fn ask(&self, deadline: Instant) -> Answer {
        let Some((instance, number)) = self.due() else {
            return self.hand_in(0, Reply::Gone);
        };
        self.hand_in(number, instance.ask(number, deadline).await)
    }

    /// The same, blocking its thread.
    #[must_use]
    pub fn ask_blocking(&self, deadline: Instant) -> Answer {
        let Some((instance, number)) = self.due() else {
            return self.hand_in(0, Reply::Gone);
        };
        self.hand_in(number, instance.ask_blocking(number, deadline))
    }

    /// The moments of a decision with this limit and target ([`ProgramTimes::new`]). A program that speaks its game's
    /// own protocol keeps its own clock, until it is late for the first time.
    #[must_use]
    pub fn times(
        &self,
        kit: &dyn Kit,
        (limit, target): (Duration, Option<Duration>),
        margin: Duration,
    ) -> Option<ProgramTimes> {
        let times = ProgramTimes::new(contest(kit), (limit, target), margin)?;
        let trusted = self.native && !self.was_late.load(Ordering::Relaxed);
        Some(match trusted {
            true => times.on_own_clock(limit, target),
            false => times,
        })
    }

    fn due(&self) -> Option<(&Instance, u64)> {
        Some((self.instance.as_ref()?, self.post.due()?))
    }

    fn hand_in(&self, number: u64, reply: Reply) -> Answer {
        match reply {
            Reply::Act(act) => {
                self.post.answer(number, act);
                Answer::Given(number)
            }
            Reply::Late => {
                self.was_late.store(true, Ordering::Relaxed);
                self.account.took(Taken::Late);
                Answer::Late
            }
            Reply::Gone => {
                self.account.took(Taken::Gone);
                Answer::Gone
            }
        }
    }

    /// Whether the dialogue, which has thought since, took the answer to the decision with this number; if not, the
    /// program is notified why.
    #[must_use]
    pub fn is_taken(&self, number: u64) -> bool {
        let verdict = self.post.verdict();
        if verdict == Some(Ok(())) {
            self.account.took(Taken::Own);
            return true;
        }
        let why = verdict.and_then(Result::err).unwrap_or_default();
        self.account.took(Taken::Refused);
        if let Some(instance) = &self.instance {
            instance.refuse(number, why);
        }
        false
    }

    /// How the match ended, to be sent last.
    pub fn ends(&mut self, ending: &Ending) {
        self.end = Some(End {
            cause: ending.cause,
            detail: ending.detail.clone(),
            scores: ending.scores.clone(),
            wins: ending.wins.clone(),
        });
    }

    /// The same where the dialogue received no end: why there is nothing more.
    pub fn ends_by(&mut self, cause: Cause) {
        self.end.get_or_insert_with(|| End {
            cause,
            detail: String::new(),
            scores: Vec::new(),
            wins: Vec::new(),
        });
    }

    /// Reports to the program how the match ended, if that is known, and ends it; `None` if it was never wanted.
    pub fn leave(&mut self) -> Option<Leaving> {
        self.tell();
        self.launch = None;
        let account = self.account.clone();
        match self.instance.take() {
            Some(instance) => Some(instance.end(self.end.take(), account)),
            None => account.is_used().then(|| Leaving::unstarted(account)),
        }
    }
}

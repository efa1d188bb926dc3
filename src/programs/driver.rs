//! The process of a user's program that has a seat: it is started, sent its lines and asked as the seat says
//! ([`games::seat`]), and ended. The bot of the seat's dialogue is its fallback.

use super::account::Account;
use super::bots::Bots;
use super::instance::{Instance, Leaving};
use super::launch::Launch;
use super::opening::Opening;
use crate::store::types::SessionId;
use crate::store::{Note, Storage};
use games::neutral::{End, PREFIX};
use games::seat::{ProgramPart, ProgramReply, Question, Reply};
use games::{Cause, Ending};
use serde_json::Value;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The process of a program that has a seat.
pub struct Driver {
    bots: Bots,
    /// As history has it: `bot:NAME@VERSION`.
    spec: String,
    launch: Option<Arc<Launch>>,
    opening: Option<Opening>,
    instance: Option<Instance>,
    end: Option<End>,
    /// Who took the decisions that it was asked for.
    account: Account,
}

impl Driver {
    /// The program that history calls so, which is not started yet. Without a `launch` it never is.
    #[must_use]
    pub fn new(bots: Bots, spec: String, launch: Option<Arc<Launch>>) -> Self {
        Self {
            bots,
            spec,
            launch,
            opening: None,
            instance: None,
            end: None,
            account: Account::default(),
        }
    }

    /// Its part in a seat; `within`: the longest that it may take for a decision, besides what the wire allows.
    #[must_use]
    pub fn part(&self, within: Option<Duration>) -> ProgramPart {
        let launch = self.launch.as_ref();
        ProgramPart::new(launch.is_some_and(|launch| launch.is_native()), within)
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

    /// The note that the program begins this session's match with: what it noted last, or what it was given if the match
    /// `began` before.
    pub async fn recall(
        &self,
        game: &str,
        began: bool,
        store: &dyn Storage,
        session: SessionId,
    ) -> Value {
        let name = self.name();
        match store.give_note(session, name, game, began).await {
            Ok(note) => note.unwrap_or_default(),
            Err(error) => {
                tracing::warn!(bot = name, %error, "a program's note could not be read");
                Value::Null
            }
        }
    }

    /// Sends the program what is new in its seat; the first time it is started.
    pub fn send(&mut self, part: &mut ProgramPart) {
        if let (Some((number, why)), Some(instance)) = (part.refusal(), &self.instance) {
            instance.refuse(number, why);
        }
        let lines = match part.lines() {
            Ok(lines) => lines,
            Err(why) => {
                tracing::warn!(bot = self.spec, %why, "a program is sent nothing more");
                return self.give_up();
            }
        };
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

    /// What it was sent last is not in the match: its process ends, and another one is started when it is next asked.
    pub fn start_again(&mut self, part: &mut ProgramPart) {
        self.instance = None;
        self.opening = None;
        part.start_again();
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

    /// Sends what is new and asks for the decision that is due, about a frame that was received then.
    pub async fn ask(
        &mut self,
        part: &mut ProgramPart,
        question: Question,
        received: Instant,
    ) -> ProgramReply {
        self.send(part);
        match &self.instance {
            Some(instance) => {
                instance
                    .ask(question.number, received + question.until)
                    .await
            }
            None => ProgramReply::Gone,
        }
    }

    /// An answer of its seat is ready: notes who took the decision, and how the match ended.
    pub fn answered(&mut self, reply: &Reply) {
        if let Some(taken) = reply.taken {
            self.account.took(taken);
        }
        if let Some(ending) = &reply.ending {
            self.ends(ending);
        }
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

    /// Sends the program the rest and how the match ended, if that is known, and ends it; `None` if it was never wanted.
    pub fn leave(&mut self, part: Option<&mut ProgramPart>) -> Option<Leaving> {
        if let Some(part) = part {
            self.send(part);
        }
        self.launch = None;
        let account = self.account.clone();
        match self.instance.take() {
            Some(instance) => Some(instance.end(self.end.take(), account)),
            None => account.is_used().then(|| Leaving::unstarted(account)),
        }
    }
}

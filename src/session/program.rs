//! A session whose bot is a user's program: its process, and what it notes. What it is asked and who decides is the
//! business of the session's seat; the dialogue's own bot is its fallback.

use super::options::Dependencies;
use crate::programs::{Driver, Launch, Opening};
use crate::replay::PROGRAM;
use crate::store::types::{NewSession, SessionId};
use games::neutral::PREFIX;
use games::seat::{OwnSeat, ProgramPart, Reply};
use games::{DialogueSetup, Ending, Kit};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_util::task::TaskTracker;

/// How often a match's notes are stored while it runs.
const NOTED_EVERY: Duration = Duration::from_secs(1);

/// The name by which a session's program was asked for.
pub(super) fn asked(opened: &NewSession) -> Option<&str> {
    opened.setup.get(PROGRAM)?.get("asked")?.as_str()
}

/// What a session's setup says of its program.
pub(super) fn noted(asked: &str, launch: &Launch) -> Value {
    json!({"asked": asked, "fallback": launch.fallback})
}

/// The process of a session's program.
pub(super) struct Program {
    pub(super) driver: Driver,
    /// Whether its fallback uses a budget.
    pub(super) thinks: bool,
    /// While a note is being stored.
    storing: Option<JoinHandle<()>>,
    /// When one was last.
    noted: Option<Instant>,
}

/// Which session's program it is.
pub(super) struct SessionOf<'a> {
    pub(super) id: SessionId,
    pub(super) match_id: &'a str,
    /// Whether its match began before.
    pub(super) begun: bool,
}

impl Program {
    /// The program of a session that began so; `None` if its bot is built in. `launch`: what was found for it; else
    /// it is looked for.
    pub(super) fn for_session(
        dependencies: &Dependencies,
        opened: &NewSession,
        launch: Option<Arc<Launch>>,
    ) -> Option<Box<Self>> {
        let name = opened.bot.strip_prefix(PREFIX)?;
        let kit = (dependencies.find)(&opened.game)?;
        let fallback = opened.setup.get(PROGRAM)?.get("fallback")?.as_str()?;
        let launch = launch.or_else(|| dependencies.bots.find(name));
        Some(Box::new(Self {
            driver: Driver::new(dependencies.bots.clone(), opened.bot.clone(), launch),
            thinks: kit.card().bot(fallback).is_some_and(|card| card.thinks),
            storing: None,
            noted: None,
        }))
    }

    /// A fresh dialogue is about to be folded: what it needs, and what the program receives if it is started.
    pub(super) async fn prepare(
        &mut self,
        dependencies: &Dependencies,
        kit: &'static dyn Kit,
        part: &mut ProgramPart,
        of: SessionOf<'_>,
        setup: &mut DialogueSetup,
    ) {
        setup.post = Some(part.attend());
        if self.driver.opening().is_some() {
            return;
        }
        if of.begun && !self.driver.is_running() {
            part.asked_before();
        }
        let mut note = Value::Null;
        if !self.driver.is_running() {
            let (game, store) = (kit.card().name, &*dependencies.store);
            note = self.driver.recall(game, of.begun, store, of.id).await;
        }
        // Last: what takes too long here is done again.
        let opening = Opening::new(kit, of.match_id, of.begun, note, setup);
        *self.driver.opening() = Some(opening);
    }

    /// What it was sent last is not in the transcript.
    pub(super) fn start_again(&mut self, part: &mut ProgramPart) {
        self.driver.start_again(part);
    }

    /// As history has it: `bot:NAME@VERSION`.
    pub(super) fn spec(&self) -> &str {
        self.driver.spec()
    }

    /// The answer to a message is ready: sends the program what is new; the first time it is started.
    pub(super) fn answered(&mut self, reply: &Reply, own: &mut OwnSeat) {
        self.driver.answered(reply);
        if let Some(part) = own.program() {
            self.driver.send(part);
        }
    }

    /// Has stored what the program noted, not more often than is good for the store.
    pub(super) fn keep_note(
        &mut self,
        dependencies: &Dependencies,
        tracker: &TaskTracker,
        kit: &dyn Kit,
    ) {
        let waits = self
            .storing
            .as_ref()
            .is_some_and(|task| !task.is_finished());
        if waits || self.noted.is_some_and(|at| at.elapsed() < NOTED_EVERY) {
            return;
        }
        let Some(note) = self.driver.noted(kit.card().name) else {
            return;
        };
        self.noted = Some(Instant::now());
        let store = dependencies.store.clone();
        self.storing = Some(tracker.spawn(async move {
            if let Err(error) = store.keep_note(note).await {
                tracing::warn!(%error, "what a program noted could not be stored");
            }
        }));
    }

    /// How the match ended, to be sent last.
    pub(super) fn ends(&mut self, ending: &Ending) {
        self.driver.ends(ending);
    }

    /// Ends the program: its session goes on elsewhere.
    pub(super) fn abandon(
        mut self: Box<Self>,
        tracker: &TaskTracker,
        part: Option<&mut ProgramPart>,
    ) {
        if let Some(leaving) = self.driver.leave(part) {
            tracker.spawn(async move { drop(leaving.conduct().await) });
        }
    }

    /// Ends the program, and stores how it behaved.
    pub(super) fn end(
        mut self: Box<Self>,
        dependencies: &Dependencies,
        tracker: &TaskTracker,
        kit: &dyn Kit,
        session: SessionId,
        part: Option<&mut ProgramPart>,
        cause: games::Cause,
    ) {
        self.driver.ends_by(cause);
        let Some(leaving) = self.driver.leave(part) else {
            return;
        };
        let store = dependencies.store.clone();
        let (bot, game) = (self.driver.name().to_owned(), kit.card().name);
        let storing = self.storing.take();
        tracker.spawn(async move {
            let conduct = leaving.conduct().await;
            if let Some(storing) = storing {
                // The last note is stored last.
                let _ = storing.await;
            }
            let notes_of = Some((&*bot, game));
            conduct.keep(&*store, session, notes_of).await;
        });
    }
}

//! A session whose bot is a user's program: what the program is told and asked. The dialogue's own bot is the
//! fallback; it takes the program's acts from the post.

use super::deciding::{self, Asked, Decided};
use super::registry::Registry;
use crate::history;
use crate::programs::{Answer, Driver, Launch, Opening};
use crate::replay::PROGRAM;
use crate::store::Store;
use crate::store::types::{NewSession, SessionId};
use crate::thinking::guarded;
use games::answer::{Bounds, ProgramTimes};
use games::neutral::PREFIX;
use games::{BotCard, Budget, Dialogue, DialogueSetup, Ending, Kit};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::task::JoinHandle;

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

/// The program of a session.
pub(super) struct Program {
    driver: Driver,
    /// Who answers where it does not.
    fallback: Option<&'static BotCard>,
    /// Whether what is asked next may have been asked before, of a daemon that ended meanwhile.
    resumed: bool,
    /// While a note is being stored.
    storing: Option<JoinHandle<()>>,
    /// When one was last.
    noted: Option<Instant>,
}

impl Program {
    /// The program of a session that began so; `None` if its bot is built in. `launch`: what was found for it; else
    /// it is looked for.
    pub(super) fn of(
        registry: &Registry,
        opened: &NewSession,
        launch: Option<Arc<Launch>>,
    ) -> Option<Box<Self>> {
        let name = opened.bot.strip_prefix(PREFIX)?;
        let kit = (registry.dependencies.find)(&opened.game)?;
        let fallback = opened.setup.get(PROGRAM)?.get("fallback")?.as_str()?;
        let bots = &registry.dependencies.bots;
        let launch = launch.or_else(|| bots.find(name));
        Some(Box::new(Self {
            driver: Driver::new(bots.clone(), opened.bot.clone(), launch),
            fallback: kit.card().bots.iter().find(|card| card.name == fallback),
            resumed: false,
            storing: None,
            noted: None,
        }))
    }

    /// A fresh dialogue is about to be folded: what it needs, and what the program will be told if it is started.
    pub(super) async fn prepare(
        &mut self,
        (store, session): (&Store, SessionId),
        kit: &'static dyn Kit,
        (match_id, begun): (&str, bool),
        setup: &mut DialogueSetup,
    ) {
        self.driver.attend(setup);
        if self.driver.opening().is_some() {
            return;
        }
        self.resumed = begun && !self.driver.is_running();
        let opening = Opening::of(kit, match_id, begun, Value::Null, setup);
        *self.driver.opening() = Some(opening);
        if !self.driver.is_running() {
            self.driver.recall(store, session).await;
        }
    }

    /// As history has it: `bot:NAME@VERSION`.
    pub(super) fn spec(&self) -> &str {
        self.driver.spec()
    }

    /// Tells the program what its dialogue has heard, the first time it is started; and has stored what it noted.
    pub(super) fn tell(&mut self, registry: &Registry, kit: &dyn Kit) {
        self.driver.tell();
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
        let store = registry.dependencies.store.clone();
        self.storing = Some(registry.tracker.spawn(async move {
            if let Err(error) = history::keep_note(&store, note).await {
                tracing::warn!(%error, "what a program noted could not be stored");
            }
        }));
    }

    /// How the match ended, to be told at last.
    pub(super) fn ends(&mut self, ending: &Ending) {
        self.driver.ends(ending);
    }

    /// Ends the program, and stores what became of it.
    pub(super) fn end(
        mut self: Box<Self>,
        registry: &Registry,
        (session, kit): (SessionId, &dyn Kit),
        cause: games::Cause,
    ) {
        self.driver.ends_by(cause);
        let Some(leaving) = self.driver.leave() else {
            return;
        };
        let store = registry.dependencies.store.clone();
        let (bot, game) = (self.driver.name().to_owned(), kit.card().name.to_owned());
        let storing = self.storing.take();
        registry.tracker.spawn(async move {
            let conduct = leaving.conduct().await;
            if let Some(storing) = storing {
                // The last note is stored last.
                let _ = storing.await;
            }
            let notes_of = Some((&*bot, &*game));
            conduct.keep(&store, session, notes_of).await;
        });
    }

    /// Has the program decide; what it does not answer in time, or not legally, its fallback does.
    pub(super) async fn decide(
        &mut self,
        registry: &Registry,
        kit: &'static dyn Kit,
        dialogue: Box<dyn Dialogue>,
        asked: Asked,
    ) -> Decided {
        let margin = registry.options.margin;
        let bounds = Bounds {
            limit: asked.limit,
            target: asked.target,
        };
        let times = self.driver.times(kit, bounds, margin);
        // Whoever asked before is still waiting since then; how long is not known.
        let times = match std::mem::take(&mut self.resumed) {
            true => times.map(ProgramTimes::again),
            false => times,
        };
        let thinks = self.fallback.is_some_and(|card| card.thinks);
        let Some((dialogue, ready)) = think(dialogue, asked.fallback.clone(), thinks).await else {
            return Decided::lost(asked.fallback);
        };
        self.driver.tell();
        let Some(times) = times else {
            // The only legal answer: the program hears of it when it is given.
            self.driver.forced();
            return Decided::given(dialogue, ready);
        };
        let answer = self.driver.ask(asked.received + times.program).await;
        let asked = Asked {
            fallback: ready,
            ..asked
        };
        let context = (registry, kit, thinks);
        let number = match answer {
            Answer::Given(number) => number,
            Answer::Late => return instead(context, dialogue, asked, times, "program_late").await,
            Answer::Gone => return instead(context, dialogue, asked, times, "program_gone").await,
        };
        let taken = think(dialogue, asked.fallback.clone(), thinks).await;
        let Some((dialogue, said)) = taken else {
            return Decided::lost(asked.fallback);
        };
        match self.driver.is_taken(number) {
            true => Decided::given(dialogue, said),
            false => instead(context, dialogue, asked, times, "program_illegal").await,
        }
    }
}

/// What the fallback makes of the time that is left, and why it is asked.
async fn instead(
    (registry, kit, thinks): (&Registry, &'static dyn Kit, bool),
    dialogue: Box<dyn Dialogue>,
    asked: Asked,
    times: ProgramTimes,
    why: &'static str,
) -> Decided {
    let received = Instant::now();
    let gone = received.saturating_duration_since(asked.received);
    let left = asked.target.and_then(|target| target.checked_sub(gone));
    let asked = Asked {
        received,
        // What a late program leaves is less than any target.
        target: left.filter(|left| !left.is_zero()),
        ..asked
    };
    let decided =
        deciding::by_card(registry, (kit, thinks), dialogue, asked, times.after(gone)).await;
    Decided {
        fallback: match decided.fallback {
            None | Some("late") => Some(why),
            other => other,
        },
        ..decided
    }
}

/// Has what is ready said; a fallback that searches is not asked on the runtime's threads.
async fn think(
    mut dialogue: Box<dyn Dialogue>,
    mut best: String,
    thinks: bool,
) -> Option<(Box<dyn Dialogue>, String)> {
    let thinking = move || {
        guarded(move || {
            let _ = dialogue.think(Budget::SPENT, &mut best);
            (dialogue, best)
        })
    };
    let thought = match thinks {
        true => tokio::task::spawn_blocking(thinking).await.ok()?,
        false => thinking(),
    };
    match thought {
        Ok(thought) => Some(thought),
        Err(panic) => {
            tracing::error!(%panic, "a fallback panicked while thinking");
            None
        }
    }
}

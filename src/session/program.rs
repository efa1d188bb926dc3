//! A session whose bot is a user's program: what the program is told and asked. The dialogue's own bot is the
//! fallback; it takes the program's acts from the post.

use super::deciding::{self, Asked, Decided};
use super::registry::Registry;
use crate::programs::{Instance, Launch, Opening, Reply};
use crate::store::types::{NewSession, SessionId};
use crate::store::{ProgramRun, Store};
use crate::thinking::guarded;
use games::answer::ProgramTimes;
use games::neutral::{End, Line, Model, PREFIX, Post, Rival, Start};
use games::{BotCard, Budget, Dialogue, DialogueSetup, Ending, Kit};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The key in a session's setup for what its program needs.
pub(super) const KEY: &str = "program";
/// Nothing is thought: what is ready is wanted.
const SPENT: Budget<'static> = Budget {
    nodes: 0,
    stop: &|| true,
};

/// The name by which a session's program was asked for.
pub(super) fn asked(opened: &NewSession) -> Option<&str> {
    opened.setup.get(KEY)?.get("asked")?.as_str()
}

/// What a session's setup says of its program.
pub(super) fn noted(asked: &str, launch: &Launch) -> Value {
    json!({"asked": asked, "fallback": launch.fallback})
}

/// The program of a session.
pub(super) struct Program {
    /// As history has it: `bot:NAME@VERSION`.
    spec: String,
    launch: Option<Arc<Launch>>,
    /// Who answers where it does not.
    fallback: Option<&'static BotCard>,
    post: Post,
    /// Lines that it was told, and how many of them the dialogue is about to say again.
    told: usize,
    skip: usize,
    opening: Option<Opening>,
    instance: Option<Instance>,
    end: Option<End>,
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
        let fallback = opened.setup.get(KEY)?.get("fallback")?.as_str()?;
        Some(Box::new(Self {
            spec: opened.bot.clone(),
            launch: launch.or_else(|| registry.dependencies.bots.find(name)),
            fallback: kit.bots().iter().find(|card| card.name == fallback),
            post: Post::default(),
            told: 0,
            skip: 0,
            opening: None,
            instance: None,
            end: None,
        }))
    }

    /// A fresh dialogue is about to be folded: what it needs, and what the program will be told if it is started.
    pub(super) async fn prepare(
        &mut self,
        store: &Store,
        kit: &'static dyn Kit,
        (match_id, begun): (&str, bool),
        setup: &mut DialogueSetup,
    ) {
        self.post = Post::default();
        self.skip = self.told;
        setup.post = Some(self.post.clone());
        if self.opening.is_some() {
            return;
        }
        let name = self.name().to_owned();
        let note = store.note(&name, kit.game()).await;
        let note = note.unwrap_or_else(|error| {
            tracing::warn!(bot = name, %error, "a program's note could not be read");
            None
        });
        let show = |(of, model): &(String, Value)| {
            let model = kit
                .models()
                .map_or_else(|| model.clone(), |kind| kind.show(model));
            let of = of.clone();
            Model { of, model }
        };
        let rivals = setup.named.iter().map(|(place, name)| Rival {
            place: place.clone(),
            name: name.clone(),
        });
        self.opening = Some(Opening {
            game: kit.game(),
            start: Start {
                rivals: rivals.collect(),
                note: note.unwrap_or_default(),
                ..Start::of(contest(kit), match_id, begun)
            },
            models: setup.rivals.iter().chain(&setup.types).map(show).collect(),
        });
    }

    /// As history has it: `bot:NAME@VERSION`.
    pub(super) fn spec(&self) -> &str {
        &self.spec
    }

    fn name(&self) -> &str {
        let name = self.spec.strip_prefix(PREFIX).unwrap_or(&self.spec);
        name.split_once('@').map_or(name, |(name, _)| name)
    }

    /// Tells the program what its dialogue has heard; the first time it is started.
    pub(super) fn tell(&mut self, registry: &Registry) {
        let lines = match self.post.take() {
            Ok(lines) => lines,
            Err(why) => {
                tracing::warn!(bot = self.spec, why, "a program is told nothing more");
                return self.give_up();
            }
        };
        let skipped = self.skip.min(lines.len());
        self.skip -= skipped;
        let lines: Vec<Line> = lines.into_iter().skip(skipped).collect();
        self.told += lines.len();
        if self.instance.is_none() {
            self.start(registry);
        }
        if let Some(instance) = &self.instance
            && !instance.tell(lines)
        {
            tracing::warn!(
                bot = self.spec,
                "a program is too slow to be told its match"
            );
            self.give_up();
        }
    }

    fn start(&mut self, registry: &Registry) {
        let (Some(launch), Some(opening)) = (self.launch.clone(), self.opening.take()) else {
            return;
        };
        match Instance::start(&registry.dependencies.bots, launch, opening) {
            Ok(instance) => self.instance = Some(instance),
            Err(error) => tracing::error!(bot = self.spec, %error, "a program cannot be started"),
        }
    }

    /// It is not told or asked any more.
    fn give_up(&mut self) {
        self.instance = None;
        self.launch = None;
    }

    /// How the match ended, to be told at last.
    pub(super) fn ends(&mut self, ending: &Ending) {
        self.end = Some(End {
            cause: ending.cause,
            detail: ending.detail.clone(),
            scores: ending.scores.clone(),
            wins: ending.wins.clone(),
        });
    }

    /// Ends the program, and stores what became of it.
    pub(super) fn end(
        mut self: Box<Self>,
        registry: &Registry,
        (session, kit): (SessionId, &dyn Kit),
        cause: games::Cause,
    ) {
        self.tell(registry);
        let Some(instance) = self.instance.take() else {
            return;
        };
        let store = registry.dependencies.store.clone();
        let (bot, game) = (self.name().to_owned(), kit.game().to_owned());
        let end = self.end.take().unwrap_or_else(|| End {
            cause,
            detail: String::new(),
            scores: Vec::new(),
            wins: Vec::new(),
        });
        let at_us = registry.now_us();
        registry.tracker.spawn(async move {
            let report = instance.end(Some(end)).await;
            let run = ProgramRun {
                session,
                bot,
                game,
                note: report.note.clone(),
                report: json!(report),
                stderr: report.stderr,
                at_us,
            };
            if let Err(error) = store.program_ran(run).await {
                let session = session.0;
                tracing::warn!(session, %error, "what became of a program could not be stored");
            }
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
        let (bounds, margin) = ((asked.limit, asked.target), registry.options.margin);
        let times = ProgramTimes::new(contest(kit), bounds, margin);
        let thinks = self.fallback.is_some_and(|card| card.thinks);
        let Some((dialogue, ready)) = think(dialogue, asked.fallback.clone(), thinks).await else {
            return Decided::lost(asked.fallback);
        };
        self.tell(registry);
        let Some(times) = times else {
            // The only legal answer: the program hears of it when it is given.
            return Decided::given(dialogue, ready);
        };
        let number = self.post.due();
        let reply = match (&self.instance, number) {
            (Some(instance), Some(number)) => {
                instance.ask(number, asked.received + times.program).await
            }
            _ => Reply::Gone,
        };
        let asked = Asked {
            fallback: ready,
            ..asked
        };
        let context = (registry, kit, thinks);
        let (number, act) = match (reply, number) {
            (Reply::Act(act), Some(number)) => (number, act),
            (Reply::Late, _) => {
                return instead(context, dialogue, asked, times, "program_late").await;
            }
            _ => return instead(context, dialogue, asked, times, "program_gone").await,
        };
        self.post.answer(number, act);
        let taken = think(dialogue, asked.fallback.clone(), thinks).await;
        let Some((dialogue, said)) = taken else {
            return Decided::lost(asked.fallback);
        };
        match self.post.verdict() {
            Some(Ok(())) => Decided::given(dialogue, said),
            verdict => {
                let why = verdict.and_then(Result::err).unwrap_or_default();
                if let Some(instance) = &self.instance {
                    instance.refuse(number, why);
                }
                instead(context, dialogue, asked, times, "program_illegal").await
            }
        }
    }
}

/// How long the contest gives for an answer, and for the first one.
fn contest(kit: &dyn Kit) -> (Duration, Duration) {
    (kit.answer_within(), kit.open_within())
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
            let _ = dialogue.think(SPENT, &mut best);
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

//! The shadow's thread: a dialogue of its own hears the transcript, and its decisions are compared with those in it.

use super::attached::{Heard, Shared};
use super::findings::Decided;
use crate::programs::{Answer, Bots, Driver, Opening, SPENT, contest};
use crate::replay::{Naming, PROGRAM as KEY, dialogue_setup, note_advice};
use crate::session::program::noted;
use crate::store::Store;
use crate::store::types::{Direction, EntryId, NewEntry, NewSession};
use crate::thinking::{Panicked, guarded, step_back};
use games::answer::{ProgramTimes, Times, think};
use games::neutral::PREFIX;
use games::{Budget, Dialogue, Frame, Kit, Next};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::sync::mpsc::Receiver;

/// Messages that may wait when a shadow is asked for a decision; behind more, it only listens until it has caught up.
const BEHIND_MAX: usize = 64;

/// What a shadow is started with.
pub(super) struct Terms {
    pub(super) kit: &'static dyn Kit,
    pub(super) bots: Bots,
    pub(super) searching: Arc<Semaphore>,
    pub(super) store: Store,
    pub(super) runtime: Handle,
    /// How the session began.
    pub(super) opened: NewSession,
    /// Who is the shadow: a built-in bot's name, or `bot:NAME[@VERSION]`.
    pub(super) shadow: String,
    pub(super) nodes: u64,
    pub(super) ceiling: Duration,
    pub(super) margin: Duration,
    pub(super) nice: i32,
}

/// The shadow's own dialogue.
struct Mind<'a> {
    terms: Terms,
    shared: &'a Shared,
    dialogue: Box<dyn Dialogue>,
    /// Whether its bot is built in and uses a budget.
    thinks: bool,
    program: Option<Driver>,
    turn: Option<Turn>,
    /// Whether anything was heard.
    begun: bool,
}

/// A message and what was answered.
struct Turn {
    entry: EntryId,
    /// How long the playing bot took, if it decided.
    took: Option<Duration>,
    /// Whether the dialogue is told what was answered.
    owes: bool,
    decided: Option<Decided>,
    /// Of several answers the last one counts; without one, nothing was sent.
    answer: String,
}

/// Works until the session has ended, or the shadow cannot go on.
pub(super) fn run(terms: Terms, shared: &Arc<Shared>, mut waiting: Receiver<Arc<Heard>>) {
    // Threads and processes that it starts inherit this.
    step_back(terms.nice);
    let broken = |why| shared.findings.lock().break_off(why);
    match Mind::of(terms, shared) {
        Ok(mut mind) => {
            // At once: it may hang when it ends.
            if let Err(panic) = mind.follow(&mut waiting) {
                broken(panic.to_string());
            }
            mind.leave();
        }
        Err(why) => broken(why),
    }
}

impl<'a> Mind<'a> {
    /// A dialogue set up as the session's was, but for its bot.
    fn of(terms: Terms, shared: &'a Arc<Shared>) -> Result<Self, String> {
        let (kit, opened) = (terms.kit, &terms.opened);
        let (mut stored, mut spec) = (opened.setup.clone(), terms.shadow.clone());
        let mut program = None;
        if let Some(stored) = stored.as_object_mut() {
            stored.remove(KEY);
        }
        if let Some(name) = terms.shadow.strip_prefix(PREFIX) {
            let launch = terms.bots.find(name);
            let launch = launch.filter(|launch| launch.plays(kit.game()));
            let launch =
                launch.ok_or("no such bot is here, or it does not play this game".to_owned())?;
            stored[KEY] = noted(&terms.shadow, &launch);
            spec = format!("{PREFIX}{}@{}", launch.name, launch.version);
            program = Some(Driver::new(terms.bots.clone(), spec.clone(), Some(launch)));
        }
        shared.findings.lock().tally.shadow.clone_from(&spec);
        let reading = async {
            note_advice(&terms.store, kit, &spec, &mut stored).await?;
            let setup = dialogue_setup(&terms.store, kit, (&spec, opened.seed), &stored).await?;
            let note = match &program {
                Some(driver) => terms.store.note(driver.name(), kit.game()).await?,
                None => None,
            };
            Ok::<_, crate::store::StoreError>((setup, note))
        };
        let read = terms.runtime.block_on(reading);
        let (mut setup, note) = read.map_err(|error| error.to_string())?;
        if let Some(driver) = &mut program {
            driver.attend(&mut setup);
            let note = note.unwrap_or_default();
            let opening = Opening::of(kit, (&opened.match_id, false), note, &setup);
            *driver.opening() = Some(opening);
        }
        let dialogue = guarded(|| kit.dialogue(&setup)).map_err(|panic| panic.to_string())?;
        let mut cards = kit.bots().iter();
        Ok(Self {
            dialogue: dialogue.map_err(|error| error.to_string())?,
            thinks: cards.any(|card| card.name == spec && card.thinks),
            terms,
            shared,
            program,
            turn: None,
            begun: false,
        })
    }

    fn follow(&mut self, waiting: &mut Receiver<Arc<Heard>>) -> Result<(), Panicked> {
        while let Some(heard) = waiting.blocking_recv() {
            if self.shared.quits() {
                return Ok(());
            }
            for (entry, line) in &heard.entries {
                let behind = waiting.len() > BEHIND_MAX;
                self.hear((*entry, line), heard.took, behind)?;
            }
        }
        self.settle()
    }

    /// Hears a line of the transcript, as a replay does ([`crate::replay::replay`]), and decides where that asks for it.
    fn hear(
        &mut self,
        (entry, line): (EntryId, &NewEntry),
        took: Option<Duration>,
        behind: bool,
    ) -> Result<(), Panicked> {
        let opens = !std::mem::replace(&mut self.begun, true);
        if line.direction == Direction::Out {
            return match &mut self.turn {
                Some(turn) => {
                    turn.answer.clone_from(&line.text);
                    Ok(())
                }
                None => guarded(|| {
                    if opens {
                        let _ = self.dialogue.open();
                    }
                    self.dialogue.said(&line.text);
                }),
            };
        }
        self.settle()?;
        if let Some(Naming { rival, name, model }) = Naming::decode(&line.text) {
            return guarded(|| self.dialogue.named(&rival, &name, model.as_ref()));
        }
        let next = guarded(|| self.dialogue.receive(line.text.as_bytes()))?;
        let (mut owes, mut decided) = (false, None);
        match next {
            Ok(Next::Send(_)) => owes = true,
            Ok(Next::Think {
                limit,
                target,
                fallback,
            }) => {
                owes = true;
                self.shared.findings.lock().asked = true;
                let said = self.decide((limit, target), fallback, behind);
                let mut findings = self.shared.findings.lock();
                if said.is_err() {
                    findings.lose();
                }
                findings.asked = false;
                drop(findings);
                decided = said?;
            }
            Ok(Next::Over(ending)) => {
                if let Some(driver) = &mut self.program {
                    driver.ends(&ending);
                }
            }
            Ok(Next::Wait) | Err(_) => {}
        }
        self.turn = Some(Turn {
            entry,
            took,
            owes,
            decided,
            answer: String::new(),
        });
        self.tell();
        Ok(())
    }

    /// The next message is here, or none comes: what was answered to the last one is known.
    fn settle(&mut self) -> Result<(), Panicked> {
        let Some(turn) = self.turn.take() else {
            return Ok(());
        };
        let sent = &turn.answer;
        if let Some(decided) = turn.decided {
            let mut findings = self.shared.findings.lock();
            findings.count(decided, (turn.entry, sent, turn.took));
        }
        if turn.owes {
            guarded(|| self.dialogue.said(sent))?;
            self.tell();
        }
        Ok(())
    }

    /// Tells a program what its dialogue has heard.
    fn tell(&mut self) {
        if let Some(driver) = &mut self.program {
            driver.tell();
        }
    }

    /// What it decides; `None` where only one answer is legal.
    fn decide(
        &mut self,
        bounds: (Duration, Option<Duration>),
        fallback: Frame,
        behind: bool,
    ) -> Result<Option<Decided>, Panicked> {
        let (kit, margin) = (self.terms.kit, self.terms.margin);
        let times = match &self.program {
            Some(driver) => driver.times(kit, bounds, margin),
            None => ProgramTimes::new(contest(kit), bounds, margin),
        };
        if behind && times.is_some() {
            return Ok(Some(Decided::Skipped));
        }
        match (&self.program, times) {
            (Some(_), times) => self.ask(times, fallback),
            (None, Some(_)) => self.think(bounds, fallback).map(Some),
            (None, None) => Ok(None),
        }
    }

    /// The same for a built-in bot, within the bounds that it has when it plays.
    fn think(
        &mut self,
        (limit, target): (Duration, Option<Duration>),
        mut best: Frame,
    ) -> Result<Decided, Panicked> {
        let Terms {
            kit,
            nodes,
            ceiling,
            margin,
            ..
        } = self.terms;
        let limit = limit.min(kit.answer_within().max(kit.open_within()));
        let times = Times::new(limit, target, margin);
        let most = match self.thinks && nodes == u64::MAX {
            true => times.stop.min(ceiling).min(target.unwrap_or(ceiling)),
            false => times.deadline,
        };
        // It is never closed.
        let searching = Arc::clone(&self.terms.searching);
        let _turn = match self.thinks {
            true => self.terms.runtime.block_on(searching.acquire_owned()).ok(),
            false => None,
        };
        let begun = Instant::now();
        let stop = || begun.elapsed() >= most || self.shared.quits();
        let budget = Budget { nodes, stop: &stop };
        guarded(|| think(self.dialogue.as_mut(), budget, &mut best))?;
        let took = begun.elapsed();
        Ok(match took > times.deadline {
            true => Decided::Late(took),
            false => Decided::Said(best, took),
        })
    }

    /// The same for a user's program, as [`crate::session::program`] asks it; nobody answers in its stead.
    fn ask(
        &mut self,
        times: Option<ProgramTimes>,
        mut best: Frame,
    ) -> Result<Option<Decided>, Panicked> {
        guarded(|| self.dialogue.think(SPENT, &mut best))?;
        self.tell();
        let (Some(times), Some(driver)) = (times, &self.program) else {
            // The only legal answer: the program hears of it when it is given.
            return Ok(None);
        };
        let begun = Instant::now();
        Ok(Some(match driver.ask_blocking(begun + times.program) {
            Answer::Gone => Decided::Failed,
            Answer::Late => Decided::Late(begun.elapsed()),
            Answer::Given(number) => {
                let took = begun.elapsed();
                guarded(|| self.dialogue.think(SPENT, &mut best))?;
                match driver.is_taken(number) {
                    true => Decided::Said(best, took),
                    false => Decided::Illegal(took),
                }
            }
        }))
    }

    /// Ends its program.
    fn leave(mut self) {
        if let (Some(driver), Some(cause)) = (&mut self.program, self.shared.cause.get()) {
            driver.ends_by(*cause);
        }
        let leaving = self.program.as_mut().and_then(Driver::leave);
        // What it noted is not kept: it has not played.
        let conduct = leaving.map(crate::programs::Leaving::conduct_blocking);
        self.shared.findings.lock().report.conduct = conduct;
    }
}

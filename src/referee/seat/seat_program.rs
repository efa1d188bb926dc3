//! A user's program on a seat of our own tables: it decides in the stead of a bot's dialogue, whose own bot is its
//! fallback.

use super::budget::ThinkBudget;
use crate::history;
use crate::programs::{Account, Answer, Bots, Conduct, Driver, Launch, Leaving, Opening};
use crate::store::types::SessionId;
use crate::store::{Note, Store};
use games::answer::{Bounds, MARGIN, think};
use games::neutral::PREFIX;
use games::{Budget, Dialogue, DialogueSetup, Ending, Frame, Kit, Next};
use serde_json::Value;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::runtime::Handle;

/// How users' programs play on seats of our own tables.
#[derive(Clone, Debug, Default)]
pub struct SeatPrograms {
    /// Where they are found, and how they are run.
    pub bots: Bots,
    /// How long one of their decisions may take at most; `None`: as long as the wire allows.
    pub within: Option<Duration>,
    /// Who is told what became of each.
    pub on_end: Option<OnEnd>,
    /// Whether what they note is kept where their matches are stored, and given to them in later ones.
    pub notes: bool,
    /// Where that is for an arbiter's matches, which are stored when they have ended.
    pub notebook: Option<Notebook>,
    /// Whether results count only for those who earned them: a program that names no fallback has its game's plainest player.
    pub ranked: bool,
}

/// Keeps notes of users' programs, for threads that may block.
#[derive(Clone)]
pub struct Notebook {
    /// Where.
    pub store: Store,
    /// Where the store is asked.
    pub runtime: Handle,
}

impl fmt::Debug for Notebook {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Notebook")
    }
}

impl Notebook {
    /// What this program noted last in this game. Blocks.
    fn note(&self, bot: &str, game: &str) -> Value {
        let note = self
            .runtime
            .block_on(history::note(self.store.reader(), bot, game));
        note.unwrap_or_else(|error| {
            tracing::warn!(bot, %error, "a program's note could not be read");
            None
        })
        .unwrap_or_default()
    }

    /// Keeps what a program noted last. Blocks.
    fn keep(&self, note: Note) {
        let kept = self.runtime.block_on(history::keep_note(&self.store, note));
        if let Err(error) = kept {
            tracing::warn!(%error, "what a program noted could not be stored");
        }
    }
}

/// Is told what became of a program, once it has ended, on a thread that may block.
#[derive(Clone)]
pub struct OnEnd(pub Arc<dyn Fn(SeatConduct) + Send + Sync>);

impl fmt::Debug for OnEnd {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("OnEnd")
    }
}

/// What became of a program on a seat.
#[derive(Clone, Debug, Default)]
pub struct SeatConduct {
    /// Its spec.
    pub bot: String,
    /// Decisions that it was asked for.
    pub asked: u64,
    /// Those of them that it took; its fallback took the others.
    pub taken: u64,
    /// How it behaved.
    pub conduct: Conduct,
}

/// What a seat's program left behind.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Left {
    /// The end of its standard error; may be empty.
    pub stderr: String,
    /// How a user's bot behaved.
    pub conduct: Option<Conduct>,
    /// Whether its fallback took it, of each of its decisions.
    pub fallbacks: Vec<bool>,
    /// Whether it once let its time pass without an answer.
    pub late: bool,
    /// Answers over HTTP that counted as none, if there were any.
    pub unheard: Option<Unheard>,
}

/// Answers that counted as none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unheard {
    /// The first of them, as a sentence.
    pub first: String,
    /// Whether all were that the match waited for.
    pub all: bool,
}

impl From<&Account> for Left {
    /// Of a user's bot that has ended.
    fn from(account: &Account) -> Self {
        let conduct = account.conduct();
        let stderr = conduct.as_ref().map(|conduct| conduct.stderr.clone());
        Self {
            stderr: stderr.unwrap_or_default(),
            conduct,
            fallbacks: account.fallbacks(),
            ..Self::default()
        }
    }
}

/// A program that has a seat.
pub(super) struct SeatProgram {
    kit: &'static dyn Kit,
    pub(super) driver: Driver,
    within: Option<Duration>,
    leaving: Option<Leaving>,
    on_end: Option<OnEnd>,
    notes: bool,
    notebook: Option<Notebook>,
}

/// What a message leads to.
pub(super) enum Posed {
    /// This is said to it.
    Said(Frame),
    /// The program is asked for a decision.
    Asked(Asked),
}

/// A decision that a program is asked for.
pub(super) struct Asked {
    /// When it must be there.
    pub(super) deadline: Instant,
    received: Instant,
    limit: Duration,
    target: Option<Duration>,
    /// How long the fallback may think if the program is late.
    kept: Duration,
    /// What the fallback has ready.
    ready: Frame,
}

impl SeatProgram {
    /// This program, with what the dialogue is set up with in its stead.
    pub(super) fn new(
        kit: &'static dyn Kit,
        launch: &Arc<Launch>,
        setup: &mut DialogueSetup,
        programs: &SeatPrograms,
    ) -> Self {
        let spec = format!("{PREFIX}{}@{}", launch.name, launch.version);
        setup.bot.clone_from(&spec);
        setup.fallback = launch.fallback_in(kit, programs.ranked).to_owned();
        let mut driver = Driver::new(programs.bots.clone(), spec, Some(Arc::clone(launch)));
        driver.attend(setup);
        *driver.opening() = Some(Opening::of(kit, "", false, Value::Null, setup));
        Self {
            kit,
            driver,
            within: programs.within,
            leaving: None,
            on_end: programs.on_end.clone(),
            notes: programs.notes,
            notebook: programs.notebook.clone().filter(|_| programs.notes),
        }
    }

    /// Gives it, before it is started, the note that it begins this session's match with.
    pub(super) async fn recall(&mut self, (store, session): (&Store, SessionId)) {
        if self.notes {
            self.driver.recall(store, session).await;
        }
    }

    /// The same at an arbiter's table. Blocks.
    pub(super) fn recall_blocking(&mut self) {
        let name = self.driver.name().to_owned();
        if let (Some(notebook), Some(opening)) = (&self.notebook, self.driver.opening()) {
            opening.start.note = notebook.note(&name, opening.game);
        }
    }

    /// Whose notes are kept; `None`: nobody's.
    pub(super) fn notes_of(&self) -> Option<(&str, &str)> {
        self.notes
            .then(|| (self.driver.name(), self.kit.card().name))
    }

    /// The match's id in history, before it begins.
    pub(super) fn begins(&mut self, match_id: &str) {
        if let Some(opening) = self.driver.opening() {
            match_id.clone_into(&mut opening.start.id);
        }
    }

    /// The match began before: the program hears all of it again.
    pub(super) fn goes_on(&mut self) {
        if let Some(opening) = self.driver.opening() {
            opening.start.again = true;
        }
    }

    /// What a message leads to; the program is told what it told the dialogue.
    pub(super) fn pose(
        &mut self,
        dialogue: &mut dyn Dialogue,
        next: Next,
        (budget, received): (ThinkBudget, Instant),
    ) -> Posed {
        let (limit, target, mut ready) = match next {
            Next::Think {
                limit,
                target,
                fallback,
            } => (limit, target, fallback),
            Next::Over(ending) => {
                let ended = ending.clone();
                let said = budget.answer(dialogue, Next::Over(ending), received);
                self.dismiss(Some(ended));
                return Posed::Said(said);
            }
            next => {
                let said = budget.answer(dialogue, next, received);
                self.driver.tell();
                return Posed::Said(said);
            }
        };
        let _ = dialogue.think(Budget::SPENT, &mut ready);
        self.driver.tell();
        let Some(times) = self
            .driver
            .times(self.kit, Bounds { limit, target }, MARGIN)
        else {
            // The only legal answer: the program hears of it when it is given.
            self.driver.forced();
            dialogue.said(&ready);
            return Posed::Said(ready);
        };
        let within = self.within.unwrap_or(times.program);
        Posed::Asked(Asked {
            deadline: received + within.min(times.program),
            received,
            limit,
            target,
            kept: times.late_stop.saturating_sub(times.program),
            ready,
        })
    }

    /// Tells the program how the match ended, if that is known, and ends it.
    pub(super) fn dismiss(&mut self, ending: Option<Ending>) {
        if self.leaving.is_none() {
            if let Some(ending) = ending {
                self.driver.ends(&ending);
            }
            self.leaving = self.driver.leave();
        }
    }

    /// What is to be waited for once it was dismissed; `None` if it never ran.
    pub(super) const fn leaving(&mut self) -> Option<Leaving> {
        self.leaving.take()
    }

    /// It has ended at an arbiter's table: what it noted last is kept. Blocks.
    pub(super) fn keep_blocking(&self, conduct: &Conduct) {
        if let (Some(notebook), Some((bot, game))) = (&self.notebook, self.notes_of())
            && let Some(note) = &conduct.note
        {
            notebook.keep(Note {
                bot: bot.to_owned(),
                game: game.to_owned(),
                note: note.clone(),
            });
        }
    }

    /// It has ended: whoever waits for that is told.
    pub(super) fn ended(&mut self, conduct: &Conduct) {
        if let Some(tell) = self.on_end.take() {
            tell.0(self.told(conduct.clone()));
        }
    }

    fn told(&self, conduct: Conduct) -> SeatConduct {
        let part = self.driver.account().participation();
        let count = |count: Option<u32>| u64::from(count.unwrap_or_default());
        SeatConduct {
            bot: self.driver.spec().to_owned(),
            asked: count(part.decisions),
            taken: count(part.decisions) - count(part.fallback),
            conduct,
        }
    }
}

/// Where nobody waits for its end, a thread does if somebody is told.
impl Drop for SeatProgram {
    fn drop(&mut self) {
        let Some(tell) = self.on_end.take() else {
            return;
        };
        self.dismiss(None);
        let leaving = self.leaving.take();
        let told = self.told(Conduct::default());
        let wait = move || {
            let conduct = leaving.map(Leaving::conduct_blocking).unwrap_or_default();
            tell.0(SeatConduct { conduct, ..told });
        };
        let thread = std::thread::Builder::new().name("conduct".to_owned());
        if let Err(error) = thread.spawn(wait) {
            tracing::warn!(%error, "how a program fared is not reported");
        }
    }
}

impl Asked {
    /// What is said: what the program answered, if that is legal, or else what its fallback decides.
    pub(super) fn settle(
        mut self,
        dialogue: &mut dyn Dialogue,
        (program, answer): (Option<&mut SeatProgram>, Answer),
        budget: ThinkBudget,
    ) -> Frame {
        let mut said = std::mem::take(&mut self.ready);
        match (answer, program) {
            (Answer::Late, _) => {
                let begun = Instant::now();
                let stop = || begun.elapsed() >= self.kept;
                let nodes = budget.nodes();
                think(dialogue, Budget { nodes, stop: &stop }, &mut said);
            }
            (Answer::Given(number), Some(program)) => {
                let mut decided = said.clone();
                let _ = dialogue.think(Budget::SPENT, &mut decided);
                if !program.driver.is_taken(number) {
                    return self.instead(dialogue, budget, said);
                }
                said = decided;
            }
            (Answer::Gone | Answer::Given(_), _) => return self.instead(dialogue, budget, said),
        }
        dialogue.said(&said);
        said
    }

    /// What the fallback decides in the time that is left.
    fn instead(&self, dialogue: &mut dyn Dialogue, budget: ThinkBudget, ready: Frame) -> Frame {
        let next = Next::Think {
            limit: self.limit,
            target: self.target,
            fallback: ready,
        };
        budget.answer(dialogue, next, self.received)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use games::{Progress, WireError};

    /// Thinks on as long as it is let, and answers how often it was.
    #[derive(Default)]
    struct Slices(u64);

    impl Dialogue for Slices {
        fn receive(&mut self, _: &[u8]) -> Result<Next, WireError> {
            Ok(Next::Wait)
        }
        fn think(&mut self, slice: Budget<'_>, best: &mut Frame) -> Progress {
            while !(slice.stop)() && self.0 < slice.nodes {
                self.0 += 1;
            }
            *best = self.0.to_string();
            Progress::More
        }
        fn said(&mut self, _: &str) {}
    }

    #[test]
    fn a_fallback_thinks_in_the_time_that_is_left() {
        for (answer, budget, most) in [
            (Answer::Late, ThinkBudget::Nodes(7), 7),
            (Answer::Gone, ThinkBudget::Nodes(7), 7),
            (
                Answer::Late,
                ThinkBudget::Time(Duration::from_secs(1)),
                u64::MAX,
            ),
            (
                Answer::Gone,
                ThinkBudget::Time(Duration::from_millis(5)),
                u64::MAX,
            ),
        ] {
            let received = Instant::now();
            let asked = Asked {
                deadline: received,
                received,
                limit: Duration::from_secs(5),
                target: None,
                kept: Duration::from_millis(5),
                ready: "ready".to_owned(),
            };
            let said = asked.settle(&mut Slices::default(), (None, answer), budget);
            let slices: u64 = said.parse().unwrap();
            assert!((1..=most).contains(&slices), "{answer:?} {budget}: {said}");
        }
    }
}

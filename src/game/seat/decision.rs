//! One decision, from the question to the answer. It holds the best legal answer all the time, and says what is due.

use super::program::ProgramPart;
use crate::answer::{Bounds, ProgramTimes, Times, think};
use crate::card::Limits;
use crate::game::Budget;
use crate::guard::{Panicked, guarded};
use crate::participation::Part;
use crate::wire::{Dialogue, Ending, Frame, WireError};
use serde_json::Value;
use std::time::Duration;

/// A bot that was asked late thinks for at least this share of the limit, or for the longest of these times if that is
/// less. Not where one clock runs over many decisions: what one of them takes, the others lack.
const LEAST_SHARE: u32 = 20;
const LEAST_MAX: Duration = Duration::from_millis(200);

/// How a seat decides.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The contest's limits.
    pub limits: Limits,
    /// How long before the wire's limit an answer must be ready.
    pub margin: Duration,
    /// The longest that the bot thinks about a decision; [`Duration::MAX`] where the wire's limit alone counts.
    pub ceiling: Duration,
    /// The most nodes of a decision; [`u64::MAX`] where time alone counts.
    pub nodes: u64,
}

impl Settings {
    /// Nodes for a decision, and none of our own time.
    #[must_use]
    pub const fn nodes(nodes: u64) -> Self {
        Self {
            limits: Limits::new(Duration::MAX, Duration::MAX),
            margin: Duration::ZERO,
            ceiling: Duration::MAX,
            nodes,
        }
    }
}

/// What is due.
#[derive(Debug, PartialEq)]
#[must_use = "somebody waits for the answer"]
pub enum Due {
    /// The answer is ready: say it, and report what was said.
    Answer(Reply),
    /// The dialogue is to think, here or elsewhere.
    Think(Extent),
    /// The program is to be asked, once it was sent its lines.
    Ask(Question),
}

/// How far the dialogue is to think.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Only what is ready is wanted ([`Budget::SPENT`]).
    Ready,
    /// A decision is to be made.
    Search(Search),
}

/// The bounds of a search. Moments are since the frame was received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Search {
    /// When it stops.
    pub stop: Duration,
    /// When the answer must be there, come what may.
    pub deadline: Duration,
    /// The longest that it thinks, waiting not counted.
    pub ceiling: Duration,
    /// The most nodes.
    pub nodes: u64,
    /// Why the bot decides instead of its program, if it does.
    pub instead: Option<Fallback>,
    limit: Duration,
    least: Duration,
}

impl Search {
    /// How long a search takes at most that begins now.
    fn most(&self, waited: Duration) -> Duration {
        let left = self.stop.saturating_sub(waited).max(self.least);
        left.min(self.limit.saturating_sub(waited))
            .min(self.ceiling)
    }
}

/// A decision that a program is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Question {
    /// Its number in the match.
    pub number: u64,
    /// Until when its answer is waited for, since the frame was received.
    pub until: Duration,
}

/// What came of asking a program.
#[derive(Clone, Debug, PartialEq)]
pub enum ProgramReply {
    /// Its act.
    Act(Value),
    /// Nothing in time.
    Late,
    /// It is not running, and cannot be started again in time.
    Gone,
}

/// An answer that is ready.
#[derive(Debug, PartialEq)]
pub struct Reply {
    /// Its exact text; empty: nothing is said.
    pub text: Frame,
    /// How it came about.
    pub by: By,
    /// What the program did with the decision, if one has this seat.
    pub taken: Option<Taken>,
    /// The wire's limit, if it is a decision.
    pub limit: Option<Duration>,
    /// How the match ended, if it has.
    pub ending: Option<Ending>,
    /// The bot's panic, if there was one: its dialogue is lost.
    pub panic: Option<Panicked>,
}

impl Reply {
    pub(super) fn new(text: Frame, by: By) -> Self {
        Self {
            text,
            by,
            taken: None,
            limit: None,
            ending: None,
            panic: None,
        }
    }

    /// Why the fallback answers, if it does.
    #[must_use]
    pub const fn fallback(&self) -> Option<Fallback> {
        match self.by {
            By::Fallback(why) => Some(why),
            By::Wire | By::Default(_) | By::Forced | By::Bot | By::Program => None,
        }
    }
}

/// How an answer came about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum By {
    /// There was nothing to decide: an acknowledgement, a last word, silence.
    Wire,
    /// Nothing better is known than the game's default answer.
    Default(Unanswered),
    /// It is the only legal one, and the program was not asked.
    Forced,
    /// The seat's bot decided.
    Bot,
    /// The program decided.
    Program,
    /// The fallback answers.
    Fallback(Fallback),
}

/// Why nothing better is known than the game's default answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unanswered {
    /// The dialogue is not here.
    Absent,
    /// There is no dialogue any more.
    Broken,
    /// The frame is not of the dialect.
    NotUnderstood(WireError),
    /// The bot panicked on it.
    Panicked,
}

/// Why the fallback answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fallback {
    /// No thinking was done in time.
    Late,
    /// The bot panicked.
    Panic,
    /// Nobody thinks any more.
    PoolClosed,
    /// The bot hung before, and is not asked any more.
    Quarantined,
    /// The program did not answer in time.
    ProgramLate,
    /// The program was not running.
    ProgramGone,
    /// The program's answer was not legal.
    ProgramIllegal,
}

impl Fallback {
    /// The kind of the fact that records it.
    pub const FACT: &str = "fallback";

    /// The word in history and metrics.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Late => "late",
            Self::Panic => "panic",
            Self::PoolClosed => "pool_closed",
            Self::Quarantined => "quarantined",
            Self::ProgramLate => "program_late",
            Self::ProgramGone => "program_gone",
            Self::ProgramIllegal => "program_illegal",
        }
    }

    const fn taken(self) -> Option<Taken> {
        match self {
            Self::ProgramLate => Some(Taken::Late),
            Self::ProgramGone => Some(Taken::Gone),
            Self::ProgramIllegal => Some(Taken::Refused),
            Self::Late | Self::Panic | Self::PoolClosed | Self::Quarantined => None,
        }
    }
}

/// Who took a decision of a seat that a program has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// Nobody: there was one legal answer.
    Forced,
    /// The program.
    Own,
    /// Its fallback: the program did not answer in time.
    Late,
    /// Its fallback: the program's answer was not legal.
    Refused,
    /// Its fallback: the program was not running.
    Gone,
}

impl Taken {
    /// Whether the fallback took it.
    #[must_use]
    pub const fn is_fallback(self) -> bool {
        self.fallback().is_some()
    }

    /// Why the fallback took it, if it did.
    #[must_use]
    pub const fn fallback(self) -> Option<Fallback> {
        match self {
            Self::Forced | Self::Own => None,
            Self::Late => Some(Fallback::ProgramLate),
            Self::Refused => Some(Fallback::ProgramIllegal),
            Self::Gone => Some(Fallback::ProgramGone),
        }
    }

    /// How a program that leaves decisions so takes part.
    #[must_use]
    pub const fn part(self) -> Part {
        match self {
            Self::Forced | Self::Own => Part::Played,
            Self::Late => Part::Silent,
            Self::Refused => Part::Refused,
            Self::Gone => Part::Crashed,
        }
    }
}

/// A decision that is due.
#[derive(Debug)]
pub struct Decision {
    asked: Bounds,
    /// The wire's own limit, which the contest's may cut.
    wire: Duration,
    /// A legal answer at any time.
    best: Frame,
    settings: Settings,
    phase: Phase,
}

#[derive(Clone, Copy, Debug)]
enum Phase {
    /// The bot decides.
    Search(Search),
    /// The bot gets ready as the program's fallback, and the dialogue says what the program is asked.
    Prepare,
    /// The program decides.
    Ask(Question, ProgramTimes),
    /// The dialogue looks at its answer.
    Judge(Question, ProgramTimes),
}

impl Decision {
    /// A decision with this fallback, which the bot makes or, if one has the seat, its program.
    #[must_use]
    pub fn new(asked: Bounds, fallback: Frame, settings: Settings, has_program: bool) -> Self {
        let (limits, wire) = (settings.limits, asked.limit);
        let limit = asked.limit.min(limits.answer.max(limits.open));
        let asked = Bounds { limit, ..asked };
        let least = match asked.target {
            Some(_) => Duration::ZERO,
            None => (limit / LEAST_SHARE).min(LEAST_MAX),
        };
        let times = Times::new(asked, settings.margin);
        let phase = match has_program {
            true => Phase::Prepare,
            false => Phase::Search(Search {
                stop: times.stop,
                deadline: times.deadline,
                ceiling: settings.ceiling.min(asked.target.unwrap_or(Duration::MAX)),
                nodes: settings.nodes,
                instead: None,
                limit,
                least,
            }),
        };
        Self {
            asked,
            wire,
            best: fallback,
            settings,
            phase,
        }
    }

    /// What is due now.
    pub const fn due(&self) -> Due {
        match self.phase {
            Phase::Search(search) => Due::Think(Extent::Search(search)),
            Phase::Prepare | Phase::Judge(..) => Due::Think(Extent::Ready),
            Phase::Ask(question, _) => Due::Ask(question),
        }
    }

    /// The time for it, as the wire says it.
    #[must_use]
    pub const fn asked(&self) -> Bounds {
        Bounds {
            limit: self.wire,
            target: self.asked.target,
        }
    }

    /// The best answer so far.
    #[must_use]
    pub fn best(&self) -> &str {
        &self.best
    }

    pub(super) const fn is_search(&self) -> bool {
        matches!(self.phase, Phase::Search(_))
    }

    /// Has the dialogue think as is due, here and now.
    ///
    /// # Errors
    /// The bot has panicked; the best answer is what it was before.
    pub fn think(
        &mut self,
        dialogue: &mut dyn Dialogue,
        program: Option<&mut ProgramPart>,
        elapsed: &dyn Fn() -> Duration,
    ) -> Result<Due, Panicked> {
        let mut best = self.best.clone();
        let thought = match self.phase {
            Phase::Search(search) => {
                let waited = elapsed();
                let most = search.most(waited);
                let stop = || elapsed() >= waited + most;
                let nodes = search.nodes;
                // Even to begin thinking takes time.
                let thinks = !most.is_zero();
                if thinks {
                    guarded(|| think(dialogue, Budget { nodes, stop: &stop }, &mut best))?;
                }
                thinks
            }
            Phase::Prepare | Phase::Ask(..) | Phase::Judge(..) => {
                guarded(|| dialogue.think(Budget::SPENT, &mut best))?;
                true
            }
        };
        Ok(self.thought(thought.then_some(best), program, elapsed()))
    }

    /// Has the bot search for as long as `stop` says, if it is to decide: its answer may get better by it.
    ///
    /// # Errors
    /// The bot has panicked; the best answer is what it was before.
    pub fn search(
        &mut self,
        dialogue: &mut dyn Dialogue,
        stop: &dyn Fn() -> bool,
    ) -> Result<(), Panicked> {
        let nodes = self.settings.nodes;
        let mut best = self.best.clone();
        guarded(|| think(dialogue, Budget { nodes, stop }, &mut best))?;
        self.best = best;
        Ok(())
    }

    /// The dialogue has thought as was due, to this answer; `None`: not at all.
    pub fn thought(
        &mut self,
        best: Option<Frame>,
        program: Option<&mut ProgramPart>,
        elapsed: Duration,
    ) -> Due {
        match (self.phase, program) {
            (Phase::Search(search), _) => match best {
                Some(best) => {
                    self.best = best;
                    self.done(search.instead.map_or(By::Bot, By::Fallback))
                }
                None => self.done(By::Fallback(search.instead.unwrap_or(Fallback::Late))),
            },
            (Phase::Prepare, Some(program)) => {
                self.best = best.unwrap_or_else(|| std::mem::take(&mut self.best));
                let Some(times) =
                    program.times(self.asked, self.settings.limits, self.settings.margin)
                else {
                    return self.done(By::Forced);
                };
                let Some(number) = program.due() else {
                    return self.instead(Fallback::ProgramGone, times, elapsed);
                };
                let until = times.program;
                self.phase = Phase::Ask(Question { number, until }, times);
                self.due()
            }
            (Phase::Judge(question, times), Some(program)) => {
                if !program.is_legal(question.number) {
                    return self.instead(Fallback::ProgramIllegal, times, elapsed);
                }
                self.best = best.unwrap_or_else(|| std::mem::take(&mut self.best));
                self.done(By::Program)
            }
            // Without its program nobody else decides.
            (Phase::Prepare | Phase::Judge(..) | Phase::Ask(..), _) => self.lost(Fallback::Late),
        }
    }

    /// The program was asked, and this came of it.
    pub fn answered(
        &mut self,
        reply: ProgramReply,
        program: &mut ProgramPart,
        elapsed: Duration,
    ) -> Due {
        let Phase::Ask(question, times) = self.phase else {
            return self.due();
        };
        match reply {
            ProgramReply::Act(act) => {
                program.answered(question.number, act);
                self.phase = Phase::Judge(question, times);
                self.due()
            }
            ProgramReply::Late => {
                program.was_late();
                self.instead(Fallback::ProgramLate, times, elapsed)
            }
            ProgramReply::Gone => self.instead(Fallback::ProgramGone, times, elapsed),
        }
    }

    /// The bot decides in the time that the program left.
    fn instead(&mut self, why: Fallback, times: ProgramTimes, elapsed: Duration) -> Due {
        let left = times.after(elapsed);
        let target = self
            .asked
            .target
            .and_then(|target| target.checked_sub(elapsed));
        // What a late program leaves is less than any target.
        let target = target.filter(|target| !target.is_zero());
        self.phase = Phase::Search(Search {
            stop: elapsed.saturating_add(left.stop),
            deadline: elapsed.saturating_add(left.deadline),
            ceiling: self.settings.ceiling.min(target.unwrap_or(Duration::MAX)),
            nodes: self.settings.nodes,
            instead: Some(why),
            limit: self.asked.limit,
            least: Duration::ZERO,
        });
        self.due()
    }

    /// No more thinking comes: the best answer so far is given. `why`, unless the program left the decision to the bot.
    pub fn lost(&mut self, why: Fallback) -> Due {
        let instead = match self.phase {
            Phase::Search(search) if why == Fallback::Late => search.instead,
            _ => None,
        };
        self.done(By::Fallback(instead.unwrap_or(why)))
    }

    fn done(&mut self, by: By) -> Due {
        let taken = match (&by, self.phase) {
            (By::Forced, _) => Some(Taken::Forced),
            (By::Program, _) => Some(Taken::Own),
            (_, Phase::Search(search)) => search.instead.and_then(Fallback::taken),
            // A program has the seat, and its fallback has failed before it was asked or judged.
            (By::Fallback(_), _) => Some(Taken::Gone),
            _ => None,
        };
        Due::Answer(Reply {
            taken,
            limit: Some(self.wire),
            ..Reply::new(std::mem::take(&mut self.best), by)
        })
    }
}

//! Our seat: its dialogue, wherever that is, and the decision that is due.

use super::decision::{By, Decision, Due, Fallback, ProgramReply, Reply, Settings, Unanswered};
use super::last::LastMessage;
use super::program::ProgramPart;
use crate::answer::Bounds;
use crate::guard::{Panicked, guarded};
use crate::wire::{Dialogue, Fact, Frame, Lesson, Next};
use serde_json::json;
use std::time::Duration;

/// Our side of a seat.
pub struct OwnSeat {
    settings: Settings,
    mind: Mind,
    program: Option<Box<ProgramPart>>,
    decision: Option<Box<Decision>>,
    /// Whether the dialogue is to receive what is said to the last frame, where that is no decision.
    says: bool,
    /// Facts that the dialogue no longer has.
    facts: Vec<Fact>,
    /// Why the last decision was the fallback's, until that is recorded.
    fallback: Option<Fallback>,
    /// Whether its bot hung.
    pub quarantine: Quarantine,
    /// The last message that was received; unknown while the seat sleeps.
    pub last: Option<Box<LastMessage>>,
}

/// Where the dialogue is.
enum Mind {
    /// Nowhere: it is folded from the transcript when it is needed.
    Asleep,
    /// Here.
    Awake(Box<dyn Dialogue>),
    /// Elsewhere, thinking; `said` was answered meanwhile.
    Lent { said: Option<Frame> },
    /// It cannot be folded, now or ever.
    Broken,
}

/// Whether a seat's bot hung: then it still receives everything, and is not asked any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quarantine {
    /// The seat is of an earlier run: the store knows.
    Unread,
    /// It did not hang.
    Clear,
    /// It hung, and that is not stored yet.
    Due,
    /// It hung, and the store knows.
    Stored,
}

impl Quarantine {
    /// The kind of the fact that says so.
    pub const FACT: &str = "quarantined";

    /// Whether it hung, as far as is known.
    #[must_use]
    pub const fn holds(self) -> bool {
        matches!(self, Self::Due | Self::Stored)
    }
}

impl OwnSeat {
    /// A seat whose dialogue is not there yet; `program`: the part of the program that decides in its bot's place.
    #[must_use]
    pub fn new(settings: Settings, program: Option<ProgramPart>) -> Self {
        Self {
            settings,
            mind: Mind::Asleep,
            program: program.map(Box::new),
            decision: None,
            says: false,
            facts: Vec::new(),
            fallback: None,
            quarantine: Quarantine::Clear,
            last: None,
        }
    }

    /// Here is the dialogue, which has received all that the seat has.
    pub fn wake(&mut self, dialogue: Box<dyn Dialogue>) {
        self.mind = Mind::Awake(dialogue);
    }

    /// Facts that the dialogue gave before it came here, and that are not recorded yet.
    pub fn learnt(&mut self, facts: impl IntoIterator<Item = Fact>) {
        self.facts.extend(facts);
    }

    /// Drops the dialogue and what was not recorded: it is folded again when it is needed.
    pub fn forget(&mut self) {
        self.mind = Mind::Asleep;
        self.decision = None;
        self.fallback = None;
        self.facts.clear();
    }

    /// The dialogue cannot be folded, now or ever.
    pub fn break_down(&mut self) {
        self.mind = Mind::Broken;
        self.decision = None;
    }

    /// A thought that does not come back is not waited for any more. `hangs`: the bot is not asked again.
    pub fn give_up(&mut self, hangs: bool) {
        if let Mind::Lent { .. } = self.mind {
            self.mind = Mind::Asleep;
        }
        if hangs {
            self.hung();
        }
    }

    /// The bot hangs: it is not asked any more.
    pub fn hung(&mut self) {
        if self.quarantine != Quarantine::Stored {
            self.quarantine = Quarantine::Due;
        }
    }

    /// Whether the dialogue is here.
    #[must_use]
    pub const fn is_awake(&self) -> bool {
        matches!(self.mind, Mind::Awake(_))
    }

    /// Whether it has to be folded, or waited for, before the next frame.
    #[must_use]
    pub const fn is_absent(&self) -> bool {
        matches!(self.mind, Mind::Asleep | Mind::Lent { .. })
    }

    /// Whether it can never be folded.
    #[must_use]
    pub const fn is_broken(&self) -> bool {
        matches!(self.mind, Mind::Broken)
    }

    /// Whether it is elsewhere, thinking.
    #[must_use]
    pub const fn is_lent(&self) -> bool {
        matches!(self.mind, Mind::Lent { .. })
    }

    /// The part of the program, if one has the seat.
    pub fn program(&mut self) -> Option<&mut ProgramPart> {
        self.program.as_deref_mut()
    }

    /// The dialogue, if it is here. If it panics, it is lost.
    ///
    /// # Errors
    /// The panic.
    pub fn with<T>(
        &mut self,
        act: impl FnOnce(&mut dyn Dialogue) -> T,
    ) -> Result<Option<T>, Panicked> {
        let Mind::Awake(dialogue) = &mut self.mind else {
            return Ok(None);
        };
        let done = guarded(|| act(&mut **dialogue));
        if done.is_err() {
            self.mind = Mind::Asleep;
        }
        done.map(Some)
    }

    /// A frame was received; `default` is what the game answers to it where nothing better is known.
    pub fn receive(&mut self, frame: &str, default: &str) -> Due {
        (self.decision, self.fallback, self.says) = (None, None, false);
        let instead = |why| Due::Answer(Reply::new(default.to_owned(), By::Default(why)));
        if self.is_broken() {
            return instead(Unanswered::Broken);
        }
        let next = match self.with(|dialogue| dialogue.receive(frame.as_bytes())) {
            Ok(Some(Ok(next))) => next,
            Ok(Some(Err(error))) => return instead(Unanswered::NotUnderstood(error)),
            Ok(None) => return instead(Unanswered::Absent),
            Err(panic) => {
                return Due::Answer(Reply {
                    panic: Some(panic),
                    ..Reply::new(default.to_owned(), By::Default(Unanswered::Panicked))
                });
            }
        };
        let reply = |text| Reply::new(text, By::Wire);
        Due::Answer(match next {
            Next::Wait => reply(Frame::new()),
            Next::Send(said) => {
                self.says = true;
                reply(said)
            }
            Next::Over(ending) => Reply {
                ending: Some(ending.clone()),
                ..reply(ending.last_word)
            },
            Next::Think {
                limit,
                target,
                fallback,
            } => return self.decide(Bounds { limit, target }, fallback),
        })
    }

    /// Plays a seat without a program whose bot may think here: the answer to a frame, which is said.
    ///
    /// # Errors
    /// The bot has panicked, and is lost.
    pub fn play(
        &mut self,
        frame: &str,
        default: &str,
        elapsed: &dyn Fn() -> Duration,
    ) -> Result<Reply, Panicked> {
        let mut due = self.receive(frame, default);
        loop {
            due = match due {
                Due::Think(_) => self.think(elapsed),
                Due::Ask(_) => self.answered(ProgramReply::Gone, elapsed()),
                Due::Answer(reply) => {
                    self.said(&reply.text)?;
                    return reply.panic.clone().map_or(Ok(reply), Err);
                }
            };
        }
    }

    /// The time for the decision that is due, as the wire says it; `None`: none is.
    #[must_use]
    pub fn asked(&self) -> Option<Bounds> {
        self.decision.as_ref().map(|decision| decision.asked())
    }

    fn decide(&mut self, asked: Bounds, fallback: Frame) -> Due {
        // Before thinking, for that may cost us the dialogue.
        if let Ok(Some(mut facts)) = self.with(|dialogue| dialogue.facts()) {
            self.facts.append(&mut facts);
        }
        let has_program = self.program.is_some();
        let decision = Decision::new(asked, fallback, self.settings, has_program);
        let decision = self.decision.insert(Box::new(decision));
        let due = match self.quarantine.holds() {
            true => decision.lost(Fallback::Quarantined),
            false => decision.due(),
        };
        self.note(due)
    }

    /// Has the dialogue think here and now, as is due.
    pub fn think(&mut self, elapsed: &dyn Fn() -> Duration) -> Due {
        let (Some(decision), Mind::Awake(dialogue)) = (&mut self.decision, &mut self.mind) else {
            return self.lost(Fallback::Panic);
        };
        let program = self.program.as_deref_mut();
        match decision.think(&mut **dialogue, program, elapsed) {
            Ok(due) => self.note(due),
            Err(panic) => self.panicked(Some(panic)),
        }
    }

    /// Has the bot search until `stop` says so, if it is to decide: its answer may get better by it.
    ///
    /// # Errors
    /// It has panicked, and is lost.
    pub fn search(&mut self, stop: &dyn Fn() -> bool) -> Result<(), Panicked> {
        let (Some(decision), Mind::Awake(dialogue)) = (&mut self.decision, &mut self.mind) else {
            return Ok(());
        };
        let searched = decision.search(&mut **dialogue, stop);
        if searched.is_err() {
            self.mind = Mind::Asleep;
        }
        searched
    }

    /// What the searches have found is enough.
    pub fn settle(&mut self, elapsed: Duration) -> Due {
        let Some(decision) = &mut self.decision else {
            return self.lost(Fallback::Panic);
        };
        let best = Some(decision.best().to_owned());
        let due = decision.thought(best, self.program.as_deref_mut(), elapsed);
        self.note(due)
    }

    /// The dialogue, which is to think elsewhere, with the best answer so far.
    pub fn lend(&mut self) -> Option<(Box<dyn Dialogue>, Frame)> {
        let best = self.decision.as_ref()?.best().to_owned();
        match std::mem::replace(&mut self.mind, Mind::Lent { said: None }) {
            Mind::Awake(dialogue) => Some((dialogue, best)),
            elsewhere => {
                self.mind = elsewhere;
                None
            }
        }
    }

    /// The dialogue, if it is here.
    #[must_use]
    pub fn into_dialogue(self) -> Option<Box<dyn Dialogue>> {
        match self.mind {
            Mind::Awake(dialogue) => Some(dialogue),
            Mind::Asleep | Mind::Lent { .. } | Mind::Broken => None,
        }
    }

    /// The dialogue that was lent has thought in time, to this answer; `None`: not at all.
    pub fn take_back(
        &mut self,
        dialogue: Box<dyn Dialogue>,
        best: Option<Frame>,
        elapsed: Duration,
    ) -> Due {
        self.mind = Mind::Awake(dialogue);
        let Some(decision) = &mut self.decision else {
            return self.lost(Fallback::Panic);
        };
        let due = decision.thought(best, self.program.as_deref_mut(), elapsed);
        self.note(due)
    }

    /// The dialogue that was lent has panicked, or will not come back for another reason. `best`: what it had found.
    pub fn lose(&mut self, best: Option<Frame>, why: Fallback) -> Due {
        self.mind = Mind::Asleep;
        self.end_early(best, why)
    }

    /// The time is up, and the dialogue that was lent is not back; `best`: what it has found so far.
    pub fn overdue(&mut self, best: Option<Frame>) -> Due {
        self.end_early(best, Fallback::Late)
    }

    fn end_early(&mut self, best: Option<Frame>, why: Fallback) -> Due {
        let elapsed = Duration::MAX;
        match (&mut self.decision, best) {
            (Some(decision), Some(best)) if decision.is_search() => {
                let due = decision.thought(Some(best), None, elapsed);
                self.note(due)
            }
            _ => self.lost(why),
        }
    }

    /// The dialogue that was lent is back, after its answer was given without it.
    ///
    /// # Errors
    /// It has panicked, and is lost.
    pub fn come_back(&mut self, dialogue: Box<dyn Dialogue>) -> Result<(), Panicked> {
        let said = match std::mem::replace(&mut self.mind, Mind::Awake(dialogue)) {
            Mind::Lent { said } => said,
            _ => None,
        };
        match said {
            Some(said) => self.with(|dialogue| dialogue.said(&said)).map(drop),
            None => Ok(()),
        }
    }

    /// The program was asked, and this came of it.
    pub fn answered(&mut self, reply: ProgramReply, elapsed: Duration) -> Due {
        let (Some(decision), Some(program)) = (&mut self.decision, &mut self.program) else {
            return self.lost(Fallback::Panic);
        };
        let due = decision.answered(reply, program, elapsed);
        self.note(due)
    }

    fn panicked(&mut self, panic: Option<Panicked>) -> Due {
        self.mind = Mind::Asleep;
        match self.lost(Fallback::Panic) {
            Due::Answer(reply) => Due::Answer(Reply { panic, ..reply }),
            due => due,
        }
    }

    fn lost(&mut self, why: Fallback) -> Due {
        let due = match &mut self.decision {
            Some(decision) => decision.lost(why),
            None => Due::Answer(Reply::new(Frame::new(), By::Fallback(why))),
        };
        self.note(due)
    }

    fn note(&mut self, due: Due) -> Due {
        if let Due::Answer(reply) = &due {
            self.fallback = reply.fallback();
        }
        due
    }

    /// This was answered to the last frame by somebody else: what was due here does not count.
    ///
    /// # Errors
    /// As [`OwnSeat::said`].
    pub fn said_elsewhere(&mut self, text: &str) -> Result<(), Panicked> {
        self.fallback = None;
        self.said(text)
    }

    /// The answer that was due was said. The dialogue is notified, if it waits for that.
    ///
    /// # Errors
    /// It has panicked, and is lost.
    pub fn said(&mut self, text: &str) -> Result<(), Panicked> {
        let decided = self.decision.take().is_some();
        if !decided && !std::mem::take(&mut self.says) {
            return Ok(());
        }
        if let Mind::Lent { said } = &mut self.mind {
            *said = Some(text.to_owned());
            return Ok(());
        }
        self.with(|dialogue| dialogue.said(text)).map(drop)
    }

    /// Facts that are to be recorded now.
    ///
    /// # Errors
    /// The dialogue has panicked, and is lost: the rest comes when it is asked again.
    pub fn facts(&mut self) -> Result<Vec<Fact>, Panicked> {
        let new = self.with(|dialogue| dialogue.facts())?;
        let mut facts = std::mem::take(&mut self.facts);
        facts.extend(new.into_iter().flatten());
        if self.quarantine == Quarantine::Due {
            let why = "its thinking did not end; the fallback answers for it";
            facts.push(Fact::new(Quarantine::FACT, json!({ "why": why })));
        }
        if let Some(why) = self.fallback.take() {
            facts.push(Fact::new(Fallback::FACT, json!({ "cause": why.word() })));
        }
        Ok(facts)
    }

    /// What the match has taught so far; nothing if the dialogue is not here.
    ///
    /// # Errors
    /// It has panicked, and is lost.
    pub fn lessons(&mut self) -> Result<Vec<Lesson>, Panicked> {
        let lessons = self.with(|dialogue| dialogue.lessons())?;
        Ok(lessons.unwrap_or_default())
    }
}

//! A bot of our own on a seat: a built-in one, or a user's program with a built-in one as its fallback.

use super::budget::ThinkBudget;
use super::seat_link::{FollowError, SeatLink, SeatRecord, SeatReply};
use super::seat_program::{SeatProgram, SeatPrograms};
use crate::programs::{Account, Launch};
use crate::replay::{Line, replay};
use crate::simulated;
use crate::store::types::{Direction, Entry};
use futures_util::future::BoxFuture;
use games::answer::MARGIN;
use games::match_::RecordedReply;
use games::seat::{By, Due, Extent, Fallback, OwnSeat, Reply, Settings, Unanswered};
use games::{Cause, DialogueSetup, Ending, Kit, Learnt, SetupError};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout_at};

/// How bots of our own play there.
#[derive(Clone, Debug)]
pub struct Builtins {
    /// The budget of one decision of a built-in bot.
    pub budget: ThinkBudget,
    /// Whether they may use opponent models.
    pub models: bool,
    /// How many may think at once.
    pub permits: Arc<Semaphore>,
    /// Users' programs.
    pub programs: SeatPrograms,
}

impl Builtins {
    /// A seat for this bot, its randomness seeded by `seed`, with what it has `learnt` if it may use that.
    pub(in crate::referee) fn seating<'a>(
        &'a self,
        bot: OurBot<'a>,
        seed: u64,
        learnt: Option<&'a Learnt>,
    ) -> Seating<'a> {
        Seating {
            bot,
            seed,
            learnt,
            budget: self.budget,
            models: self.models,
            programs: &self.programs,
            permits: Some(Arc::clone(&self.permits)),
        }
    }
}

/// Which bot of our own has a seat.
#[derive(Clone, Copy)]
pub(in crate::referee) enum OurBot<'a> {
    /// The built-in bot with this name.
    Named(&'a str),
    /// This program of a user's.
    Program(&'a Arc<Launch>),
}

/// Who is seated, and how.
pub(in crate::referee) struct Seating<'a> {
    /// Who.
    pub(in crate::referee) bot: OurBot<'a>,
    /// Seeds its randomness.
    pub(in crate::referee) seed: u64,
    /// What earlier matches taught, if it may use that.
    pub(in crate::referee) learnt: Option<&'a Learnt>,
    /// The budget of one decision of a built-in bot.
    pub(in crate::referee) budget: ThinkBudget,
    /// Whether it may use opponent models.
    pub(in crate::referee) models: bool,
    /// How users' programs play.
    pub(in crate::referee) programs: &'a SeatPrograms,
    /// How many may think at once, on threads that may block; `None`: it thinks on the match's own thread.
    pub(in crate::referee) permits: Option<Arc<Semaphore>>,
}

/// A bot's dialogue as a seat.
pub(in crate::referee) struct BuiltinSeat {
    /// `None` once the bot has panicked.
    seat: Option<OwnSeat>,
    program: Option<Box<SeatProgram>>,
    /// Whether the bot uses a budget: then it thinks on threads that may block.
    thinks: bool,
    permits: Option<Arc<Semaphore>>,
    /// Where it is recorded.
    session: Option<SeatRecord>,
    /// Whether its program begins with what it noted before; once.
    recalled: bool,
}

impl BuiltinSeat {
    /// A bot of our own.
    ///
    /// # Errors
    /// [`SetupError`] for an unknown one.
    pub(in crate::referee) fn new(
        kit: &'static dyn Kit,
        seating: Seating<'_>,
    ) -> Result<Self, SetupError> {
        let Learnt { rivals, types } = seating.learnt.cloned().unwrap_or_default();
        let mut setup = DialogueSetup {
            models: seating.models,
            rivals,
            types,
            ..DialogueSetup::new("", seating.seed)
        };
        let (program, part) = match seating.bot {
            OurBot::Named(name) => {
                name.clone_into(&mut setup.bot);
                (None, None)
            }
            OurBot::Program(launch) => {
                let (program, part) = SeatProgram::new(kit, launch, &mut setup, seating.programs);
                (Some(Box::new(program)), Some(part))
            }
        };
        let bot = match &*setup.fallback {
            "" => &setup.bot,
            fallback => fallback,
        };
        let thinks = kit.card().bot(bot).is_some_and(|card| card.thinks);
        let settings = Settings {
            limits: kit.card().limits,
            margin: MARGIN,
            ceiling: seating.budget.time().unwrap_or(Duration::MAX),
            nodes: seating.budget.nodes(),
        };
        let mut seat = OwnSeat::new(settings, part);
        seat.wake(kit.dialogue(&setup)?);
        Ok(Self {
            seat: Some(seat),
            program,
            thinks,
            permits: seating.permits,
            session: None,
            recalled: false,
        })
    }

    /// The account of its program, if it has one: shared, so that it can be read when the match ends.
    pub(in crate::referee) fn account(&self) -> Option<Account> {
        Some(self.program.as_ref()?.driver.account().clone())
    }

    /// Whether what its program notes is kept when it leaves.
    pub(in crate::referee) fn keeps_notes(&self) -> bool {
        self.program
            .as_ref()
            .is_some_and(|program| program.keeps_notes())
    }

    /// Follows what its seat has received and said, as the referee's transcript has it.
    ///
    /// # Errors
    /// [`FollowError`] if it cannot.
    pub(in crate::referee) fn follow(&mut self, past: &[Entry]) -> Result<(), FollowError> {
        let Some(seat) = &mut self.seat else {
            return Ok(());
        };
        let replies = past.iter().map(|entry| RecordedReply::decode(&entry.text));
        let replies: Vec<_> = replies.collect();
        // What the referee sent is what the bot received.
        let lines = past.iter().zip(&replies);
        let lines = lines.filter_map(|(entry, reply)| match (entry.direction, reply) {
            (Direction::Out, _) => Some(Line {
                direction: Direction::In,
                text: &entry.text,
            }),
            (Direction::In, RecordedReply::Said(text)) => Some(Line {
                direction: Direction::Out,
                text,
            }),
            (Direction::In, _) => None,
        });
        let replayed = seat.with(|dialogue| replay(dialogue, lines))?;
        if let Some(program) = &mut self.program {
            program.goes_on();
        }
        let differences = replayed.map(|replayed| replayed.differences);
        let first = differences.and_then(|differences| differences.into_iter().next());
        first.map_or(Ok(()), |first| Err(FollowError::Differs(first)))
    }

    /// Its answer to a message.
    pub(in crate::referee) async fn answer(&mut self, text: &str) -> SeatReply {
        let broken = || SeatReply::Failed("the bot broke down".to_owned());
        let received = Instant::now();
        if !std::mem::replace(&mut self.recalled, true)
            && let Some(program) = &mut self.program
        {
            program.recall(self.session.as_ref()).await;
        }
        let due = self.seat.as_mut().map(|seat| seat.receive(text, ""));
        let reply = match due {
            Some(due) => self.decided(due, received).await,
            None => None,
        };
        let (Some(reply), Some(seat)) = (reply, &mut self.seat) else {
            return broken();
        };
        let panic = reply.panic.clone().or(seat.said(&reply.text).err());
        if let Some(panic) = panic {
            tracing::error!(%panic, "our bot panicked");
            self.seat = None;
            return broken();
        }
        if let By::Default(Unanswered::NotUnderstood(error)) = reply.by {
            return SeatReply::Failed(error.to_string());
        }
        if let Some(program) = &mut self.program {
            program.driver.answered(&reply);
            match (seat.program(), reply.ending) {
                (part, Some(ending)) => program.dismiss(part, Some(ending)),
                (Some(part), None) => program.driver.send(part),
                (None, None) => {}
            }
        }
        SeatReply::said(reply.text)
    }

    /// Does what is due until the answer is ready; `None` if a thread is lost.
    async fn decided(&mut self, mut due: Due, received: Instant) -> Option<Reply> {
        loop {
            due = match due {
                Due::Answer(reply) => return Some(reply),
                Due::Think(extent) => self.think(extent, received).await?,
                Due::Ask(question) => {
                    let (seat, program) = (self.seat.as_mut()?, self.program.as_mut()?);
                    let part = seat.program()?;
                    let reply = program
                        .driver
                        .ask(part, question, received.into_std())
                        .await;
                    seat.answered(reply, received.elapsed())
                }
            };
        }
    }

    /// Has the bot think: on a thread that may block if it uses a budget and the thread here is not its match's own.
    async fn think(&mut self, extent: Extent, received: Instant) -> Option<Due> {
        let think = move |seat: &mut OwnSeat| seat.think(&|| received.elapsed());
        if !self.thinks || self.permits.is_none() {
            return self.seat.as_mut().map(think);
        }
        // What a program has left is too short to wait for others.
        let search = match extent {
            Extent::Search(search) => Some(search),
            Extent::Ready => None,
        };
        let waits =
            search.filter(|search| matches!(search.instead, None | Some(Fallback::ProgramGone)));
        let place = match self.permits.clone().zip(waits) {
            Some((permits, search)) => {
                let place = permits.acquire_owned();
                match timeout_at(received + search.deadline, place).await {
                    // The semaphore is never closed.
                    Ok(place) => Some(place),
                    Err(_) => return self.seat.as_mut().map(|seat| seat.overdue(None)),
                }
            }
            None => None,
        };
        let mut seat = self.seat.take()?;
        let thought = simulated::apart(move || {
            let _place = place;
            let due = think(&mut seat);
            (seat, due)
        });
        let (seat, due) = thought.await.ok()?;
        self.seat = Some(seat);
        Some(due)
    }

    /// The match is over: its program is notified how, as far as the seat knows, and ends.
    fn dismiss(&mut self, otherwise: Option<Ending>) {
        let Some(program) = &mut self.program else {
            return;
        };
        let Some(seat) = &mut self.seat else {
            return program.dismiss(None, otherwise);
        };
        let ending = seat.with(|dialogue| dialogue.hung_up());
        let ending = ending.ok().flatten().flatten();
        program.dismiss(seat.program(), ending.or(otherwise));
    }

    /// Its match is over for good: its program is notified, though the seat may not have received how, and ends.
    pub(in crate::referee) fn hang_up(&mut self) {
        self.dismiss(Some(Ending::new(Cause::Disconnect, "")));
    }
}

impl SeatLink for BuiltinSeat {
    fn begins(&mut self, match_id: &str, session: Option<SeatRecord>) {
        if let Some(program) = &mut self.program {
            program.begins(match_id);
        }
        self.session = session;
    }

    fn account(&self) -> Option<Account> {
        Self::account(self)
    }

    fn take_up(&mut self, past: &[Entry]) -> Result<(), FollowError> {
        self.follow(past)
    }

    fn call<'a>(
        &'a mut self,
        text: &'a str,
        _within: Duration,
        _wanted: bool,
    ) -> BoxFuture<'a, SeatReply> {
        Box::pin(self.answer(text))
    }

    fn leave(&mut self) -> BoxFuture<'_, ()> {
        Box::pin(async {
            self.dismiss(None);
            if let Some(program) = &mut self.program {
                program.leave(self.session.as_ref()).await;
            }
        })
    }
}

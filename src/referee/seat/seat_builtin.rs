//! A bot of ours on a seat: a built-in one, or a user's program with a built-in one as its fallback.

use super::budget::ThinkBudget;
use super::seat_link::{SeatLink, SeatReply};
use super::seat_program::{Asked, Posed, SeatProgram, SeatPrograms};
use crate::programs::{Account, Answer, Conduct, Launch};
use crate::replay::{Line, RecordedReply, replay};
use crate::store::Store;
use crate::store::types::{Direction, Entry, SessionId};
use crate::thinking::guarded;
use futures_util::future::BoxFuture;
use games::{Cause, Dialogue, DialogueSetup, Ending, Frame, Kit, Learnt, Next, SetupError};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;

/// How bots of ours play there.
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

/// Which bot of ours has a seat.
#[derive(Clone, Copy)]
pub(in crate::referee) enum OurBot<'a> {
    /// The built-in bot with this name.
    Named(&'a str),
    /// This program of a user's.
    Program(&'a Arc<Launch>),
}

/// A bot in this process.
pub(in crate::referee) struct Builtin {
    dialogue: Box<dyn Dialogue>,
    budget: ThinkBudget,
    /// Who decides in its stead.
    program: Option<Box<SeatProgram>>,
    /// Whether it has panicked.
    broken: bool,
}

impl Builtin {
    /// The game's bot with this setup, but for its name.
    pub(in crate::referee) fn new(
        kit: &'static dyn Kit,
        bot: OurBot<'_>,
        mut setup: DialogueSetup,
        (budget, programs): (ThinkBudget, &SeatPrograms),
    ) -> Result<Self, SetupError> {
        let program = match bot {
            OurBot::Named(name) => {
                name.clone_into(&mut setup.bot);
                None
            }
            OurBot::Program(launch) => {
                let program = SeatProgram::new(kit, launch, &mut setup, programs);
                Some(Box::new(program))
            }
        };
        Ok(Self {
            dialogue: kit.dialogue(&setup)?,
            budget,
            program,
            broken: false,
        })
    }

    /// Its program, which is not started yet, begins with what it noted last. Blocks.
    pub(in crate::referee) fn recall(&mut self) {
        if let Some(program) = &mut self.program {
            program.recall_blocking();
        }
    }

    /// Follows what its seat has heard and said, as the referee's transcript has it.
    ///
    /// # Errors
    /// A sentence, if it cannot.
    pub(in crate::referee) fn take_up(&mut self, past: &[Entry]) -> Result<(), String> {
        let replies: Vec<_> = past
            .iter()
            .map(|entry| RecordedReply::decode(&entry.text))
            .collect();
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
        let replayed = guarded(|| replay(&mut *self.dialogue, lines));
        let replayed = replayed.map_err(|panic| panic.to_string())?;
        if let Some(program) = &mut self.program {
            program.goes_on();
        }
        replayed.differences.into_iter().next().map_or(Ok(()), Err)
    }

    /// Its answer to a frame; `None` if it has panicked. Blocks until a program has answered.
    pub(in crate::referee) fn answer(&mut self, frame: &str) -> Option<String> {
        if self.broken {
            return None;
        }
        let received = Instant::now();
        let answered = guarded(|| {
            let next = self.dialogue.receive(frame.as_bytes()).ok()?;
            let asked = match self.pose(next, received) {
                Posed::Said(said) => return Some(said),
                Posed::Asked(asked) => asked,
            };
            let program = self.program.as_ref();
            let answer = program.map_or(Answer::Gone, |program| {
                program.driver.ask_blocking(asked.deadline)
            });
            Some(self.settle(asked, answer))
        });
        answered.unwrap_or_else(|panic| {
            tracing::error!(%panic, "our bot panicked");
            self.broken = true;
            None
        })
    }

    /// What it says next, or what its program is asked for.
    fn pose(&mut self, next: Next, received: Instant) -> Posed {
        match &mut self.program {
            Some(program) => program.pose(&mut *self.dialogue, next, (self.budget, received)),
            None => Posed::Said(self.budget.answer(&mut *self.dialogue, next, received)),
        }
    }

    /// What it says once its program has answered or not.
    fn settle(&mut self, asked: Asked, answer: Answer) -> Frame {
        let program = self.program.as_deref_mut();
        asked.settle(&mut *self.dialogue, (program, answer), self.budget)
    }

    /// The match is over: its program is told so, and ends.
    pub(in crate::referee) fn dismiss(&mut self) {
        if let Some(program) = &mut self.program {
            program.dismiss(self.dialogue.hung_up());
        }
    }

    /// Its match is over for good: its program is told so, though the seat may not have heard how, and ends.
    pub(in crate::referee) fn hang_up(&mut self) {
        if let Some(program) = &mut self.program {
            let ending = self.dialogue.hung_up();
            let unheard = || Ending::of(Cause::Disconnect, "");
            program.dismiss(Some(ending.unwrap_or_else(unheard)));
        }
    }

    /// The account of its program, if it has one.
    pub(in crate::referee) fn account(&self) -> Option<&Account> {
        Some(self.program.as_ref()?.driver.account())
    }

    /// What became of its program, which was dismissed, if it has one that ran. Blocks until that has ended.
    pub(in crate::referee) fn conduct(&mut self) -> Option<Conduct> {
        let program = self.program.as_mut()?;
        let conduct = program.leaving()?.conduct_blocking();
        program.keep_blocking(&conduct);
        program.ended(&conduct);
        Some(conduct)
    }
}

/// A bot's dialogue as a seat.
pub(in crate::referee) struct BuiltinSeat {
    /// `None` once it has panicked.
    bot: Option<Builtin>,
    permits: Arc<Semaphore>,
    /// Where it is recorded.
    session: Option<(Store, SessionId)>,
}

impl BuiltinSeat {
    /// A bot of ours, its randomness seeded by `seed`, with what it has `learnt` if it may use that.
    pub(in crate::referee) fn new(
        kit: &'static dyn Kit,
        (bot, seed): (OurBot<'_>, u64),
        builtins: &Builtins,
        learnt: Option<&Learnt>,
    ) -> Result<Self, SetupError> {
        let Learnt { rivals, types } = learnt.cloned().unwrap_or_default();
        let setup = DialogueSetup {
            models: builtins.models,
            rivals,
            types,
            ..DialogueSetup::of("", seed)
        };
        let playing = (builtins.budget, &builtins.programs);
        Ok(Self {
            bot: Some(Builtin::new(kit, bot, setup, playing)?),
            permits: Arc::clone(&builtins.permits),
            session: None,
        })
    }

    /// The account of its program, if it has one: shared, so that it can be read when the match ends.
    pub(in crate::referee) fn account(&self) -> Option<Account> {
        self.bot.as_ref()?.account().cloned()
    }

    /// Whether what its program notes is kept when it leaves.
    pub(in crate::referee) fn keeps_notes(&self) -> bool {
        let program = self.bot.as_ref().and_then(|bot| bot.program.as_ref());
        program.is_some_and(|program| program.notes_of().is_some())
    }

    async fn answer(&mut self, text: &str) -> SeatReply {
        let broken = || SeatReply::Failed("the bot broke down".to_owned());
        let received = Instant::now();
        let Some(bot) = &mut self.bot else {
            return broken();
        };
        if let (Some(program), Some((store, session))) = (&mut bot.program, &self.session) {
            program.recall((store, *session)).await;
        }
        let next = match bot.dialogue.receive(text.as_bytes()) {
            Err(error) => return SeatReply::Failed(error.to_string()),
            Ok(next) => next,
        };
        let posed = match next {
            Next::Think { .. } => {
                // A program thinks elsewhere.
                let thinks = bot.program.is_none();
                let pose = move |bot: &mut Builtin| bot.pose(next, received);
                self.apart(thinks, pose).await
            }
            next => Some(bot.pose(next, received)),
        };
        let asked = match posed {
            Some(Posed::Said(said)) => return SeatReply::said(said),
            Some(Posed::Asked(asked)) => asked,
            None => return broken(),
        };
        let program = self.bot.as_ref().and_then(|bot| bot.program.as_ref());
        let answer = match program {
            Some(program) => program.driver.ask(asked.deadline).await,
            None => Answer::Gone,
        };
        let settle = move |bot: &mut Builtin| bot.settle(asked, answer);
        let said = self.apart(answer == Answer::Gone, settle).await;
        said.map_or_else(broken, SeatReply::said)
    }

    /// Has the bot work on a thread that may block; `None` if it panics. `thinks`: only so many do at once.
    async fn apart<T: Send + 'static>(
        &mut self,
        thinks: bool,
        work: impl FnOnce(&mut Builtin) -> T + Send + 'static,
    ) -> Option<T> {
        let mut bot = self.bot.take()?;
        let place = match thinks {
            // The semaphore is never closed.
            true => Some(Arc::clone(&self.permits).acquire_owned().await),
            false => None,
        };
        let worked = tokio::task::spawn_blocking(move || {
            let _place = place;
            let made = work(&mut bot);
            (bot, made)
        });
        match worked.await {
            Ok((bot, made)) => {
                self.bot = Some(bot);
                Some(made)
            }
            Err(error) => {
                tracing::error!(%error, "our bot panicked");
                None
            }
        }
    }
}

impl SeatLink for BuiltinSeat {
    fn begins(&mut self, match_id: &str, session: Option<(Store, SessionId)>) {
        let program = self.bot.as_mut().and_then(|bot| bot.program.as_mut());
        if let Some(program) = program {
            program.begins(match_id);
        }
        self.session = session;
    }

    fn account(&self) -> Option<Account> {
        Self::account(self)
    }

    fn take_up(&mut self, past: &[Entry]) -> Result<(), String> {
        self.bot.as_mut().map_or(Ok(()), |bot| bot.take_up(past))
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
            let Some(bot) = &mut self.bot else { return };
            bot.dismiss();
            let Some(program) = &mut bot.program else {
                return;
            };
            let Some(leaving) = program.leaving() else {
                return;
            };
            let conduct = leaving.conduct().await;
            program.ended(&conduct);
            if let Some((store, session)) = &self.session {
                let notes_of = program.notes_of();
                conduct.keep(store, *session, notes_of).await;
            }
        })
    }
}

//! [`Erased`]: the [`Kit`] of a contest.

use super::forwarding::Forwarding;
use super::interface::{Advice, Contest, Deal, MATCH_NUMBER};
use super::ladder;
use super::remote::Remote;
use super::scripted::transcribed;
use crate::arena::{self, Acts, Arena};
use crate::card::GameCard;
use crate::game::{Bot, Cause, Outcome, Seat, Seats, SetupError};
use crate::kit::{
    DialogueSetup, Kit, Learnt, LineUp, Pace, PlaySetup, Played, TableSetup, bot_seed,
};
use crate::match_::is_late;
use crate::neutral;
use crate::options;
use crate::wire::{Dialogue, Table};
use serde::Deserialize as _;
use serde_json::Value;
use std::fmt::Display;
use std::marker::PhantomData;
use std::time::Duration;

/// The [`Kit`] of a contest: its types erased.
pub struct Erased<C>(PhantomData<fn() -> C>);

impl<C: Contest> Erased<C> {
    /// The kit.
    pub const NEW: Self = Self(PhantomData);

    fn options(given: &Value) -> Result<C::Options, SetupError> {
        options::read(C::CARD.options, given).map_err(|why| Self::wrong("options", &why))
    }

    fn refereed(options: &Value, deal: &Deal<'_>) -> Result<C::Refereed, SetupError> {
        C::set_up(Self::options(options)?, deal).map_err(|why| Self::wrong("options", &why))
    }

    /// The bots of a match, each with what it may know of its rivals.
    fn bots_of(setup: &PlaySetup) -> Result<Vec<Box<dyn Bot<C>>>, SetupError> {
        let seated = (0..).map(Seat).zip(&setup.bots);
        seated
            .map(|(seat, name)| {
                let advice = match (setup.models, setup.learnt.get(seat.index())) {
                    (false, _) => Advice::None,
                    (true, None) => Advice::Shipped,
                    (true, Some(Learnt { rivals, types })) => Advice::Learnt { rivals, types },
                };
                ladder::make(name, bot_seed(setup.seed, seat), advice)
            })
            .collect()
    }

    fn wrong(what: &str, why: &dyn Display) -> SetupError {
        SetupError(format!("{} {what}: {why}", C::CARD.name))
    }
}

/// Asks bots at a pace, and keeps what they did if that is wanted.
struct Paced<'a, C: Contest> {
    bots: &'a [String],
    pace: &'a dyn Pace,
    /// The referee's side of the match, at its start.
    table: &'a dyn Fn() -> Result<Box<dyn Table>, SetupError>,
    left: Seats<Duration>,
    /// `None` for an act that came too late.
    acts: Option<Vec<(Seat, Option<C::Act>)>>,
    /// As [`Contest::aborts`].
    aborts: bool,
    /// Who was late in this step.
    late: Vec<Seat>,
    /// Who was late before, in this order.
    expelled: Vec<Seat>,
}

impl<C: Contest> Arena<C> for Paced<'_, C> {
    fn decide(&mut self, seat: Seat, bot: &mut dyn Bot<C>, view: &C::View, ask: &C::Ask) -> C::Act {
        self.pace.begin(seat);
        let within = C::within(view);
        let since = within.and_then(|_| self.pace.now());
        let act = C::decide(bot, view, ask, self.pace, &mut self.left[seat]);
        let took = since.and_then(|since| Some(self.pace.now()?.saturating_sub(since)));
        if took
            .zip(within)
            .is_some_and(|(took, within)| is_late(took, within))
        {
            self.late.push(seat);
        }
        self.pace.end();
        act
    }

    fn listens(&self, seat: Seat) -> bool {
        let bot = self.bots.get(seat.index());
        bot.is_none_or(|name| C::listens(name))
    }

    fn prepared(&mut self, seat: Seat, act: C::Act) {
        if let Some(kept) = &mut self.acts {
            kept.push((seat, Some(act)));
        }
    }

    /// Late players are out once all others have acted.
    fn arrive(&mut self, game: &mut C, acts: &mut Acts<C>) {
        C::arrange(game, acts);
        let mut late = std::mem::take(&mut self.late);
        for (_, act) in acts.iter_mut().filter(|(seat, _)| late.contains(seat)) {
            *act = None;
        }
        let mut out = late.clone();
        if self.aborts && !late.is_empty() {
            late.truncate(1);
            out = acts.iter().map(|(seat, _)| *seat).collect();
        }
        if let Some(kept) = &mut self.acts {
            let in_time = acts.iter().filter(|(_, act)| act.is_some());
            kept.extend(in_time.cloned());
            kept.extend(late.iter().map(|seat| (*seat, None)));
        }
        out.into_iter().for_each(|seat| C::forfeit(game, seat));
        self.expelled.append(&mut late);
        self.show();
    }
}

impl<C: Contest> Paced<'_, C> {
    /// Shows what was said so far, if somebody looks.
    fn show(&self) {
        if let Some(acts) = &self.acts
            && self.pace.looks()
            && let Ok(mut table) = (self.table)()
        {
            let transcript = transcribed::<C>(table.as_mut(), self.bots, acts);
            self.pace.look(&transcript);
        }
    }
}

impl<C: Contest> Kit for Erased<C> {
    fn card(&self) -> &'static GameCard {
        C::CARD
    }

    fn line_up(&self, options: &Value, entrants: usize) -> Result<LineUp, SetupError> {
        C::line_up(Self::options(options)?, entrants).map_err(|why| Self::wrong("options", &why))
    }

    fn dialogue(&self, setup: &DialogueSetup) -> Result<Box<dyn Dialogue>, SetupError> {
        let (rivals, types) = (&setup.rivals, &setup.types);
        let advice = match setup.models {
            true => Advice::Learnt { rivals, types },
            false => Advice::None,
        };
        let name = match &*setup.fallback {
            "" => &setup.bot,
            fallback => fallback,
        };
        let bot = ladder::make::<C>(name, setup.seed, advice)?;
        Ok(match &setup.post {
            Some(post) => {
                let player = C::player(Box::new(Remote::new(bot, post.clone())), setup);
                match post.is_native() {
                    true => Box::new(Forwarding::new(player, post.clone())),
                    false => player,
                }
            }
            None => C::player(bot, setup),
        })
    }

    fn table(&self, setup: &TableSetup) -> Result<Box<dyn Table>, SetupError> {
        let deal = Deal {
            seed: setup.seed,
            market: setup.market,
            ids: &setup.ids,
        };
        let refereed = Self::refereed(&setup.options, &deal)?;
        C::referee(refereed).map_err(|why| Self::wrong("options", &why))
    }

    fn reopen(&self, setup: &Value) -> Result<Box<dyn Table>, SetupError> {
        let read = C::Refereed::deserialize(setup);
        let refereed = read.map_err(|why| Self::wrong("setup", &why))?;
        C::referee(refereed).map_err(|why| Self::wrong("setup", &why))
    }

    fn play(&self, setup: &PlaySetup, pace: &dyn Pace) -> Result<Played, SetupError> {
        let seats = setup.bots.len();
        let ids: Vec<u64> = (1..).take(seats).collect();
        let deal = Deal {
            seed: setup.seed,
            market: MATCH_NUMBER,
            ids: &ids,
        };
        let refereed = Self::refereed(&setup.options, &deal)?;
        let table = || {
            let refereed = Self::refereed(&setup.options, &deal)?;
            C::referee(refereed).map_err(|why| Self::wrong("options", &why))
        };
        let mut bots = Self::bots_of(setup)?;
        let clock = C::clock(&refereed);
        let mut paced: Paced<'_, C> = Paced {
            bots: &setup.bots,
            pace,
            table: &table,
            left: Seats::from_fn(seats, |_| clock),
            acts: setup.record.then(Vec::new),
            aborts: C::aborts(&refereed),
            late: Vec::new(),
            expelled: Vec::new(),
        };
        let end = arena::play(C::position(&refereed), &mut bots, &mut paced);
        let Paced {
            acts,
            aborts,
            expelled,
            ..
        } = paced;
        let stalled = || Outcome {
            cause: Cause::Stalled,
            scores: Seats::from_fn(seats, |_| 0),
        };
        let transcript = match acts {
            None => Vec::new(),
            Some(acts) => transcribed::<C>(table()?.as_mut(), &setup.bots, &acts),
        };
        let mut outcome = end.game.outcome().unwrap_or_else(stalled);
        if !expelled.is_empty() {
            outcome.cause = Cause::TimeForfeit;
            if aborts {
                outcome.scores = Seats::default();
            }
        }
        Ok(Played {
            outcome,
            late: expelled,
            asks: end.asks,
            refused: end.refused,
            transcript,
        })
    }

    fn schema(&self) -> Value {
        neutral::schemas::<C::View, C::Ask, C::Act, C::Event>()
    }
}

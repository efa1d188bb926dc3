//! The interface between many matches and the ways of playing one.

use super::knowledge::Knowledge;
use super::live::Live;
use super::schedule::PlannedMatch;
use super::sides::Sides;
use crate::link::program::{Machine, sweep};
use crate::referee::{MatchError, MatchSpec, Ports, Refereed, SeatSpec, Stop, play};
use futures_util::future::BoxFuture;
use games::{Kit, Learnt, SetupError};
use parking_lot::Mutex;
use serde_json::Value;
use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::Arc;

/// What all matches of a run have in common.
pub struct Plan {
    /// The game.
    pub kit: &'static dyn Kit,
    /// The entrants; planned matches refer to them by index.
    pub entrants: Vec<SeatSpec>,
    /// Their names, under which the matches of those that are called or dial are stored; may be shorter.
    pub names: Vec<String>,
    /// What built-in bots have learnt of their rivals; `None`: what they come with.
    pub knowledge: Option<Arc<Knowledge>>,
    /// Rule options.
    pub options: Value,
    /// Concurrent matches.
    pub concurrency: NonZeroUsize,
    /// Whether transcripts are recorded and passed to [`MatchSink::played`](super::MatchSink::played).
    pub record: bool,
}

impl Plan {
    /// The name of the player on each seat, if it has one.
    ///
    /// # Errors
    /// [`SetupError`] if the options do not fit this many.
    fn seat_names(&self, planned: &PlannedMatch) -> Result<Vec<Option<String>>, SetupError> {
        if self.names.is_empty() && self.knowledge.is_none() {
            return Ok(Vec::new());
        }
        let sides = Sides::new(self.kit, &self.options, &planned.table)?;
        let name = |entrant: usize| self.names.get(entrant).cloned();
        Ok(sides.entrants().map(name).collect())
    }

    fn spec(
        &self,
        planned: &PlannedMatch,
        seats: Vec<SeatSpec>,
        tries: Vec<Option<u16>>,
    ) -> Result<MatchSpec, SetupError> {
        let names = self.seat_names(planned)?;
        // What built-in bots have learnt of their rivals; none if they learn nothing.
        let learnt: Vec<Learnt> = match &self.knowledge {
            Some(knowledge) => knowledge.of_seats(self.kit, &names),
            None => Vec::new(),
        };
        Ok(MatchSpec {
            kit: self.kit,
            seats,
            names,
            learnt,
            tries,
            number: planned.number,
            deck: planned.deck,
            seed: planned.seed,
            numbers: planned.numbers,
            options: self.options.clone(),
            record: self.record,
            slot: planned.slot.clone(),
            feed: None,
        })
    }
}

/// A match that is being played: how it ended, or `None` if it was cut short.
pub type Playing<'a> = BoxFuture<'a, Result<Option<Refereed>, MatchError>>;

/// Plays one match.
pub trait MatchPlayer: Send + Sync {
    /// Plays a match with these seats to its end; `None` if `stop` cut it short. Fails if the match cannot be played or has
    /// no result.
    fn play<'a>(
        &'a self,
        plan: &'a Plan,
        planned: &'a PlannedMatch,
        seats: Vec<SeatSpec>,
        stop: &'a Stop,
    ) -> Playing<'a>;

    /// Whether its matches take a thread each from beginning to end, and wait for nothing.
    fn blocks(&self) -> bool {
        false
    }

    /// Whether it stores its matches itself.
    fn records(&self) -> bool {
        false
    }

    /// The machine that may make programs late, and how often a match is played again at most for that.
    fn machine(&self) -> Option<(&Machine, u32)> {
        None
    }

    /// Called once when no matches are running any more. Blocks.
    fn finish(&self) {}
}

/// Our own referees.
pub struct Referees {
    ports: Ports,
    /// Stores matches while they are played; `None`: they are stored when they are over.
    live: Option<Live>,
    /// In a tournament, entrants that answered nothing in their last match, with its round; empty at first. They are
    /// not called for the rest of the round and have one try in their first match of the next, so that a dead entrant
    /// holds up one match of all. `None`: each match is on its own.
    silent: Option<Mutex<HashMap<usize, u32>>>,
}

impl Referees {
    /// Matches over these ports, each on its own.
    #[must_use]
    pub fn new(ports: Ports) -> Self {
        Self {
            ports,
            live: None,
            silent: None,
        }
    }

    /// The same in a tournament, where these entrants answered nothing in their last match, in this round.
    #[must_use]
    pub fn remembering(ports: Ports, silent: HashMap<usize, u32>) -> Self {
        Self {
            ports,
            live: None,
            silent: Some(silent.into()),
        }
    }

    /// The same for those who watch: matches are stored while they are played, where that is what happens to them at all.
    #[must_use]
    pub fn shown(self, live: Option<Live>) -> Self {
        Self { live, ..self }
    }

    /// Plays it, and stores it meanwhile if somebody watches.
    async fn followed(
        &self,
        plan: &Plan,
        planned: &PlannedMatch,
        mut spec: MatchSpec,
        stop: &Stop,
    ) -> Result<Option<Refereed>, MatchError> {
        let live = self.live.as_ref();
        let live = live.filter(|_| plan.record && !self.records());
        match live.and_then(|live| live.follow(plan.kit, &plan.options, planned)) {
            Some((feed, following)) => {
                spec.feed = Some(feed);
                following.end(play(spec, &self.ports, stop).await).await
            }
            None => play(spec, &self.ports, stop).await,
        }
    }

    async fn one(
        &self,
        plan: &Plan,
        planned: &PlannedMatch,
        seats: Vec<SeatSpec>,
        stop: &Stop,
    ) -> Result<Option<Refereed>, MatchError> {
        let Some(silent) = &self.silent else {
            let spec = plan.spec(planned, seats, Vec::new())?;
            return self.followed(plan, planned, spec, stop).await;
        };
        let sides = Sides::new(plan.kit, &plan.options, &planned.table)?;
        let line_up: Vec<usize> = sides.entrants().collect();
        let round = planned.slot.as_ref().map_or(0, |slot| slot.round);
        let last = silent.lock().clone();
        let tries = |one: &usize| last.get(one).map(|last| u16::from(*last != round));
        let spec = plan.spec(planned, seats, line_up.iter().map(tries).collect())?;
        let played = self.followed(plan, planned, spec, stop).await?;
        if let Some(played) = &played {
            let mut silent = silent.lock();
            for (entrant, conduct) in line_up.iter().zip(&played.conduct) {
                match conduct.is_silent() {
                    true => silent.insert(*entrant, round),
                    false => silent.remove(entrant),
                };
            }
        }
        Ok(played)
    }
}

impl MatchPlayer for Referees {
    fn play<'a>(
        &'a self,
        plan: &'a Plan,
        planned: &'a PlannedMatch,
        seats: Vec<SeatSpec>,
        stop: &'a Stop,
    ) -> Playing<'a> {
        Box::pin(self.one(plan, planned, seats, stop))
    }

    fn blocks(&self) -> bool {
        matches!(self.ports, Ports::Process(_))
    }

    fn records(&self) -> bool {
        matches!(self.ports, Ports::Hub(_))
    }

    fn machine(&self) -> Option<(&Machine, u32)> {
        match &self.ports {
            Ports::Pipes(pipes) => Some((pipes.rules.machine.as_ref()?, pipes.rules.replays_max)),
            _ => None,
        }
    }

    fn finish(&self) {
        // Whichever run they belonged to, no program is playing any more.
        if matches!(self.ports, Ports::Pipes(_)) {
            sweep(&[]);
        }
    }
}

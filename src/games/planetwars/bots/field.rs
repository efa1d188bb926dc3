//! A state as seen by a player that remembers the game so far.

use super::chart::Chart;
use crate::rules::{Planet, PlanetId, PlayerId, Ruleset};

/// Rounds of a game in the contest.
const ROUNDS: u32 = Ruleset::TEAM.rounds;

/// A planet's relation to the player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stance {
    /// The player's own.
    Own,
    /// A known mate's.
    Mate,
    /// Neutral.
    Neutral,
    /// Neutral, but a mate may take it before the team knows itself.
    Reserved,
    /// An enemy's.
    Enemy,
    /// Another player's that may turn out to be a mate.
    Unknown,
}

/// One of the player's own fleets in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Flight {
    pub(super) to: PlanetId,
    /// The turn of the state by which it has landed.
    pub(super) lands: u32,
    pub(super) ships: i64,
}

/// A state, indexed by the planets' places in its list.
pub(super) struct Field<'a> {
    pub(super) turn: u32,
    pub(super) you: PlayerId,
    /// No number occurs twice, and no ships are below 0.
    pub(super) planets: &'a [Planet],
    pub(super) stances: &'a [Stance],
    pub(super) chart: &'a Chart,
    pub(super) flights: &'a [Flight],
}

impl Field<'_> {
    /// Rounds still to be played, if the game is as long as the contest's.
    pub(super) fn rounds_left(&self) -> u32 {
        ROUNDS.saturating_sub(self.turn)
    }

    pub(super) fn stance(&self, place: usize) -> Stance {
        self.stances.get(place).copied().unwrap_or(Stance::Unknown)
    }

    /// Places and planets for which this holds.
    pub(super) fn planets_of(
        &self,
        holds: impl Fn(Stance) -> bool,
    ) -> impl Iterator<Item = (usize, &Planet)> {
        let planets = self.planets.iter().enumerate();
        planets.filter(move |(place, _)| holds(self.stance(*place)))
    }

    pub(super) fn own(&self) -> impl Iterator<Item = (usize, &Planet)> {
        self.planets_of(|stance| stance == Stance::Own)
    }

    pub(super) fn enemies(&self) -> impl Iterator<Item = (usize, &Planet)> {
        self.planets_of(|stance| stance == Stance::Enemy)
    }

    /// What may be attacked.
    pub(super) fn open(&self) -> impl Iterator<Item = (usize, &Planet)> {
        self.planets_of(Stance::is_open)
    }

    pub(super) fn turns(&self, from: usize, to: usize) -> u32 {
        self.chart.turns(from, to)
    }

    /// The nearest of these planets; among equally near ones the one with the lowest number.
    pub(super) fn nearest<'p>(
        &self,
        from: usize,
        goals: impl Iterator<Item = (usize, &'p Planet)>,
    ) -> Option<usize> {
        let goals = goals.filter(|(goal, _)| *goal != from);
        let nearest = goals.min_by_key(|(goal, planet)| (self.turns(from, *goal), planet.id));
        nearest.map(|(goal, _)| goal)
    }
}

impl Stance {
    /// Whether ships may be sent there to fight.
    pub(super) fn is_open(self) -> bool {
        matches!(self, Stance::Neutral | Stance::Enemy)
    }
}

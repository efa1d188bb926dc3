//! The rule by which a bot that plays by fixed rules gave its orders.

use crate::rules::PlanetId;
use std::fmt;

/// The rule that decided a turn's orders. Shown, it is a sentence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Reason {
    /// It never orders anything.
    Nothing,
    /// Nothing can be sent, or there is no goal.
    NoGoal,
    /// As many fleets of its own are under way as it allows itself.
    UnderWay { fleets: usize, most: usize },
    /// Chance chose where from and where to.
    Chance,
    /// From its strongest planet to the weakest of others.
    Weakest { from: PlanetId, to: PlanetId },
    /// From its planet with the most ships for its growth to the one with the fewest.
    Growth { from: PlanetId, to: PlanetId },
    /// Planets that have saved up enough, as much as `turns` of growth, send everything.
    Full { planets: usize, turns: i64 },
    /// Planets at the front take neighbours, those behind feed them.
    Front { planets: usize, goals: usize },
    /// What pays back soonest is taken with the ships that are free, now or with ships that start later.
    Surplus { attacks: usize },
}

impl fmt::Display for Reason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Nothing => "It never sends ships.",
            Self::NoGoal => "It has no ships to send, or nowhere to send them.",
            Self::Chance => "Chance chose where half of a planet's ships go.",
            Self::UnderWay { fleets, most } => return write!(out, "Fleets of its own under way: {fleets}. It sends another only below {most}."),
            Self::Weakest { from, to } => return write!(out, "Half of planet {from}, its strongest, goes to planet {to}, the weakest that it may attack."),
            Self::Growth { from, to } => return write!(out, "Half of planet {from}, which has the most ships for its growth, goes to planet {to}, which has the fewest."),
            Self::Full { planets: 0, turns } => return write!(out, "None of its planets holds {turns} turns of its growth."),
            Self::Full { planets, turns } => return write!(out, "Planets that hold {turns} turns of their growth: {planets}. Each sends all to the nearest enemy planet, if there is one."),
            Self::Front { planets, goals } => return write!(out, "Planets at the front: {planets}; neighbours to take: {goals}, those that grow most for their ships first, where one planet's ships are enough. Full planets behind send all to the front."),
            Self::Surplus { attacks } => return write!(out, "Planets whose capture pays back: {attacks}, attacked soonest first. The ships that no attack and no defence needs move towards the enemy."),
        })
    }
}

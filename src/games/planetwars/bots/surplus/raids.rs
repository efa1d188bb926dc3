//! Foreign fleets, known only by what is missing on the planets they left.

use super::super::field::{Field, Stance};
use crate::rules::{NEUTRAL, Planet, PlanetId};

/// Ships that left a planet for somewhere.
#[derive(Clone, Copy, Debug)]
pub(super) struct Raid {
    from: PlanetId,
    /// The turn of the state in which they were ordered.
    left: u32,
    ships: i64,
    /// Travel time to the team's nearest planet at that time, in turns.
    nearest: u32,
}

/// The raids that may still be in flight.
#[derive(Clone, Default)]
pub(super) struct Raids {
    raids: Vec<Raid>,
    before: Vec<Planet>,
    turn: u32,
}

/// How much farther than the team's nearest planet a raid may be heading.
const SCOPE: f64 = 1.2;
/// Raids are forgotten after this many turns.
const MEMORY: u32 = 40;
/// The most raids remembered.
const RAIDS_MAX: usize = 400;

impl Raids {
    /// Compares a state with the previous one: what is missing without a change of owner has left.
    pub(super) fn see(&mut self, field: &Field<'_>) {
        let next = self.turn.checked_add(1) == Some(field.turn);
        let turn = self.turn;
        if next && self.before.len() == field.planets.len() {
            let pairs = self.before.iter().zip(field.planets).enumerate();
            for (place, (before, now)) in pairs {
                let same = before.id == now.id && before.owner == now.owner;
                if !same || now.owner == NEUTRAL || field.stance(place) != Stance::Enemy {
                    continue;
                }
                let missing = before
                    .ships
                    .saturating_add(before.growth)
                    .saturating_sub(now.ships);
                let ours = field.planets_of(|stance| matches!(stance, Stance::Own | Stance::Mate));
                let nearest = ours.map(|(ours, _)| field.turns(place, ours)).min();
                let Some(nearest) = nearest.filter(|_| missing > 0) else {
                    continue;
                };
                if self.raids.len() < RAIDS_MAX {
                    self.raids.push(Raid {
                        from: now.id,
                        left: turn,
                        ships: missing,
                        nearest,
                    });
                }
            }
        }
        self.turn = field.turn;
        self.before = field.planets.to_vec();
        self.raids
            .retain(|raid| raid.left <= field.turn && field.turn - raid.left < MEMORY);
    }

    /// The raids that may be heading for this own planet: how soon they would land, and how many ships. A
    /// raid has a goal nearby: not much farther than the team's nearest planet.
    pub(super) fn landing(
        &self,
        field: &Field<'_>,
        place: usize,
    ) -> impl Iterator<Item = (u32, i64)> {
        self.raids.iter().filter_map(move |raid| {
            let from = field.chart.place(raid.from)?;
            let way = field.turns(from, place);
            let lands = raid.left.saturating_add(way);
            let meant = f64::from(way) <= f64::from(raid.nearest) * SCOPE;
            (meant && lands > field.turn && from != place).then(|| (lands - field.turn, raid.ships))
        })
    }
}

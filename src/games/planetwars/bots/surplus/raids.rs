//! Foreign fleets, known only by what is missing on the planets from which they left.

use super::super::field::{Field, Stance};
use crate::planetwars::rules::{NEUTRAL, Planet, PlanetId};

/// Ships that left a planet for somewhere.
#[derive(Clone, Copy, Debug)]
pub(super) struct Raid {
    from: PlanetId,
    /// The turn of the state in which they were ordered.
    left: u32,
    ships: i64,
    /// Turns of the way to the nearest planet of the team at that time.
    nearest: u32,
}

/// The raids that may still be in flight.
#[derive(Default)]
pub(super) struct Raids {
    raids: Vec<Raid>,
    before: Vec<Planet>,
    turn: u32,
}

/// How much further than the nearest planet of the team a raid may be meant to go.
const SCOPE: f64 = 1.2;
/// Raids are forgotten after so many turns.
const MEMORY: u32 = 40;
/// Most raids that are remembered.
const RAIDS_MAX: usize = 400;

impl Raids {
    /// Compares a state with the one before: what is missing without a change of owner has left.
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
                let ours = field.of(|stance| matches!(stance, Stance::Own | Stance::Mate));
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

    /// The raids that may be meant for this planet of one's own: how soon they would land, and how many ships.
    /// Whoever starts a raid has a goal nearby: not much further than the nearest planet of the team.
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

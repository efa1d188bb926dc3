//! Two states, one after the other.

use super::board::Sides;
use super::chart::{Chart, Sight};
use super::ships::NOBODY;

/// Two states, one after the other, and how they are understood.
#[derive(Clone, Copy)]
pub(super) struct Change<'a> {
    pub(super) chart: &'a Chart,
    pub(super) sides: &'a Sides,
    pub(super) before: &'a Sight,
    pub(super) now: &'a Sight,
}

impl Change<'_> {
    /// Whether the states are of two turns, one after the other.
    pub(super) fn is_next(&self) -> bool {
        self.now.turn == self.before.turn.wrapping_add(1)
    }

    /// Whether ships that left then would land there now.
    pub(super) fn lands(&self, launched: u32, from: u8, place: usize) -> bool {
        self.chart.lands(launched, from, place) == self.now.turn as usize
    }

    /// Whether this is a player that the team does not plan for.
    pub(super) fn is_foe(&self, player: u8) -> bool {
        player != NOBODY && self.sides.of(player) <= 0
    }

    /// Whether a planet was the team's before: who meets it elsewhere has not attacked it.
    pub(super) fn was_ours(&self, place: usize) -> bool {
        self.sides.of(self.before.owner[place]) > 0
    }

    /// What a planet grew by this turn after the battle, which a battle does not explain.
    pub(super) fn grown_after(&self, place: usize) -> i32 {
        if self.chart.timing.grows_first {
            0
        } else {
            self.now.growth[place].max(0)
        }
    }
}

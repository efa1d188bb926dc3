//! L5: everything to the nearest enemy.

use super::field::Field;
use super::orders::Orders;
use super::player::Habit;
use super::reason::Reason;

pub(super) const DESCRIPTION: &str =
    "Each planet that holds ten turns of its growth sends everything to the nearest enemy planet.";
pub(super) const TEAM_DESCRIPTION: &str = "As rage, against those who are not of its team.";

#[derive(Clone)]
pub(super) struct Rage;

/// Turns of growth that a planet saves up.
const SAVED_TURNS: i64 = 10;

/// Whether a planet holds enough to send all of it.
pub(super) fn is_full(ships: i64, growth: i64) -> bool {
    ships >= growth.saturating_mul(SAVED_TURNS)
}

impl Habit for Rage {
    fn order(&mut self, field: &Field<'_>, orders: &mut Orders) {
        let mut planets = 0;
        for (from, planet) in field.own() {
            if !is_full(planet.ships, planet.growth) {
                continue;
            }
            planets += 1;
            if let Some(to) = field.nearest(from, field.enemies()) {
                orders.send(field, from, to, planet.ships);
            }
        }
        let turns = SAVED_TURNS;
        orders.reason = Reason::Full { planets, turns };
    }
}

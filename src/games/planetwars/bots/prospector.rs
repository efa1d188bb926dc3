//! L3: for growth.

use super::field::Field;
use super::orders::Orders;
use super::player::Habit;
use super::reason::Reason;
use crate::rules::Planet;

pub(super) const DESCRIPTION: &str = "One fleet at a time: half of the planet with most ships for its growth to \
     the one that grows most for its ships.";
pub(super) const TEAM_DESCRIPTION: &str = "As prospector, against planets that are not its team's.";

#[derive(Clone)]
pub(super) struct Prospector;

/// Ships per growth plus one.
fn idle_ships(planet: &Planet) -> f64 {
    planet.ships as f64 / (1.0 + planet.growth.max(0) as f64)
}

/// Half of the own planet with the most ships per growth, to the one of these with the fewest.
pub(super) fn prospect<'p>(
    field: &Field<'_>,
    goals: impl Iterator<Item = (usize, &'p Planet)>,
    orders: &mut Orders,
) {
    let own = field.own().filter(|(place, _)| orders.left(*place) > 1);
    let from = own.max_by(|(_, one), (_, other)| {
        let more = idle_ships(one).total_cmp(&idle_ships(other));
        more.then(other.id.cmp(&one.id))
    });
    let to = goals.min_by(|(_, one), (_, other)| {
        let more = idle_ships(one).total_cmp(&idle_ships(other));
        more.then(one.id.cmp(&other.id))
    });
    if let (Some((from, start)), Some((to, goal))) = (from, to)
        && orders.send(field, from, to, orders.left(from) / 2)
    {
        let (from, to) = (start.id, goal.id);
        orders.reason = Reason::Growth { from, to };
    }
}

impl Habit for Prospector {
    fn order(&mut self, field: &Field<'_>, orders: &mut Orders) {
        if !orders.waits(field, 1) {
            prospect(field, field.open(), orders);
        }
    }
}

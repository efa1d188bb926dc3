//! L2: the strong against the weak.

use super::field::Field;
use super::orders::Orders;
use super::player::Habit;
use super::reason::Reason;
use std::cmp::Reverse;

pub(super) const DESCRIPTION: &str =
    "One fleet at a time: half of its strongest planet to the weakest planet that is not its own.";
pub(super) const TEAM_DESCRIPTION: &str = "As bully, against planets that are not its team's.";

#[derive(Clone)]
pub(super) struct Bully;

impl Habit for Bully {
    fn order(&mut self, field: &Field<'_>, orders: &mut Orders) {
        if orders.waits(field, 1) {
            return;
        }
        let from = field
            .own()
            .max_by_key(|(_, planet)| (planet.ships, Reverse(planet.id)));
        let to = field
            .open()
            .min_by_key(|(_, planet)| (planet.ships, planet.id));
        if let (Some((from, planet)), Some((to, goal))) = (from, to)
            && orders.send(field, from, to, planet.ships / 2)
        {
            let (from, to) = (planet.id, goal.id);
            orders.reason = Reason::Weakest { from, to };
        }
    }
}

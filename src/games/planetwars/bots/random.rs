//! L1: one fleet at a time, from anywhere to anywhere.

use super::field::{Field, Stance};
use super::orders::Orders;
use super::player::Habit;
use super::reason::Reason;
use drover_game::rng::Rng;

pub(super) const DESCRIPTION: &str =
    "One fleet at a time: half the ships of a random planet of its own to any other planet.";
pub(super) const TEAM_DESCRIPTION: &str = "As random, but never to a mate's planet.";

#[derive(Clone)]
pub(super) struct Random {
    rng: Rng,
}

/// The least ships for a planet to send half of them.
const SHIPS_MIN: i64 = 2;

impl Random {
    pub(super) fn new(rng: Rng) -> Self {
        Self { rng }
    }

    fn pick(&mut self, places: &[usize]) -> Option<usize> {
        let place = self.rng.below(places.len() as u32) as usize;
        places.get(place).copied()
    }
}

impl Habit for Random {
    fn order(&mut self, field: &Field<'_>, orders: &mut Orders) {
        if orders.waits(field, 1) {
            return;
        }
        let strong = field.own().filter(|(_, planet)| planet.ships >= SHIPS_MIN);
        let starts: Vec<usize> = strong.map(|(place, _)| place).collect();
        let Some(from) = self.pick(&starts) else {
            return;
        };
        let goals = field.planets_of(|stance| stance.is_open() || stance == Stance::Own);
        let goals = goals.map(|(place, _)| place).filter(|place| *place != from);
        let goals: Vec<usize> = goals.collect();
        if let Some(to) = self.pick(&goals) {
            let half = orders.left(from) / 2;
            if orders.send(field, from, to, half) {
                orders.reason = Reason::Chance;
            }
        }
    }
}

//! L6: a front of neighbours that take the next planets, and a rear that feeds it.

use super::field::{Field, Stance};
use super::orders::Orders;
use super::player::Habit;
use super::rage::is_full;
use super::reason::Reason;
use crate::rules::Planet;

pub(super) const DESCRIPTION: &str = "Planets with foreign neighbours take them with exactly as many ships as are needed, those with \
     most growth for their ships first; full planets behind send everything to the front.";
pub(super) const TEAM_DESCRIPTION: &str = "As frontier, against planets that are not its team's.";

#[derive(Clone)]
pub(super) struct Frontier;

/// Growth per defending ship: the most valuable first, then the lowest number.
fn worth(planet: &Planet) -> f64 {
    planet.growth as f64 / (planet.ships as f64 + 1.0)
}

fn needed(field: &Field<'_>, from: usize, to: usize, planet: &Planet) -> i64 {
    let grown = match field.stance(to) {
        Stance::Enemy => {
            let turns = i64::from(field.turns(from, to));
            turns.saturating_mul(planet.growth.max(0))
        }
        _ => 0,
    };
    planet.ships.saturating_add(grown).saturating_add(1)
}

impl Habit for Frontier {
    fn order(&mut self, field: &Field<'_>, orders: &mut Orders) {
        let open = |place: &&usize| field.stance(**place).is_open();
        let near = |place: usize| field.chart.neighbours(place).iter().filter(open);
        let front: Vec<usize> = field
            .own()
            .map(|(place, _)| place)
            .filter(|place| near(*place).next().is_some())
            .collect();
        let mut targets: Vec<(usize, &Planet)> = field
            .open()
            .filter(|(place, planet)| {
                let targeted = field.flights.iter().any(|flight| flight.to == planet.id);
                !targeted && front.iter().any(|from| near(*from).any(|at| at == place))
            })
            .collect();
        targets.sort_by(|(_, one), (_, other)| {
            worth(other)
                .total_cmp(&worth(one))
                .then(one.id.cmp(&other.id))
        });
        orders.reason = Reason::Front {
            planets: front.len(),
            goals: targets.len(),
        };
        for (to, planet) in targets {
            let neighbours = front
                .iter()
                .copied()
                .filter(|from| near(*from).any(|at| *at == to));
            let strongest = neighbours.reduce(|best, from| {
                if orders.left(from) > orders.left(best) {
                    from
                } else {
                    best
                }
            });
            let Some(from) = strongest else { continue };
            let ships = needed(field, from, to, planet);
            if orders.left(from) > ships {
                orders.send(field, from, to, ships);
            }
        }
        let is_front = |place: &usize| front.contains(place);
        for (from, planet) in field.own().filter(|(place, _)| !is_front(place)) {
            if planet.ships == 0 || !is_full(planet.ships - 1, planet.growth) {
                continue;
            }
            let fronts = field.own().filter(|(place, _)| is_front(place));
            if let Some(to) = field.nearest(from, fronts) {
                orders.send(field, from, to, planet.ships);
            }
        }
    }
}

//! L4: as many fleets as its standing calls for.

use super::field::{Field, Stance};
use super::orders::Orders;
use super::player::Habit;
use super::prospector::prospect;

pub(super) const DESCRIPTION: &str = "As prospector, with one fleet in flight while ahead in growth, three while ahead in ships \
     alone, five while behind; ahead in both it attacks players only.";
pub(super) const TEAM_DESCRIPTION: &str =
    "As dual, with its team's standing, against planets that are not its team's.";

#[derive(Clone)]
pub(super) struct Dual;

/// Ships and growth.
#[derive(Clone, Copy, Default)]
struct Standing {
    ships: i64,
    growth: i64,
}

fn standing(field: &Field<'_>, counts: impl Fn(Stance) -> bool) -> Standing {
    field
        .planets_of(counts)
        .fold(Standing::default(), |sum, (_, planet)| Standing {
            ships: sum.ships.saturating_add(planet.ships),
            growth: sum.growth.saturating_add(planet.growth),
        })
}

impl Habit for Dual {
    fn order(&mut self, field: &Field<'_>, orders: &mut Orders) {
        let ours = standing(field, |stance| matches!(stance, Stance::Own | Stance::Mate));
        let theirs = standing(field, |stance| {
            matches!(stance, Stance::Enemy | Stance::Unknown)
        });
        let flying = field.flights.iter().map(|flight| flight.ships);
        let ships = flying.fold(ours.ships, i64::saturating_add);
        let (ahead_in_ships, ahead_in_growth) = (ships > theirs.ships, ours.growth > theirs.growth);
        let fleets = match (ahead_in_ships, ahead_in_growth) {
            (_, true) => 1,
            (true, false) => 3,
            (false, false) => 5,
        };
        if orders.waits(field, fleets) {
            return;
        }
        if ahead_in_ships && ahead_in_growth {
            prospect(field, field.enemies(), orders);
        } else {
            prospect(field, field.open(), orders);
        }
    }
}

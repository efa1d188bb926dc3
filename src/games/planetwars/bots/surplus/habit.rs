//! One turn of the player: which ships are free, what to take with them, where the rest goes.

use super::super::field::{Field, Stance};
use super::super::orders::Orders;
use super::super::player::Habit;
use super::super::reason::Reason;
use super::future::Future;
use super::plan::{Attack, Source, attack, parts};
use super::raids::Raids;
use crate::rules::Planet;

pub(in super::super) const DESCRIPTION: &str = "Reckons what each planet will hold and what may leave it, takes the planets that pay back \
     soonest with ships that land together, and moves the rest to the front.";
pub(in super::super) const TEAM_DESCRIPTION: &str =
    "As surplus, against planets that are not its team's; leaves to a mate what is nearer to it.";

/// The share of a nearby stranger's ships that an own planet keeps as a garrison.
const CAUTION: f64 = 0.5;
/// The most planets attacked in a turn.
const ATTACKS_MAX: usize = 30;

/// The player that plans.
#[derive(Clone, Default)]
pub(in super::super) struct Surplus {
    raids: Raids,
}

impl Surplus {
    /// Ships that a planet keeps so that it does not fall at once to nearby players or to a raid.
    fn reserve(&self, field: &Field<'_>, place: usize, future: &Future) -> i64 {
        let growth = field
            .planets
            .get(place)
            .map_or(0, |planet| planet.growth.max(0));
        let strangers =
            field.planets_of(|stance| matches!(stance, Stance::Enemy | Stance::Unknown));
        let near = strangers.map(|(stranger, planet)| {
            let grown = growth.saturating_mul(field.turns(stranger, place).into());
            ((planet.ships as f64 * CAUTION) as i64).saturating_sub(grown)
        });
        let (_, now) = future.at(0);
        let raids = self.raids.landing(field, place).map(|(turns, ships)| {
            let (_, then) = future.at(turns as usize - 1);
            ships.saturating_sub(then.saturating_sub(now))
        });
        near.chain(raids).max().unwrap_or(0).max(0)
    }
}

/// Whether no mate's planet is nearer to this one than one's own nearest.
fn leads(field: &Field<'_>, place: usize) -> bool {
    let key = |(from, planet): (usize, &Planet)| (field.turns(from, place), planet.owner);
    let own = field.own().map(key).min();
    let mates = field
        .planets_of(|stance| stance == Stance::Mate)
        .map(key)
        .min();
    match (own, mates) {
        (Some(own), Some(mate)) => own < mate,
        (own, _) => own.is_some(),
    }
}

/// Moves free ships towards the enemy: to the nearest own planet on the way there.
fn forward(field: &Field<'_>, sources: &[Source], orders: &mut Orders) {
    let far = |place: usize| {
        let enemies = field.planets_of(|stance| matches!(stance, Stance::Enemy | Stance::Unknown));
        enemies.map(|(enemy, _)| field.turns(place, enemy)).min()
    };
    for source in sources.iter().filter(|source| source.free > 0) {
        let Some(here) = far(source.place) else {
            return;
        };
        let nearer = field.own().filter_map(|(place, planet)| {
            let there = far(place).filter(|there| *there < here)?;
            let way = field.turns(source.place, place);
            (way.saturating_add(there) <= here.saturating_add(here / 2))
                .then_some((way, there, planet.id, place))
        });
        if let Some((.., place)) = nearer.min() {
            orders.send(field, source.place, place, source.free);
        }
    }
}

impl Habit for Surplus {
    fn order(&mut self, field: &Field<'_>, orders: &mut Orders) {
        self.raids.see(field);
        let futures: Vec<Option<Future>> = (0..field.planets.len())
            .map(|place| Future::at_place(field, place))
            .collect();
        let future = |place: usize| futures.get(place).and_then(Option::as_ref);
        let mut sources: Vec<Source> = field
            .own()
            .filter_map(|(place, planet)| {
                let reserve = self.reserve(field, place, future(place)?);
                Some(Source {
                    place,
                    growth: planet.growth,
                    free: planet.ships.saturating_sub(reserve),
                })
            })
            .collect();
        let open = field.open().map(|(place, _)| place);
        let mut goals: Vec<usize> = open
            .filter(|place| future(*place).is_some_and(|future| !future.falls_to(field.you)))
            .collect();
        let led: Vec<usize> = goals
            .iter()
            .copied()
            .filter(|place| leads(field, *place))
            .collect();
        let fights = led
            .iter()
            .any(|place| field.stance(*place) == Stance::Enemy);
        goals.retain(|place| {
            led.contains(place) || (!fights && field.stance(*place) == Stance::Enemy)
        });
        let mut attacks = 0;
        for _ in 0..ATTACKS_MAX {
            let found = goals
                .iter()
                .filter_map(|to| attack(field, future(*to)?, *to, &sources));
            let best = found.min_by(|one: &Attack, other| {
                one.payback
                    .total_cmp(&other.payback)
                    .then(one.to.cmp(&other.to))
            });
            let Some(best) = best else { break };
            attacks += 1;
            for part in parts(field, &best, &mut sources) {
                if part.wait == 0 {
                    orders.send(field, part.from, best.to, part.ships);
                }
            }
            goals.retain(|place| *place != best.to);
        }
        forward(field, &sources, orders);
        orders.reason = Reason::Surplus { attacks };
    }
}

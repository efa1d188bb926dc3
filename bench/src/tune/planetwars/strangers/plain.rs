//! Strangers of one habit each.

use super::space::{Order, Space, Way};
use games::planetwars::rules::Planet;

/// Opens with everything against a home that is near and small; then rolls up what is weak.
#[derive(Clone)]
pub(super) struct Rusher;

/// How many turns apart homes are near, and how many ships are few.
const NEAR: u32 = 3;
const FEW: i64 = 8;
/// Until this turn it is the opening.
const OPENING: u32 = 12;

impl Way for Rusher {
    fn turn(&mut self, space: &Space) -> (Vec<Order>, Vec<usize>) {
        let few = space.ships(|owner| owner == space.me) <= FEW;
        let mut orders = Vec::new();
        if few && space.turn < OPENING {
            for from in space.mine() {
                let near = |to: &usize| space.turns(from, *to) <= NEAR;
                let near = space.theirs().into_iter().filter(near);
                let weakest = near.min_by_key(|to| (space.planets[*to].ships, *to));
                let ships = space.planets[from].ships;
                if let Some(to) = weakest.filter(|_| ships > 0) {
                    orders.push(Order { from, to, ships });
                }
            }
        }
        if orders.is_empty() {
            return Roller.turn(space);
        }
        (orders, Vec::new())
    }
}

/// Holds its ships together and falls upon the weakest planet with more than it needs.
#[derive(Clone)]
pub(super) struct Roller;

/// What it brings, in quarters of what it needs.
const OVERWHELMING: i64 = 6;

impl Roller {
    /// Ships that a planet needs to hold what could reach it from any enemy planet.
    fn guard(space: &Space, place: usize) -> i64 {
        let growth = space.planets[place].growth.max(0);
        let threat = space.theirs().into_iter().map(|from| {
            let turns = i64::from(space.turns(from, place));
            space.planets[from].ships - growth * (turns - 1)
        });
        threat.max().unwrap_or_default().max(0)
    }
}

impl Way for Roller {
    fn turn(&mut self, space: &Space) -> (Vec<Order>, Vec<usize>) {
        let mine = space.mine();
        let mut left: Vec<i64> = space.planets.iter().map(|planet| planet.ships).collect();
        let mut orders: Vec<Order> = Vec::new();
        let expected = |to: usize, turns: u32| {
            let (owner, ships) = space.future(to, turns, &[])[turns as usize];
            (owner != space.me).then_some(ships + 1)
        };
        // The weakest of theirs that all in reach can overwhelm.
        let mut targets = space.theirs();
        targets.sort_by_key(|to| (space.planets[*to].ships, *to));
        for to in targets {
            let mut near: Vec<(u32, usize)> = mine
                .iter()
                .map(|from| (space.turns(*from, to), *from))
                .filter(|(_, from)| left[*from] > 0)
                .collect();
            near.sort_unstable();
            let (mut sum, mut taken) = (0, 0);
            for (at, (turns, from)) in near.iter().enumerate() {
                sum += left[*from];
                if let Some(need) = expected(to, *turns)
                    && sum * 4 >= need * OVERWHELMING
                {
                    taken = at + 1;
                    break;
                }
            }
            for (_, from) in near.into_iter().take(taken) {
                let ships = std::mem::take(&mut left[from]);
                orders.push(Order { from, to, ships });
            }
        }
        // Free planets nearer to it than to others, with what need not be held.
        let mut free = space.free();
        free.sort_by_key(|to| {
            let planet = &space.planets[*to];
            (planet.ships - 4 * planet.growth, *to)
        });
        for to in free {
            let near = |places: Vec<usize>| {
                let turns = places.into_iter().map(|from| (space.turns(from, to), from));
                turns.min()
            };
            let Some((turns, from)) = near(mine.clone()) else {
                break;
            };
            let nearer = near(space.theirs()).is_none_or(|(other, _)| turns <= other);
            let Some(need) = expected(to, turns).filter(|_| nearer) else {
                continue;
            };
            let spare = left[from] - Self::guard(space, from).min(left[from]);
            if spare >= need && space.planets[to].growth > 0 {
                left[from] -= need;
                orders.push(Order {
                    from,
                    to,
                    ships: need,
                });
            }
        }
        (orders, Vec::new())
    }
}

/// Buys growth on its first planet that has the ships, and takes the weakest free planet from the first that
/// can.
#[derive(Clone)]
pub(super) struct Booster;

/// No growth above this is bought.
const GROWTH_MAX: i64 = 6;

fn price(planet: &Planet) -> i64 {
    1 << planet.growth.abs().min(40)
}

impl Way for Booster {
    fn turn(&mut self, space: &Space) -> (Vec<Order>, Vec<usize>) {
        let mut left: Vec<i64> = space.planets.iter().map(|planet| planet.ships).collect();
        let mine = space.mine();
        // It takes a negative growth for a price below 1.
        let cheap = |place: &&usize| {
            let planet = &space.planets[**place];
            planet.growth <= GROWTH_MAX && left[**place] >= price(planet)
        };
        let bought: Vec<usize> = mine.iter().find(cheap).copied().into_iter().collect();
        for place in &bought {
            left[*place] -= price(&space.planets[*place]);
        }
        let free = space.free();
        let weakest = free
            .into_iter()
            .min_by_key(|to| (space.planets[*to].ships, *to));
        let order = weakest.and_then(|to| {
            let ships = space.planets[to].ships + 1;
            let from = mine.iter().copied().find(|from| left[*from] >= ships)?;
            Some(Order { from, to, ships })
        });
        (order.into_iter().collect(), bought)
    }
}

/// Buys all the growth it can, but rests every seventh turn.
#[derive(Clone)]
pub(super) struct Sabbatical;

impl Way for Sabbatical {
    fn turn(&mut self, space: &Space) -> (Vec<Order>, Vec<usize>) {
        let can = |place: &usize| space.planets[*place].ships >= price(&space.planets[*place]);
        let places = space.mine().into_iter().filter(can);
        let works = space.turn % 7 != 5;
        (Vec::new(), places.filter(|_| works).collect())
    }
}

/// Half of its strongest planet to the weakest of the enemy's, once there are enough.
#[derive(Clone)]
pub(super) struct Threshold;

/// Ships from which on they leave.
const ENOUGH: i64 = 19;

impl Way for Threshold {
    fn turn(&mut self, space: &Space) -> (Vec<Order>, Vec<usize>) {
        let ships = |place: &usize| space.planets[*place].ships;
        let from = space.mine().into_iter().max_by_key(ships);
        let to = space.theirs().into_iter().min_by_key(ships);
        let order = from.zip(to).filter(|(from, _)| ships(from) >= ENOUGH);
        let order = order.map(|(from, to)| Order {
            from,
            to,
            ships: ships(&from) / 2,
        });
        (order.into_iter().collect(), Vec::new())
    }
}

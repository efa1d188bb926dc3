//! What a side orders while a game is played on: it takes the planets that pay back soonest, with ships that
//! land together, and moves the rest to the front.

use super::rehearsal::{FREE, Future, LOOK, Rehearsal, State};
use super::ships::Order;
use drover_game::rng::Rng;

/// The share of an enemy's other ships assumed to help a planet they can reach in time.
const HELP: f64 = 0.25;
/// The value of an enemy's growth, relative to a free planet's.
const ROB: f64 = 3.0;
/// The cost of a ship that fights an enemy's, which is lost too.
const TRADE: f64 = 0.5;
/// Turns that it costs if the enemy can reach a free planet first.
const LATE: f64 = 4.0;
/// The most targets that are looked at in a turn.
const ATTACKS_MAX: usize = 12;

/// How far the weights of targets that are drawn by chance vary up and down.
const SPREAD: f64 = 0.35;
/// The shares of a near enemy's ships kept as a garrison, of which one is drawn by chance.
const DRAWN_CAUTIONS: [f64; 4] = [0.0, 0.5, 0.5, 1.0];

/// How a side goes about it.
#[derive(Clone, Debug)]
pub(super) struct Style {
    /// The share of a near enemy planet's ships that an own planet keeps as a garrison.
    caution: f64,
    /// By target: a factor of the turns in which it pays back; 1 for missing entries.
    likes: Vec<f64>,
}

impl Style {
    /// All targets are weighted alike.
    pub(super) const fn plain(caution: f64) -> Self {
        let likes = Vec::new();
        Self { caution, likes }
    }

    /// Drawn by chance.
    pub(super) fn drawn(planets: usize, rng: &mut Rng) -> Self {
        Self {
            caution: DRAWN_CAUTIONS[rng.below(4) as usize],
            likes: (0..planets)
                .map(|_| rng.between(1.0 - SPREAD, 1.0 + SPREAD))
                .collect(),
        }
    }
}

/// A planet that may be taken or held.
#[derive(Clone, Copy, Debug)]
struct Target {
    to: usize,
    /// Turns until the ships land, and how many it takes.
    turns: usize,
    need: i32,
    /// Turns until it has paid back its cost.
    payback: f64,
}

/// What can reach a planet, by turns.
struct Reach {
    /// Free ships of the own planets so far away, and what these grow by in a turn.
    near: [i32; LOOK + 1],
    grow: [i32; LOOK + 1],
    /// Ships of the enemy's, a turn later.
    help: [i32; LOOK + 2],
    /// Turns until the enemy's first can be there.
    soonest: usize,
}

/// One side's view of a turn.
struct Habit<'a> {
    rehearsal: &'a Rehearsal,
    state: &'a State,
    style: &'a Style,
    side: u8,
    futures: &'a [Future],
    /// By place: ships that may leave.
    free: Vec<i32>,
}

impl Habit<'_> {
    fn turns(&self, from: usize, to: usize) -> usize {
        self.rehearsal.chart.turns(from, to)
    }

    /// Whether ships that land after n turns count when the game is over.
    fn in_time(&self, turns: usize) -> bool {
        let ending = self.rehearsal.ending;
        ending.counts(self.state.turn() as usize + turns)
    }

    /// Ships of an own planet that may leave.
    fn spare(&self, place: usize) -> i32 {
        let future = &self.futures[place];
        let ships = self.state.ships[place];
        let falls = future.iter().position(|at| at.owner != self.side);
        match falls {
            Some(1) => return ships,
            Some(_) => return 0,
            None => {}
        }
        if self.rehearsal.growth[place] < 0 {
            return ships;
        }
        let fought = future.iter().filter(|at| at.fought).map(|at| at.low);
        let spare = fought.min().map_or(ships, |low| low.min(ships));
        let growth = self.rehearsal.growth[place].max(0);
        let foes = self.state.places(1 - self.side);
        let reserve = foes.map(|foe| {
            let turns = self.turns(foe, place) as i32;
            (f64::from(self.state.ships[foe]) * self.style.caution) as i32
                - growth.saturating_mul(turns)
        });
        (spare - reserve.max().unwrap_or_default().max(0)).max(0)
    }

    /// The first way to take or hold a planet that pays.
    fn target(&self, to: usize) -> Option<Target> {
        let future = &self.futures[to];
        let last = future.last()?;
        if last.owner == self.side || self.rehearsal.growth[to] < 0 {
            return None;
        }
        let reach = self.reach(to);
        let falls = future.iter().position(|at| at.owner != self.side)?;
        let (mut grows, mut ships, mut helping) = (0, 0, 0);
        for turns in 1..=LOOK {
            if !self.in_time(turns) {
                break;
            }
            ships += grows + reach.near[turns];
            grows += reach.grow[turns];
            helping += reach.help[turns];
            let target = if turns <= falls && falls > 0 {
                Some(self.hold(to, turns, future[falls].low))
            } else {
                self.attack(to, turns, helping, reach.soonest < turns)
            };
            let target = target.filter(|target| target.need <= ships);
            if target.is_some() {
                return target;
            }
        }
        None
    }

    /// What can reach a planet.
    fn reach(&self, to: usize) -> Reach {
        let mut reach = Reach {
            near: [0; LOOK + 1],
            grow: [0; LOOK + 1],
            help: [0; LOOK + 2],
            soonest: usize::MAX,
        };
        for from in (0..self.free.len()).filter(|from| *from != to) {
            let turns = self.turns(from, to);
            if turns > LOOK {
                continue;
            }
            if self.state.owner[from] == self.side {
                reach.near[turns] += self.free[from];
                reach.grow[turns] += self.rehearsal.growth[from].max(0);
            } else if self.state.owner[from] == 1 - self.side {
                reach.help[turns + 1] += self.state.ships[from];
                reach.soonest = reach.soonest.min(turns);
            }
        }
        reach
    }

    /// An own planet held off from what would leave n ships there.
    fn hold(&self, to: usize, turns: usize, left: i32) -> Target {
        let need = left.max(1);
        let growth = self.rehearsal.growth[to].max(1);
        Target {
            to,
            turns,
            need,
            payback: turns as f64 + f64::from(need) * TRADE / f64::from(growth) / ROB,
        }
    }

    /// Another's planet taken after n turns, in which n ships of the enemy's may help it, and `contested`
    /// says whether any can be there sooner.
    fn attack(&self, to: usize, turns: usize, helping: i32, contested: bool) -> Option<Target> {
        let before = self.futures[to][turns - 1];
        if before.owner == self.side {
            return None;
        }
        let free = before.owner == FREE;
        let reserve = if free {
            0
        } else {
            (f64::from(helping) * HELP) as i32
        };
        let grown = self.rehearsal.grows_before(to, before.owner);
        let need = before.ships + grown + 1 + reserve;
        let growth = f64::from(self.rehearsal.growth[to]) + 0.01;
        let (gain, cost) = if free {
            (growth, f64::from(before.ships) + 1.0)
        } else {
            (growth * ROB, f64::from(need) * TRADE)
        };
        let late = if free && contested { LATE } else { 0.0 };
        Some(Target {
            to,
            turns,
            need,
            payback: turns as f64 + cost / gain + late,
        })
    }

    fn weighed(&self, target: &Target) -> f64 {
        target.payback * self.style.likes.get(target.to).copied().unwrap_or(1.0)
    }

    /// Takes the ships of a target, those with the longest flights first; orders what leaves now.
    fn take(&mut self, target: &Target, orders: &mut Vec<Order>) {
        let own = self
            .state
            .places(self.side)
            .filter(|from| *from != target.to);
        let mut order: Vec<(usize, usize)> = own
            .map(|from| (self.turns(from, target.to), from))
            .filter(|(turns, _)| *turns <= target.turns)
            .collect();
        order.sort_unstable_by(|one, other| other.cmp(one));
        let mut left = target.need;
        for (turns, from) in order {
            let wait = (target.turns - turns) as i32;
            let grown = self.rehearsal.growth[from].max(0) * wait;
            let ships = (self.free[from] + grown).min(left);
            if ships < 1 {
                continue;
            }
            self.free[from] -= ships;
            left -= ships;
            if wait == 0 {
                orders.push(self.rehearsal.order(self.side, from, target.to, ships));
            }
            if left < 1 {
                break;
            }
        }
    }

    /// Free ships move towards the enemy.
    fn forward(&self, orders: &mut Vec<Order>) {
        let far = |place: usize| {
            let foes = self.state.places(1 - self.side);
            foes.map(|foe| self.turns(place, foe)).min()
        };
        let own = self.state.places(self.side);
        let own: Vec<(usize, usize)> = own.filter_map(|place| Some((place, far(place)?))).collect();
        for &(from, here) in &own {
            let ships = self.free[from];
            if ships < 1 {
                continue;
            }
            let rots = self.rehearsal.growth[from] < 0;
            let nearer = own.iter().filter_map(|&(to, there)| {
                let way = self.turns(from, to);
                let onward = there < here && way + there <= here + here / 2;
                let saved = rots && self.rehearsal.growth[to] >= 0;
                let nearer = self.in_time(way) && (onward || saved);
                nearer.then_some((way, there, to))
            });
            if let Some((.., to)) = nearer.min() {
                orders.push(self.rehearsal.order(self.side, from, to, ships));
            }
        }
    }
}

/// What a side orders in this state.
pub(super) fn habit(
    rehearsal: &Rehearsal,
    state: &State,
    futures: &[Future],
    side: u8,
    style: &Style,
) -> Vec<Order> {
    let count = state.planets();
    let mut habit = Habit {
        rehearsal,
        state,
        style,
        side,
        futures,
        free: vec![0; count],
    };
    for place in state.places(side) {
        habit.free[place] = habit.spare(place);
    }
    let mut orders = Vec::new();
    let mut targets: Vec<Target> = (0..count).filter_map(|to| habit.target(to)).collect();
    for _ in 0..ATTACKS_MAX {
        let all = targets.iter().enumerate();
        let best =
            all.min_by(|(_, one), (_, other)| habit.weighed(one).total_cmp(&habit.weighed(other)));
        let Some((at, best)) = best else { break };
        let best = *best;
        match habit.target(best.to) {
            // Earlier targets took its ships: perhaps later.
            Some(again) if again.payback > best.payback + 0.001 => targets[at] = again,
            Some(again) => {
                habit.take(&again, &mut orders);
                targets.swap_remove(at);
            }
            None => {
                targets.swap_remove(at);
            }
        }
    }
    habit.forward(&mut orders);
    orders
}
#[cfg(test)]
mod tests {
    use super::super::rehearsal::tests::opened;
    use super::*;
    use crate::rules::Ruleset;

    /// Ships that take an enemy's planet leave one there, whether it grows before the battle or after it.
    #[test]
    fn an_attack_is_exactly_enough_by_any_rules() {
        for ruleset in [Ruleset::TEAM, Ruleset::GOOGLE2010, Ruleset::MZ2015] {
            let (rehearsal, mut state) = opened("P 1 0 0 1 1 30\nP 2 3 0 2 2 5\n", ruleset, 0);
            let futures = rehearsal.futures(&state);
            let orders = habit(&rehearsal, &state, &futures, 0, &Style::plain(0.0));
            let [order] = &orders[..] else {
                panic!("{orders:?}");
            };
            rehearsal.depart(&mut state, order);
            for _ in 0..rehearsal.chart.turns(0, 1) {
                rehearsal.pass(&mut state);
            }
            let grown = if rehearsal.grows_before(1, 0) == 0 {
                2
            } else {
                0
            };
            assert_eq!(
                (state.owner[1], state.ships[1]),
                (0, 1 + grown),
                "{ruleset:?}"
            );
        }
    }
    /// By the rules of 2015 a flight of three takes four turns, and ships in flight do not count in the end.
    #[test]
    fn no_ships_leave_that_would_be_in_flight_in_the_end() {
        for (turn, sent) in [(196, true), (197, true), (198, false), (200, false)] {
            let planets = "P 1 0 0 1 1 30\nP 2 30 0 2 2 5\nP 3 3 0 1 0 5\n";
            let (rehearsal, state) = opened(planets, Ruleset::MZ2015, turn);
            let futures = rehearsal.futures(&state);
            let orders = habit(&rehearsal, &state, &futures, 0, &Style::plain(0.0));
            assert_eq!(!orders.is_empty(), sent, "turn {turn}: {orders:?}");
        }
    }
}

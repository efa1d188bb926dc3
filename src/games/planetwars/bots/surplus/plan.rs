//! Which planet to take next, when, and with whose ships.

use super::super::field::{Field, Stance};
use super::future::{Future, HORIZON};
use crate::rules::NEUTRAL;

/// The share of an enemy's other ships assumed to help a planet they can reach in time.
const HELP: f64 = 0.25;
/// Ships that a neutral planet costs beyond its garrison.
const FEE: f64 = 1.0;
/// The value of an enemy's growth, relative to a neutral planet's.
const ROB: f64 = 3.0;
/// The cost of a ship that fights an enemy's, which is lost too.
const TRADE: f64 = 0.5;
/// Turns that it costs if another player can reach a neutral planet first.
const LATE: f64 = 10.0;

/// Ships that leave a planet in this many turns, 0 for now.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub(super) from: usize,
    pub(super) wait: u32,
    pub(super) ships: i64,
}

/// A planet to be taken.
#[derive(Clone, Debug)]
pub(super) struct Attack {
    pub(super) to: usize,
    /// Turns until it is taken.
    turns: u32,
    need: i64,
    /// Turns until it has paid back its cost.
    pub(super) payback: f64,
}

/// An own planet that may send.
pub(super) struct Source {
    pub(super) place: usize,
    pub(super) growth: i64,
    /// Ships that are free now.
    pub(super) free: i64,
}

impl Source {
    /// Ships that are free after some turns.
    fn free_in(&self, turns: u32) -> i64 {
        let grown = self.growth.max(0).saturating_mul(turns.into());
        self.free.saturating_add(grown).max(0)
    }
}

/// The best way to take this planet with these sources, if it pays off.
pub(super) fn attack(
    field: &Field<'_>,
    future: &Future,
    to: usize,
    sources: &[Source],
) -> Option<Attack> {
    let planet = field.planets.get(to)?;
    let enemy = field.stance(to) == Stance::Enemy;
    // Others' ships that may come to help.
    let mut help = [0i64; HORIZON + 1];
    if enemy {
        let same = field.planets.iter().enumerate();
        for (place, other) in
            same.filter(|(place, other)| *place != to && other.owner == planet.owner)
        {
            let turns = field.turns(place, to) as usize + 1;
            if let Some(sum) = help.get_mut(turns) {
                *sum = sum.saturating_add(other.ships);
            }
        }
    }
    let rival = || {
        let others = field.planets_of(|stance| matches!(stance, Stance::Enemy | Stance::Unknown));
        others.map(|(place, _)| field.turns(place, to)).min()
    };
    let rival = if enemy { None } else { rival() };
    // Free ships by travel time; nearer planets grow while they wait.
    let (mut near, mut growth, mut fixed) = ([0i64; HORIZON + 1], [0i64; HORIZON + 1], 0i64);
    for source in sources.iter().filter(|source| source.place != to) {
        let way = field.turns(source.place, to) as usize;
        if let (Some(free), Some(grows)) = (near.get_mut(way), growth.get_mut(way)) {
            *free = free.saturating_add(source.free.max(0));
            *grows = grows.saturating_add(source.growth.max(0));
        }
    }
    let (mut grows, mut helping) = (0i64, 0i64);
    let last = HORIZON.min(field.rounds_left() as usize);
    for turns in 1..=last {
        fixed = fixed.saturating_add(grows);
        fixed = fixed.saturating_add(near[turns]);
        grows = grows.saturating_add(growth[turns]);
        helping = helping.saturating_add(help[turns]);
        let (owner, garrison) = future.at(turns - 1);
        let reserve = (helping as f64 * HELP) as i64;
        let need = garrison.saturating_add(1).saturating_add(reserve);
        let need = need.saturating_sub(future.landing[turns]);
        if need < 1 || need > fixed {
            continue;
        }
        let gain = planet.growth.max(0) as f64;
        let (gain, cost) = if owner == NEUTRAL {
            (gain, garrison as f64 + FEE)
        } else {
            (gain * ROB, need as f64 * TRADE)
        };
        let stays = f64::from(field.rounds_left()) - turns as f64;
        if gain * stays <= cost {
            return None;
        }
        let late = rival.is_some_and(|rival| rival < turns as u32);
        let late = if late { LATE } else { 0.0 };
        return Some(Attack {
            to,
            turns: turns as u32,
            need,
            payback: turns as f64 + cost / gain + late,
        });
    }
    None
}

/// Whose ships an attack takes: those with the longest flights first, so that all land together.
pub(super) fn parts(field: &Field<'_>, attack: &Attack, sources: &mut [Source]) -> Vec<Part> {
    let mut order: Vec<(u32, usize)> = sources
        .iter()
        .enumerate()
        .map(|(at, source)| (field.turns(source.place, attack.to), at))
        .filter(|(way, _)| *way <= attack.turns)
        .collect();
    order.sort_unstable_by(|one, other| other.cmp(one));
    let mut parts = Vec::new();
    let mut need = attack.need;
    for (way, at) in order {
        let Some(source) = sources
            .get_mut(at)
            .filter(|source| source.place != attack.to)
        else {
            continue;
        };
        let wait = attack.turns - way;
        let ships = source.free_in(wait).min(need);
        if ships < 1 {
            continue;
        }
        source.free = source.free.saturating_sub(ships);
        need -= ships;
        parts.push(Part {
            from: source.place,
            wait,
            ships,
        });
        if need < 1 {
            break;
        }
    }
    parts
}

//! Playing on from a state: turns with exact battles, a quick habit of ordering, and how it stands then.

use super::board::{Order, Sides};
use super::chart::{Chart, NOBODY};
use super::line::{Line, Move, Root};

/// Turns for which growth counts in the end.
const AFTER: i64 = 30;
/// Goals that a planet considers when playing on, the nearest first.
const NEAR: usize = 6;

/// What does not change while playing on.
#[derive(Clone, Debug)]
pub(super) struct Rehearsal {
    pub(super) chart: Chart,
    sides: Sides,
    growth: Vec<i32>,
    grows_first: bool,
    /// By place: the nearest others.
    near: Vec<Vec<u8>>,
    /// Rounds to go.
    rounds: u32,
}

/// A state on the way.
#[derive(Clone, Debug)]
pub(super) struct State {
    owner: Vec<u8>,
    ships: Vec<i32>,
    /// By place: what lands, by turns from the beginning.
    coming: Vec<Vec<Move>>,
    turn: u8,
}

/// What lands in that turn, as the next one's landings.
fn due(coming: &[Move], turn: u8) -> impl Iterator<Item = Move> {
    let due = coming.iter().filter(move |landing| landing.turn == turn);
    due.map(|landing| Move {
        turn: 1,
        ..*landing
    })
}

impl State {
    /// The present state with what is in flight.
    pub(super) fn new(roots: &[Root], landings: Vec<Vec<Move>>) -> Self {
        Self {
            owner: roots.iter().map(|root| root.owner).collect(),
            ships: roots.iter().map(|root| root.ships).collect(),
            coming: landings,
            turn: 0,
        }
    }

    /// Turns that have passed.
    pub(super) fn turn(&self) -> u32 {
        self.turn.into()
    }

    /// How many planets there are.
    pub(super) fn planets(&self) -> u64 {
        self.owner.len() as u64
    }

    /// A planet's ships.
    pub(super) fn ships(&self, place: usize) -> i32 {
        self.ships[place]
    }

    /// The planets whose owner is one of these.
    pub(super) fn places(&self, whose: impl Fn(u8) -> bool) -> Vec<usize> {
        let places = self.owner.iter().enumerate();
        let places = places.filter(|(_, owner)| whose(**owner));
        places.map(|(place, _)| place).collect()
    }

    /// Adds ships in flight.
    pub(super) fn add(&mut self, to: usize, landing: Move) {
        if let Some(coming) = self.coming.get_mut(to) {
            coming.push(landing);
        }
    }

    /// Ships of a planet that its owner need not keep there against what is known to come.
    fn free(&self, place: usize, rehearsal: &Rehearsal) -> i32 {
        let ships = self.ships[place];
        if self.coming[place].is_empty() {
            return ships;
        }
        let (owner, mut least, mut held) = (self.owner[place], ships, ships);
        let last = self.coming[place].iter().map(|landing| landing.turn);
        for turn in self.turn + 1..=last.max().unwrap_or_default() {
            held += rehearsal.growth[place];
            for landing in self.coming[place].iter().filter(|at| at.turn == turn) {
                held += if landing.owner == owner {
                    landing.ships
                } else {
                    -landing.ships
                };
            }
            least = least.min(held);
        }
        least.max(0)
    }
}

impl Rehearsal {
    pub(super) fn new(chart: &Chart, sides: &Sides, roots: &[Root], rounds: u32) -> Self {
        let count = roots.len();
        let near = |from: usize| {
            let others = (0..count as u8).filter(|to| usize::from(*to) != from);
            let mut others: Vec<u8> = others.collect();
            others.sort_by_key(|to| chart.turns(from, usize::from(*to)));
            others.truncate(NEAR);
            others
        };
        Self {
            chart: chart.clone(),
            sides: sides.clone(),
            growth: roots.iter().map(|root| root.growth).collect(),
            grows_first: roots.first().is_some_and(|root| root.grows_first),
            near: (0..count).map(near).collect(),
            rounds,
        }
    }

    fn root(&self, state: &State, place: usize) -> Root {
        Root {
            owner: state.owner[place],
            ships: state.ships[place],
            growth: self.growth[place],
            grows_first: self.grows_first,
        }
    }

    /// A planet's owner and ships so many turns later, if only what is under way lands.
    fn later(&self, state: &State, place: usize, turns: usize) -> (u8, i32) {
        let mut root = self.root(state, place);
        let coming = &state.coming[place];
        let grown = |root: &Root, turns: usize| {
            let growth = if root.owner == NOBODY { 0 } else { root.growth };
            (root.ships + growth * turns as i32).max(0)
        };
        if coming.is_empty() {
            return (root.owner, grown(&root, turns));
        }
        let mut now = usize::from(state.turn);
        let until = now + turns;
        let mut landings: Vec<Move> = Vec::new();
        while now < until {
            let next = coming.iter().map(|at| usize::from(at.turn));
            let next = next.filter(|turn| *turn > now).min();
            let next = next.filter(|turn| *turn <= until).unwrap_or(until + 1);
            root.ships = grown(&root, next - 1 - now);
            if next > until {
                break;
            }
            landings.clear();
            landings.extend(due(coming, next as u8));
            (root.owner, root.ships) = Line::step(root, &landings, &self.sides.side);
            now = next;
        }
        (root.owner, root.ships)
    }

    /// The nearest other planets.
    pub(super) fn near(&self, place: usize) -> &[u8] {
        &self.near[place]
    }

    /// Ships that take a planet if they leave there now; `None`: it is this player's then.
    pub(super) fn need(&self, state: &State, player: u8, from: usize, to: usize) -> Option<i32> {
        let (owner, ships) = self.later(state, to, self.chart.turns(from, to));
        (owner != player).then_some(ships + 1)
    }

    /// One order leaves now.
    pub(super) fn depart(&self, state: &mut State, order: &Order) {
        let (from, to) = (usize::from(order.from), usize::from(order.to));
        if state.owner.get(from) != Some(&order.owner) || to >= state.owner.len() {
            return;
        }
        let ships = order.ships.min(state.ships[from]);
        if ships < 1 || from == to {
            return;
        }
        state.ships[from] -= ships;
        let lands = usize::from(state.turn) + self.chart.turns(from, to);
        let turn = lands.min(255) as u8;
        let owner = order.owner;
        state.coming[to].push(Move { turn, owner, ships });
    }

    /// Lets a turn pass.
    pub(super) fn pass(&self, state: &mut State) {
        state.turn += 1;
        let now = state.turn;
        let mut landings: Vec<Move> = Vec::new();
        for place in 0..state.owner.len() {
            let root = self.root(state, place);
            let coming = &mut state.coming[place];
            if coming.iter().any(|at| at.turn == now) {
                landings.clear();
                landings.extend(due(coming, now));
                coming.retain(|at| at.turn > now);
                (state.owner[place], state.ships[place]) =
                    Line::step(root, &landings, &self.sides.side);
            } else if root.owner != NOBODY {
                state.ships[place] = (root.ships + root.growth).max(0);
            }
        }
    }

    /// What a player orders by habit: every planet takes what is nearest of what it can take.
    pub(super) fn habit(&self, state: &State, player: u8) -> Vec<Order> {
        let mut state = state.clone();
        let side = self.sides.of(player);
        let mut orders = Vec::new();
        for from in 0..state.owner.len() {
            if state.owner[from] != player || state.ships[from] < 1 {
                continue;
            }
            let mut free = state.free(from, self);
            for to in 0..self.near[from].len() {
                if free < 1 {
                    break;
                }
                let to = usize::from(self.near[from][to]);
                if self.growth[to] < 0 {
                    continue;
                }
                let turns = self.chart.turns(from, to);
                let (owner, ships) = self.later(&state, to, turns);
                // A side that is not ours nor theirs is left alone.
                let of = self.sides.of(owner);
                if of == side || (owner != NOBODY && of == 0) || ships >= free {
                    continue;
                }
                let order = Order {
                    owner: player,
                    from: from as u8,
                    to: to as u8,
                    ships: ships + 1,
                    wait: 0,
                };
                self.depart(&mut state, &order);
                orders.push(order);
                free -= ships + 1;
            }
        }
        orders
    }

    /// How it stands for our side, from -1 to 1: ships, and growth for turns to come.
    pub(super) fn standing(&self, state: &State) -> f64 {
        let (mut ours, mut theirs) = (0, 0);
        let left = i64::from(self.rounds).saturating_sub(i64::from(state.turn));
        let growing = AFTER.min(left.max(0));
        let mut add = |owner: u8, ships: i64| match self.sides.of(owner) {
            1 => ours += ships,
            -1 => theirs += ships,
            _ => {}
        };
        for place in 0..state.owner.len() {
            let (owner, ships) = (state.owner[place], i64::from(state.ships[place]));
            // What shrinks loses no more than it has.
            let grows = i64::from(self.growth[place]) * growing;
            add(owner, (ships + grows).max(0));
            for landing in &state.coming[place] {
                add(landing.owner, i64::from(landing.ships));
            }
        }
        (ours - theirs) as f64 / (ours + theirs).max(1) as f64
    }
}

//! Playing on from a state of two players: turns with exact battles, and how it stands then.

use super::chart::Chart;
use super::ending::Ending;
use super::line::Root;
use super::ships::Move;
use super::ships::NOBODY;
use super::ships::Order;

/// Turns for which growth counts in the end.
const AFTER: i64 = 30;
/// Turns from the beginning of which landings are kept.
const SPAN: usize = 64;
/// Turns that futures look ahead.
pub(super) const LOOK: usize = 14;
/// Neither of the two, among sides.
pub(super) const FREE: u8 = 2;

/// What does not change while playing on.
#[derive(Clone, Debug)]
pub(super) struct Rehearsal {
    pub(super) chart: Chart,
    /// The players, ours first.
    players: [u8; 2],
    pub(super) growth: Vec<i32>,
    grows_first: bool,
    /// By place: the others, the nearest first.
    near: Vec<Vec<u8>>,
    /// How the game ends, seen from the beginning.
    pub(super) ending: Ending,
}

/// A state on the way.
#[derive(Clone, Debug)]
pub(super) struct State {
    /// By place: 0 ours, 1 theirs, or [`FREE`].
    pub(super) owner: Vec<u8>,
    pub(super) ships: Vec<i32>,
    /// By place and turn from the beginning: what lands of each side.
    coming: Vec<[i32; 2]>,
    /// What lands later.
    beyond: [i32; 2],
    turn: usize,
}

/// A planet at one moment of its future.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Moment {
    pub(super) owner: u8,
    pub(super) ships: i32,
    /// Its ships right after the battle.
    pub(super) low: i32,
    /// Whether anything landed.
    pub(super) fought: bool,
}

/// A planet turn by turn, the present first.
pub(super) type Future = [Moment; LOOK + 1];

impl State {
    /// Turns that have passed.
    pub(super) fn turn(&self) -> u32 {
        self.turn as u32
    }

    /// How many planets there are.
    pub(super) fn planets(&self) -> usize {
        self.owner.len()
    }

    /// The planets of a side.
    pub(super) fn places(&self, side: u8) -> impl Iterator<Item = usize> {
        let places = self.owner.iter().enumerate();
        places
            .filter(move |(_, owner)| **owner == side)
            .map(|(place, _)| place)
    }

    /// What lands in that turn from the beginning, of each side.
    fn landing(&self, place: usize, turn: usize) -> [i32; 2] {
        if turn < SPAN {
            self.coming[place * SPAN + turn]
        } else {
            [0; 2]
        }
    }

    /// Adds ships of a side that land in that turn from the beginning.
    fn land(&mut self, to: usize, turn: usize, side: usize, ships: i32) {
        let coming = self.coming.get_mut(to * SPAN + turn);
        match coming.filter(|_| turn < SPAN) {
            Some(coming) => coming[side] = coming[side].saturating_add(ships),
            None => self.beyond[side] = self.beyond[side].saturating_add(ships),
        }
    }
}

/// Owner and ships after a battle of these.
fn clash(owner: u8, ships: i32, landing: [i32; 2]) -> (u8, i32) {
    if owner == FREE {
        let [ours, theirs] = landing;
        let (first, most, least) = if ours >= theirs {
            (0, ours, theirs)
        } else {
            (1, theirs, ours)
        };
        if most > ships.max(least) {
            return (first, most - ships.max(least));
        }
        // Equal largest forces leave nothing.
        let left = if most == least && most >= ships {
            0
        } else {
            ships - most
        };
        return (FREE, left);
    }
    let side = usize::from(owner);
    let own = ships.saturating_add(landing[side]);
    let left = own.saturating_sub(landing[1 - side]);
    if left < 0 {
        (1 - owner, -left)
    } else {
        (owner, left)
    }
}

impl Rehearsal {
    pub(super) fn new(chart: &Chart, players: [u8; 2], roots: &[Root], ending: Ending) -> Self {
        let count = roots.len();
        let near = |from: usize| {
            let others = (0..count as u8).filter(|to| usize::from(*to) != from);
            let mut others: Vec<u8> = others.collect();
            others.sort_by_key(|to| chart.turns(from, usize::from(*to)));
            others
        };
        Self {
            chart: chart.clone(),
            players,
            growth: roots.iter().map(|root| root.growth).collect(),
            grows_first: roots.first().is_some_and(|root| root.grows_first),
            near: (0..count).map(near).collect(),
            ending,
        }
    }

    /// The side of a player: 0 ours, 1 theirs, or [`FREE`].
    pub(super) fn side(&self, player: u8) -> u8 {
        let at = self.players.iter().position(|other| *other == player);
        at.filter(|_| player != NOBODY).map_or(FREE, |at| at as u8)
    }

    /// The present state with what is in flight.
    pub(super) fn state(&self, roots: &[Root], landings: &[Vec<Move>]) -> State {
        let mut state = State {
            owner: roots.iter().map(|root| self.side(root.owner)).collect(),
            ships: roots.iter().map(|root| root.ships).collect(),
            coming: vec![[0; 2]; roots.len() * SPAN],
            beyond: [0; 2],
            turn: 0,
        };
        for (to, landings) in landings.iter().enumerate() {
            for landing in landings {
                self.add(&mut state, to, *landing);
            }
        }
        state
    }

    /// Adds ships in flight.
    pub(super) fn add(&self, state: &mut State, to: usize, landing: Move) {
        let side = usize::from(self.side(landing.owner));
        // What is too late to count never lands.
        let turn = usize::from(landing.turn);
        if side < 2 && to < state.planets() && self.ending.counts(turn) {
            state.land(to, turn, side, landing.ships);
        }
    }

    /// What a side's planet grows by in a turn before the battle.
    pub(super) fn grows_before(&self, place: usize, owner: u8) -> i32 {
        if self.grows_first && owner != FREE {
            self.growth[place]
        } else {
            0
        }
    }

    /// A planet after one more turn in which this lands.
    fn step(&self, place: usize, now: Moment, landing: [i32; 2]) -> Moment {
        let Moment {
            mut owner,
            mut ships,
            ..
        } = now;
        ships = ships.saturating_add(self.grows_before(place, owner)).max(0);
        let fought = landing != [0; 2];
        if fought {
            (owner, ships) = clash(owner, ships, landing);
        }
        let low = ships;
        if !self.grows_first && owner != FREE {
            ships = ships.saturating_add(self.growth[place]).max(0);
        }
        Moment {
            owner,
            ships,
            low,
            fought,
        }
    }

    /// How many planets anybody has or may want.
    pub(super) fn useful(&self, state: &State) -> usize {
        let planets = state.owner.iter().zip(&self.growth);
        planets
            .filter(|(owner, growth)| **owner != FREE || **growth >= 0)
            .count()
    }

    /// All planets' futures if only what is under way lands, by place.
    pub(super) fn futures(&self, state: &State) -> Vec<Future> {
        let places = 0..state.planets();
        places.map(|place| self.future(state, place)).collect()
    }

    fn future(&self, state: &State, place: usize) -> Future {
        let now = Moment {
            owner: state.owner[place],
            ships: state.ships[place],
            low: state.ships[place],
            fought: false,
        };
        let mut future = [now; LOOK + 1];
        for turn in 1..=LOOK {
            let landing = state.landing(place, state.turn + turn);
            future[turn] = self.step(place, future[turn - 1], landing);
        }
        future
    }

    /// The nearest other planets.
    pub(super) fn near(&self, place: usize) -> &[u8] {
        &self.near[place]
    }

    /// An order of a side.
    pub(super) fn order(&self, side: u8, from: usize, to: usize, ships: i32) -> Order {
        Order {
            owner: self.players[usize::from(side)],
            from: from as u8,
            to: to as u8,
            ships,
            wait: 0,
        }
    }

    /// One order leaves now.
    pub(super) fn depart(&self, state: &mut State, order: &Order) {
        let (from, to) = (usize::from(order.from), usize::from(order.to));
        let side = self.side(order.owner);
        if side == FREE || state.owner.get(from) != Some(&side) || to >= state.planets() {
            return;
        }
        let ships = order.ships.min(state.ships[from]);
        if ships < 1 || from == to {
            return;
        }
        state.ships[from] -= ships;
        let lands = state.turn + self.chart.turns(from, to);
        if self.ending.counts(lands) {
            state.land(to, lands, usize::from(side), ships);
        }
    }

    /// Lets a turn pass.
    pub(super) fn pass(&self, state: &mut State) {
        state.turn += 1;
        let at = state.turn;
        for place in 0..state.planets() {
            let now = Moment {
                owner: state.owner[place],
                ships: state.ships[place],
                ..Moment::default()
            };
            let next = self.step(place, now, state.landing(place, at));
            (state.owner[place], state.ships[place]) = (next.owner, next.ships);
        }
    }

    /// How it stands for our side, from -1 to 1: ships, and growth for turns to come.
    pub(super) fn standing(&self, state: &State) -> f64 {
        let left = i64::from(self.ending.rounds).saturating_sub(state.turn as i64);
        let growing = AFTER.min(left.max(0));
        let beyond = |ships: i32| {
            if self.ending.counts(SPAN) {
                i64::from(ships)
            } else {
                0
            }
        };
        let mut sums = state.beyond.map(beyond);
        for place in 0..state.planets() {
            let owner = usize::from(state.owner[place]);
            if let Some(sum) = sums.get_mut(owner) {
                // What shrinks loses no more than it has.
                let grows = i64::from(self.growth[place]) * growing;
                *sum += (i64::from(state.ships[place]) + grows).max(0);
            }
            let later = state.coming[place * SPAN..][..SPAN].iter().enumerate();
            let later = later.skip(state.turn + 1);
            for (_, landing) in later.filter(|(turn, _)| self.ending.counts(*turn)) {
                for (sum, ships) in sums.iter_mut().zip(landing) {
                    *sum += i64::from(*ships);
                }
            }
        }
        let [ours, theirs] = sums;
        (ours - theirs) as f64 / (ours + theirs).max(1) as f64
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::chart::{Names, Sight};
    use super::super::mind::roots;
    use super::super::timing::Timing;
    use super::*;
    use crate::map;
    use crate::rules::{PlanetWars, Ruleset, Setup};
    use drover_game::game::{Game as _, Seat};

    /// A game of two by these rules in that turn, and how it is played on.
    pub(in crate::bots::champion) fn opened(
        planets: &str,
        ruleset: Ruleset,
        turn: u32,
    ) -> (Rehearsal, State) {
        let setup = Setup::duel(map::read(planets).unwrap(), ruleset);
        let view = PlanetWars::start(&setup).view(Seat(0));
        let names = Names::new(&view);
        let chart = names.chart(Timing::from_ruleset(&ruleset));
        let sight = Sight {
            turn,
            ..names.sight(&view)
        };
        let (roots, ending) = (
            roots(&sight, &chart),
            Ending::from_timing(chart.timing, &sight),
        );
        let rehearsal = Rehearsal::new(&chart, [1, 2], &roots, ending);
        let state = rehearsal.state(&roots, &[]);
        (rehearsal, state)
    }

    /// By the rules of 2015 the last of 201 rounds begins in turn 200, and ships that land later do not count.
    #[test]
    fn ships_that_land_after_the_end_do_not_count_where_flight_does_not() {
        let planets = "P 1 0 0 0 1 10\nP 2 30 0 0 2 10\nP 3 3 0 0 0 0\n";
        for (ruleset, turn, standing) in [
            (Ruleset::MZ2015, 197, 0.0),
            (Ruleset::MZ2015, 198, -1.0),
            (Ruleset::TEAM, 199, 0.0),
        ] {
            let (rehearsal, mut state) = opened(planets, ruleset, turn);
            rehearsal.depart(&mut state, &rehearsal.order(0, 0, 2, 10));
            assert_eq!(
                rehearsal.standing(&state),
                standing,
                "{ruleset:?} in {turn}"
            );
        }
    }
}

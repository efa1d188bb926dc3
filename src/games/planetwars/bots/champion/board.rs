//! All planets' futures at once and what they are worth, kept up to date step by step.
//!
//! A planet is worth its growth over the turns to come, in two futures: the known one, and the siege, in which
//! the other side sends against it all that it can spare, from everywhere, and its owner all help.

use super::chart::{Chart, NOBODY};
use super::knobs::Knobs;
use super::line::{Line, Move, Root, TURNS};

/// Ships are split in so many parts in sieges.
const PARTS: i32 = 16;
/// No slot.
const NONE: u8 = u8::MAX;

/// Who plays for whom, by small number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sides {
    /// Our players.
    pub(super) team: Vec<u8>,
    /// By player: +1 ours, -1 theirs, 0 neither.
    pub(super) side: Vec<i32>,
    /// By player: his place in the team, or the one after it for theirs.
    slot: Vec<u8>,
}

impl Sides {
    /// The sides if `team` is ours and whoever else `foe` says is theirs.
    pub(super) fn new(players: usize, team: &[u8], foe: impl Fn(u8) -> bool) -> Self {
        let mut side = vec![0; players + 1];
        let mut slot = vec![NONE; players + 1];
        for player in 1..=players {
            let ours = team.iter().position(|mate| usize::from(*mate) == player);
            (side[player], slot[player]) = match ours {
                Some(at) => (1, at as u8),
                None if foe(player as u8) => (-1, team.len() as u8),
                None => (0, NONE),
            };
        }
        Self {
            team: team.to_vec(),
            side,
            slot,
        }
    }

    /// The side of a player.
    pub(super) fn of(&self, player: u8) -> i32 {
        self.side
            .get(usize::from(player))
            .copied()
            .unwrap_or_default()
    }

    fn slot(&self, player: u8) -> u8 {
        self.slot.get(usize::from(player)).copied().unwrap_or(NONE)
    }
}

type ByTurn = [i32; TURNS];

/// What a planet can send out, turn by turn, in parts of ships: each entry is what comes to be free then.
#[derive(Clone, Debug)]
struct Flow {
    more: ByTurn,
    slot: [u8; TURNS],
    /// Whether there is anything.
    any: bool,
}

impl Flow {
    fn of(line: &Line, sides: &Sides, knobs: &Knobs) -> Self {
        let mut flow = Self {
            more: [0; TURNS],
            slot: [NONE; TURNS],
            any: false,
        };
        let (mut owner, mut sent) = (NOBODY, 0);
        for turn in 0..TURNS {
            if line.owner[turn] != owner {
                owner = line.owner[turn];
                sent = 0;
            }
            let parts = match sides.of(owner) {
                0 => continue,
                1 => PARTS,
                _ => knobs.menace,
            };
            flow.slot[turn] = sides.slot(owner);
            flow.more[turn] = (line.spare[turn] - sent) * parts;
            flow.any |= flow.more[turn] != 0;
            sent = line.spare[turn];
        }
        flow
    }

    /// Adds (or with -1 takes away) what arrives of this in a slot after so many turns.
    fn add(&self, slot: u8, turns: usize, sign: i32, into: &mut ByTurn) {
        if !self.any || turns >= TURNS {
            return;
        }
        for (turn, into) in into[turns..].iter_mut().enumerate() {
            if self.slot[turn] == slot {
                *into += sign * self.more[turn];
            }
        }
    }

    /// Where two flows first differ in what concerns a slot.
    fn differs(&self, other: &Self, slot: u8) -> usize {
        let of = |flow: &Self, turn: usize| {
            if flow.slot[turn] == slot {
                flow.more[turn]
            } else {
                0
            }
        };
        (0..TURNS)
            .find(|turn| of(self, *turn) != of(other, *turn))
            .unwrap_or(TURNS)
    }
}

/// One planet on the board.
#[derive(Clone, Debug)]
pub(super) struct Spot {
    /// What is known of it now.
    pub(super) root: Root,
    /// What lands there.
    pub(super) landings: Vec<Move>,
    /// What leaves it.
    pub(super) leaving: Vec<Move>,
    /// Its future.
    pub(super) line: Line,
    flow: Flow,
    /// Ours who has it now or will have it first.
    holder: u8,
    worth: i32,
}

/// Ships of one player that fly, now or later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::planetwars) struct Order {
    /// Whose.
    pub(super) owner: u8,
    /// Whence.
    pub(super) from: u8,
    /// Whither.
    pub(super) to: u8,
    /// How many.
    pub(super) ships: i32,
    /// Turns from now until they leave.
    pub(super) wait: u8,
}

/// The board.
#[derive(Clone, Debug)]
pub(super) struct Board<'a> {
    /// Turns of flight.
    pub(super) chart: &'a Chart,
    /// Who plays for whom.
    pub(super) sides: &'a Sides,
    /// The judgement's numbers.
    pub(super) knobs: &'a Knobs,
    /// Turns looked ahead.
    pub(super) horizon: usize,
    /// Turns after those for which growth counts.
    beyond: i32,
    /// The planets, by place.
    pub(super) spots: Vec<Spot>,
    /// What can arrive at a place, by slot and place, in parts of ships.
    tides: Vec<ByTurn>,
    /// Planets looked at so far.
    pub(super) nodes: u64,
}

impl<'a> Board<'a> {
    /// The board as it is now, with this many rounds to go.
    pub(super) fn new(
        chart: &'a Chart,
        sides: &'a Sides,
        knobs: &'a Knobs,
        roots: &[Root],
        landings: Vec<Vec<Move>>,
        rounds: u32,
    ) -> Self {
        let rounds = rounds as usize;
        let horizon = knobs.horizon.min(TURNS - 1).min(rounds).max(1);
        let spots = roots.iter().zip(landings).map(|(root, landings)| {
            let mut line = Line::default();
            line.roll(*root, &landings, &[], &sides.side);
            Spot {
                root: *root,
                flow: Flow::of(&line, sides, knobs),
                holder: NONE,
                landings,
                leaving: Vec::new(),
                line,
                worth: 0,
            }
        });
        let mut board = Self {
            chart,
            sides,
            knobs,
            horizon,
            beyond: knobs.beyond.min((rounds - horizon.min(rounds)) as i32),
            spots: spots.collect(),
            tides: vec![[0; TURNS]; (sides.team.len() + 1) * roots.len()],
            nodes: 0,
        };
        board.flood();
        board
    }

    /// A fleet of theirs that may land in one of several places.
    pub(super) fn menace(&mut self, to: usize, turn: usize, ships: i32) {
        let theirs = self.theirs();
        let at = self.tide(theirs, to);
        if turn < TURNS
            && let Some(tide) = self.tides.get_mut(at)
        {
            tide[turn] += ships * self.knobs.menace;
        }
    }

    /// Reckons all planets' worth, once the board is set up.
    pub(super) fn settle(&mut self) {
        for place in 0..self.spots.len() {
            self.spots[place].holder = self.holder(&self.spots[place].line);
            self.spots[place].worth = self.worth(place, &self.spots[place], &[]);
        }
        self.nodes += self.spots.len() as u64;
    }

    /// Turns after the horizon for which growth counts.
    pub(super) fn beyond(&self) -> i32 {
        self.beyond
    }

    fn theirs(&self) -> u8 {
        self.sides.team.len() as u8
    }

    fn tide(&self, slot: u8, place: usize) -> usize {
        usize::from(slot) * self.spots.len() + place
    }

    fn flood(&mut self) {
        let count = self.spots.len();
        for from in 0..count {
            let flow = &self.spots[from].flow;
            if !flow.any {
                continue;
            }
            for slot in 0..=self.theirs() {
                if !flow.slot.contains(&slot) {
                    continue;
                }
                for to in (0..count).filter(|to| *to != from) {
                    let turns = self.chart.turns(from, to);
                    let at = usize::from(slot) * count + to;
                    flow.add(slot, turns, 1, &mut self.tides[at]);
                }
            }
        }
    }

    /// Ours who has the planet first.
    fn holder(&self, line: &Line) -> u8 {
        let ours = line.owner.iter().take(self.horizon + 1);
        let mut ours = ours.filter(|owner| self.sides.of(**owner) > 0);
        ours.next().map_or(NONE, |owner| self.sides.slot(*owner))
    }

    /// What a planet is worth, if the flows of some others change from what the tides hold.
    fn worth(&self, place: usize, spot: &Spot, changes: &[(usize, Spot)]) -> i32 {
        let Knobs { known, siege, .. } = *self.knobs;
        let Root { growth, .. } = spot.root;
        let mut sum = 0;
        for owner in &spot.line.owner[1..=self.horizon] {
            sum += self.sides.of(*owner);
        }
        let last = self.sides.of(spot.line.owner[self.horizon]);
        let in_known = sum + last * self.beyond;
        let in_siege = if spot.holder == NONE {
            in_known
        } else {
            let mut ours = self.tides[self.tide(spot.holder, place)];
            let mut theirs = self.tides[self.tide(self.theirs(), place)];
            for (from, change) in changes.iter().filter(|(from, _)| *from != place) {
                let turns = self.chart.turns(*from, place);
                let old = &self.spots[*from].flow;
                for (slot, tide) in [(spot.holder, &mut ours), (self.theirs(), &mut theirs)] {
                    old.add(slot, turns, -1, tide);
                    change.flow.add(slot, turns, 1, tide);
                }
            }
            let (sum, last) = self.besiege(spot, &ours, &theirs);
            sum + last * self.beyond
        };
        growth * (known * in_known + siege * in_siege) + 16 * spot.line.waste
    }

    /// Turns that a planet is ours less those that it is theirs, and whose it is in the end, if all that is
    /// free goes there.
    fn besiege(&self, spot: &Spot, ours: &ByTurn, theirs: &ByTurn) -> (i32, i32) {
        let Root {
            owner,
            ships,
            growth,
            grows_first,
        } = spot.root;
        let bits = |moves: &[Move]| {
            moves
                .iter()
                .fold(0u64, |bits, at| bits | 1 << at.turn.min(63))
        };
        let (lands, leaves) = (bits(&spot.landings), bits(&spot.leaving));
        let growth = growth * PARTS;
        let (mut held, mut ships) = (self.sides.of(owner), ships * PARTS);
        let mut nobody = owner == NOBODY;
        let mut ours_once = held > 0;
        let (mut near_ours, mut near_theirs) = (0, 0);
        let mut sum = 0;
        let gone = |turn: usize| -> i32 {
            let gone = spot
                .leaving
                .iter()
                .filter(|at| usize::from(at.turn) == turn);
            gone.map(|at| at.ships * PARTS).sum()
        };
        if leaves & 1 == 1 {
            ships = (ships - gone(0)).max(0);
        }
        for turn in 1..=self.horizon {
            if grows_first && !nobody {
                ships = (ships + growth).max(0);
            }
            near_ours +=
                ours[turn.saturating_sub(self.knobs.slack)] * i32::from(turn > self.knobs.slack);
            near_theirs += theirs[turn];
            let (mut friends, mut foes) = (0, 0);
            if lands >> turn & 1 == 1 {
                for landing in spot
                    .landings
                    .iter()
                    .filter(|at| usize::from(at.turn) == turn)
                {
                    match self.sides.of(landing.owner) {
                        1 => friends += landing.ships * PARTS,
                        -1 => foes += landing.ships * PARTS,
                        _ => {}
                    }
                }
            }
            if held == 0 {
                if friends.max(foes) > ships {
                    held = if friends >= foes { 1 } else { -1 };
                    ships = friends.max(foes) - ships.max(friends.min(foes));
                    nobody = false;
                } else {
                    ships -= friends.max(foes);
                }
                ours_once |= held > 0;
            } else {
                if ours_once {
                    friends += near_ours;
                    foes += near_theirs;
                    (near_ours, near_theirs) = (0, 0);
                }
                ships += (friends - foes) * held;
                if ships < 0 {
                    (held, ships) = (-held, -ships);
                    ours_once |= held > 0;
                }
            }
            if !grows_first && !nobody {
                ships = (ships + growth).max(0);
            }
            if leaves >> turn & 1 == 1 && held > 0 {
                ships = (ships - gone(turn)).max(0);
            }
            sum += held;
        }
        (sum, held)
    }

    /// The planets that orders change, reckoned anew.
    fn changed(&mut self, orders: &[Order]) -> Vec<(usize, Spot)> {
        let mut changes: Vec<(usize, Spot)> = Vec::with_capacity(orders.len() + 1);
        let mut spot = |place: usize, change: &dyn Fn(&mut Spot)| {
            if let Some((_, spot)) = changes.iter_mut().find(|(at, _)| *at == place) {
                change(spot);
            } else if let Some(spot) = self.spots.get(place) {
                let mut spot = spot.clone();
                change(&mut spot);
                changes.push((place, spot));
            }
        };
        for order in orders {
            let (from, to) = (usize::from(order.from), usize::from(order.to));
            let lands = usize::from(order.wait) + self.chart.turns(from, to);
            let at = |turn: u8| Move {
                turn,
                owner: order.owner,
                ships: order.ships,
            };
            spot(from, &|spot| spot.leaving.push(at(order.wait)));
            if lands < TURNS {
                spot(to, &|spot| spot.landings.push(at(lands as u8)));
            }
        }
        for (_, spot) in &mut changes {
            let Spot {
                root,
                landings,
                leaving,
                line,
                ..
            } = spot;
            line.roll(*root, landings, leaving, &self.sides.side);
            spot.flow = Flow::of(&spot.line, self.sides, self.knobs);
            let ours = spot.line.owner.iter().take(self.horizon + 1);
            let mut ours = ours.filter(|owner| self.sides.of(**owner) > 0);
            spot.holder = ours.next().map_or(NONE, |owner| self.sides.slot(*owner));
        }
        self.nodes += changes.len() as u64;
        changes
    }

    /// All places whose worth these changes move, and their new worth.
    fn moved(&mut self, changes: &[(usize, Spot)]) -> Vec<(usize, i32)> {
        let slots = usize::from(self.theirs()) + 1;
        // By changed planet and slot: the first turn that differs.
        let since: Vec<Vec<usize>> = changes
            .iter()
            .map(|(place, spot)| {
                let old = &self.spots[*place].flow;
                (0..slots)
                    .map(|slot| spot.flow.differs(old, slot as u8))
                    .collect()
            })
            .collect();
        let mut moved = Vec::with_capacity(self.spots.len());
        for place in 0..self.spots.len() {
            if let Some((_, spot)) = changes.iter().find(|(at, _)| *at == place) {
                moved.push((place, self.worth(place, spot, changes)));
                continue;
            }
            let holder = self.spots[place].holder;
            if holder == NONE {
                continue;
            }
            let concerns = changes.iter().zip(&since).any(|((from, _), since)| {
                let turns = self.chart.turns(*from, place);
                let first = since[usize::from(holder)].min(since[slots - 1]);
                turns + first <= self.horizon
            });
            if concerns {
                moved.push((place, self.worth(place, &self.spots[place], changes)));
            }
        }
        self.nodes += moved.len() as u64;
        moved
    }

    /// What the board's worth rises by with these orders, in sixteenths of ships.
    pub(super) fn gain(&mut self, orders: &[Order]) -> i32 {
        let changes = self.changed(orders);
        let moved = self.moved(&changes);
        let gains = moved
            .iter()
            .map(|(place, worth)| worth - self.spots[*place].worth);
        gains.sum()
    }

    /// Carries orders out on the board.
    pub(super) fn accept(&mut self, orders: &[Order]) {
        let changes = self.changed(orders);
        let moved = self.moved(&changes);
        let count = self.spots.len();
        for (place, worth) in moved {
            self.spots[place].worth = worth;
        }
        for (from, mut spot) in changes {
            for slot in 0..=self.theirs() {
                for to in (0..count).filter(|to| *to != from) {
                    let turns = self.chart.turns(from, to);
                    let at = usize::from(slot) * count + to;
                    self.spots[from]
                        .flow
                        .add(slot, turns, -1, &mut self.tides[at]);
                    spot.flow.add(slot, turns, 1, &mut self.tides[at]);
                }
            }
            spot.worth = self.spots[from].worth;
            self.spots[from] = spot;
        }
    }
}

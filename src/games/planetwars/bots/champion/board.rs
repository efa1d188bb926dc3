//! The futures of all planets at once and their value, updated step by step.
//!
//! A planet is worth its growth over the turns to come, in two futures: the known one, and the siege, in
//! which the other side sends all it can spare against it, from everywhere, and its owners all help.

mod siege;

use super::chart::Chart;
use super::chart::price;
use super::ending::Ending;
use super::knobs::Knobs;
use super::line::{Line, Root, TURNS};
use super::ships::Move;
use super::ships::{NOBODY, Order};

/// In sieges ships are split into this many parts.
const PARTS: i32 = 16;
/// What a planet is worth per turn besides its growth, in sixteenths of ships, so that those that do not grow
/// are taken from the other side too.
const FOOTHOLD: i32 = 1;
/// No slot.
const NONE: u8 = u8::MAX;

/// Who plays for whom, by small number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sides {
    /// Our players.
    pub(super) team: Vec<u8>,
    /// By player: +1 ours, -1 theirs, 0 neither.
    pub(super) side: Vec<i32>,
    /// By player: its place in the team, or the one after it for theirs.
    slot: Vec<u8>,
}

impl Sides {
    /// The sides if `team` is ours and every player that satisfies `foe` is theirs.
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

/// What a planet can send out, turn by turn, in parts of ships: each entry is what becomes free then.
#[derive(Clone, Debug)]
struct Flow {
    more: ByTurn,
    /// Slots with the turns, first and after the last, in which the planet is theirs.
    runs: [(u8, u8, u8); RUNS],
}

/// After this many owners a planet sends nothing, as far as plans go.
const RUNS: usize = 4;

impl Flow {
    fn of(line: &Line, sides: &Sides, knobs: &Knobs) -> Self {
        let mut flow = Self {
            more: [0; TURNS],
            runs: [(NONE, 0, 0); RUNS],
        };
        let mut turn = 0;
        let mut runs = flow.runs.iter_mut();
        while turn < TURNS {
            let owner = line.owner[turn];
            let end = line.owner[turn..].iter().position(|other| *other != owner);
            let end = end.map_or(TURNS, |after| turn + after);
            let parts = match sides.of(owner) {
                0 => 0,
                1 => PARTS,
                _ => knobs.menace,
            };
            if parts > 0 {
                let Some(run) = runs.next() else { break };
                *run = (sides.slot(owner), turn as u8, end as u8);
                let mut sent = 0;
                for (more, spare) in flow.more[turn..end].iter_mut().zip(&line.spare[turn..end]) {
                    *more = (spare - sent) * parts;
                    sent = *spare;
                }
            }
            turn = end;
        }
        flow
    }

    /// Adds what leaves in a slot to a table by turn of leaving.
    fn add(&self, slot: u8, sign: i32, into: &mut ByTurn) {
        for (_, first, end) in self.runs.iter().filter(|(of, ..)| *of == slot) {
            let turns = usize::from(*first)..usize::from(*end);
            for (into, more) in into[turns.clone()].iter_mut().zip(&self.more[turns]) {
                *into += sign * more;
            }
        }
    }
}

/// Adds what leaves by turn to what arrives by turn, n turns after the first that it is given for.
fn arrive(leaves: &[i32], turns: usize, tide: &mut ByTurn) {
    if let Some(tide) = tide.get_mut(turns..) {
        for (tide, leaves) in tide.iter_mut().zip(leaves) {
            *tide += leaves;
        }
    }
}

/// How the flow of a planet changes in one slot.
#[derive(Clone, Debug)]
struct Shift {
    from: usize,
    slot: u8,
    /// The first turn that changes.
    since: usize,
    more: ByTurn,
}

/// One planet on the board.
#[derive(Clone, Debug)]
pub(super) struct Spot {
    /// Its state now.
    pub(super) root: Root,
    /// The ships that land there.
    pub(super) landings: Vec<Move>,
    /// The ships that leave it.
    pub(super) leaving: Vec<Move>,
    /// Its future.
    pub(super) line: Line,
    flow: Flow,
    /// Which of our planets has it now or will have it first.
    holder: u8,
    /// Turns that it is ours minus those that it is theirs, in the known future.
    known: i32,
    worth: i32,
}

/// The board.
#[derive(Clone, Debug)]
pub(super) struct Board<'a> {
    /// Turns of flight.
    pub(super) chart: &'a Chart,
    /// Who plays for whom.
    pub(super) sides: &'a Sides,
    /// The parameters of the evaluation.
    pub(super) knobs: &'a Knobs,
    /// How the game ends.
    pub(super) ending: Ending,
    /// Turns looked ahead.
    pub(super) horizon: usize,
    /// Turns after those for which growth counts.
    beyond: i32,
    /// The planets, by place.
    pub(super) spots: Vec<Spot>,
    /// What can arrive at a place, by slot and place, in parts of ships.
    tides: Vec<ByTurn>,
    /// How many planets were evaluated so far.
    pub(super) nodes: u64,
}

impl<'a> Board<'a> {
    /// The board as it is now, in a game that ends like this.
    pub(super) fn new(
        chart: &'a Chart,
        sides: &'a Sides,
        knobs: &'a Knobs,
        roots: &[Root],
        landings: Vec<Vec<Move>>,
        ending: Ending,
    ) -> Self {
        let rounds = ending.rounds as usize;
        let horizon = knobs.horizon.min(TURNS - 1).min(rounds).max(1);
        let spots = roots.iter().zip(landings).map(|(root, landings)| {
            let mut line = Line::default();
            line.roll(*root, &landings, &[], &sides.side);
            Spot {
                root: *root,
                flow: Flow::of(&line, sides, knobs),
                holder: NONE,
                known: 0,
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
            ending,
            horizon,
            beyond: knobs.beyond.min((rounds - horizon.min(rounds)) as i32),
            spots: spots.collect(),
            tides: vec![[0; TURNS]; (sides.team.len() + 1) * roots.len()],
            nodes: 0,
        };
        board.flood();
        board
    }

    /// Whether a planet is now another's whom a player does not fight: a mate's, or a stranger's who may be one. No ships
    /// are sent there, regardless of who owns it when they land.
    pub(super) fn is_spared(&self, player: u8, place: usize) -> bool {
        let owner = self.spots.get(place).map_or(NOBODY, |spot| spot.root.owner);
        owner != NOBODY && owner != player && self.sides.of(owner) >= 0
    }

    /// The value of the board, in sixteenths of ships.
    pub(super) fn total(&self) -> i64 {
        self.spots.iter().map(|spot| i64::from(spot.worth)).sum()
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

    /// Buys growth on a planet, before the board is settled.
    pub(super) fn buy(&mut self, place: usize) {
        let (sides, knobs) = (self.sides, self.knobs);
        if let Some(spot) = self.spots.get_mut(place) {
            spot.root.ships -= price(spot.root.growth);
            spot.root.growth += 1;
            spot.line
                .roll(spot.root, &spot.landings, &spot.leaving, &sides.side);
            spot.flow = Flow::of(&spot.line, sides, knobs);
        }
        self.tides.iter_mut().for_each(|tide| *tide = [0; TURNS]);
        self.flood();
    }

    /// Computes all planets' values, once the board is set up.
    pub(super) fn settle(&mut self) {
        for place in 0..self.spots.len() {
            let (sides, horizon, beyond) = (self.sides, self.horizon, self.beyond);
            Self::survey(sides, horizon, beyond, &mut self.spots[place]);
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
            for run in self.spots[from].flow.runs {
                let (slot, first, end) = run;
                if slot == NONE {
                    continue;
                }
                let more = &self.spots[from].flow.more[usize::from(first)..usize::from(end)];
                for to in (0..count).filter(|to| *to != from) {
                    let turns = self.chart.turns(from, to) + usize::from(first);
                    arrive(more, turns, &mut self.tides[usize::from(slot) * count + to]);
                }
            }
        }
    }

    /// Derives from a planet's future what its value depends on.
    fn survey(sides: &Sides, horizon: usize, beyond: i32, spot: &mut Spot) {
        let owners = &spot.line.owner[..=horizon];
        let ours = owners.iter().find(|owner| sides.of(**owner) > 0);
        spot.holder = ours.map_or(NONE, |owner| sides.slot(*owner));
        let sum: i32 = owners[1..].iter().map(|owner| sides.of(*owner)).sum();
        let last = owners.last().map_or(0, |owner| sides.of(*owner));
        spot.known = sum + last * beyond;
    }

    /// The value of a planet if the flows of some others differ from what the tides hold.
    fn worth(&self, place: usize, spot: &Spot, shifts: &[Shift]) -> i32 {
        let Knobs { known, siege, .. } = *self.knobs;
        // An empty planet costs nothing, whatever it would lose.
        let growth = spot.root.growth.max(0);
        let in_known = spot.known;
        let in_siege = if spot.holder == NONE {
            in_known
        } else {
            let mut ours = self.tides[self.tide(spot.holder, place)];
            let mut theirs = self.tides[self.tide(self.theirs(), place)];
            for shift in shifts.iter().filter(|shift| shift.from != place) {
                let turns = self.chart.turns(shift.from, place);
                if shift.slot == spot.holder {
                    arrive(&shift.more, turns, &mut ours);
                } else if shift.slot == self.theirs() {
                    arrive(&shift.more, turns, &mut theirs);
                }
            }
            let (sum, last) = self.besiege(spot, &ours, &theirs);
            sum + last * self.beyond
        };
        (16 * growth + FOOTHOLD) * (known * in_known + siege * in_siege) / 16 + 16 * spot.line.waste
    }

    /// The planets that orders change, recomputed.
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
            Self::survey(self.sides, self.horizon, self.beyond, spot);
        }
        self.nodes += changes.len() as u64;
        changes
    }

    /// How these changes affect what planets send out.
    fn shifts(&self, changes: &[(usize, Spot)]) -> Vec<Shift> {
        let mut shifts = Vec::with_capacity(changes.len() + 1);
        for (from, spot) in changes {
            let old = &self.spots[*from].flow;
            let mut slots = [NONE; 2 * RUNS];
            for (slot, run) in slots.iter_mut().zip(old.runs.iter().chain(&spot.flow.runs)) {
                *slot = run.0;
            }
            for (at, slot) in slots.iter().enumerate() {
                if *slot == NONE || slots[..at].contains(slot) {
                    continue;
                }
                let mut more = [0; TURNS];
                spot.flow.add(*slot, 1, &mut more);
                old.add(*slot, -1, &mut more);
                if let Some(since) = more.iter().position(|more| *more != 0) {
                    shifts.push(Shift {
                        from: *from,
                        slot: *slot,
                        since,
                        more,
                    });
                }
            }
        }
        shifts
    }

    /// All places whose value these changes affect, and their new values.
    fn moved(&mut self, changes: &[(usize, Spot)], shifts: &[Shift]) -> Vec<(usize, i32)> {
        let mut moved = Vec::with_capacity(self.spots.len());
        for place in 0..self.spots.len() {
            if let Some((_, spot)) = changes.iter().find(|(at, _)| *at == place) {
                moved.push((place, self.worth(place, spot, shifts)));
                continue;
            }
            let holder = self.spots[place].holder;
            if holder == NONE {
                continue;
            }
            let concerns = shifts.iter().any(|shift| {
                (shift.slot == holder || shift.slot == self.theirs())
                    && self.chart.turns(shift.from, place) + shift.since <= self.horizon
            });
            if concerns {
                moved.push((place, self.worth(place, &self.spots[place], shifts)));
            }
        }
        self.nodes += moved.len() as u64;
        moved
    }

    /// How much these orders raise the board's value, in sixteenths of ships.
    pub(super) fn gain(&mut self, orders: &[Order]) -> i32 {
        let changes = self.changed(orders);
        let shifts = self.shifts(&changes);
        let moved = self.moved(&changes, &shifts);
        let gains = moved
            .iter()
            .map(|(place, worth)| worth - self.spots[*place].worth);
        gains.sum()
    }

    /// Carries orders out on the board.
    pub(super) fn accept(&mut self, orders: &[Order]) {
        let changes = self.changed(orders);
        let shifts = self.shifts(&changes);
        let moved = self.moved(&changes, &shifts);
        let count = self.spots.len();
        for shift in &shifts {
            for to in (0..count).filter(|to| *to != shift.from) {
                let turns = self.chart.turns(shift.from, to);
                let tide = self.tide(shift.slot, to);
                arrive(&shift.more, turns, &mut self.tides[tide]);
            }
        }
        for (place, spot) in changes {
            self.spots[place] = spot;
        }
        for (place, worth) in moved {
            self.spots[place].worth = worth;
        }
    }
}

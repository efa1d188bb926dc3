//! Ways to lighthouses that collect much energy: dynamic programming over (steps, cell).

use super::cells::Cells;
use super::knobs::Knobs;
use super::state::bits;
use super::terrain::{FAR, Terrain};
use crate::rules::{Cell, ENERGY_MAX, Point};

/// How many steps the dynamic programme looks ahead.
pub const STEPS_MAX: usize = 26;
/// The most steps in a leg: beyond the programme it goes straight on.
pub const LEG_MAX: usize = 60;
/// Cells from a window's start to its edge, with a rim of sea.
const WINDOW_REACH: usize = STEPS_MAX + 1;
const SIDE: usize = 2 * WINDOW_REACH + 1;
const WINDOW: usize = SIDE * SIDE;
/// No way of this many steps leads there.
const NO_WAY: i16 = -1;

/// A way to a lighthouse.
#[derive(Clone, Debug, Default)]
pub struct Leg {
    /// The lighthouse it leads to.
    pub to: usize,
    /// The cells entered, one per step.
    pub cells: Vec<u16>,
    /// The steps at which energy is taken: the first time at each cell.
    pub pays: u64,
    /// The lighthouses entered, including the last one.
    pub keys: u64,
}

/// The dynamic programme. It is filled row by row, so that it can be interrupted.
#[derive(Clone, Debug)]
pub struct Sweep {
    corner: Point,
    /// Window places of island cells, nearest first, and the steps in which each can be reached.
    order: Vec<(u16, u8)>,
    energy: Vec<u8>,
    increment: Vec<u8>,
    /// By steps and place: energy collected, the cells taken (folded to 128 bits), where from.
    best: Vec<i16>,
    taken: Vec<u128>,
    from: Vec<u8>,
    rows: usize,
    delay: usize,
}

/// The eight neighbours and the place itself, as differences of window places.
const AROUND: [isize; 9] = [
    0,
    1,
    -1,
    SIDE as isize,
    -(SIDE as isize),
    SIDE as isize + 1,
    SIDE as isize - 1,
    -(SIDE as isize) + 1,
    -(SIDE as isize) - 1,
];

#[inline]
fn mark(place: usize) -> u128 {
    let (x, y) = (place % SIDE, place / SIDE);
    1 << (x & 15 | (y & 7) << 4)
}

impl Default for Sweep {
    fn default() -> Self {
        let rows = STEPS_MAX + 1;
        Self {
            corner: Point::default(),
            order: Vec::new(),
            energy: vec![0; WINDOW],
            increment: vec![0; WINDOW],
            best: vec![NO_WAY; WINDOW * rows],
            taken: vec![0; WINDOW * rows],
            from: vec![0; WINDOW * rows],
            rows: 0,
            delay: 0,
        }
    }
}

impl Sweep {
    /// Starts at a cell, `delay` rounds from now.
    pub fn begin(&mut self, terrain: &Terrain, cells: &Cells, start: Cell, delay: usize) {
        let chart = &terrain.chart;
        let at = chart.point(start);
        self.corner = Point::from((at.x - WINDOW_REACH as i32, at.y - WINDOW_REACH as i32));
        self.delay = delay;
        self.best.fill(NO_WAY);
        self.order.clear();
        let middle = WINDOW_REACH * SIDE + WINDOW_REACH;
        // `from` of row 0 is not used otherwise: 0 marks the island places not in the order yet.
        let open = &mut self.from[..WINDOW];
        open.fill(1);
        for place in (1..SIDE - 1).flat_map(|y| (1..SIDE - 1).map(move |x| y * SIDE + x)) {
            let x = self.corner.x + (place % SIDE) as i32;
            let y = self.corner.y + (place / SIDE) as i32;
            if let Some(cell) = chart.cell(Point { x, y })
                && chart.island()[cell.index()]
            {
                open[place] = 0;
                self.energy[place] = cells.energy(cell);
                self.increment[place] = chart.increments()[cell.index()];
            }
        }
        self.order.push((middle as u16, 0));
        open[middle] = 1;
        let mut head = 0;
        while let Some((place, steps)) = self.order.get(head).copied() {
            head += 1;
            if usize::from(steps) == STEPS_MAX {
                break;
            }
            for around in AROUND {
                let next = usize::from(place).wrapping_add_signed(around);
                if std::mem::replace(&mut open[next], 1) == 0 {
                    self.order.push((next as u16, steps + 1));
                }
            }
        }
        self.best[middle] = 0;
        self.taken[middle] = mark(middle);
        self.rows = 1;
    }

    fn cell(&self, terrain: &Terrain, place: usize) -> Cell {
        let x = self.corner.x + (place % SIDE) as i32;
        let y = self.corner.y + (place / SIDE) as i32;
        let cell = terrain.chart.cell(Point { x, y });
        cell.unwrap_or_default()
    }

    /// The window place of a cell within reach of the start.
    fn place(&self, terrain: &Terrain, cell: Cell) -> usize {
        let at = terrain.chart.point(cell);
        let (x, y) = (at.x - self.corner.x, at.y - self.corner.y);
        y as usize * SIDE + x as usize
    }

    fn covers(&self, terrain: &Terrain, cell: Cell) -> bool {
        let at = terrain.chart.point(cell);
        let inside = |d: i32| (1..SIDE as i32 - 1).contains(&d);
        inside(at.x - self.corner.x) && inside(at.y - self.corner.y)
    }

    /// Fills the next row. Returns its cost in nodes, or `None` when all rows are filled.
    pub fn row(&mut self) -> Option<u64> {
        if self.rows > STEPS_MAX {
            return None;
        }
        let steps = self.rows;
        let (earlier, later) = self.best.split_at_mut(steps * WINDOW);
        let before = &earlier[(steps - 1) * WINDOW..];
        let now = &mut later[..WINDOW];
        let (taken, taken_now) = self.taken.split_at_mut(steps * WINDOW);
        let taken = &taken[(steps - 1) * WINDOW..];
        let from = &mut self.from[steps * WINDOW..(steps + 1) * WINDOW];
        let mut looked = 0;
        for (place, reach) in &self.order {
            if usize::from(*reach) > steps {
                break;
            }
            looked += 1;
            let place = usize::from(*place);
            let grown = usize::from(self.increment[place]) * (steps + self.delay);
            let energy = (usize::from(self.energy[place]) + grown).min(usize::from(ENERGY_MAX));
            let (energy, own) = (energy as i16, mark(place));
            let (mut best, mut way) = (NO_WAY, 0);
            for (index, around) in AROUND.iter().enumerate() {
                let near = place.wrapping_add_signed(*around);
                let so_far = before[near];
                if so_far < 0 {
                    continue;
                }
                let gain = if taken[near] & own == 0 { energy } else { 0 };
                if so_far + gain > best {
                    best = so_far + gain;
                    way = index;
                }
            }
            if best >= 0 {
                now[place] = best;
                let near = place.wrapping_add_signed(AROUND[way]);
                taken_now[place] = taken[near] | own;
                from[place] = way as u8;
            }
        }
        self.rows += 1;
        Some(1 + looked / 16)
    }

    /// The fewest steps to a cell, if the programme reaches it.
    #[must_use]
    pub fn nearest(&self, terrain: &Terrain, to: Cell) -> Option<usize> {
        if !self.covers(terrain, to) {
            return None;
        }
        let place = self.place(terrain, to);
        (0..self.rows).find(|steps| self.best[steps * WINDOW + place] >= 0)
    }

    /// The best way of exactly this many steps to lighthouse `to`, written into `leg`.
    pub fn leg(&self, terrain: &Terrain, to: usize, steps: usize, leg: &mut Leg) -> bool {
        let home = terrain.homes[to];
        if steps >= self.rows || !self.covers(terrain, home) {
            return false;
        }
        let mut place = self.place(terrain, home);
        if self.best[steps * WINDOW + place] < 0 {
            return false;
        }
        leg.to = to;
        leg.cells.clear();
        for row in (1..=steps).rev() {
            leg.cells.push(self.cell(terrain, place).0);
            place = place.wrapping_add_signed(AROUND[usize::from(self.from[row * WINDOW + place])]);
        }
        leg.cells.reverse();
        finish(terrain, leg);
        true
    }
}

/// Determines what a leg passes.
fn finish(terrain: &Terrain, leg: &mut Leg) {
    leg.pays = 0;
    leg.keys = 0;
    for (step, cell) in leg.cells.iter().enumerate() {
        if !leg.cells[..step].contains(cell) {
            leg.pays |= 1 << step;
        }
        if let Some(at) = terrain.chart.lighthouse_at(Cell(*cell))
            && at.index() < terrain.count
        {
            leg.keys |= at.bit();
        }
    }
}

/// The straight way to a lighthouse, over the richest of equally near cells.
fn straight(terrain: &Terrain, cells: &Cells, from: Cell, to: usize, leg: &mut Leg) -> bool {
    let mut steps = terrain.steps(to, from);
    if steps == FAR || usize::from(steps) > LEG_MAX || !terrain.surveyed(to) {
        return false;
    }
    leg.to = to;
    leg.cells.clear();
    let mut at = from;
    while steps > 0 {
        let near = terrain.chart.neighbours(at).iter();
        let nearer = near.filter(|next| terrain.steps(to, **next) < steps);
        let Some(next) = nearer.max_by_key(|next| cells.energy(**next)) else {
            return false;
        };
        at = *next;
        steps = terrain.steps(to, at);
        leg.cells.push(at.0);
    }
    finish(terrain, leg);
    true
}

/// Legs that are found again, in the memory of those before.
pub struct Filling<'a> {
    legs: &'a mut Vec<Leg>,
    used: usize,
}

impl<'a> Filling<'a> {
    /// None found yet.
    pub fn cleared(legs: &'a mut Vec<Leg>) -> Self {
        Self { legs, used: 0 }
    }

    /// Adds a leg if `fill` finds one.
    pub fn put(&mut self, fill: impl FnOnce(&mut Leg) -> bool) {
        if self.used == self.legs.len() {
            self.legs.push(Leg::default());
        }
        self.used += usize::from(fill(&mut self.legs[self.used]));
    }

    /// Adds legs from a cell to a lighthouse, n steps longer than the shortest; the straight one where
    /// the programme does not reach.
    pub fn lead(
        &mut self,
        terrain: &Terrain,
        cells: &Cells,
        sweep: &Sweep,
        from: Cell,
        to: usize,
        detours: &[usize],
    ) {
        let Some(nearest) = sweep.nearest(terrain, terrain.homes[to]) else {
            return self.put(|leg| straight(terrain, cells, from, to, leg));
        };
        for detour in detours {
            self.put(|leg| sweep.leg(terrain, to, nearest + detour, leg));
        }
    }

    /// Those before that were not found again go.
    pub fn end(self) {
        self.legs.truncate(self.used);
    }
}

/// How many steps longer than the shortest way legs from a lighthouse may be.
const LATER_DETOURS: [usize; 3] = [0, 3, 8];
/// Steps of legs that return to where they begin.
const LATER_LOOPS: [usize; 3] = [4, 9, 16];

/// Legs from each lighthouse.
#[derive(Clone, Debug, Default)]
pub struct Atlas {
    legs: Vec<Vec<Leg>>,
}

impl Atlas {
    /// Without any legs yet.
    #[must_use]
    pub fn new(terrain: &Terrain) -> Self {
        Self {
            legs: vec![Vec::new(); terrain.count],
        }
    }

    /// The legs from a lighthouse.
    #[inline]
    #[must_use]
    pub fn from(&self, at: usize) -> &[Leg] {
        &self.legs[at]
    }

    /// Takes the legs from lighthouse `at` out of a finished programme that started there.
    pub fn renew(
        &mut self,
        terrain: &Terrain,
        cells: &Cells,
        sweep: &Sweep,
        at: usize,
        knobs: &Knobs,
    ) {
        let mut legs = Filling::cleared(&mut self.legs[at]);
        let most = LATER_LOOPS.len().min(1 + knobs.detours);
        for to in bits(near(terrain, at, knobs.near)) {
            let home = terrain.homes[at];
            legs.lead(terrain, cells, sweep, home, to, &LATER_DETOURS[..most]);
        }
        for steps in LATER_LOOPS.into_iter().take(most) {
            legs.put(|leg| sweep.leg(terrain, at, steps, leg));
        }
        legs.end();
    }
}

/// The lighthouses nearest to one, excluding itself.
fn near(terrain: &Terrain, at: usize, most: usize) -> u64 {
    let home = terrain.homes[at];
    let mut near: Vec<(i32, usize)> = (0..terrain.count)
        .filter(|to| *to != at)
        .map(|to| {
            let there = terrain.homes[to];
            let far = match terrain.steps(to, home) {
                FAR => terrain
                    .chart
                    .point(home)
                    .distance(terrain.chart.point(there)),
                steps => steps.into(),
            };
            (far, to)
        })
        .collect();
    near.sort_unstable();
    near.truncate(most);
    near.iter().fold(0, |set, (_, to)| set | 1 << to)
}

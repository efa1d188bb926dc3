//! Which triangles could be closed, and in which order their corners would be visited.

use super::errands::Trade;
use super::state::{HORIZON_MAX, NOBODY, State};
use crate::lighthouses::rules::Cell;

/// The nearest lighthouses, among which corners are looked for.
const NEAR: usize = 16;
/// The most tours that are tried.
const TOURS_MAX: usize = 64;
/// What is gathered a round, roughly, as long as the ways are not known.
const GATHERED: usize = 30;
/// A corner that would have less energy than this when the triangle closes is not worth its way.
pub const LEVEL_MIN: u32 = 40;

/// The orders of up to three corners.
const ORDERS: [&[usize]; 15] = [
    &[0],
    &[1],
    &[2],
    &[0, 1],
    &[1, 0],
    &[0, 2],
    &[2, 0],
    &[1, 2],
    &[2, 1],
    &[0, 1, 2],
    &[0, 2, 1],
    &[1, 0, 2],
    &[1, 2, 0],
    &[2, 0, 1],
    &[2, 1, 0],
];

/// A triangle and the order in which corners of it are visited until it closes.
#[derive(Clone, Copy, Debug)]
pub struct Tour {
    /// The lighthouses.
    pub corners: [usize; 3],
    visits: [usize; 3],
    links: [usize; 3],
    count: usize,
    /// What it scores a round, roughly.
    merit: f32,
}

impl Tour {
    /// The corner that is visited after so many, and how many links are made there.
    #[must_use]
    pub fn visit(&self, number: usize) -> Option<(usize, usize)> {
        let visits = self.visits.into_iter().zip(self.links);
        visits.take(self.count).nth(number)
    }

    fn visits(&self) -> &[usize] {
        &self.visits[..self.count]
    }
}

/// Three lighthouses that could be linked with each other.
struct Triangle {
    corners: [usize; 3],
    area: f32,
    /// Whether a corner is mine, and whether its key is.
    mine: [bool; 3],
    keys: [bool; 3],
    /// Whether the side opposite this corner is linked.
    sides: [bool; 3],
}

impl Triangle {
    /// `None` if it cannot be closed now, or is closed.
    fn new(trade: &Trade, root: &State, corners: [usize; 3]) -> Option<Self> {
        let mine = corners.map(|at| root.owner(at) == trade.worth.me);
        let pairs = [(1, 2), (0, 2), (0, 1)].map(|(a, b)| (corners[a], corners[b]));
        let linked =
            |(a, b): (usize, usize)| root.owner(a) == trade.worth.me && root.links(a) >> b & 1 == 1;
        let sides = pairs.map(linked);
        let open = |(a, b): &(usize, usize)| linked((*a, *b)) || linkable(trade, root, *a, *b);
        let [a, b, c] = corners;
        (sides != [true; 3] && pairs.iter().all(open)).then(|| Self {
            corners,
            area: trade.terrain.area(a, b, c),
            mine,
            keys: corners.map(|at| root.keys >> at & 1 == 1),
            sides,
        })
    }

    /// The tour that visits corners in this order, if that closes it in time.
    fn tour(&self, trade: &Trade, root: &State, order: &[usize]) -> Option<Tour> {
        let terrain = &trade.terrain;
        let (mut mine, mut keys, mut sides) = (self.mine, self.keys, self.sides);
        let (mut time, mut at, mut won, mut against) = (0, Cell(root.at), 0, 0);
        let mut tour = Tour {
            corners: self.corners,
            visits: [0; 3],
            links: [0; 3],
            count: order.len(),
            merit: 0.0,
        };
        for (number, corner) in order.iter().copied().enumerate() {
            let to = self.corners[corner];
            time += usize::from(terrain.steps(to, at)) + 1;
            at = terrain.homes[to];
            if !mine[corner] {
                won += 1;
                against += if root.owner(to) == NOBODY {
                    0
                } else {
                    root.energy(to)
                };
            }
            (mine[corner], keys[corner]) = (true, true);
            for other in (0..3).filter(|other| *other != corner) {
                let side = 3 - corner - other;
                if mine[other] && keys[other] && !sides[side] {
                    (keys[other], sides[side]) = (false, true);
                    tour.links[number] += 1;
                }
            }
            tour.visits[number] = to;
        }
        let links: usize = tour.links.iter().sum();
        time += links;
        if sides != [true; 3] || time > HORIZON_MAX {
            return None;
        }
        let funds = (root.purse + (GATHERED * time) as u32).saturating_sub(against);
        let level = funds / order.len() as u32;
        let points = self.area + 2.0 * (links + won) as f32;
        tour.merit = points * self.standing(trade, root, &tour, (time, level))?;
        Some(tour)
    }

    /// What one point on it is worth a round of the tour that closes it then, with its corners charged to this level.
    fn standing(
        &self,
        trade: &Trade,
        root: &State,
        tour: &Tour,
        (time, level): (usize, u32),
    ) -> Option<f32> {
        let worth = &trade.worth;
        let first = *tour.visits().first()?;
        let others = self.corners.iter().filter(|at| !tour.visits().contains(at));
        let until = others.map(|at| root.until(*at)).min().unwrap_or(u16::MAX);
        let life = worth.life(first, worth.me, level);
        let until = until.min(time as u16 + life);
        let rounds = time as f32 + trade.knobs.overhead as f32;
        (level >= LEVEL_MIN).then(|| worth.of(time, until) / rounds)
    }
}

fn linkable(trade: &Trade, root: &State, a: usize, b: usize) -> bool {
    trade.terrain.linkable(a) >> b & 1 == 1 && !root.crossed(&trade.terrain, a, b)
}

/// Lists the most promising tours, best first. Returns the cost in nodes.
pub fn list(trade: &Trade, root: &State, tours: &mut Vec<Tour>) -> u64 {
    tours.clear();
    let terrain = &trade.terrain;
    let here = Cell(root.at);
    let mut sites: Vec<usize> = (0..terrain.count).collect();
    sites.sort_by_key(|at| (terrain.steps(*at, here), *at));
    sites.truncate(NEAR);
    let mut tried = 0;
    for (first, a) in sites.iter().copied().enumerate() {
        for (second, b) in sites.iter().copied().enumerate().skip(first + 1) {
            for c in sites.iter().copied().skip(second + 1) {
                tried += 1;
                let Some(triangle) = Triangle::new(trade, root, [a, b, c]) else {
                    continue;
                };
                let orders = ORDERS.iter();
                tours.extend(orders.filter_map(|order| triangle.tour(trade, root, order)));
            }
        }
    }
    tours.sort_by(|a, b| b.merit.total_cmp(&a.merit));
    tours.truncate(trade.knobs.tours.min(TOURS_MAX));
    1 + tried / 4
}

//! Which triangles could be closed, and in which order their corners would be visited.

use super::errands::Trade;
use super::state::{HORIZON_MAX, NOBODY, State};
use super::terrain::Terrain;
use crate::rules::Cell;

/// The nearest lighthouses, among which corners are looked for.
const NEAR: usize = 16;
/// The most tours that are tried.
const TOURS_MAX: usize = 64;
/// What is gathered a round, roughly, as long as the ways are not known.
const GATHERED: usize = 30;
/// Triangles looked at cost about as much as one errand.
const TRIANGLES_A_NODE: u64 = 4;
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

/// A corner visited on a tour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Visit {
    /// The lighthouse.
    pub at: usize,
    /// How many links are made there.
    pub links: usize,
}

/// A triangle and the order in which corners of it are visited until it closes.
#[derive(Clone, Copy, Debug)]
pub struct Tour {
    /// The lighthouses.
    pub corners: [usize; 3],
    visits: [Visit; 3],
    /// How many of these visits there are.
    count: usize,
    /// What it scores a round, roughly.
    merit: f32,
}

impl Tour {
    /// The visits, first one first.
    #[must_use]
    pub fn visits(&self) -> &[Visit] {
        &self.visits[..self.count]
    }

    /// What one point of its triangle is worth a round, if it closes at this time with the corners it visits charged
    /// to this level.
    fn standing(&self, trade: &Trade, root: &State, time: usize, level: u32) -> Option<f32> {
        let worth = &trade.worth;
        let first = self.visits().first()?.at;
        let visited = |corner: &usize| self.visits().iter().any(|visit| visit.at == *corner);
        let others = self.corners.iter().filter(|corner| !visited(corner));
        let until = others.map(|at| root.until(*at)).min().unwrap_or(u16::MAX);
        let life = worth.life(first, worth.me, level);
        let until = until.min(time as u16 + life);
        let rounds = time as f32 + trade.knobs.overhead as f32;
        (level >= LEVEL_MIN).then(|| worth.between(time, until) / rounds)
    }
}

/// Three lighthouses that could be linked with each other.
#[derive(Clone, Copy, Debug)]
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

    /// Visits a corner: it is mine then, and so is its key, and what can be linked from it is. Returns how many
    /// links that makes.
    fn visit(&mut self, corner: usize) -> usize {
        (self.mine[corner], self.keys[corner]) = (true, true);
        let mut made = 0;
        for other in (0..3).filter(|other| *other != corner) {
            let side = 3 - corner - other;
            if self.mine[other] && self.keys[other] && !self.sides[side] {
                (self.keys[other], self.sides[side]) = (false, true);
                made += 1;
            }
        }
        made
    }

    /// The tour that visits corners in this order, if that closes it in time.
    fn tour(mut self, trade: &Trade, root: &State, order: &[usize]) -> Option<Tour> {
        let terrain = &trade.terrain;
        let (mut time, mut at, mut links, mut won, mut against) = (0, Cell(root.at), 0, 0, 0);
        let mut visits = [Visit::default(); 3];
        for (visit, corner) in visits.iter_mut().zip(order.iter().copied()) {
            let to = self.corners[corner];
            if !self.mine[corner] {
                won += 1;
                against += if root.owner(to) == NOBODY {
                    0
                } else {
                    root.energy(to)
                };
            }
            *visit = Visit {
                at: to,
                links: self.visit(corner),
            };
            time += usize::from(terrain.steps(to, at)) + 1 + visit.links;
            at = terrain.homes[to];
            links += visit.links;
        }
        if self.sides != [true; 3] || time > HORIZON_MAX {
            return None;
        }
        let mut tour = Tour {
            corners: self.corners,
            visits,
            count: order.len(),
            merit: 0.0,
        };
        let funds = (root.purse + (GATHERED * time) as u32).saturating_sub(against);
        let level = funds / order.len() as u32;
        let points = self.area + 2.0 * (links + won) as f32;
        tour.merit = points * tour.standing(trade, root, time, level)?;
        Some(tour)
    }
}

fn linkable(trade: &Trade, root: &State, a: usize, b: usize) -> bool {
    trade.terrain.linkable(a) >> b & 1 == 1 && !root.crossed(&trade.terrain, a, b)
}

/// Lists the most promising tours of a decision, one pair of corners after the other.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    /// The nearest lighthouses, nearest first.
    sites: Vec<usize>,
    /// The places among them of the first two corners that come next; the third ones come after both.
    first: usize,
    second: usize,
    /// How many triangles were looked at.
    looked: u64,
    /// The most promising tours so far, best first.
    tours: Vec<Tour>,
}

impl Listing {
    /// Begins for a player who stands here. Returns the cost in nodes.
    pub fn begin(&mut self, terrain: &Terrain, here: Cell) -> u64 {
        self.sites.clear();
        self.sites.extend(0..terrain.count);
        self.sites.sort_by_key(|at| (terrain.steps(*at, here), *at));
        self.sites.truncate(NEAR);
        (self.first, self.second) = (0, 1);
        self.looked = 0;
        self.tours.clear();
        1
    }

    /// Looks at the triangles of the next pair of corners. Returns the cost in nodes, or `None`: all are listed.
    pub fn pair(&mut self, trade: &Trade, root: &State) -> Option<u64> {
        let most = trade.knobs.tours.min(TOURS_MAX);
        let (a, b) = (*self.sites.get(self.first)?, *self.sites.get(self.second)?);
        let thirds = self.sites.get(self.second + 1..);
        let thirds = thirds.filter(|thirds| !thirds.is_empty())?;
        for c in thirds {
            let Some(triangle) = Triangle::new(trade, root, [a, b, *c]) else {
                continue;
            };
            let tours = ORDERS.iter();
            for tour in tours.filter_map(|order| triangle.tour(trade, root, order)) {
                keep(&mut self.tours, tour, most);
            }
        }
        let before = self.looked / TRIANGLES_A_NODE;
        self.looked += thirds.len() as u64;
        self.second += 1;
        if self.second + 1 == self.sites.len() {
            self.first += 1;
            self.second = self.first + 1;
        }
        Some(self.looked / TRIANGLES_A_NODE - before)
    }

    /// The tours listed, best first.
    #[must_use]
    pub fn tours(&self) -> &[Tour] {
        &self.tours
    }
}

/// Puts a tour in its place; of equals, the one found first comes first.
fn keep(tours: &mut Vec<Tour>, tour: Tour, most: usize) {
    let no_worse = |kept: &Tour| kept.merit.total_cmp(&tour.merit).is_ge();
    let place = tours.partition_point(no_worse);
    if place < most {
        tours.insert(place, tour);
        tours.truncate(most);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{FREE, held, island, position};
    use super::*;

    /// Three corners of a triangle of 10 cells: the specification's (0, 0), (5, 0), (0, 5).
    const CORNERS: [(i32, i32); 3] = [(1, 1), (6, 1), (1, 6)];

    fn listed(trade: &Trade, root: &State) -> Listing {
        let mut listing = Listing::default();
        listing.begin(&trade.terrain, Cell(root.at));
        while listing.pair(trade, root).is_some() {}
        listing
    }

    /// The visits of every tour, best first: lighthouse and links.
    fn visits(trade: &Trade, root: &State) -> Vec<Vec<(usize, usize)>> {
        let tours = listed(trade, root).tours;
        let pairs = |tour: &Tour| -> Vec<(usize, usize)> {
            let visits = tour.visits().iter();
            visits.map(|visit| (visit.at, visit.links)).collect()
        };
        tours.iter().map(pairs).collect()
    }

    #[test]
    fn a_tour_is_worth_its_cells_once_and_two_points_for_each_link_and_lighthouse_it_wins() {
        let trade = island(6, &CORNERS);
        let root = position(&trade, &[held(0, 5_000, &[]), FREE, FREE], (1, 1), 0, &[0]);
        let triangle = Triangle::new(&trade, &root, [0, 1, 2]).unwrap();
        let tour = triangle.tour(&trade, &root, &[1, 2, 0]).unwrap();
        // Three ways of five steps, three charges, three links.
        let time = 3 * 5 + 3 + 3;
        let level = (30 * time) / 3;
        let until = (time + level / 10) as u16;
        let points = 10.0 + 2.0 * 3.0 + 2.0 * 2.0;
        let merit = points * trade.worth.between(time, until) / (time as f32 + 2.0);
        assert!((tour.merit - merit).abs() < 1e-3, "{tour:?} {merit}");
    }

    #[test]
    fn each_link_needs_the_key_of_its_far_end() {
        let trade = island(6, &CORNERS);
        // From nothing it takes four visits: the first corner's key is used up by the second.
        let nothing = position(&trade, &[FREE; 3], (3, 3), 500, &[]);
        assert!(visits(&trade, &nothing).is_empty());
        // From an own corner whose key it holds: the two others and back, or back and forth.
        let first = held(0, 900, &[]);
        let begun = position(&trade, &[first, FREE, FREE], (1, 1), 500, &[0]);
        let orders = [
            [(1, 1), (0, 0), (2, 2)],
            [(1, 1), (2, 1), (0, 1)],
            [(2, 1), (0, 0), (1, 2)],
            [(2, 1), (1, 1), (0, 1)],
        ];
        assert_eq!(visits(&trade, &begun), orders);
        // Without that key it takes four visits again.
        let keyless = position(&trade, &[first, FREE, FREE], (2, 2), 500, &[]);
        assert!(visits(&trade, &keyless).is_empty());
        // Two linked corners whose keys it holds: one visit to the third makes both links.
        let pair = [held(0, 900, &[1]), held(0, 900, &[0]), FREE];
        let nearly = position(&trade, &pair, (1, 1), 500, &[0, 1]);
        assert_eq!(visits(&trade, &nearly)[0], [(2, 2)]);
        // With one of the keys, the third and then the other.
        let nearly = position(&trade, &pair, (1, 1), 500, &[0]);
        assert!(visits(&trade, &nearly).contains(&vec![(2, 1), (1, 1)]));
        assert!(!visits(&trade, &nearly).contains(&vec![(2, 1)]));
    }

    #[test]
    fn what_cannot_be_linked_or_is_closed_is_no_triangle() {
        let own = |links: &[usize]| held(0, 900, links);
        let line = island(9, &[(1, 1), (5, 5), (9, 9)]);
        let root = position(
            &line,
            &[own(&[]), own(&[]), own(&[])],
            (1, 1),
            0,
            &[0, 1, 2],
        );
        assert!(Triangle::new(&line, &root, [0, 1, 2]).is_none());
        let trade = island(6, &CORNERS);
        let all = [own(&[1, 2]), own(&[0, 2]), own(&[0, 1])];
        let root = position(&trade, &all, (1, 1), 0, &[0, 1, 2]);
        assert!(Triangle::new(&trade, &root, [0, 1, 2]).is_none());
        assert!(visits(&trade, &root).is_empty());
    }

    #[test]
    fn a_link_across_a_side_prevents_a_triangle_and_a_rivals_link_along_it_does_not() {
        // The corners of a square, 0 and 1 below 2 and 3; a rival links 1 and 2.
        let trade = island(6, &[(1, 1), (6, 1), (1, 6), (6, 6)]);
        let lighthouses = [
            held(0, 900, &[]),
            held(1, 50, &[2]),
            held(1, 50, &[1]),
            FREE,
        ];
        let root = position(&trade, &lighthouses, (1, 1), 900, &[0]);
        let possible = |corners| Triangle::new(&trade, &root, corners).is_some();
        // 0-3 crosses 1-2, the rest does not.
        assert!(!possible([0, 1, 3]) && !possible([0, 2, 3]));
        // A rival's link is no side of mine; it falls with its ends.
        let triangle = Triangle::new(&trade, &root, [0, 1, 2]).unwrap();
        assert_eq!(triangle.sides, [false; 3]);
        assert_eq!(triangle.mine, [true, false, false]);
    }

    #[test]
    fn what_comes_too_late_or_cannot_be_charged_is_no_tour() {
        let far = island(60, &[(1, 1), (60, 1), (30, 60)]);
        let own = held(0, 9_000, &[]);
        let root = position(&far, &[own, FREE, FREE], (1, 1), 5_000, &[0]);
        // Three ways of 59 steps each do not fit into the rounds of a plan.
        assert!(visits(&far, &root).is_empty());
        let near = island(6, &CORNERS);
        for (against, possible) in [(100, true), (10_000, false)] {
            let lighthouses = [
                held(0, 900, &[1]),
                held(0, 900, &[0]),
                held(1, against, &[]),
            ];
            let root = position(&near, &lighthouses, (1, 1), 300, &[0, 1]);
            assert_eq!(!visits(&near, &root).is_empty(), possible, "{against}");
        }
    }

    #[test]
    fn pairs_in_turn_list_what_all_triangles_at_once_would() {
        let places = |number: i32| (1 + number * 7 % 19, 1 + number * 11 % 17);
        let homes: Vec<(i32, i32)> = (0..18).map(places).collect();
        let trade = island(20, &homes);
        let count = trade.terrain.count;
        assert!(count > NEAR);
        let owned = |at: usize| match at % 3 {
            0 => held(0, 400 + at as u32, &[]),
            1 => held(1, 10 * at as u32, &[]),
            _ => FREE,
        };
        let lighthouses: Vec<_> = (0..count).map(owned).collect();
        let root = position(&trade, &lighthouses, (9, 9), 800, &[0, 1, 2, 3, 6, 9]);
        let mut listing = Listing::default();
        let mut cost = listing.begin(&trade.terrain, Cell(root.at));
        while let Some(nodes) = listing.pair(&trade, &root) {
            assert!(nodes <= NEAR as u64 / TRIANGLES_A_NODE);
            cost += nodes;
        }
        let sites = listing.sites.clone();
        let (mut tours, mut looked) = (Vec::new(), 0);
        for a in 0..NEAR {
            for b in a + 1..NEAR {
                for c in b + 1..NEAR {
                    looked += 1;
                    let corners = [a, b, c].map(|place| sites[place]);
                    let triangle = Triangle::new(&trade, &root, corners);
                    let tour = |order: &&[usize]| triangle?.tour(&trade, &root, order);
                    tours.extend(ORDERS.iter().filter_map(tour));
                }
            }
        }
        assert_eq!(cost, 1 + looked / TRIANGLES_A_NODE);
        tours.sort_by(|a, b| b.merit.total_cmp(&a.merit));
        assert!(tours.len() > trade.knobs.tours);
        tours.truncate(trade.knobs.tours);
        assert_eq!(format!("{tours:?}"), format!("{:?}", listing.tours()));
    }
}

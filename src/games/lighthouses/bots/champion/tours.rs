//! Whole ways to a triangle: up to three corners, charged so that they end level, and the links that close it.

use super::errands::{Deed, Trade};
use super::legs::{Atlas, Leg};
use super::search::{Opening, Search};
use super::state::{HORIZON_MAX, NOBODY, State, bits};
use super::terrain::Terrain;
use super::triangles::{LEVEL_MIN, Listing, Tour};
use crate::rules::{Cell, UPKEEP};

/// No higher level is looked for.
const LEVEL_MAX: u32 = 1 << 14;
/// How near the highest level that can be paid for is found.
const LEVEL_STEP: u32 = 8;
/// To charge an own corner is not worth a round if less than one in n of what is aimed at is missing.
const TOP_UP: u32 = 4;
/// Besides the highest level that can be paid for, this part of it is tried, in tenths.
const MODEST: u32 = 6;

/// A stop on a tour.
#[derive(Clone, Copy, Debug)]
struct Stop<'a> {
    leg: &'a Leg,
    arrival: usize,
    gathered: u32,
    /// Links to be made; `None`: it only gathers on from here.
    links: Option<usize>,
}

impl Stop<'_> {
    fn end(&self) -> usize {
        self.arrival + self.links.map_or(0, |links| 1 + links)
    }
}

/// What tours are made of.
#[derive(Clone, Copy)]
pub struct Ways<'a> {
    /// The terrain, the value of points, the tunables.
    pub trade: &'a Trade,
    /// The position.
    pub root: &'a State,
    /// The legs from there.
    pub legs: &'a [Leg],
    /// The legs from lighthouses.
    pub atlas: &'a Atlas,
}

impl Ways<'_> {
    /// What has to be put in at a stop so that its lighthouse has this level at the end.
    fn charge(&self, stop: &Stop<'_>, level: u32, end: usize) -> u32 {
        if stop.links.is_none() {
            return 0;
        }
        let at = stop.leg.to;
        let spent = stop.arrival as u32 * UPKEEP;
        let left = self.root.energy(at).saturating_sub(spent);
        let aim = level + (end - stop.arrival) as u32 * UPKEEP;
        match self.root.owner(at) {
            NOBODY => aim,
            owner if owner == self.trade.worth.me => {
                let more = aim.saturating_sub(left);
                if more < aim / TOP_UP { 0 } else { more }
            }
            _ => aim + left,
        }
    }

    /// The highest level to which all that is gathered suffices.
    fn level(&self, stops: &[Stop<'_>], end: usize) -> Option<u32> {
        let suffices = |level: u32| {
            let (mut had, mut spent) = (self.root.purse, 0);
            stops.iter().all(|stop| {
                had += stop.gathered;
                spent += self.charge(stop, level, end);
                spent <= had
            })
        };
        let (mut low, mut high) = (LEVEL_MIN, LEVEL_MAX);
        while high - low > LEVEL_STEP {
            let middle = u32::midpoint(low, high);
            if suffices(middle) {
                low = middle;
            } else {
                high = middle;
            }
        }
        suffices(low).then_some(low)
    }

    /// How a tour begins whose first stop is this one, and whose first deed there or later is that one.
    fn opening(&self, begin: &Stop<'_>, first: Option<Deed>) -> Option<Opening> {
        let step = begin.leg.cells.first().map(|cell| Cell(*cell));
        let deed = if step.is_none() { first? } else { Deed::Stay };
        let same = |leg: &Leg| std::ptr::eq(leg, begin.leg);
        Some(Opening {
            step,
            deed,
            to: begin.leg.to,
            arrival: begin.arrival,
            leg: self.legs.iter().position(same)?,
        })
    }
}

/// The tours of one decision.
#[derive(Clone, Debug)]
pub struct Tours {
    /// Which there are.
    pub listing: Listing,
    state: State,
    /// Where it would be in every round: by plan, and as simulated.
    plan: [u16; HORIZON_MAX + 1],
    way: [u16; HORIZON_MAX + 1],
}

impl Default for Tours {
    fn default() -> Self {
        Self {
            listing: Listing::default(),
            state: State::default(),
            plan: [0; HORIZON_MAX + 1],
            way: [0; HORIZON_MAX + 1],
        }
    }
}

impl Tours {
    /// Tries the ways of one tour. Returns how many there are, or `None`: there is no such tour.
    pub fn try_tour(&mut self, number: usize, ways: Ways<'_>, search: &mut Search) -> Option<u64> {
        let tour = *self.listing.tours().get(number)?;
        let mut stops = Vec::with_capacity(1 + tour.corners.len());
        Some(1 + self.extend(&tour, ways, &mut stops, search))
    }

    /// Every way to the next corner, and on from there.
    fn extend<'a>(
        &mut self,
        tour: &Tour,
        ways: Ways<'a>,
        stops: &mut Vec<Stop<'a>>,
        search: &mut Search,
    ) -> u64 {
        let visited = stops.iter().filter(|stop| stop.links.is_some()).count();
        let Some(visit) = tour.visits().get(visited) else {
            return self.finish(tour.corners, ways, stops, search);
        };
        let to = visit.at;
        let begin = end(stops);
        let from = stops.last().map(|stop| stop.leg.to);
        let legs = from.map_or(ways.legs, |from| ways.atlas.from(from));
        let home = ways.trade.terrain.homes[to].0;
        let mut made = 0;
        for (number, leg) in legs.iter().filter(|leg| leg.to == to).enumerate() {
            let mut stop = Stop {
                leg,
                arrival: begin + leg.cells.len(),
                gathered: search.land.collect(leg, begin),
                links: Some(visit.links),
            };
            let end = stop.end();
            if end > HORIZON_MAX {
                continue;
            }
            self.plan[begin + 1..=stop.arrival].copy_from_slice(&leg.cells);
            self.plan[stop.arrival + 1..=end].fill(home);
            search.land.take(&self.plan, end);
            stops.push(stop);
            made += self.extend(tour, ways, stops, search);
            stops.pop();
            // From the first corner it may gather once more before it charges.
            if from.is_none() && number == 0 && !leg.cells.is_empty() {
                stop.links = None;
                // It does not stay there.
                search.land.untake(&self.plan, end);
                search.land.take(&self.plan, stop.arrival);
                stops.push(stop);
                made += self.extend(tour, ways, stops, search);
                stops.pop();
            }
            search.land.untake(&self.plan, end);
            search.land.take(&self.plan, begin);
        }
        made
    }

    /// Charges the corners as high as possible, and to a part of that.
    fn finish(
        &mut self,
        corners: [usize; 3],
        ways: Ways<'_>,
        stops: &[Stop<'_>],
        search: &mut Search,
    ) -> u64 {
        let Some(most) = ways.level(stops, end(stops)) else {
            return 1;
        };
        let levels = [most, most * MODEST / 10];
        for level in levels.into_iter().filter(|level| *level >= LEVEL_MIN) {
            if let Some(opening) = self.simulate(corners, ways, stops, level) {
                search.offer(ways.trade, opening, &self.state, &self.way);
            }
        }
        levels.len() as u64
    }

    /// Follows a tour that charges corners to this level. `None`: the triangle is not closed by it.
    fn simulate(
        &mut self,
        corners: [usize; 3],
        ways: Ways<'_>,
        stops: &[Stop<'_>],
        level: u32,
    ) -> Option<Opening> {
        let trade = ways.trade;
        self.state.copy(ways.root, trade.terrain.count);
        let [a, b, c] = corners;
        let among = 1u64 << a | 1 << b | 1 << c;
        let mut first = None;
        for stop in stops {
            self.walk(&trade.terrain, stop)?;
            if stop.links.is_none() {
                continue;
            }
            let (here, arrival) = (stop.leg.to, self.state.time);
            let amount = ways.charge(stop, level, end(stops));
            if !self.charge(trade, here, amount) {
                return None;
            }
            let linked = self.link(trade, here, among).map(Deed::Link);
            let charged = (amount > 0).then_some(Deed::Charge(amount));
            first = first.or(charged).or(linked);
            // Keys found on the way may make more links than were planned, beyond the last round.
            let stayed = self.way.get_mut(arrival + 1..=self.state.time)?;
            stayed.fill(self.state.at);
            // Nothing to do where it stands: a shorter tour says the same.
            if first.is_none() && stop.leg.cells.is_empty() {
                return None;
            }
        }
        let (from_a, from_b) = (self.state.links(a), self.state.links(b));
        let closed = from_a >> b & from_a >> c & from_b >> c & 1 == 1;
        ways.opening(stops.first().filter(|_| closed)?, first)
    }

    /// Goes to a stop. `None`: that is past the last round of a plan.
    fn walk(&mut self, terrain: &Terrain, stop: &Stop<'_>) -> Option<()> {
        let state = &mut self.state;
        let begin = state.time;
        state.purse += stop.gathered;
        state.keys |= stop.leg.keys;
        state.at = terrain.homes[stop.leg.to].0;
        state.pass(stop.leg.cells.len(), terrain.count);
        let walked = self.way.get_mut(begin + 1..=state.time)?;
        walked.copy_from_slice(&stop.leg.cells);
        Some(())
    }

    /// Puts energy into the lighthouse where it stands. Returns whether that is mine then.
    fn charge(&mut self, trade: &Trade, here: usize, amount: u32) -> bool {
        let state = &mut self.state;
        if amount > state.purse {
            return false;
        }
        if amount > 0 {
            state.charge(&trade.terrain, &trade.worth, here, amount);
            trade.wait(state, here);
        }
        state.owner(here) == trade.worth.me
    }

    /// Makes all links to these from the lighthouse where it stands. Returns where the first one leads.
    fn link(&mut self, trade: &Trade, here: usize, among: u64) -> Option<usize> {
        let (terrain, state) = (&trade.terrain, &mut self.state);
        let mut first = None;
        for to in bits(state.joinable(terrain, here) & among) {
            if !state.crossed(terrain, here, to) {
                first.get_or_insert(to);
                state.join(terrain, &trade.worth, here, to);
                trade.wait(state, here);
            }
        }
        first
    }
}

/// The round in which the last of these stops is left.
fn end(stops: &[Stop<'_>]) -> usize {
    stops.last().map_or(0, Stop::end)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{FREE, held, island, position};
    use super::*;
    use crate::rules::Beacon;

    const CORNERS: [(i32, i32); 3] = [(1, 1), (6, 1), (1, 6)];

    /// A way of this many steps to a lighthouse, spent next to it, on which the keys of these are found.
    fn leg(trade: &Trade, to: usize, steps: usize, found: &[usize]) -> Leg {
        Leg {
            to,
            cells: vec![trade.terrain.homes[to].0; steps],
            pays: 0,
            keys: found.iter().fold(1 << to, |set, key| set | 1 << key),
        }
    }

    /// Stops at the end of these legs, with n links planned at each and nothing gathered.
    fn stops<'a>(legs: &'a [Leg], links: &[usize]) -> Vec<Stop<'a>> {
        let mut stops: Vec<Stop<'a>> = Vec::new();
        for (leg, links) in legs.iter().zip(links) {
            stops.push(Stop {
                leg,
                arrival: end(&stops) + leg.cells.len(),
                gathered: 0,
                links: Some(*links),
            });
        }
        stops
    }

    /// Follows these legs, its corners charged to this level: how it begins and ends, if the triangle closes.
    fn follow(
        trade: &Trade,
        root: &State,
        legs: &[Leg],
        links: &[usize],
        level: u32,
    ) -> Option<(Opening, State)> {
        let ways = Ways {
            trade,
            root,
            legs,
            atlas: &Atlas::new(&trade.terrain),
        };
        let mut tours = Tours::default();
        let opening = tours.simulate([0, 1, 2], ways, &stops(legs, links), level)?;
        Some((opening, tours.state))
    }

    /// An own corner with its key, which stands for 22 rounds, and two free ones.
    fn begun(trade: &Trade, purse: u32) -> State {
        let lighthouses = [held(0, 220, &[]), FREE, FREE];
        position(trade, &lighthouses, (1, 1), purse, &[0])
    }

    #[test]
    fn corners_are_charged_to_one_level_and_linked_by_the_end() {
        let trade = island(6, &CORNERS);
        let legs = [
            leg(&trade, 1, 5, &[]),
            leg(&trade, 2, 5, &[]),
            leg(&trade, 0, 5, &[]),
        ];
        let root = begun(&trade, 2_000);
        let (opening, state) = follow(&trade, &root, &legs, &[1, 1, 1], 300).unwrap();
        assert_eq!(state.time, 3 * (5 + 1 + 1));
        assert_eq!([0, 1, 2].map(|at| state.energy(at)), [300; 3]);
        assert_eq!([0, 1, 2].map(|at| state.links(at)), [0b110, 0b101, 0b011]);
        assert_eq!((opening.to, opening.arrival, opening.leg), (1, 5, 0));
        assert_eq!((opening.step.is_some(), opening.deed), (true, Deed::Stay));
        // Every link has used up a key.
        assert_eq!(state.keys, 1 << 0);
    }

    #[test]
    fn the_first_deed_where_it_stands_is_the_opening() {
        let trade = island(6, &CORNERS);
        let pair = [held(0, 900, &[1]), held(0, 900, &[0]), FREE];
        let root = position(&trade, &pair, (1, 6), 500, &[0, 1, 2]);
        let legs = [leg(&trade, 2, 0, &[])];
        let (opening, state) = follow(&trade, &root, &legs, &[2], 200).unwrap();
        // The level holds after the charge and both links.
        assert_eq!(
            (opening.step, opening.deed),
            (None, Deed::Charge(200 + 3 * UPKEEP))
        );
        assert_eq!((state.time, state.energy(2)), (3, 200));
    }

    #[test]
    fn without_the_energy_or_the_keys_nothing_comes_of_it() {
        let trade = island(6, &CORNERS);
        let legs = [
            leg(&trade, 1, 5, &[]),
            leg(&trade, 2, 5, &[]),
            leg(&trade, 0, 5, &[]),
        ];
        let closes = |root: &State| follow(&trade, root, &legs, &[1, 1, 1], 300).is_some();
        // 300 and the decay until the end; the own corner has 30 left when it is charged.
        let needed = 460 + 390 + 320 - 30 - received(&trade);
        assert!(closes(&begun(&trade, needed)));
        assert!(!closes(&begun(&trade, needed - 1)));
        // The own corner's key is missing for the first link.
        let mut keyless = begun(&trade, 2_000);
        keyless.keys = 0;
        assert!(!closes(&keyless));
        // A rival's corner costs what it still has besides.
        let lighthouses = [held(0, 220, &[]), held(1, 500, &[]), FREE];
        let contested = |purse| position(&trade, &lighthouses, (1, 1), purse, &[0]);
        let more = 500 - 5 * UPKEEP;
        assert!(closes(&contested(needed + more)));
        assert!(!closes(&contested(needed + more - 1)));
    }

    /// What the cells under the first two corners yield in the rounds of a charge and a link at each, before the
    /// third one is charged.
    fn received(trade: &Trade) -> u32 {
        2 * (trade.terrain.drip[1] + trade.terrain.drip[2])
    }

    #[test]
    fn the_level_is_the_highest_that_can_be_paid_at_every_stop() {
        let trade = island(6, &CORNERS);
        let legs = [leg(&trade, 1, 5, &[]), leg(&trade, 2, 5, &[])];
        let atlas = Atlas::new(&trade.terrain);
        let mut stops = stops(&legs, &[1, 1]);
        let level = |root: &State, stops: &[Stop<'_>]| {
            let ways = Ways {
                trade: &trade,
                root,
                legs: &legs,
                atlas: &atlas,
            };
            ways.level(stops, end(stops))
        };
        // Two corners: 90 and 20 of decay until the end.
        let paid = level(&begun(&trade, 1_110), &stops).unwrap();
        assert!((500 - LEVEL_STEP..=500).contains(&paid), "{paid}");
        // What is gathered on the way to the second does not pay for the first.
        stops[1].gathered = 10_000;
        let paid = level(&begun(&trade, 490), &stops).unwrap();
        assert!((400 - LEVEL_STEP..=400).contains(&paid), "{paid}");
        assert_eq!(level(&begun(&trade, 100), &stops), None);
    }

    #[test]
    fn an_own_corner_is_topped_up_only_where_much_is_missing() {
        let trade = island(6, &CORNERS);
        let legs = [leg(&trade, 0, 10, &[])];
        let atlas = Atlas::new(&trade.terrain);
        let stops = stops(&legs, &[1]);
        let charge = |beacon: Beacon| {
            let root = &position(&trade, &[beacon, FREE, FREE], (2, 2), 0, &[]);
            let ways = Ways {
                trade: &trade,
                root,
                legs: &legs,
                atlas: &atlas,
            };
            ways.charge(&stops[0], 380, end(&stops))
        };
        // 380 after a charge and a link: 400.
        assert_eq!(charge(FREE), 400);
        assert_eq!(charge(held(1, 300, &[])), 400 + 200);
        assert_eq!(charge(held(0, 300, &[])), 400 - 200);
        assert_eq!(charge(held(0, 400, &[])), 100);
        assert_eq!(charge(held(0, 401, &[])), 0);
        assert_eq!(charge(held(0, 900, &[])), 0);
    }

    #[test]
    fn more_links_than_planned_may_lead_past_the_last_round_of_a_plan() {
        let trade = island(6, &CORNERS);
        // Two sides stand at first, but their common corner falls on the way, and so does the last one: both
        // links are made again, beyond the one that was planned, since the key of 1 is found on the way to 2.
        let lighthouses = [
            held(0, 300, &[1, 2]),
            held(0, 500, &[0]),
            held(0, 500, &[0]),
        ];
        let root = position(&trade, &lighthouses, (3, 3), 3_000, &[]);
        let end_by = |steps: usize| {
            let legs = [
                leg(&trade, 1, 36, &[]),
                leg(&trade, 0, 20, &[]),
                leg(&trade, 2, steps, &[1]),
            ];
            assert_eq!(end(&stops(&legs, &[0, 0, 1])), steps + 60);
            let followed = follow(&trade, &root, &legs, &[0, 0, 1], 50);
            followed.map(|(_, state)| state.time)
        };
        assert_eq!(end_by(38), Some(HORIZON_MAX));
        assert_eq!(end_by(39), None);
        assert_eq!(end_by(40), None);
    }

    #[test]
    fn the_ways_of_a_tour_become_plans_of_the_search() {
        let trade = island(6, &CORNERS);
        let lighthouses = [held(0, 900, &[1]), held(0, 900, &[0]), FREE];
        let root = position(&trade, &lighthouses, (3, 3), 500, &[0, 1]);
        let mut tours = Tours::default();
        tours.listing.begin(&trade.terrain, Cell(root.at));
        while tours.listing.pair(&trade, &root).is_some() {}
        let mut search = Search::default();
        search.land.fill(&trade.terrain, |_| 0);
        search.begin(&trade, &root, None);
        let legs = [leg(&trade, 1, 3, &[]), leg(&trade, 2, 3, &[])];
        let ways = Ways {
            trade: &trade,
            root: &root,
            legs: &legs,
            atlas: &Atlas::new(&trade.terrain),
        };
        assert!(tours.try_tour(0, ways, &mut search).unwrap() > 1);
        let best = search.best().unwrap();
        assert_eq!((best.to, best.arrival, best.leg), (2, 3, 1));
        let none = tours.listing.tours().len();
        assert_eq!(tours.try_tour(none, ways, &mut search), None);
    }
}

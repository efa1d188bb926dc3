//! Whole ways to a triangle: up to three corners, charged so that they end level, and the links that close it.

use super::errands::{Deed, Trade};
use super::legs::{Atlas, Leg};
use super::search::{Opening, Search};
use super::state::{HORIZON_MAX, NOBODY, State, bits};
use super::triangles::{LEVEL_MIN, Tour, list};
use crate::lighthouses::rules::{Cell, UPKEEP};

/// No higher level is looked for.
const LEVEL_MAX: u32 = 1 << 14;
/// How near the highest level that can be paid for is found.
const LEVEL_STEP: u32 = 8;
/// A charge of an own corner below this part of what is aimed at is not worth a round.
const TOP_UP: u32 = 4;

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
}

/// The tours of one decision.
#[derive(Clone, Debug)]
pub struct Tours {
    list: Vec<Tour>,
    state: State,
    /// Where it would be in every round: by plan, and as simulated.
    plan: [u16; HORIZON_MAX + 1],
    way: [u16; HORIZON_MAX + 1],
}

impl Default for Tours {
    fn default() -> Self {
        Self {
            list: Vec::new(),
            state: State::default(),
            plan: [0; HORIZON_MAX + 1],
            way: [0; HORIZON_MAX + 1],
        }
    }
}

impl Tours {
    /// Lists the most promising tours. Returns the cost in nodes.
    pub fn list(&mut self, trade: &Trade, root: &State) -> u64 {
        list(trade, root, &mut self.list)
    }

    /// Tries the ways of one tour. Returns how many there are, or `None`: there is no such tour.
    pub fn try_tour(&mut self, number: usize, ways: Ways<'_>, search: &mut Search) -> Option<u64> {
        let tour = *self.list.get(number)?;
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
        let Some((to, links)) = tour.visit(visited) else {
            return self.finish(tour, ways, stops, search);
        };
        let begin = stops.last().map_or(0, Stop::end);
        let from = stops.last().map(|stop| stop.leg.to);
        let legs = from.map_or(ways.legs, |from| ways.atlas.from(from));
        let home = ways.trade.terrain.homes[to].0;
        let mut made = 0;
        for (number, leg) in legs.iter().filter(|leg| leg.to == to).enumerate() {
            let mut stop = Stop {
                leg,
                arrival: begin + leg.cells.len(),
                gathered: search.land.collect(leg, begin),
                links: Some(links),
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
        tour: &Tour,
        ways: Ways<'_>,
        stops: &[Stop<'_>],
        search: &mut Search,
    ) -> u64 {
        let end = stops.last().map_or(0, Stop::end);
        let Some(most) = ways.level(stops, end) else {
            return 1;
        };
        let levels = [most, most * 6 / 10];
        for level in levels.into_iter().filter(|level| *level >= LEVEL_MIN) {
            let charge = |stop: &Stop<'_>| ways.charge(stop, level, end);
            if let Some(opening) = self.simulate(tour, ways, stops, charge) {
                search.offer(ways.trade, opening, &self.state, &self.way);
            }
        }
        levels.len() as u64
    }

    /// Follows a tour. `None`: the triangle is not closed by it.
    fn simulate(
        &mut self,
        tour: &Tour,
        ways: Ways<'_>,
        stops: &[Stop<'_>],
        charge: impl Fn(&Stop<'_>) -> u32,
    ) -> Option<Opening> {
        let (terrain, worth) = (&ways.trade.terrain, &ways.trade.worth);
        let state = &mut self.state;
        state.copy(ways.root, terrain.count);
        let [a, b, c] = tour.corners;
        let corners = 1u64 << a | 1 << b | 1 << c;
        let mut first = None;
        for stop in stops {
            let (here, begin) = (stop.leg.to, state.time);
            state.purse += stop.gathered;
            state.keys |= stop.leg.keys;
            state.at = terrain.homes[here].0;
            state.pass(stop.leg.cells.len(), terrain.count);
            let walked = self.way.get_mut(begin + 1..=state.time)?;
            walked.copy_from_slice(&stop.leg.cells);
            if stop.links.is_none() {
                continue;
            }
            let arrival = state.time;
            let amount = charge(stop);
            if amount > state.purse {
                return None;
            }
            if amount > 0 {
                first.get_or_insert(Deed::Charge(amount));
                state.charge(terrain, worth, here, amount);
                ways.trade.wait(state, here);
            }
            if state.owner(here) != worth.me {
                return None;
            }
            for to in bits(state.joinable(terrain, here) & corners) {
                if !state.crossed(terrain, here, to) {
                    first.get_or_insert(Deed::Link(to));
                    state.join(terrain, worth, here, to);
                    ways.trade.wait(state, here);
                }
            }
            // Keys found on the way may make more links than were planned, beyond the last round.
            self.way.get_mut(arrival + 1..=state.time)?.fill(state.at);
            // Nothing to do where it stands: a shorter tour says the same.
            if first.is_none() && stop.leg.cells.is_empty() {
                return None;
            }
        }
        let closed = state.links(a) >> b & state.links(a) >> c & state.links(b) >> c & 1 == 1;
        let begin = stops.first().filter(|_| closed)?;
        let step = begin.leg.cells.first().map(|cell| Cell(*cell));
        Some(Opening {
            step,
            deed: if step.is_none() { first? } else { Deed::Stay },
            to: begin.leg.to,
            arrival: begin.arrival,
            leg: ways
                .legs
                .iter()
                .position(|leg| std::ptr::eq(leg, begin.leg))?,
        })
    }
}

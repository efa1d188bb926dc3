//! The champion as a bot: beliefs by view, chores, the programme from where it stands, tours, the beam.

mod answer;

use super::cells::Cells;
use super::errands::Trade;
use super::knobs::{CHAMPION, Knobs};
use super::legs::{Atlas, Filling, Leg, Sweep};
use super::rivals::Rivals;
use super::search::{Goal, Search};
use super::state::State;
use super::terrain::{FAR, Terrain};
use super::tours::{Tours, Ways};
use super::worth::Worth;
use crate::rules::{Act, Ask, Cell, Event, Lighthouses, View};
use drover_game::game::{Bot, Budget, Progress, Seat};
use drover_game::reasons::Reasons;

/// How the champion plays.
pub const DESCRIPTION: &str = "Plans errands (go to a lighthouse over the richest cells, charge it, \
     link it) sixty rounds ahead with a beam sorted by the round in which they end, and whole tours to \
     triangles, and replans every turn. A node is one errand tried.";

/// The champion with its shipped parameters. It uses no random numbers: the seed changes nothing.
#[must_use]
pub fn champion(seed: u64) -> Box<dyn Bot<Lighthouses>> {
    champion_with(seed, CHAMPION)
}

/// The champion with custom parameters.
#[must_use]
pub fn champion_with(_seed: u64, knobs: Knobs) -> Box<dyn Bot<Lighthouses>> {
    Box::new(Champion { knobs, table: None })
}

/// The most steps in one slice of search, whatever they cost.
const THOUGHTS_MAX: u32 = 10_000_000;
/// How much longer than the shortest way legs from its own position may be.
const ROOT_DETOURS: [usize; 7] = [0, 1, 2, 4, 7, 11, 16];
/// Steps of ways that return to the lighthouse on which it stands.
const ROOT_LOOPS: [usize; 5] = [2, 4, 7, 11, 16];
/// Nodes of a turn that may go into what later turns need, until that is complete.
const CHORES: u64 = 6_000;
/// The cost of measuring some distances, in nodes.
const SURVEY_COST: u64 = 4;
/// Rounds until a leg from another lighthouse is walked, roughly.
const DELAY: usize = 8;

#[derive(Clone)]
struct Champion {
    knobs: Knobs,
    table: Option<Table>,
}

/// The current stage of the search for a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Something was received: the next view is a new decision.
    Fresh,
    /// The programme from the player's position.
    Sweep,
    /// The root's legs, from this one on.
    Root(usize),
    /// Distances and legs for this and later turns.
    Chores,
    /// Which tours there are.
    Listing,
    /// The tours, from this one on.
    Tours(usize),
    /// The legs from the lighthouse where the beam's plan stands, from this one on.
    Beam(usize, usize),
    /// Nothing left to search.
    Done,
}

/// One game.
#[derive(Clone)]
struct Table {
    me: Seat,
    trade: Trade,
    cells: Cells,
    rivals: Rivals,
    atlas: Atlas,
    /// By lighthouse: the turn in which its legs were last renewed; 0 for never.
    renewed: Vec<u32>,
    /// The lighthouse whose legs are being renewed.
    renewing: Option<usize>,
    renewal: Sweep,
    sweep: Sweep,
    search: Search,
    tours: Tours,
    root: State,
    legs: Vec<Leg>,
    view: Option<View>,
    stage: Stage,
    nodes: u64,
    chores: u64,
    turns: u32,
    /// The cells still to be entered by the chosen plan, next one first.
    way: Vec<u16>,
    /// Where that plan leads.
    settled: Option<usize>,
    /// The last decision.
    decided: Option<Act>,
}

impl Table {
    fn new(knobs: Knobs, terrain: Terrain, me: Seat, players: usize) -> Self {
        let count = terrain.count;
        let mut worth = Worth::new(me.0);
        worth.weigh(|round| knobs.discount.powi(round as i32));
        Self {
            me,
            cells: Cells::new(&terrain, players <= 1),
            rivals: Rivals::new(&knobs, me.0, players),
            atlas: Atlas::new(&terrain),
            renewed: vec![0; count],
            renewing: None,
            renewal: Sweep::default(),
            sweep: Sweep::default(),
            search: Search::default(),
            tours: Tours::default(),
            root: State::default(),
            legs: Vec::new(),
            view: None,
            stage: Stage::Fresh,
            nodes: 0,
            chores: 0,
            turns: 0,
            way: Vec::new(),
            settled: None,
            decided: None,
            trade: Trade {
                terrain,
                worth,
                knobs,
            },
        }
    }

    /// The result of the last act: a plan that was not followed is dropped.
    fn done(&mut self, act: Act, well: bool) {
        self.stage = Stage::Fresh;
        let here = self.trade.terrain.chart.lighthouse_at(Cell(self.root.at));
        if let (Act::Attack(strength), Some(at), true) = (act, here, well) {
            let strength = strength.clamp(0, self.root.purse.into()) as u32;
            self.rivals.put(at.index(), strength);
        }
        let as_planned = well && self.decided == Some(act);
        if as_planned && !self.way.is_empty() {
            self.way.remove(0);
        } else {
            self.way.clear();
        }
        if self.way.is_empty() {
            self.settled = None;
        }
    }

    /// Starts a new decision.
    fn begin(&mut self, view: &View) {
        self.turns += 1;
        self.nodes = 0;
        self.chores = 0;
        self.cells.see(&self.trade.terrain, view);
        self.root = State::from_beacons(&self.trade.terrain, &self.trade.worth, &view.beacons);
        let knobs = &self.trade.knobs;
        self.rivals
            .see(knobs, &self.trade.terrain, &self.root, view.round);
        self.rivals.weigh(knobs, &mut self.trade.worth);
        self.rivals.expect(knobs, &mut self.trade.worth);
        self.root = State::from_beacons(&self.trade.terrain, &self.trade.worth, &view.beacons);
        self.root.at = view.position.0;
        self.root.purse = view.energy.min(1 << 24);
        self.root.keys = view.keys;
        let (terrain, cells) = (&self.trade.terrain, &self.cells);
        self.search.land.fill(terrain, |cell| cells.energy(cell));
        let arrival = self.way.len();
        let settled = self.settled.map(|to| Goal { to, arrival });
        self.search.begin(&self.trade, &self.root, settled);
        let ashore = terrain.chart.island().get(view.position.index());
        self.stage = if ashore == Some(&true) {
            let at = Cell(self.root.at);
            self.sweep.begin(&self.trade.terrain, &self.cells, at, 0);
            Stage::Sweep
        } else {
            Stage::Done
        };
        self.view = Some(view.clone());
    }

    /// Searches a little more.
    fn think(&mut self) {
        match self.stage {
            Stage::Fresh | Stage::Done => {}
            Stage::Sweep => {
                if let Some(cost) = self.sweep.row() {
                    self.nodes += cost;
                } else {
                    self.find_legs();
                    self.stage = Stage::Root(0);
                }
            }
            Stage::Root(leg) => self.try_root(leg),
            Stage::Chores => self.try_chore(),
            Stage::Listing => match self.tours.listing.pair(&self.trade, &self.root) {
                Some(cost) => self.nodes += cost,
                None => self.stage = Stage::Tours(0),
            },
            Stage::Tours(index) => self.try_tour(index),
            Stage::Beam(at, leg) => self.try_beam(at, leg),
        }
    }

    fn try_chore(&mut self) {
        let due = self.chores < CHORES;
        let Some(cost) = due.then(|| self.chore()).flatten() else {
            return self.list_tours();
        };
        self.chores += cost;
        self.nodes += cost;
    }

    /// Computes something for this and later turns. Returns its cost, or `None`: enough for this turn.
    fn chore(&mut self) -> Option<u64> {
        if self.trade.terrain.survey() {
            return Some(SURVEY_COST);
        }
        if let Some(at) = self.renewing {
            if let Some(cost) = self.renewal.row() {
                return Some(cost);
            }
            self.atlas.renew(
                &self.trade.terrain,
                &self.cells,
                &self.renewal,
                at,
                &self.trade.knobs,
            );
            self.renewed[at] = self.turns.max(1);
            self.renewing = None;
            return Some(8);
        }
        let complete = self.renewed.iter().all(|turn| *turn > 0);
        if complete && (self.chores > 0 || self.turns == 0) {
            return None;
        }
        // Never renewed before stale, near before far.
        let here = Cell(self.root.at);
        let next = (0..self.trade.terrain.count).max_by_key(|at| {
            let age = match self.renewed[*at] {
                0 => 1_000_000,
                turn => i64::from(self.turns.saturating_sub(turn)),
            };
            let steps = self.trade.terrain.steps(*at, here);
            age - i64::from(if steps == FAR { 0 } else { steps })
        })?;
        self.renewing = Some(next);
        let home = self.trade.terrain.homes[next];
        self.renewal
            .begin(&self.trade.terrain, &self.cells, home, DELAY);
        Some(4)
    }

    /// The legs from the player's position.
    fn find_legs(&mut self) {
        let (terrain, here) = (&self.trade.terrain, Cell(self.root.at));
        let mut legs = Filling::cleared(&mut self.legs);
        for to in 0..terrain.count {
            if terrain.homes[to] == here {
                legs.put(|leg| {
                    *leg = Leg {
                        to,
                        ..Leg::default()
                    };
                    true
                });
                for steps in ROOT_LOOPS {
                    legs.put(|leg| self.sweep.leg(terrain, to, steps, leg));
                }
            } else {
                legs.lead(terrain, &self.cells, &self.sweep, here, to, &ROOT_DETOURS);
            }
        }
        legs.end();
    }

    fn try_root(&mut self, index: usize) {
        match self.legs.get(index) {
            Some(leg) => {
                self.nodes += self.search.try_leg(&self.trade, leg, Some(index));
                self.stage = Stage::Root(index + 1);
            }
            None => self.stage = Stage::Chores,
        }
    }

    fn try_beam(&mut self, at: usize, index: usize) {
        match self.atlas.from(at).get(index) {
            Some(leg) => {
                self.nodes += self.search.try_leg(&self.trade, leg, None);
                self.stage = Stage::Beam(at, index + 1);
            }
            None => self.next_plan(),
        }
    }

    fn list_tours(&mut self) {
        if self.trade.knobs.tours == 0 {
            return self.next_plan();
        }
        let here = Cell(self.root.at);
        self.nodes += self.tours.listing.begin(&self.trade.terrain, here);
        self.stage = Stage::Listing;
    }

    fn try_tour(&mut self, index: usize) {
        let ways = Ways {
            trade: &self.trade,
            root: &self.root,
            legs: &self.legs,
            atlas: &self.atlas,
        };
        match self.tours.try_tour(index, ways, &mut self.search) {
            Some(cost) => {
                self.nodes += cost;
                self.stage = Stage::Tours(index + 1);
            }
            None => self.next_plan(),
        }
    }

    fn next_plan(&mut self) {
        self.nodes += 1;
        let at = self.search.next(&self.trade);
        let at = at.and_then(|cell| self.trade.terrain.chart.lighthouse_at(cell));
        self.stage = at.map_or(Stage::Done, |at| Stage::Beam(at.index(), 0));
    }
}

impl Bot<Lighthouses> for Champion {
    fn observe(&mut self, event: &Event) {
        match event {
            Event::Begins(chart, seat, players) => {
                let terrain = Terrain::new(chart.clone());
                self.table = Some(Table::new(self.knobs, terrain, *seat, *players));
            }
            Event::Done(act, done) => {
                if let Some(table) = &mut self.table {
                    table.done(*act, done.is_ok());
                }
            }
        }
    }

    fn decide(&mut self, view: &View, ask: &Ask, budget: Budget<'_>) -> Act {
        self.ponder(view, ask, budget).0
    }

    fn ponder(&mut self, view: &View, ask: &Ask, slice: Budget<'_>) -> (Act, Progress) {
        let Some(table) = &mut self.table else {
            return (Act::Pass, Progress::Done);
        };
        if *ask == Ask::Prepare {
            for _ in 0..THOUGHTS_MAX {
                if table.nodes >= slice.nodes || (slice.stop)() {
                    break;
                }
                match table.chore() {
                    Some(cost) => table.nodes += cost,
                    None => return (Act::Pass, Progress::Done),
                }
            }
            return (Act::Pass, Progress::More);
        }
        if table.stage == Stage::Fresh || table.view.as_ref() != Some(view) {
            table.begin(view);
        }
        for _ in 0..THOUGHTS_MAX {
            if table.stage == Stage::Done || table.nodes >= slice.nodes || (slice.stop)() {
                break;
            }
            table.think();
        }
        let progress = if table.stage == Stage::Done {
            Progress::Done
        } else {
            Progress::More
        };
        (table.settle(), progress)
    }

    fn reasons(&mut self, view: &View, ask: &Ask, budget: Budget<'_>) -> Reasons<Act> {
        let act = self.ponder(view, ask, budget).0;
        match &self.table {
            Some(table) if *ask == Ask::Turn => table.reasons(act),
            _ => Reasons::from_act(act),
        }
    }
}

//! The beam: plans by the round in which they end; the best of each round is extended in turn.

use super::errands::{Deed, Land, Trade};
use super::legs::Leg;
use super::state::{HORIZON_MAX, State};
use crate::rules::Cell;

/// The start of a plan.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Opening {
    /// The first cell to enter, if it begins with steps.
    pub step: Option<Cell>,
    /// The first deed on the lighthouse.
    pub deed: Deed,
    /// Where it goes first.
    pub to: usize,
    /// When it gets there.
    pub arrival: usize,
    /// The root's leg that it takes.
    pub leg: usize,
}

impl Opening {
    fn goal(&self) -> Goal {
        let (to, arrival) = (self.to, self.arrival);
        Goal { to, arrival }
    }
}

/// A start of plans, and their outcomes.
#[derive(Clone, Copy, Debug)]
pub struct Tried {
    /// How they begin.
    pub opening: Opening,
    /// The best score per round of such a plan.
    pub merit: f32,
    /// How many such plans were made.
    pub plans: u32,
}

/// Where a plan leads first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Goal {
    /// The lighthouse.
    pub to: usize,
    /// When it gets there, in rounds from now.
    pub arrival: usize,
}

/// A plan up to a round.
#[derive(Clone, Debug)]
struct Plan {
    state: State,
    /// The cell where it stands at the beginning of each round, from round 1 on.
    path: [u16; HORIZON_MAX + 1],
    opening: u16,
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            state: State::default(),
            path: [0; HORIZON_MAX + 1],
            opening: 0,
        }
    }
}

impl Plan {
    fn copy(&mut self, other: &Self, count: usize) {
        self.state.copy(&other.state, count);
        self.path = other.path;
        self.opening = other.opening;
    }
}

/// The frequently used part of a plan.
#[derive(Clone, Copy, Debug)]
struct Mark {
    shape: u64,
    rank: f32,
    open: bool,
}

/// The plans that end in one round.
#[derive(Clone, Debug, Default)]
struct Layer {
    plans: Vec<Plan>,
    marks: Vec<Mark>,
    /// The least rank that is admitted once it is full.
    bar: f32,
}

impl Layer {
    /// The slot for a plan of this rank and shape, if it is admitted.
    fn place(&mut self, rank: f32, shape: u64, width: usize) -> Option<usize> {
        let mark = Mark {
            shape,
            rank,
            open: true,
        };
        let mut twins = self.marks.iter_mut().enumerate();
        if let Some((place, twin)) = twins.find(|(_, twin)| twin.shape == shape) {
            let better = twin.rank < rank;
            if better {
                *twin = mark;
            }
            return better.then_some(place);
        }
        if self.marks.len() < width {
            self.marks.push(mark);
            if self.marks.len() > self.plans.len() {
                self.plans.push(Plan::default());
            }
            return Some(self.marks.len() - 1);
        }
        let ranks = self.marks.iter().map(|mark| mark.rank).enumerate();
        let (place, bar) = ranks.min_by(|a, b| a.1.total_cmp(&b.1))?;
        self.bar = bar;
        if bar < rank {
            self.marks[place] = mark;
            Some(place)
        } else {
            None
        }
    }

    /// The best plan not extended yet; it counts as extended from now on.
    fn take(&mut self) -> Option<&Plan> {
        let open = self.marks.iter_mut().enumerate();
        let open = open.filter(|(_, mark)| mark.open);
        let (place, mark) = open.max_by(|a, b| a.1.rank.total_cmp(&b.1.rank))?;
        mark.open = false;
        self.plans.get(place)
    }
}

/// The plans found for one decision.
#[derive(Clone, Debug, Default)]
struct Found {
    layers: Vec<Layer>,
    tried: Vec<Tried>,
    /// What the best plan so far scores per round, and how it starts.
    best: Option<(f32, u16)>,
    /// Where the previous turn's plan leads.
    settled: Option<Goal>,
    /// The value of the root if nothing is done.
    base: f32,
    /// By round: the value of energy in the purse at the end of a plan.
    purse: Vec<f32>,
}

impl Found {
    fn begin(&mut self, trade: &Trade, root: &State, horizon: usize) {
        self.layers.resize_with(horizon + 1, Layer::default);
        for layer in &mut self.layers {
            layer.marks.clear();
            layer.bar = f32::NEG_INFINITY;
        }
        self.tried.clear();
        self.best = None;
        self.purse.clear();
        let fading = |round| trade.knobs.purse * trade.knobs.discount.powi(round);
        let rounds = 0..=HORIZON_MAX as i32;
        self.purse.extend(rounds.map(|round| fading(round) as f32));
        self.base = root.value + root.purse as f32 * self.purse[0];
    }

    /// Adds a start of plans.
    fn open(&mut self, opening: Opening) -> u16 {
        self.tried.push(Tried {
            opening,
            merit: f32::NEG_INFINITY,
            plans: 0,
        });
        (self.tried.len() - 1) as u16
    }

    /// Takes in a plan that begins with this opening and ends in `state`; `write` puts down its path if it is kept.
    fn enter(
        &mut self,
        trade: &Trade,
        opening: u16,
        state: &State,
        write: impl FnOnce(&mut [u16; HORIZON_MAX + 1]),
    ) {
        let rank = state.value + state.purse as f32 * self.purse[state.time.min(HORIZON_MAX)];
        let tried = self.tried.get_mut(usize::from(opening));
        let goal = tried.as_ref().map(|tried| tried.opening.goal());
        let kept = goal.is_some() && goal == self.settled;
        let merit = (rank - self.base) / (state.time as f32 + trade.knobs.overhead as f32);
        let merit = if kept && merit > 0.0 {
            merit * (1.0 + trade.knobs.commitment as f32)
        } else {
            merit
        };
        if let Some(tried) = tried {
            tried.merit = tried.merit.max(merit);
            tried.plans += 1;
        }
        if self.best.is_none_or(|(so_far, _)| merit > so_far) {
            self.best = Some((merit, opening));
        }
        let Some(layer) = self.layers.get_mut(state.time) else {
            return;
        };
        if rank <= layer.bar {
            return;
        }
        let shape = state.shape(trade.terrain.count);
        let Some(place) = layer.place(rank, shape, trade.knobs.width) else {
            return;
        };
        let plan = &mut layer.plans[place];
        plan.state.copy(state, trade.terrain.count);
        write(&mut plan.path);
        plan.opening = opening;
    }
}

/// The beam of one decision.
#[derive(Clone, Debug, Default)]
pub struct Search {
    /// The island as believed.
    pub land: Land,
    found: Found,
    parent: Plan,
    arrived: State,
    spare: [State; 2],
    horizon: usize,
    cursor: usize,
    /// How many rounds had no plans left since a plan was last extended.
    idle: usize,
}

impl Search {
    /// Starts at a position.
    pub fn begin(&mut self, trade: &Trade, root: &State, settled: Option<Goal>) {
        self.horizon = trade.knobs.horizon.clamp(1, HORIZON_MAX);
        self.found.begin(trade, root, self.horizon);
        self.found.settled = settled;
        self.parent.state.copy(root, trade.terrain.count);
        self.cursor = 0;
        self.idle = 0;
    }

    /// Takes the best plan not extended yet, round by round in turn. Returns the cell where it stands;
    /// `None`: there are none left.
    pub fn next(&mut self, trade: &Trade) -> Option<Cell> {
        let count = trade.terrain.count;
        self.land.untake(&self.parent.path, self.parent.state.time);
        self.parent.state.time = 0;
        while self.idle <= self.horizon {
            self.cursor = (self.cursor + 1) % (self.horizon + 1);
            let Some(plan) = self.found.layers[self.cursor].take() else {
                self.idle += 1;
                continue;
            };
            self.idle = 0;
            self.parent.copy(plan, count);
            self.land.take(&self.parent.path, self.parent.state.time);
            return Some(Cell(self.parent.state.at));
        }
        None
    }

    /// Tries a leg from the root, or from the end of the plan taken last. Returns how many plans were made.
    pub fn try_leg(&mut self, trade: &Trade, leg: &Leg, root: Option<usize>) -> u64 {
        let (parent, steps) = (&self.parent.state, leg.cells.len());
        let (begin, arrival) = (parent.time, parent.time + steps);
        if arrival > self.horizon {
            return 0;
        }
        let purse = parent.purse + self.land.collect(leg, begin);
        if !trade.useful(parent, leg.to, arrival, purse) {
            return 0;
        }
        let count = trade.terrain.count;
        self.arrived.copy(parent, count);
        self.arrived.purse = purse;
        self.arrived.keys |= leg.keys;
        self.arrived.at = trade.terrain.homes[leg.to].0;
        self.arrived.pass(steps, count);
        let home = self.arrived.at;
        let inherited = self.parent.opening;
        let Self {
            found,
            parent,
            arrived,
            spare,
            ..
        } = self;
        let mut made = 0;
        let mut last: Option<(Deed, u16)> = None;
        trade.visit(arrived, spare, |deed, state| {
            made += 1;
            if state.time == begin {
                return;
            }
            let opening = match last {
                _ if root.is_none() => inherited,
                Some((same, opening)) if same == deed || steps > 0 => opening,
                _ => found.open(Opening {
                    step: leg.cells.first().map(|cell| Cell(*cell)),
                    deed,
                    to: leg.to,
                    arrival,
                    leg: root.unwrap_or_default(),
                }),
            };
            last = Some((deed, opening));
            found.enter(trade, opening, state, |path| {
                path[..=begin].copy_from_slice(&parent.path[..=begin]);
                path[begin + 1..=arrival].copy_from_slice(&leg.cells);
                path[arrival + 1..=state.time].fill(home);
            });
        });
        made.max(1)
    }

    /// Takes in a plan that was made elsewhere, from the root on: `way[t]` is the cell at time t.
    pub fn offer(
        &mut self,
        trade: &Trade,
        opening: Opening,
        state: &State,
        way: &[u16; HORIZON_MAX + 1],
    ) {
        let number = match self.found.tried.last() {
            Some(last) if last.opening == opening => (self.found.tried.len() - 1) as u16,
            _ => self.found.open(opening),
        };
        self.found.enter(trade, number, state, |path| *path = *way);
    }

    /// Every start of plans, and whether the best plan begins so.
    pub fn compared(&self) -> impl Iterator<Item = (&Tried, bool)> {
        let best = self.found.best.map(|(_, opening)| usize::from(opening));
        let all = self.found.tried.iter().enumerate();
        let compared = all.map(move |(at, tried)| (tried, Some(at) == best));
        compared.filter(|(tried, _)| tried.plans > 0)
    }

    /// The start of the best plan so far.
    #[must_use]
    pub fn best(&self) -> Option<Opening> {
        let (_, opening) = self.found.best?;
        let tried = self.found.tried.get(usize::from(opening));
        tried.map(|tried| tried.opening)
    }
}

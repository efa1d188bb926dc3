//! What all players of the ladder track and use: the chart, the seat, ways, energy, legal links.

use super::memory::Memory;
use super::paths::{FAR, Paths, richest};
use super::reason::Reason;
use crate::rules::{Act, Ask, Cell, Chart, Event, Lighthouse, Lighthouses, Network, View};
use drover_game::by_rule::{ByRule, by_rule};
use drover_game::game::{Bot, Seat};
use drover_game::rng::Rng;
use std::sync::Arc;

/// What a player knows about its game.
#[derive(Clone)]
pub(super) struct Scout {
    pub(super) chart: Arc<Chart>,
    pub(super) seat: Seat,
    pub(super) players: usize,
    pub(super) paths: Paths,
    pub(super) memory: Memory,
}

impl Scout {
    /// Starts over when a game begins.
    pub(super) fn receive(scout: &mut Option<Self>, event: &Event) {
        if let Event::Begins(chart, seat, players) = event {
            *scout = Some(Self {
                paths: Paths::new(chart),
                memory: Memory::new(chart, *players),
                chart: Arc::clone(chart),
                seat: *seat,
                players: *players,
            });
        }
    }

    /// Takes in the view of a turn.
    pub(super) fn look(&mut self, view: &View) -> Scene {
        self.memory.look(&self.chart, view);
        let count = self.chart.lighthouses().len();
        let beacons = view.beacons.get(..count).unwrap_or(&view.beacons);
        Scene {
            seat: self.seat,
            here: view.position,
            at: self.chart.lighthouse_at(view.position),
            energy: view.energy,
            keys: view.keys,
            network: Network::from_beacons(&self.chart, self.players, beacons),
        }
    }

    /// The step to a neighbouring cell.
    pub(super) fn step(&self, from: Cell, to: Cell) -> Act {
        Act::Move(self.chart.step(from, to))
    }

    /// Any step, all equally likely.
    pub(super) fn random_step(&self, from: Cell, rng: &mut Rng) -> Act {
        let around = self.chart.neighbours(from);
        let pick = rng.below(around.len() as u32) as usize;
        around
            .get(pick)
            .map_or(Act::Pass, |to| self.step(from, *to))
    }

    /// The richest of the cells around, if it has more than `over`; any of equal ones.
    pub(super) fn richest_step(&self, from: Cell, over: u8, rng: &mut Rng) -> Option<Act> {
        let around = || self.chart.neighbours(from).iter().copied();
        let most = around().map(|cell| self.memory.now(cell)).max()?;
        let best: Vec<Cell> = around()
            .filter(|cell| self.memory.now(*cell) == most)
            .collect();
        let pick = rng.below(best.len() as u32) as usize;
        (most > over)
            .then(|| best.get(pick).map(|to| self.step(from, *to)))
            .flatten()
    }

    /// The first step of the richest among the shortest ways to a lighthouse.
    pub(super) fn step_to(&self, from: Cell, to: Lighthouse) -> Option<Act> {
        let shortest = self.paths.steps(from, to);
        if shortest == FAR || shortest == 0 {
            return None;
        }
        // Far away the whole way need not be searched.
        let beyond = shortest.saturating_sub(LOOK_AHEAD);
        let walk = richest(
            &self.chart,
            &self.memory,
            from,
            shortest - beyond,
            1.0,
            |cell| self.paths.steps(cell, to).saturating_sub(beyond),
        )?;
        Some(self.step(from, walk.first))
    }

    /// With less energy than wanted a step to a cell that is not poor, if there is one; else on the way to
    /// the target; else any step.
    pub(super) fn gather_or_walk(
        &self,
        scene: &Scene,
        rng: &mut Rng,
        wanted: u32,
        poor: u8,
        target: fn(&Self, &Scene) -> Option<Lighthouse>,
    ) -> (Act, Reason) {
        let energy = scene.energy;
        let gathered = (energy < wanted)
            .then(|| self.richest_step(scene.here, poor, rng))
            .flatten()
            .map(|step| (step, Reason::Gather { energy, wanted }));
        gathered
            .or_else(|| self.walk_to(scene.here, target(self, scene)?))
            .unwrap_or_else(|| (self.random_step(scene.here, rng), Reason::Stray))
    }

    /// The same step as [`Scout::step_to`], as the rule that decided.
    pub(super) fn walk_to(&self, from: Cell, to: Lighthouse) -> Option<(Act, Reason)> {
        let steps = self.paths.steps(from, to);
        Some((self.step_to(from, to)?, Reason::Walk { steps }))
    }

    /// The lighthouses of the chart.
    pub(super) fn lighthouses(&self) -> impl Iterator<Item = Lighthouse> + use<> {
        (0..self.chart.lighthouses().len() as u8).map(Lighthouse)
    }

    /// Cells that would be lit by what can be linked at a lighthouse with these keys: by one link of an own
    /// one, by two of one that is yet to be taken.
    pub(super) fn closing(&self, scene: &Scene, at: Lighthouse) -> i64 {
        let network = &scene.network;
        let open = |to: &Lighthouse| {
            *to != at
                && scene.mine(*to)
                && scene.keys & to.bit() != 0
                && self.chart.linkable(at) & to.bit() != 0
                && !network.crossed(&self.chart, at, *to)
        };
        let ends: Vec<Lighthouse> = self.lighthouses().filter(open).collect();
        if scene.mine(at) {
            let unlinked = |to: &&Lighthouse| network.beacon(at).links & to.bit() == 0;
            let closed = |to: &Lighthouse| network.closed(&self.chart, at, *to);
            return ends.iter().filter(unlinked).map(closed).max().unwrap_or(0);
        }
        let pairs = ends
            .iter()
            .flat_map(|a| ends.iter().map(move |b| (*a, *b)))
            .filter(|(a, b)| a < b && network.beacon(*a).links & b.bit() != 0);
        let area = |(a, b)| i64::from(self.chart.area(at, a, b));
        pairs.map(area).max().unwrap_or(0)
    }
}

/// A bot that looks at each turn with its scout and acts on what it sees.
#[derive(Clone)]
struct Scouting<F> {
    scout: Option<Scout>,
    rng: Rng,
    act: F,
}

/// A bot that acts by a function of what its scout knows, the turn's scene and its own chance.
pub(super) fn scouting<F>(rng: Rng, act: F) -> Box<dyn Bot<Lighthouses>>
where
    F: FnMut(&Scout, &Scene, &mut Rng) -> (Act, Reason) + Clone + Send + 'static,
{
    let scout = None;
    by_rule(Scouting { scout, rng, act })
}

impl<F> ByRule<Lighthouses> for Scouting<F>
where
    F: FnMut(&Scout, &Scene, &mut Rng) -> (Act, Reason) + Clone + Send + 'static,
{
    fn observe(&mut self, event: &Event) {
        Scout::receive(&mut self.scout, event);
    }

    fn turn(&mut self, view: &View, ask: &Ask) -> (Act, impl ToString) {
        let (Some(scout), Ask::Turn) = (self.scout.as_mut(), ask) else {
            return (Act::Pass, Reason::Nothing);
        };
        let scene = scout.look(view);
        (self.act)(scout, &scene, &mut self.rng)
    }
}

/// Steps of a way that are chosen with care.
const LOOK_AHEAD: u16 = 12;

/// One turn as a player sees it.
pub(super) struct Scene {
    pub(super) seat: Seat,
    pub(super) here: Cell,
    /// The lighthouse on which it stands.
    pub(super) at: Option<Lighthouse>,
    pub(super) energy: u32,
    pub(super) keys: u64,
    pub(super) network: Network,
}

impl Scene {
    /// Whether a lighthouse is the player's own.
    pub(super) fn mine(&self, lighthouse: Lighthouse) -> bool {
        self.network.beacon(lighthouse).owner == Some(self.seat)
    }

    /// The energy to beat to own a lighthouse: none if it is unowned or the player's.
    pub(super) fn against(&self, lighthouse: Lighthouse) -> u32 {
        let beacon = self.network.beacon(lighthouse);
        if beacon.owner.is_some_and(|owner| owner != self.seat) {
            beacon.energy
        } else {
            0
        }
    }

    /// Where the lighthouse on which the player stands can be linked to now, with the cells that each link
    /// would light.
    pub(super) fn links(&self, chart: &Chart) -> Vec<(Lighthouse, i64)> {
        let Some(at) = self.at else {
            return Vec::new();
        };
        let legal = |to: &Lighthouse| {
            let linkable = self.network.linkable(chart, self.seat, self.keys, at, *to);
            linkable.is_ok()
        };
        Lighthouse::in_set(self.keys)
            .filter(legal)
            .map(|to| (to, self.network.closed(chart, at, to)))
            .collect()
    }

    /// The link that lights most, the first of equal ones.
    pub(super) fn best_link(&self, chart: &Chart) -> Option<(Act, Reason)> {
        let links = self.links(chart);
        let (to, cells) = links
            .into_iter()
            .max_by_key(|(to, closed)| (*closed, std::cmp::Reverse(*to)))?;
        Some((Act::Connect(to), Reason::Link { cells }))
    }

    /// All energy for the lighthouse on which the player stands.
    pub(super) fn attack(&self, at: Lighthouse) -> (Act, Reason) {
        let (energy, against) = (self.energy, self.against(at));
        (
            Act::Attack(energy.into()),
            Reason::Attack { energy, against },
        )
    }
}

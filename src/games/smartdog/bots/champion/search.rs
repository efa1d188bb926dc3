//! The search: plans for every own dog over several turns, improved dog by dog with a beam that keeps the
//! other dogs' plans, first narrow, then wide. A node is one simulated turn of one line.

use super::deed::{Deed, deeds};
use super::draft::Draft;
use super::reach::Reach;
use super::role_search::{RoleSearch, Roles};
use super::simulator::{Deeds, Simulator, print};
use super::terrain::Terrain;
use super::tried::{Line, Tried};
use super::value::{Evaluation, Weights};
use super::world::World;
use crate::rules::{Orders, SmartDog};
use drover_game::game::{Budget, Progress};
use std::collections::HashSet;

/// The most turns in a plan.
pub(super) const DEPTH_MAX: usize = 16;

/// The most consecutive steps of a search that simulate nothing: after them nothing is left to do.
const IDLE_STEPS_MAX: u32 = 100_000;

/// Passes before one without improvement ends the search; also if nothing at all is better than standing.
const PASSES_MIN: usize = 4;
const IDLE_MIN: usize = 2;

/// Rivals are simulated if they are within this many steps more than a plan has, where lines go on.
const RIVALS_FAR: u32 = 30;

/// The most dogs, times dogs and sheep, with which lines go on after their plans: this bounds what one step of the
/// search takes.
const CROWD_MAX: usize = 4_000;

pub(super) type Plan = [Deed; DEPTH_MAX];

/// A position of the beam and how it was reached.
#[derive(Clone)]
struct Node {
    game: SmartDog,
    plan: Plan,
    /// The sum of the values along the way.
    sum: f64,
}

/// A position that may enter the beam.
#[derive(Clone)]
struct Child {
    parent: usize,
    deed: Deed,
    value: f64,
    sum: f64,
    total: f64,
    print: u64,
}

/// A beam in progress for one dog.
#[derive(Clone)]
struct Beam {
    dog: usize,
    width: usize,
    level: usize,
    nodes: Vec<Node>,
    at: usize,
    children: Vec<Child>,
}

/// A decision in progress.
#[derive(Clone)]
pub(super) struct Search {
    simulator: Simulator,
    reach: Reach,
    /// By place in `evaluation.own`.
    plans: Vec<Plan>,
    best: Option<f64>,
    /// The roles being compared, then the best ones.
    role_search: Option<RoleSearch>,
    roles: Roles,
    draft: Option<Draft>,
    pass: usize,
    turn_of: usize,
    /// Whether this pass has found better plans.
    improved: bool,
    beam: Option<Beam>,
    /// The best line of each first deed in each dog's last beam, if that is kept.
    pub(super) tried: Option<Tried>,
    /// The first turns of the lines by roles, with the lines' values.
    assigned: Vec<(Deeds, f64)>,
}

impl Search {
    pub(super) fn new(
        world: &World,
        terrain: &Terrain,
        mut reach: Reach,
        weights: Weights,
    ) -> Self {
        reach.depth = reach.depth.clamp(1, DEPTH_MAX);
        let (dogs, sheep) = (world.game.dogs().len(), world.game.sheep().len());
        let alone = world.game.ground().tiles().len() < 2;
        if alone || dogs * (dogs + sheep) > CROWD_MAX {
            reach.horizon = 0;
        }
        // Alone, plans begin with standing: measured better.
        reach.draft &= !alone;
        let (evaluation, depth) = (Evaluation::new(world, terrain, weights), reach.depth as u32);
        let plans = vec![Plan::default(); evaluation.own.len()];
        let range = depth + if reach.horizon > 0 { RIVALS_FAR } else { 2 };
        let simulator = Simulator::new(world, evaluation, depth + reach.horizon, range, reach);
        let new_roles = || RoleSearch::new(&simulator, terrain, reach);
        Self {
            plans,
            role_search: simulator.goes_on().then(new_roles),
            roles: Roles::new(),
            draft: (reach.draft).then(|| Draft::new(&simulator, reach.depth)),
            simulator,
            best: None,
            pass: 0,
            turn_of: 0,
            improved: false,
            beam: None,
            tried: None,
            assigned: Vec::new(),
            reach,
        }
    }

    /// Searches until the budget is spent or nothing is left to do.
    pub(super) fn run(&mut self, terrain: &mut Terrain, budget: Budget<'_>) -> Progress {
        if self.plans.is_empty() {
            return Progress::Done;
        }
        let (mut idle, mut used) = (0, self.used());
        while self.used() < budget.nodes && !(budget.stop)() {
            idle = if self.used() == used { idle + 1 } else { 0 };
            used = self.used();
            if idle > IDLE_STEPS_MAX {
                return Progress::Done;
            }
            if let Some(role_search) = self.role_search.take() {
                self.try_roles(role_search, terrain);
                continue;
            }
            if self.best.is_none() {
                let standing = |_, _| Deed::default();
                self.best = Some(self.simulator.line(self.reach.depth, terrain, standing));
                continue;
            }
            if let Some(draft) = self.draft.take() {
                self.draft(draft, terrain);
                continue;
            }
            let Some(mut beam) = self.beam.take() else {
                match self.open_beam() {
                    Some(beam) => self.beam = Some(beam),
                    None => return Progress::Done,
                }
                continue;
            };
            if beam.at < beam.nodes.len() {
                self.expand(&mut beam, terrain);
                self.beam = Some(beam);
            } else if !self.close_level(&mut beam, terrain) {
                self.beam = Some(beam);
            }
        }
        Progress::More
    }

    /// The first turn's orders of the best plans, in terms of the believed position.
    pub(super) fn orders(&self) -> Orders {
        self.simulator.orders(self.plans.iter().map(|plan| plan[0]))
    }

    /// How many turns whole lines are followed.
    const fn turns(&self) -> usize {
        self.reach.depth + self.reach.horizon as usize
    }

    /// Whether nothing better than standing was found.
    fn is_idle(&self) -> bool {
        let stands = |plan: &Plan| plan.iter().all(|deed| *deed == Deed::default());
        self.plans.iter().all(stands)
    }

    /// Simulated turns so far.
    pub(super) const fn used(&self) -> u64 {
        self.simulator.used
    }

    /// Goes on with the roles; at the end they make the first plans.
    fn try_roles(&mut self, mut role_search: RoleSearch, terrain: &mut Terrain) {
        if role_search.step(&mut self.simulator, terrain) {
            self.best = role_search.total;
            self.plan(&role_search.turns);
            self.roles.clone_from(&role_search.roles);
            self.role_search = Some(role_search);
        } else {
            self.assigned = role_search.lines;
        }
    }

    /// Goes on with the draft; at its end its plans are taken if they are better.
    fn draft(&mut self, mut draft: Draft, terrain: &mut Terrain) {
        let Some((value, sum)) = draft.step(&mut self.simulator, terrain) else {
            self.draft = Some(draft);
            return;
        };
        let (game, depth) = (&mut draft.game, draft.turns.len());
        let simulator = &mut self.simulator;
        let total = simulator.far_total(game, value, sum, depth, &self.roles, terrain);
        if self.best.is_none_or(|best| total > best + 1e-9) {
            self.best = Some(total);
            self.plan(&draft.turns);
        }
    }

    /// Makes these turns the plans.
    fn plan(&mut self, turns: &[Deeds]) {
        for (turn, deeds) in turns.iter().enumerate() {
            for (plan, deed) in self.plans.iter_mut().zip(deeds) {
                plan[turn] = *deed;
            }
        }
    }

    fn open_beam(&mut self) -> Option<Beam> {
        if self.turn_of == self.plans.len() {
            let passes = if self.is_idle() { IDLE_MIN } else { PASSES_MIN };
            let settled = !self.improved && self.pass + 1 >= passes;
            if settled {
                return None;
            }
            self.improved = false;
            self.turn_of = 0;
            self.pass += 1;
        }
        let width = *self.reach.widths.get(self.pass)?;
        let dog = self.turn_of;
        self.turn_of += 1;
        let root = Node {
            game: self.simulator.root.clone(),
            plan: Plan::default(),
            sum: 0.0,
        };
        Some(Beam {
            dog,
            width,
            level: 0,
            nodes: vec![root],
            at: 0,
            children: Vec::new(),
        })
    }

    /// Tries all deeds of the beam's dog in the next position.
    fn expand(&mut self, beam: &mut Beam, terrain: &mut Terrain) {
        let parent = beam.at;
        beam.at += 1;
        let Some(node) = beam.nodes.get(parent) else {
            return;
        };
        let simulator = &mut self.simulator;
        let begun = simulator.begin(&node.game);
        for deed in deeds(&node.game, simulator.me, simulator.evaluation.own[beam.dog]) {
            let deeds = together(&self.plans, beam.level, beam.dog, deed);
            let game = self.simulator.played(&begun, deeds);
            let value = self.simulator.evaluation.value(&game, terrain);
            let sum = node.sum + value;
            beam.children.push(Child {
                parent,
                deed,
                value,
                sum,
                total: self.simulator.total(value, sum),
                print: print(&game),
            });
            self.simulator.reuse([game]);
        }
        self.simulator.reuse([begun.game]);
    }

    /// Makes the best children the next level; at the last one takes the best plan. Returns true at the end.
    fn close_level(&mut self, beam: &mut Beam, terrain: &mut Terrain) -> bool {
        beam.children
            .sort_by(|one, other| other.total.total_cmp(&one.total));
        let last = beam.level + 1 == self.reach.depth;
        self.note(beam);
        let width = if last { self.reach.finals } else { beam.width };
        let mut met = HashSet::new();
        let mut nodes: Vec<Node> = Vec::new();
        for child in &beam.children {
            if met.len() == width {
                break;
            }
            if !met.insert(child.print) {
                continue;
            }
            let Some(parent) = beam.nodes.get(child.parent) else {
                continue;
            };
            let mut plan = parent.plan;
            plan[beam.level] = child.deed;
            if last {
                self.settle(beam.dog, parent, child, plan, terrain);
                continue;
            }
            nodes.push(Node {
                game: self.played(&parent.game, beam.dog, child.deed, beam.level),
                plan,
                sum: child.sum,
            });
        }
        let old = std::mem::replace(&mut beam.nodes, nodes);
        self.simulator.reuse(old.into_iter().map(|node| node.game));
        beam.children.clear();
        beam.at = 0;
        beam.level += 1;
        last || beam.nodes.is_empty()
    }

    /// Takes a whole plan of a dog if it is better than its old one.
    fn settle(
        &mut self,
        dog: usize,
        parent: &Node,
        child: &Child,
        plan: Plan,
        terrain: &mut Terrain,
    ) {
        let mut total = child.total;
        if self.simulator.goes_on() {
            let depth = self.reach.depth;
            let mut game = self.played(&parent.game, dog, child.deed, depth - 1);
            let (value, sum, roles) = (child.value, child.sum, &self.roles);
            let simulator = &mut self.simulator;
            total = simulator.far_total(&mut game, value, sum, depth, roles, terrain);
            simulator.reuse([game]);
            let line = Line {
                dog,
                first: plan[0],
                value: total,
                turns: self.turns(),
            };
            if let Some(tried) = &mut self.tried {
                tried.better(line);
            }
        }
        if self.best.is_none_or(|best| total > best + 1e-9) {
            self.best = Some(total);
            self.improved = true;
            self.plans[dog] = plan;
        }
    }

    /// Keeps the best line of each first deed, the beam's children being sorted, if lines end with their plans. What
    /// the beam has dropped stays as it was last seen.
    fn note(&mut self, beam: &Beam) {
        let ends = !self.simulator.goes_on();
        let Some(tried) = self.tried.as_mut().filter(|_| ends) else {
            return;
        };
        if beam.level == 0 {
            tried.forget(beam.dog);
        }
        for child in &beam.children {
            let parent = beam.nodes.get(child.parent);
            let first = parent.filter(|_| beam.level > 0);
            tried.farther(Line {
                dog: beam.dog,
                first: first.map_or(child.deed, |parent| parent.plan[0]),
                value: child.total,
                turns: beam.level + 1,
            });
        }
    }

    /// The chosen orders, those that change one dog's first deed and those by other roles, with their values and how
    /// many turns they were followed.
    pub(super) fn compared(&self) -> Vec<(Orders, f64, usize)> {
        let best = self.best.map(|best| (self.orders(), best, self.turns()));
        let mut compared: Vec<_> = best.into_iter().collect();
        let planned = |tried: &&Line| {
            let plan = self.plans.get(tried.dog);
            plan.is_some_and(|plan| plan[0] == tried.first)
        };
        for tried in self
            .tried
            .iter()
            .flat_map(Tried::iter)
            .filter(|tried| !planned(tried))
        {
            let deeds = together(&self.plans, 0, tried.dog, tried.first);
            compared.push((self.simulator.orders(deeds), tried.value, tried.turns));
        }
        for (deeds, value) in &self.assigned {
            let orders = self.simulator.orders(deeds.iter().copied());
            if !compared.iter().any(|(known, _, _)| *known == orders) {
                compared.push((orders, *value, self.turns()));
            }
        }
        compared
    }

    /// The position after one turn: the beam's dog by `deed`, the other own dogs by their plans.
    fn played(&mut self, game: &SmartDog, dog: usize, deed: Deed, level: usize) -> SmartDog {
        let mut game = self.simulator.copy(game);
        let deeds = together(&self.plans, level, dog, deed);
        self.simulator.play(&mut game, deeds);
        game
    }
}

/// What all own dogs do in a turn of their plans if one of them does something else.
fn together(plans: &[Plan], turn: usize, dog: usize, deed: Deed) -> impl Iterator<Item = Deed> {
    let plans = plans.iter().enumerate();
    plans.map(move |(at, plan)| if at == dog { deed } else { plan[turn] })
}

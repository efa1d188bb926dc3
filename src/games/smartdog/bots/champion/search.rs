//! The search: plans for every own dog over several turns, improved dog by dog with a beam that keeps the
//! other dogs' plans, first narrow, then wide. A node is one simulated turn of one line.

use super::deed::{Deed, deeds};
use super::reply::Replies;
use super::terrain::Terrain;
use super::value::{Lens, Weights};
use super::world::World;
use crate::game::{Budget, Progress, Seat};
use crate::smartdog::options::Key;
use crate::smartdog::rules::{DogId, Land, Orders, SmartDog, Spot};
use std::collections::HashSet;

/// The most turns in a plan.
pub(super) const DEPTH_MAX: usize = 16;

/// The most consecutive steps of a search that simulate nothing: after them nothing is left to do.
pub(super) const IDLE_STEPS_MAX: u32 = 100_000;

/// Passes before one without improvement ends the search; also if nothing at all is better than standing.
const PASSES_MIN: usize = 4;
const IDLE_MIN: usize = 2;

/// The depth and width of a search.
#[derive(Clone, Copy, Debug)]
pub struct Reach {
    /// Turns in a plan, at most [`DEPTH_MAX`].
    pub depth: usize,
    /// Positions kept per turn, pass by pass.
    pub widths: &'static [usize],
    /// The long beam, used if nothing else is better than standing: width and turns; 0: none.
    pub long: (usize, u32),
    /// Whether others are expected to act.
    pub replies: bool,
    /// The share that the values along the way have in a line's value.
    pub trail: f64,
}

type Plan = [Deed; DEPTH_MAX];

/// A position of the beam and how it was reached.
struct Node {
    game: SmartDog,
    plan: Plan,
    /// The sum of the values along the way.
    sum: f64,
}

/// A position that may enter the beam.
struct Child {
    parent: usize,
    deed: Deed,
    sum: f64,
    total: f64,
    print: u64,
}

/// A beam in progress for one dog.
struct Beam {
    dog: usize,
    width: usize,
    level: usize,
    nodes: Vec<Node>,
    at: usize,
    children: Vec<Child>,
}

/// A decision in progress.
pub(super) struct Search {
    root: SmartDog,
    me: Seat,
    lens: Lens,
    reach: Reach,
    replies: Replies,
    /// Foreign dogs near enough to matter, by place.
    active: Vec<bool>,
    /// By place in `lens.own`.
    plans: Vec<Plan>,
    best: Option<f64>,
    pass: usize,
    turn_of: usize,
    /// Whether this pass has found better plans.
    improved: bool,
    beam: Option<Beam>,
    spare: Vec<SmartDog>,
    used: u64,
}

impl Search {
    pub(super) fn new(world: &World, terrain: &Terrain, reach: Reach, weights: Weights) -> Self {
        let mut lens = Lens::new(world, terrain, weights);
        let (root, left_out) = near(world, &lens.own, reach.depth);
        lens.leave_out(left_out);
        let options = root.ground().options();
        let margin = options.get(Key::DogBarkingR).min(1_000) as i32 + reach.depth as i32 + 2;
        let torus = root.ground().torus();
        let close = |at: usize| {
            lens.own.iter().any(|own| {
                let (dx, dy) = torus.displacement(root.dogs()[*own].spot, root.dogs()[at].spot);
                dx.abs() + dy.abs() <= margin
            })
        };
        let home = root.ground().tiles().get(world.me).copied();
        let active = (0..root.dogs().len())
            .map(|at| {
                let dog = &root.dogs()[at];
                reach.replies
                    && dog.owner != world.me
                    && (close(at) || home.is_some_and(|home| home.contains(dog.spot)))
            })
            .collect();
        Self {
            me: world.me,
            replies: world.replies().clone(),
            active,
            plans: vec![Plan::default(); lens.own.len()],
            best: None,
            pass: 0,
            turn_of: 0,
            improved: false,
            beam: None,
            spare: Vec::new(),
            used: 0,
            root,
            lens,
            reach,
        }
    }

    /// Searches until the budget is spent or nothing is left to do.
    pub(super) fn run(&mut self, terrain: &mut Terrain, budget: Budget<'_>) -> Progress {
        if self.lens.own.is_empty() {
            return Progress::Done;
        }
        let (mut idle, mut used) = (0, self.used);
        while self.used < budget.nodes && !(budget.stop)() {
            idle = if self.used == used { idle + 1 } else { 0 };
            used = self.used;
            if idle > IDLE_STEPS_MAX {
                return Progress::Done;
            }
            if self.best.is_none() {
                self.best = Some(self.standing(terrain));
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
            } else if !self.close_level(&mut beam) {
                self.beam = Some(beam);
            }
        }
        Progress::More
    }

    /// The first turn's orders of the best plans, in terms of the believed position.
    pub(super) fn orders(&self) -> Orders {
        let mut game = self.root.clone();
        let mut orders = Orders::new();
        for (own, plan) in self.lens.own.iter().zip(&self.plans) {
            for command in plan[0].commands(DogId(*own as u16)) {
                if game.play(self.me, command).is_ok() {
                    orders.push(command);
                }
            }
        }
        orders
    }

    /// Whether nothing better than standing was found.
    pub(super) fn is_idle(&self) -> bool {
        let stands = |plan: &Plan| plan.iter().all(|deed| *deed == Deed::default());
        self.plans.iter().all(stands)
    }

    /// Simulated turns so far.
    pub(super) const fn used(&self) -> u64 {
        self.used
    }

    fn copy(&mut self, game: &SmartDog) -> SmartDog {
        match self.spare.pop() {
            Some(mut copy) => {
                copy.copy_from(game);
                copy
            }
            None => game.clone(),
        }
    }

    /// The value of the current plans, played out.
    fn standing(&mut self, terrain: &mut Terrain) -> f64 {
        let mut game = self.root.clone();
        let (mut sum, mut value) = (0.0, 0.0);
        for level in 0..self.reach.depth {
            self.play(&mut game, usize::MAX, Deed::default(), level);
            value = self.lens.value(&game, terrain);
            sum += value;
        }
        value + self.reach.trail * sum
    }

    fn open_beam(&mut self) -> Option<Beam> {
        if self.turn_of == self.lens.own.len() {
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
            game: self.root.clone(),
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
        for deed in deeds(&node.game, self.me, self.lens.own[beam.dog]) {
            let mut game = self.copy(&node.game);
            self.play(&mut game, beam.dog, deed, beam.level);
            let value = self.lens.value(&game, terrain);
            let sum = node.sum + value;
            beam.children.push(Child {
                parent,
                deed,
                sum,
                total: value + self.reach.trail * sum,
                print: print(&game),
            });
            self.spare.push(game);
        }
    }

    /// Makes the best children the next level; at the last one takes the best plan. Returns true at the end.
    fn close_level(&mut self, beam: &mut Beam) -> bool {
        beam.children
            .sort_by(|one, other| other.total.total_cmp(&one.total));
        let last = beam.level + 1 == self.reach.depth;
        let mut met = HashSet::new();
        let mut nodes: Vec<Node> = Vec::new();
        for child in &beam.children {
            if nodes.len() == if last { 1 } else { beam.width } {
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
                if self.best.is_none_or(|best| child.total > best + 1e-9) {
                    self.best = Some(child.total);
                    self.improved = true;
                    self.plans[beam.dog] = plan;
                }
                break;
            }
            let mut game = self.copy(&parent.game);
            self.play(&mut game, beam.dog, child.deed, beam.level);
            nodes.push(Node {
                game,
                plan,
                sum: child.sum,
            });
        }
        let old = std::mem::replace(&mut beam.nodes, nodes);
        self.spare.extend(old.into_iter().map(|node| node.game));
        beam.children.clear();
        beam.at = 0;
        beam.level += 1;
        last || beam.nodes.is_empty()
    }

    /// Plays one turn of all players: the beam's dog by `deed`, the other own dogs by their plans.
    fn play(&mut self, game: &mut SmartDog, dog: usize, deed: Deed, level: usize) {
        self.used += 1;
        let active = &self.active;
        let expected = if active.contains(&true) {
            let wanted = |at: usize| active.get(at).copied().unwrap_or(false);
            self.replies.orders(game, &wanted)
        } else {
            Default::default()
        };
        for (at, own) in self.lens.own.iter().enumerate() {
            let deed = if at == dog {
                deed
            } else {
                self.plans[at][level]
            };
            for command in deed.commands(DogId(*own as u16)) {
                // A refused command changes nothing.
                let _ = game.play(self.me, command);
            }
        }
        for (seat, command) in expected {
            let _ = game.play(seat, command);
        }
        game.end_all();
    }
}

/// The position without the sheep that no dog near can reach within a plan, and their cells; true: in a
/// rival's pen.
fn near(world: &World, own: &[usize], depth: usize) -> (SmartDog, Vec<(usize, bool)>) {
    let game = &world.game;
    let ground = game.ground();
    let torus = ground.torus();
    let bark = ground.options().get(Key::DogBarkingR).min(1_000);
    let reach = (depth as u32 + bark + 2) as i32;
    let within = |from: Spot, to: Spot| {
        let (dx, dy) = torus.displacement(from, to);
        dx.abs() + dy.abs() <= reach
    };
    let rivals = || game.dogs().iter().filter(|dog| dog.owner != world.me);
    let mut left_out = Vec::new();
    let mut sheep = Vec::new();
    for one in game.sheep() {
        let land = ground.land(one.spot);
        let at_stake = land == Land::Pen(world.me);
        let close = own
            .iter()
            .filter_map(|own| game.dogs().get(*own))
            .any(|dog| within(dog.spot, one.spot));
        if close || at_stake && rivals().any(|dog| within(dog.spot, one.spot)) {
            sheep.push(one.clone());
        } else if !at_stake {
            left_out.push((torus.index(one.spot), matches!(land, Land::Pen(_))));
        }
    }
    let dogs = game.dogs().iter().cloned();
    let root = SmartDog::imagine(ground, game.turn(), dogs, sheep, super::world::PUSHES_MAX);
    (root, left_out)
}

/// A fingerprint: equal for equal positions.
pub(super) fn print(game: &SmartDog) -> u64 {
    let mut print = 0u64;
    let mut mix = |value: u64| {
        print = (print.rotate_left(5) ^ value).wrapping_mul(0x517C_C1B7_2722_0A95);
    };
    for dog in game.dogs() {
        mix(u64::from(dog.spot.x) | u64::from(dog.spot.y) << 16 | u64::from(dog.disabled) << 32);
    }
    for sheep in game.sheep() {
        mix(u64::from(sheep.spot.x)
            | u64::from(sheep.spot.y) << 16
            | (sheep.direction as u64) << 32
            | u64::from(sheep.frightened) << 34);
    }
    print
}

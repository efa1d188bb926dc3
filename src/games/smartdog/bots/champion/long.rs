//! The long beam, for positions in which no short plan is better than standing. Within a turn the dogs choose
//! one after the other, while those that have not chosen yet stand; it looks so far ahead that it must be
//! narrow.

use super::deed::{Deed, deeds};
use super::reply::{Expected, Replies};
use super::search::{IDLE_STEPS_MAX, Reach, print};
use super::terrain::Terrain;
use super::value::{Lens, Weights};
use super::world::World;
use crate::game::{Budget, Progress, Seat};
use crate::smartdog::options::Key;
use crate::smartdog::rules::{DogId, Land, Orders, SmartDog, Spot};
use smallvec::SmallVec;
use std::collections::HashSet;

/// Sheep and rivals farther away than this many steps plus a bark are not simulated.
const RANGE_MAX: u32 = 40;
/// Rivals are simulated if they are within this many steps plus a bark.
const RIVALS_RANGE: u32 = 20;
type Deeds = SmallVec<[Deed; 6]>;

/// A position at the beginning of a turn.
struct Node {
    game: SmartDog,
    /// What the dogs did in the first turn.
    first: Deeds,
    /// The sum of the values along the way.
    sum: f64,
}

/// What the first dogs do in one position's turn.
struct Choice {
    node: usize,
    deeds: Deeds,
    value: f64,
    total: f64,
    print: u64,
}

/// A beam in progress.
struct Beam {
    width: usize,
    depth: u32,
    turn: u32,
    nodes: Vec<Node>,
    /// The dog that chooses next.
    dog: usize,
    choices: Vec<Choice>,
    at: usize,
    more: Vec<Choice>,
    root: SmartDog,
}

/// A search in progress.
pub(super) struct Long {
    world: SmartDog,
    me: Seat,
    lens: Lens,
    reach: Reach,
    replies: Replies,
    /// Foreign dogs near enough to matter, by place.
    active: Vec<bool>,
    beam: Option<Beam>,
    best: Deeds,
    done: bool,
    spare: Vec<SmartDog>,
    used: u64,
}

impl Long {
    pub(super) fn new(world: &World, terrain: &Terrain, reach: Reach, weights: Weights) -> Self {
        let lens = Lens::new(world, terrain, weights);
        let game = &world.game;
        let torus = game.ground().torus();
        let bark = game.ground().options().get(Key::DogBarkingR).min(1_000);
        let range = (RIVALS_RANGE + bark) as i32;
        let home = game.ground().tiles().get(world.me).copied();
        let own = || game.dogs().iter().filter(|dog| dog.owner == world.me);
        let near = |spot: Spot| own().any(|dog| steps(torus.displacement(dog.spot, spot)) <= range);
        let matters = |spot: Spot| near(spot) || home.is_some_and(|home| home.contains(spot));
        let active = game
            .dogs()
            .iter()
            .map(|dog| reach.replies && dog.owner != world.me && matters(dog.spot))
            .collect();
        Self {
            world: game.clone(),
            me: world.me,
            replies: world.replies().clone(),
            active,
            beam: None,
            best: Deeds::new(),
            done: lens.own.is_empty() || reach.long.0 == 0,
            spare: Vec::new(),
            used: 0,
            lens,
            reach,
        }
    }

    /// Searches until the budget is spent or nothing is left to do.
    pub(super) fn run(&mut self, terrain: &mut Terrain, budget: Budget<'_>) -> Progress {
        let (mut idle, mut used) = (0, self.used);
        while !self.done {
            idle = if self.used == used { idle + 1 } else { 0 };
            used = self.used;
            if idle > IDLE_STEPS_MAX {
                break;
            }
            if self.used >= budget.nodes || (budget.stop)() {
                return Progress::More;
            }
            match self.beam.take() {
                None => self.open(),
                Some(mut beam) => {
                    if beam.at < beam.choices.len() {
                        self.expand(&mut beam, terrain);
                        self.beam = Some(beam);
                    } else if self.close(&mut beam, terrain) {
                        self.done = true;
                    } else {
                        self.beam = Some(beam);
                    }
                }
            }
        }
        Progress::Done
    }

    /// The orders of the best line's first turn, in terms of the believed position.
    pub(super) fn orders(&self) -> Orders {
        let mut game = self.world.clone();
        let mut orders = Orders::new();
        for (own, deed) in self.lens.own.iter().zip(&self.best) {
            for command in deed.commands(DogId(*own as u16)) {
                if game.play(self.me, command).is_ok() {
                    orders.push(command);
                }
            }
        }
        orders
    }

    fn open(&mut self) {
        let (width, turns) = self.reach.long;
        let left = self.lens.turns_left(&self.world).max(1);
        let depth = turns.min(left);
        let root = self.near(depth);
        let node = Node {
            game: root.clone(),
            first: Deeds::new(),
            sum: 0.0,
        };
        self.beam = Some(Beam {
            width,
            depth,
            turn: 0,
            nodes: vec![node],
            dog: 0,
            choices: vec![Choice::open(0)],
            at: 0,
            more: Vec::new(),
            root,
        });
    }

    /// Tries all deeds of the next dog after one choice of the dogs before it.
    fn expand(&mut self, beam: &mut Beam, terrain: &mut Terrain) {
        let choice = &beam.choices[beam.at];
        beam.at += 1;
        let Some(node) = beam.nodes.get(choice.node) else {
            return;
        };
        for deed in deeds(&node.game, self.me, self.lens.own[beam.dog]) {
            let mut taken = choice.deeds.clone();
            taken.push(deed);
            let mut game = self.copy(&node.game);
            self.play(&mut game, &taken);
            let value = self.lens.value(&game, terrain);
            beam.more.push(Choice {
                node: choice.node,
                deeds: taken,
                value,
                total: value + self.reach.trail * (node.sum + value),
                print: print(&game),
            });
            self.spare.push(game);
        }
    }

    /// Keeps the best choices; after the last dog plays the turn, after the last turn decides. Returns true
    /// at the end of the beam.
    fn close(&mut self, beam: &mut Beam, terrain: &mut Terrain) -> bool {
        let mut more = std::mem::take(&mut beam.more);
        more.sort_by(|one, other| other.total.total_cmp(&one.total));
        let mut met = HashSet::new();
        more.retain(|choice| met.insert(choice.print));
        more.truncate(beam.width);
        beam.at = 0;
        beam.dog += 1;
        if beam.dog < self.lens.own.len() {
            beam.choices = more;
            return false;
        }
        beam.dog = 0;
        beam.turn += 1;
        if beam.turn >= beam.depth {
            self.decide(beam, &more, terrain);
            return true;
        }
        let mut nodes = Vec::with_capacity(more.len());
        for choice in more {
            let Some(node) = beam.nodes.get(choice.node) else {
                continue;
            };
            let mut game = self.copy(&node.game);
            self.play(&mut game, &choice.deeds);
            let first = if beam.turn == 1 {
                choice.deeds
            } else {
                node.first.clone()
            };
            let sum = node.sum + choice.value;
            nodes.push(Node { game, first, sum });
        }
        let old = std::mem::replace(&mut beam.nodes, nodes);
        self.spare.extend(old.into_iter().map(|node| node.game));
        beam.choices = (0..beam.nodes.len()).map(Choice::open).collect();
        false
    }

    fn decide(&mut self, beam: &Beam, last: &[Choice], terrain: &mut Terrain) {
        let standing = self.standing(beam, terrain);
        let Some(best) = last.first() else { return };
        let first = beam.nodes.get(best.node).map(|node| &node.first);
        if best.total <= standing + 1e-9 {
            self.best = Deeds::new();
        } else if beam.turn == 1 {
            self.best = best.deeds.clone();
        } else if let Some(first) = first {
            self.best = first.clone();
        }
    }

    /// The value of standing for the length of the beam.
    fn standing(&mut self, beam: &Beam, terrain: &mut Terrain) -> f64 {
        let mut game = beam.root.clone();
        let (mut sum, mut value) = (0.0, 0.0);
        for _ in 0..beam.depth {
            self.play(&mut game, &[]);
            value = self.lens.value(&game, terrain);
            sum += value;
        }
        value + self.reach.trail * sum
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

    /// Plays one turn of all players; own dogs without a deed stand.
    fn play(&mut self, game: &mut SmartDog, deeds: &[Deed]) {
        self.used += 1;
        let active = &self.active;
        let expected = if active.contains(&true) {
            let wanted = |at: usize| active.get(at).copied().unwrap_or(false);
            self.replies.orders(game, &wanted)
        } else {
            Expected::new()
        };
        for (own, deed) in self.lens.own.iter().zip(deeds) {
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

    /// The position without the sheep that no dog near can reach within a beam; the lens counts them as work
    /// for later.
    fn near(&mut self, depth: u32) -> SmartDog {
        let game = &self.world;
        let ground = game.ground();
        let torus = ground.torus();
        let bark = ground.options().get(Key::DogBarkingR).min(1_000);
        let range = (depth.min(RANGE_MAX) + bark + 2) as i32;
        let within = |from: Spot, to: Spot| steps(torus.displacement(from, to)) <= range;
        let mut left_out = Vec::new();
        let mut sheep = Vec::new();
        for one in game.sheep() {
            let land = ground.land(one.spot);
            let at_stake = land == Land::Pen(self.me);
            let close = game
                .dogs()
                .iter()
                .any(|dog| (dog.owner == self.me || at_stake) && within(dog.spot, one.spot));
            if close {
                sheep.push(one.clone());
            } else if !at_stake {
                left_out.push((torus.index(one.spot), matches!(land, Land::Pen(_))));
            }
        }
        self.lens.leave_out(left_out);
        let dogs = game.dogs().iter().cloned();
        SmartDog::imagine(ground, game.turn(), dogs, sheep, super::world::PUSHES_MAX)
    }
}

impl Choice {
    /// Nothing chosen yet.
    fn open(node: usize) -> Self {
        Self {
            node,
            deeds: Deeds::new(),
            value: 0.0,
            total: 0.0,
            print: 0,
        }
    }
}

fn steps((dx, dy): (i32, i32)) -> i32 {
    dx.abs() + dy.abs()
}

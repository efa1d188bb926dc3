//! The long beam, for positions in which no short plan is better than standing. Within a turn the dogs choose
//! one after the other, while those that have not chosen yet stand; it looks so far ahead that it must be
//! narrow.

use super::deed::{Deed, deeds};
use super::search::{IDLE_STEPS_MAX, Reach};
use super::simulator::{Simulator, print};
use super::terrain::Terrain;
use super::value::{Evaluation, Weights};
use super::world::World;
use crate::game::{Budget, Progress};
use crate::smartdog::rules::{Orders, SmartDog};
use smallvec::SmallVec;
use std::collections::HashSet;

/// Rivals are simulated if they are within this many steps plus a bark.
const RIVALS_RANGE: u32 = 20;
type Deeds = SmallVec<[Deed; 6]>;

/// A position at the beginning of a turn.
#[derive(Clone)]
struct Node {
    game: SmartDog,
    /// What the dogs did in the first turn.
    first: Deeds,
    /// The sum of the values along the way.
    sum: f64,
}

/// What the first dogs do in one position's turn.
#[derive(Clone)]
struct Choice {
    node: usize,
    deeds: Deeds,
    value: f64,
    total: f64,
    print: u64,
}

/// A beam in progress.
#[derive(Clone)]
struct Beam {
    turn: u32,
    nodes: Vec<Node>,
    /// The dog that chooses next.
    dog: usize,
    choices: Vec<Choice>,
    at: usize,
    more: Vec<Choice>,
}

/// A search in progress.
#[derive(Clone)]
pub(super) struct Long {
    simulator: Simulator,
    width: usize,
    /// Turns ahead.
    depth: u32,
    beam: Option<Beam>,
    best: Deeds,
    done: bool,
    /// The best line of each first turn, and standing, with their values, once it is done.
    tried: Vec<(Deeds, f64)>,
}

impl Long {
    pub(super) fn new(world: &World, terrain: &Terrain, reach: Reach, weights: Weights) -> Self {
        let evaluation = Evaluation::new(world, terrain, weights);
        let (width, turns) = reach.long;
        let depth = turns.min(evaluation.turns_left(&world.game).max(1));
        Self {
            done: evaluation.own.is_empty() || width == 0,
            simulator: Simulator::new(world, evaluation, depth, RIVALS_RANGE, reach),
            width,
            depth,
            beam: None,
            best: Deeds::new(),
            tried: Vec::new(),
        }
    }

    /// Simulated turns so far.
    pub(super) const fn used(&self) -> u64 {
        self.simulator.used
    }

    /// What it compared at the end, with the values.
    pub(super) fn compared(&self) -> impl Iterator<Item = (Orders, f64)> {
        let tried = self.tried.iter();
        tried.map(|(deeds, value)| (self.simulator.orders(deeds.iter().copied()), *value))
    }

    /// Searches until the budget is spent or nothing is left to do.
    pub(super) fn run(&mut self, terrain: &mut Terrain, budget: Budget<'_>) -> Progress {
        let (mut idle, mut used) = (0, self.simulator.used);
        while !self.done {
            let now = self.simulator.used;
            idle = if now == used { idle + 1 } else { 0 };
            used = now;
            if idle > IDLE_STEPS_MAX {
                break;
            }
            if used >= budget.nodes || (budget.stop)() {
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
        self.simulator.orders(self.best.iter().copied())
    }

    fn open(&mut self) {
        let node = Node {
            game: self.simulator.root.clone(),
            first: Deeds::new(),
            sum: 0.0,
        };
        self.beam = Some(Beam {
            turn: 0,
            nodes: vec![node],
            dog: 0,
            choices: vec![Choice::open(0)],
            at: 0,
            more: Vec::new(),
        });
    }

    /// Tries all deeds of the next dog after one choice of the dogs before it.
    fn expand(&mut self, beam: &mut Beam, terrain: &mut Terrain) {
        let choice = &beam.choices[beam.at];
        beam.at += 1;
        let Some(node) = beam.nodes.get(choice.node) else {
            return;
        };
        let simulator = &mut self.simulator;
        let begun = simulator.begin(&node.game);
        for deed in deeds(&node.game, simulator.me, simulator.evaluation.own[beam.dog]) {
            let mut taken = choice.deeds.clone();
            taken.push(deed);
            let game = simulator.played(&begun, taken.iter().copied());
            let value = simulator.evaluation.value(&game, terrain);
            beam.more.push(Choice {
                node: choice.node,
                deeds: taken,
                value,
                total: simulator.total(value, node.sum + value),
                print: print(&game),
            });
            simulator.reuse([game]);
        }
        simulator.reuse([begun.game]);
    }

    /// Keeps the best choices; after the last dog plays the turn, after the last turn decides. Returns true
    /// at the end of the beam.
    fn close(&mut self, beam: &mut Beam, terrain: &mut Terrain) -> bool {
        let mut more = std::mem::take(&mut beam.more);
        more.sort_by(|one, other| other.total.total_cmp(&one.total));
        let mut met = HashSet::new();
        more.retain(|choice| met.insert(choice.print));
        more.truncate(self.width);
        beam.at = 0;
        beam.dog += 1;
        if beam.dog < self.simulator.evaluation.own.len() {
            beam.choices = more;
            return false;
        }
        beam.dog = 0;
        beam.turn += 1;
        if beam.turn >= self.depth {
            self.decide(beam, &more, terrain);
            return true;
        }
        let mut nodes = Vec::with_capacity(more.len());
        for choice in more {
            let Some(node) = beam.nodes.get(choice.node) else {
                continue;
            };
            let mut game = self.simulator.copy(&node.game);
            self.simulator.play(&mut game, choice.deeds.iter().copied());
            let first = if beam.turn == 1 {
                choice.deeds
            } else {
                node.first.clone()
            };
            let sum = node.sum + choice.value;
            nodes.push(Node { game, first, sum });
        }
        let old = std::mem::replace(&mut beam.nodes, nodes);
        self.simulator.reuse(old.into_iter().map(|node| node.game));
        beam.choices = (0..beam.nodes.len()).map(Choice::open).collect();
        false
    }

    fn decide(&mut self, beam: &Beam, last: &[Choice], terrain: &mut Terrain) {
        let depth = self.depth as usize;
        let standing = self.simulator.line(depth, terrain, |_, _| Deed::default());
        self.tried = vec![(Deeds::new(), standing)];
        for choice in last {
            let first = match beam.nodes.get(choice.node) {
                Some(node) if beam.turn > 1 => &node.first,
                _ => &choice.deeds,
            };
            // The best come first.
            if !self.tried.iter().any(|(deeds, _)| deeds == first) {
                self.tried.push((first.clone(), choice.total));
            }
        }
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

//! Rung 6: one tree over what is known, with worlds sampled anew for every descent.

use super::judgement::{self, Counting};
use super::mcbid;
use super::position::{Layout, Mask, PLIES_MAX, Position, SEATS_MAX, narrow};
use super::searcher::Thinking;
use super::worlds::{PLACES, Unknown};
use crate::planowanie::cards::Card;
use crate::planowanie::rules::{Act, Ask, View};
use crate::reasons::Weighed;
use crate::rng::Rng;

pub(super) const DESCRIPTION: &str = "Declares like mcbid-200; plays by 1000 descents of one tree over sampled worlds, of three worlds one that fits the declarations. A node is one descent.";

/// Descents per card.
const DESCENTS: u64 = 1000;
/// Sampled worlds from which one is chosen.
const WORLDS: usize = 3;
/// Weight of exploration, for results in 0..=1.
const EXPLORING: f64 = 0.35;
/// The spread of declarations around the counted one, in tricks.
const STRAY: f64 = 1.0;
/// No node.
const NONE: u32 = u32::MAX;

struct Node {
    card: u8,
    mover: u8,
    visits: u32,
    available: u32,
    /// Sum of the mover's results, each in 0..=1.
    sum: f64,
    child: u32,
    sibling: u32,
}

impl Node {
    fn new(card: u8, mover: u8, sibling: u32) -> Self {
        Self {
            card,
            mover,
            visits: 0,
            available: 1,
            sum: 0.0,
            child: NONE,
            sibling,
        }
    }

    fn urgency(&self) -> f64 {
        let visits = f64::from(self.visits.max(1));
        self.sum / visits + EXPLORING * (f64::from(self.available).ln() / visits).sqrt()
    }
}

struct Tree<M> {
    layout: Layout<M>,
    counting: Counting,
    unknown: Unknown<M>,
    start: Position<M>,
    /// What each player has declared.
    declared: [u8; SEATS_MAX],
    /// What each player has played in this deal.
    shown: [M; SEATS_MAX],
    rng: Rng,
    nodes: Vec<Node>,
    path: Vec<u32>,
    used: u64,
    forced: bool,
}

/// Starts a search.
pub(super) fn begin(view: &View, ask: Ask, rng: Rng) -> Option<Box<dyn Thinking>> {
    match (ask, narrow(view.game.deck())) {
        (Ask::Declare, _) => mcbid::begin(view, ask, rng),
        (Ask::Play, true) => Some(Box::new(Tree::<u64>::new(view, rng))),
        (Ask::Play, false) => Some(Box::new(Tree::<u128>::new(view, rng))),
    }
}

impl<M: Mask> Tree<M> {
    fn new(view: &View, rng: Rng) -> Self {
        let layout = Layout::new(view.game.deck());
        let mut shown = [M::NONE; SEATS_MAX];
        for play in view.round.played() {
            let of = &mut shown[play.seat.index() & 3];
            *of = *of | M::card(play.card.0);
        }
        let mut declared = [0; SEATS_MAX];
        for (seat, tricks) in view.round.declared().iter() {
            declared[seat.index() & 3] = tricks.unwrap_or(0);
        }
        let start = Position::seen(&layout, view);
        Self {
            counting: Counting::new(&layout, view),
            unknown: Unknown::new(&layout, view),
            forced: start.playable(&layout).count() < 2,
            start,
            declared,
            shown,
            layout,
            rng,
            nodes: vec![Node::new(0, 0, NONE)],
            path: Vec::new(),
            used: 0,
        }
    }

    /// More points than a deal brings.
    fn most(&self) -> f64 {
        f64::from(self.start.cards) * 2.0
    }

    fn likelihood(&self, hands: &[M; PLACES]) -> f64 {
        let mut strays = 0.0;
        let players = usize::from(self.start.players).min(SEATS_MAX);
        for (seat, hand) in hands.iter().copied().enumerate().take(players) {
            if seat != self.unknown.seat {
                let dealt = hand | self.shown[seat];
                let counted = self.counting.tricks(&self.layout, dealt);
                strays += (f64::from(self.declared[seat]) - counted).powi(2);
            }
        }
        (-0.5 * strays / (STRAY * STRAY)).exp()
    }

    fn world(&mut self) -> [M; PLACES] {
        let mut kept = self.unknown.draw(&self.layout, &mut self.rng);
        let mut total = self.likelihood(&kept);
        for _ in 1..WORLDS {
            let other = self.unknown.draw(&self.layout, &mut self.rng);
            let weight = self.likelihood(&other);
            total += weight;
            if self.rng.unit() * total < weight {
                kept = other;
            }
        }
        kept
    }

    /// The child to continue with, and whether it is new.
    fn choose(&mut self, at: u32, position: &Position<M>) -> (u32, bool) {
        let legal = position.distinct(&self.layout);
        let mut untried = legal;
        let mut best = (f64::MIN, NONE);
        let mut child = self.nodes[at as usize].child;
        while child != NONE {
            let node = &mut self.nodes[child as usize];
            if !(legal & M::card(node.card)).is_none() {
                node.available += 1;
                untried = untried & !M::card(node.card);
                let urgency = node.urgency();
                if urgency > best.0 {
                    best = (urgency, child);
                }
            }
            child = node.sibling;
        }
        if untried.is_none() {
            return (best.1, false);
        }
        let mut skip = self.rng.below(untried.count());
        while skip > 0 {
            untried.pop();
            skip -= 1;
        }
        let new = self.nodes.len() as u32;
        let sibling = self.nodes[at as usize].child;
        let node = Node::new(untried.lowest(), position.turn, sibling);
        self.nodes.push(node);
        self.nodes[at as usize].child = new;
        (new, true)
    }
}

impl<M: Mask> Thinking for Tree<M> {
    fn step(&mut self) {
        let hands = self.world();
        let mut position = self.unknown.fill(self.start, &hands);
        self.path.clear();
        let mut at = 0;
        for _ in 0..PLIES_MAX {
            if position.is_over() {
                break;
            }
            let (next, new) = self.choose(at, &position);
            if next == NONE {
                break;
            }
            position.play(&self.layout, self.nodes[next as usize].card);
            self.path.push(next);
            at = next;
            if new {
                judgement::play_out(&self.layout, &mut position);
            }
        }
        let most = self.most();
        for at in &self.path {
            let node = &mut self.nodes[*at as usize];
            node.visits += 1;
            node.sum += f64::from(position.points(usize::from(node.mover))) / most;
        }
        self.used += 1;
    }

    fn settled(&mut self, _: u64) -> bool {
        self.used >= DESCENTS || self.forced
    }

    fn act(&self) -> Option<Act> {
        if self.forced {
            return Some(Act::Play(Card(self.start.playable(&self.layout).lowest())));
        }
        let mut best: Option<&Node> = None;
        let mut child = self.nodes.first()?.child;
        while let Some(node) = self.nodes.get(child as usize) {
            if best.is_none_or(|best| (node.visits, best.card) > (best.visits, node.card)) {
                best = Some(node);
            }
            child = node.sibling;
        }
        best.map(|node| Act::Play(Card(node.card)))
    }

    fn used(&self) -> u64 {
        self.used
    }

    fn weighed(&self) -> Vec<Weighed<Act>> {
        let mut weighed = Vec::new();
        let mut child = self.nodes.first().map_or(NONE, |root| root.child);
        while let Some(node) = self.nodes.get(child as usize) {
            let worth = (node.visits > 0).then(|| self.most() * node.sum / f64::from(node.visits));
            let act = Act::Play(Card(node.card));
            weighed.push(Weighed::new(act, worth, Some(node.visits.into())));
            child = node.sibling;
        }
        weighed
    }
}

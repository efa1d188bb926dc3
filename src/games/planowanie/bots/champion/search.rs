//! The choice of a card: one tree over what the player knows, descended in worlds drawn from its belief and
//! guided by the net.

use super::belief::Belief;
use super::endgame::play_exactly;
use super::held::Held;
use super::knobs::Knobs;
use super::policy::UNIT;
use super::standing::Standing;
use super::table::Table;
use crate::planowanie::bots::position::{Layout, Mask, PLIES_MAX, Position, SEATS_MAX};
use crate::planowanie::bots::searcher::Thinking;
use crate::planowanie::bots::worlds::Unknown;
use crate::planowanie::cards::Card;
use crate::planowanie::rules::{Act, View};
use crate::reasons::{self, Weighed};
use crate::rng::Rng;
use smallvec::SmallVec;

const NONE: u32 = u32::MAX;
/// The most nodes in a tree, 32 bytes each; after that it stops growing.
const NODES_MAX: usize = 2_000_000;
/// A clear lead ends a search only after this many descents.
const SETTLED_FROM: u64 = 20_000;
/// Worlds that beliefs are shown by.
const WORLDS: u32 = 400;
/// Nodes between two checks of whether a search should end.
const LOOK_EVERY: u64 = 64;

struct Node {
    card: u8,
    mover: u8,
    visits: u32,
    available: u32,
    /// Sum of the mover's rewards.
    sum: f64,
    child: u32,
    sibling: u32,
}

impl Node {
    fn new(card: u8, mover: u8, available: u32, sibling: u32) -> Self {
        Self {
            card,
            mover,
            visits: 0,
            available,
            sum: 0.0,
            child: NONE,
            sibling,
        }
    }

    /// Counts a descent that brought the mover this.
    #[inline]
    fn count(&mut self, reward: f32) {
        self.visits += 1;
        self.sum += f64::from(reward);
    }
}

/// A candidate card at one node of the tree.
#[derive(Clone, Copy)]
struct Candidate {
    card: u8,
    /// Its node; `NONE` before it has one.
    node: u32,
    visits: f32,
    sum: f32,
    available: f32,
    worth: i32,
}

impl Candidate {
    fn new(card: u8) -> Self {
        Self {
            card,
            node: NONE,
            visits: 0.0,
            sum: 0.0,
            available: 0.0,
            worth: 0,
        }
    }
}

/// The search for a card.
pub struct Search<M: 'static> {
    layout: Layout<M>,
    table: &'static Table,
    knobs: Knobs,
    unknown: Unknown<M>,
    belief: Belief<M>,
    start: Position<M>,
    standing: Standing,
    rng: Rng,
    nodes: Vec<Node>,
    path: Vec<u32>,
    used: u64,
    forced: bool,
    over: bool,
}

impl<M: Mask> Search<M> {
    /// A search that has not started.
    #[must_use]
    pub fn new(view: &View, table: &'static Table, knobs: Knobs, mut rng: Rng) -> Self {
        let layout = Layout::new(view.game.deck());
        let start = Position::seen(&layout, view);
        Self {
            unknown: Unknown::new(&layout, view),
            belief: Belief::new(&layout, table, view, &knobs, &mut rng),
            forced: start.distinct(&layout).count() < 2,
            standing: Standing::new(view, &knobs),
            table,
            knobs,
            start,
            layout,
            rng,
            nodes: vec![Node::new(0, 0, 0, NONE)],
            path: Vec::new(),
            used: 0,
            over: false,
        }
    }

    /// The child to continue with, and whether it is new; `NONE` without a legal card, and for a new one that the tree
    /// has no room for.
    fn choose(&mut self, at: u32, position: &Position<M>) -> (u32, bool) {
        let legal = position.distinct(&self.layout);
        let mut options: SmallVec<[Candidate; 16]> = SmallVec::new();
        let mut rest = legal;
        while let Some(card) = rest.pop() {
            options.push(Candidate::new(card));
        }
        let (mut visits, mut sum) = (0.0, 0.0);
        let mut child = self.nodes[at as usize].child;
        while child != NONE {
            let node = &mut self.nodes[child as usize];
            if !(legal & M::card(node.card)).is_none() {
                node.available += 1;
                visits += node.visits as f32;
                sum += node.sum as f32;
                if let Some(option) = options.iter_mut().find(|option| option.card == node.card) {
                    option.node = child;
                    option.visits = node.visits as f32;
                    option.sum = node.sum as f32;
                    option.available = node.available as f32;
                }
            }
            child = node.sibling;
        }
        let chosen = match options.as_slice() {
            [only] => Some(*only),
            _ => self.pick(position, legal, &mut options, [visits, sum]),
        };
        let Some(chosen) = chosen else {
            return (NONE, false);
        };
        if chosen.node != NONE {
            return (chosen.node, false);
        }
        (
            self.grow(at, chosen.card, position.turn, visits as u32),
            true,
        )
    }

    fn pick(
        &self,
        position: &Position<M>,
        legal: M,
        options: &mut [Candidate],
        [visits, sum]: [f32; 2],
    ) -> Option<Candidate> {
        let Table { policy, net, .. } = self.table;
        let advice = net.advice(policy, &self.layout, position, legal);
        // Both list the cards from the lowest.
        for (option, (_, worth)) in options.iter_mut().zip(advice) {
            option.worth = worth;
        }
        let base = if visits > 0.0 { sum / visits } else { 0.0 };
        let trust = self.knobs.trust;
        let mut best = (f32::MIN, None);
        for option in options.iter() {
            let opinion = base + option.worth as f32 / UNIT;
            let value = (option.sum + trust * opinion) / (option.visits + trust);
            let seen = if option.node == NONE {
                visits
            } else {
                option.available
            };
            let bonus = self.knobs.exploring * ((seen + 1.0).ln() / (option.visits + 1.0)).sqrt();
            let urgency = value + bonus;
            if urgency > best.0 {
                best = (urgency, Some(*option));
            }
        }
        best.1
    }

    fn grow(&mut self, at: u32, card: u8, mover: u8, available: u32) -> u32 {
        if self.nodes.len() >= NODES_MAX {
            return NONE;
        }
        let new = self.nodes.len() as u32;
        let sibling = self.nodes[at as usize].child;
        self.nodes
            .push(Node::new(card, mover, available + 1, sibling));
        self.nodes[at as usize].child = new;
        new
    }

    /// What the end of the deal is worth for each seat, in units of the deal's number of cards: its points less a share
    /// of the others' mean, and for the player the standing in the game.
    fn reward(&self, position: &Position<M>) -> [f32; SEATS_MAX] {
        let players = usize::from(position.players).min(SEATS_MAX);
        let scale = 1.0 / f32::from(position.cards.max(1));
        let points: [f32; SEATS_MAX] =
            std::array::from_fn(|seat| position.points(seat) as f32 * scale);
        let total: f32 = points[..players].iter().sum();
        let rivalry = self.knobs.rivalry / (players as f32 - 1.0).max(1.0);
        let mut rewards = points.map(|own| own - rivalry * (total - own));
        rewards[self.unknown.seat & 3] += self.standing.worth(position);
        rewards
    }

    fn look(&mut self, limit: u64) {
        let (mut first, mut second): (Option<&Node>, Option<&Node>) = (None, None);
        let mut child = self.nodes[0].child;
        while let Some(node) = self.nodes.get(child as usize) {
            if first.is_none_or(|best| node.visits > best.visits) {
                second = first;
                first = Some(node);
            } else if second.is_none_or(|best| node.visits > best.visits) {
                second = Some(node);
            }
            child = node.sibling;
        }
        let (Some(first), Some(second)) = (first, second) else {
            return;
        };
        let lead = u64::from(first.visits - second.visits);
        let clear =
            self.used >= SETTLED_FROM && lead as f32 >= self.knobs.settled * self.used as f32;
        self.over = clear || lead > limit.saturating_sub(self.used);
    }
}

impl<M: Mask> Thinking for Search<M> {
    fn step(&mut self) {
        let hands = self.belief.next(&self.layout, self.table, &mut self.rng);
        let mut position = self.unknown.fill(self.start, &hands);
        self.path.clear();
        let mut at = 0;
        for _ in 0..PLIES_MAX {
            if position.is_over() {
                break;
            }
            let (next, new) = self.choose(at, &position);
            if let Some(node) = self.nodes.get(next as usize) {
                position.play(&self.layout, node.card);
                self.path.push(next);
                at = next;
            } else if !new {
                break;
            }
            if new {
                let policy = &self.table.policy;
                let exact = self.knobs.exact;
                policy.play_until(&self.layout, &mut position, exact, &mut self.rng);
                play_exactly(&self.layout, &mut position);
                break;
            }
        }
        let rewards = self.reward(&position);
        for at in &self.path {
            let node = &mut self.nodes[*at as usize];
            node.count(rewards[usize::from(node.mover) & 3]);
        }
        self.used += 1;
    }

    fn settled(&mut self, limit: u64) -> bool {
        if self.used.is_multiple_of(LOOK_EVERY) {
            self.look(limit);
        }
        self.forced || self.used >= limit || self.over
    }

    fn act(&self) -> Option<Act> {
        if self.forced {
            let only = self.start.distinct(&self.layout);
            return (!only.is_none()).then(|| Act::Play(Card(only.lowest())));
        }
        let mut best: Option<&Node> = None;
        let mut child = self.nodes.first()?.child;
        while let Some(node) = self.nodes.get(child as usize) {
            if best.is_none_or(|best| (node.visits, best.card) > (best.visits, node.card)) {
                best = Some(node);
            }
            child = node.sibling;
        }
        best.map(|best| Act::Play(Card(best.card)))
    }

    fn used(&self) -> u64 {
        self.used
    }

    fn weighed(&self) -> Vec<Weighed<Act>> {
        let mut weighed = Vec::new();
        let mut child = self.nodes.first().map_or(NONE, |root| root.child);
        while let Some(node) = self.nodes.get(child as usize) {
            let worth = (node.visits > 0)
                .then(|| f64::from(self.start.cards) * node.sum / f64::from(node.visits));
            let act = Act::Play(Card(node.card));
            weighed.push(Weighed::new(act, worth, Some(node.visits.into())));
            child = node.sibling;
        }
        weighed
    }

    /// How often each card was where, in so many worlds of the walk.
    fn beliefs(&mut self, view: &View) -> Vec<reasons::Belief> {
        let mut held = Held::new(&self.unknown);
        for _ in 0..WORLDS {
            held.add(&self.belief.next(&self.layout, self.table, &mut self.rng));
        }
        held.beliefs(view)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_search_still_counts_small_rewards() {
        let mut node = Node::new(0, 0, 1, NONE);
        for _ in 0..1 << 22 {
            node.count(1.0 + 1.0 / 78.0);
        }
        let mean = node.sum / f64::from(node.visits);
        assert!((mean - 79.0 / 78.0).abs() < 1e-6, "{mean}");
    }
}

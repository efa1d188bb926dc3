//! The choice of a card: one tree over what the player knows, descended in worlds drawn from its belief and
//! guided by the net.

use super::aim::Aim;
use super::belief::Belief;
use super::held::Held;
use super::knobs::Knobs;
use super::policy::UNIT;
use super::table::Table;
use crate::bots::position::{Layout, Mask, PLIES_MAX, Position};
use crate::bots::searcher::Thinking;
use crate::bots::tree::{NONE, Node, ROOT, Tree};
use crate::bots::worlds::Unknown;
use crate::cards::{CARDS_MAX, Card};
use crate::rules::{Act, View};
use drover_game::reasons::{self, Weighed};
use drover_game::rng::Rng;
use smallvec::SmallVec;

/// The most nodes in a tree; after that it stops growing.
const NODES_MAX: usize = 2_000_000;
/// A clear lead ends a search only after this many descents.
const SETTLED_FROM: u64 = 20_000;
/// Worlds that beliefs are shown by.
const WORLDS: u32 = 400;
/// Nodes between two checks of whether a search should end.
const LOOK_EVERY: u64 = 64;

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
    aim: Aim,
    /// Each first card's sum of the player's points, as the aim counts them.
    brought: [f64; CARDS_MAX],
    rng: Rng,
    tree: Tree,
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
            aim: Aim::new(view, &knobs),
            brought: [0.0; CARDS_MAX],
            table,
            knobs,
            start,
            layout,
            rng,
            tree: Tree::new(),
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
        self.tree.each_legal(at, legal, |child, node| {
            visits += node.visits as f32;
            sum += node.sum as f32;
            if let Some(option) = options.iter_mut().find(|option| option.card == node.card) {
                option.node = child;
                option.visits = node.visits as f32;
                option.sum = node.sum as f32;
                option.available = node.available as f32;
            }
        });
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
        if self.tree.len() >= NODES_MAX {
            return NONE;
        }
        self.tree.grow(at, card, mover, available + 1)
    }

    fn look(&mut self, limit: u64) {
        let (mut first, mut second): (Option<&Node>, Option<&Node>) = (None, None);
        for node in self.tree.choices() {
            if first.is_none_or(|best| node.visits > best.visits) {
                second = first;
                first = Some(node);
            } else if second.is_none_or(|best| node.visits > best.visits) {
                second = Some(node);
            }
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
        let mut at = ROOT;
        for _ in 0..PLIES_MAX {
            if position.is_over() {
                break;
            }
            let (next, new) = self.choose(at, &position);
            if let Some(node) = self.tree.get(next) {
                position.play(&self.layout, node.card);
                self.path.push(next);
                at = next;
            } else if !new {
                break;
            }
            if new {
                let policy = &self.table.policy;
                policy.play_out(&self.layout, &mut position, &mut self.rng);
                break;
            }
        }
        let own = self.unknown.seat & 3;
        let mut rewards = self.aim.points(&position);
        if let Some(first) = self.path.first().and_then(|first| self.tree.get(*first)) {
            self.brought[usize::from(first.card) & (CARDS_MAX - 1)] += f64::from(rewards[own]);
        }
        rewards[own] += self.aim.standing(&position);
        self.tree.count(&self.path, |seat| f64::from(rewards[seat]));
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
        self.tree.act()
    }

    fn used(&self) -> u64 {
        self.used
    }

    fn weighed(&self) -> Vec<Weighed<Act>> {
        let choices = self.tree.choices().map(|node| {
            let brought = self.brought[usize::from(node.card) & (CARDS_MAX - 1)];
            let worth = f64::from(self.start.cards) * brought / f64::from(node.visits);
            let worth = (node.visits > 0).then_some(worth);
            let act = Act::Play(Card(node.card));
            Weighed::new(act, worth, Some(node.visits.into()))
        });
        choices.collect()
    }

    /// How often each card was where, in n worlds of the walk.
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
    use super::super::knobs::CHAMPION;
    use super::super::table::SHIPPED;
    use super::super::tests::seen;
    use super::*;
    use crate::rules::Game;

    /// What the standing has added to the points of a hundred descents.
    fn added(points: [i64; 3]) -> f64 {
        let game = Game::with_deals("23456789TJQKA", "CDHS", 3, &[(4, 0)]).unwrap();
        let mut view = seen(&game, 2, &[2, 1, 1], "AH 5H TH 4S 4D", "QD 7S TS");
        view.points = points.into_iter().collect();
        let mut search = Search::<u64>::new(&view, &SHIPPED, CHAMPION, Rng::new(1, 1));
        for _ in 0..100 {
            search.step();
        }
        let rewards: f64 = search.tree.choices().map(|node| node.sum).sum();
        rewards - search.brought.iter().sum::<f64>()
    }

    #[test]
    fn the_standing_counts_besides_points() {
        let sure = 100.0 * f64::from(CHAMPION.standing);
        let [won, lost] = [added([0, 0, 100]), added([100, 100, 0])];
        assert!((won - sure).abs() < 1e-3, "{won}");
        assert!((lost + sure).abs() < 1e-3, "{lost}");
        let one_beaten = added([0, 100, 50]);
        assert!(one_beaten.abs() < 1e-3, "{one_beaten}");
    }
}

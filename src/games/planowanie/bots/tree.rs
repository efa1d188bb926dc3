//! The tree of a search for a card: a node is a card that somebody played.

use super::position::Mask;
use crate::cards::Card;
use crate::rules::Act;
use std::cmp::Reverse;

/// No node.
pub(super) const NONE: u32 = u32::MAX;
/// The root: nobody's card.
pub(super) const ROOT: u32 = 0;

/// A card played. 32 bytes.
pub(super) struct Node {
    pub(super) card: u8,
    /// Who played it.
    pub(super) mover: u8,
    /// Descents through it.
    pub(super) visits: u32,
    /// Descents that it was legal in.
    pub(super) available: u32,
    /// Sum of the mover's rewards.
    pub(super) sum: f64,
    child: u32,
    sibling: u32,
}

/// The root and what has grown from it.
pub(super) struct Tree(Vec<Node>);

impl Tree {
    /// The root alone.
    pub(super) fn new() -> Self {
        let mut tree = Self(Vec::new());
        tree.push(0, 0, 0, NONE);
        tree
    }

    fn push(&mut self, card: u8, mover: u8, available: u32, sibling: u32) {
        self.0.push(Node {
            card,
            mover,
            visits: 0,
            available,
            sum: 0.0,
            child: NONE,
            sibling,
        });
    }

    /// How many nodes there are.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// The node, unless it is `NONE`.
    #[inline]
    pub(super) fn get(&self, at: u32) -> Option<&Node> {
        self.0.get(at as usize)
    }

    /// A new child, which was legal in n descents.
    pub(super) fn grow(&mut self, at: u32, card: u8, mover: u8, available: u32) -> u32 {
        let new = self.0.len() as u32;
        let sibling = self.0[at as usize].child;
        self.push(card, mover, available, sibling);
        self.0[at as usize].child = new;
        new
    }

    /// Counts one more descent in which these cards are legal for every child that plays one of them, and returns
    /// it with its number.
    #[inline]
    pub(super) fn each_legal<M: Mask>(
        &mut self,
        at: u32,
        legal: M,
        mut call: impl FnMut(u32, &Node),
    ) {
        let mut child = self.0[at as usize].child;
        while child != NONE {
            let node = &mut self.0[child as usize];
            if !(legal & M::card(node.card)).is_none() {
                node.available += 1;
                call(child, node);
            }
            child = node.sibling;
        }
    }

    /// Counts a descent through these nodes; each mover's reward is given by seat.
    #[inline]
    pub(super) fn count(&mut self, path: &[u32], reward: impl Fn(usize) -> f64) {
        for at in path {
            let node = &mut self.0[*at as usize];
            node.visits += 1;
            node.sum += reward(usize::from(node.mover) & 3);
        }
    }

    /// The cards to choose from, those tried last first.
    pub(super) fn choices(&self) -> impl Iterator<Item = &Node> {
        let child = |root: &Node| self.get(root.child);
        let next = move |node: &&Node| self.get(node.sibling);
        std::iter::successors(self.get(ROOT).and_then(child), next)
    }

    /// The card with the most descents; of several the lowest.
    pub(super) fn act(&self) -> Option<Act> {
        let best = self
            .choices()
            .max_by_key(|node| (node.visits, Reverse(node.card)));
        best.map(|node| Act::Play(Card(node.card)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_search_still_counts_small_rewards() {
        let mut tree = Tree::new();
        let node = tree.grow(ROOT, 0, 0, 1);
        for _ in 0..1 << 22 {
            tree.count(&[node], |_| 1.0 + 1.0 / 78.0);
        }
        let node = tree.get(node).unwrap();
        let mean = node.sum / f64::from(node.visits);
        assert!((mean - 79.0 / 78.0).abs() < 1e-6, "{mean}");
    }

    #[test]
    fn of_cards_tried_as_often_the_lowest_is_played() {
        let mut tree = Tree::new();
        let nodes = [9, 3, 5].map(|card| tree.grow(ROOT, card, 0, 1));
        assert_eq!(tree.act(), Some(Act::Play(Card(3))));
        tree.count(&nodes[2..], |_| 0.0);
        assert_eq!(tree.act(), Some(Act::Play(Card(5))));
    }
}

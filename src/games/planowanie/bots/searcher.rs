//! What all searching players share: a search that continues from slice to slice.

use super::rules;
use crate::rules::{Act, Ask, Event, Planowanie, View};
use drover_game::game::{Bot, Budget, Progress};
use drover_game::reasons::{Belief, Reasons, Weighed};
use drover_game::rng::Rng;
use std::sync::Arc;

/// The search for one decision.
pub(super) trait Thinking: Send {
    /// Searches one node.
    fn step(&mut self);
    /// Whether more nodes cannot help, given that there will be at most `limit`.
    fn settled(&mut self, limit: u64) -> bool;
    /// The best act so far; `None` before there is one.
    fn act(&self) -> Option<Act>;
    /// Nodes searched so far.
    fn used(&self) -> u64;
    /// What it compares, valued in points of the deal.
    fn weighed(&self) -> Vec<Weighed<Act>>;
    /// What it believes of the others' hands; the search is over afterwards.
    fn beliefs(&mut self, view: &View) -> Vec<Belief> {
        let _ = view;
        Vec::new()
    }
}

/// Starts a search.
type Begin = dyn Fn(&View, Ask, Rng) -> Option<Box<dyn Thinking>> + Send + Sync;

/// Identifies a decision within a game.
type Occasion = (usize, usize, Ask);

/// A player that searches. Randomness is derived for every decision from its place in the game, so a player
/// created in the middle of a game continues as the one before it would have.
pub(super) struct Searcher {
    seed: u64,
    begin: Arc<Begin>,
    thought: Option<(Occasion, Box<dyn Thinking>)>,
}

impl Searcher {
    /// A player that starts its searches with this function.
    pub(super) fn new(
        seed: u64,
        begin: impl Fn(&View, Ask, Rng) -> Option<Box<dyn Thinking>> + Send + Sync + 'static,
    ) -> Self {
        Self {
            seed,
            begin: Arc::new(begin),
            thought: None,
        }
    }

    fn thought(&mut self, view: &View, ask: Ask) -> Option<&mut Box<dyn Thinking>> {
        let occasion = (view.deal, view.round.played().len(), ask);
        if self.thought.as_ref().is_none_or(|(of, _)| *of != occasion) {
            let stream = (view.deal as u64) << 16
                | (view.round.played().len() as u64) << 1
                | u64::from(ask == Ask::Play);
            let thought = (self.begin)(view, ask, Rng::new(self.seed, stream));
            self.thought = thought.map(|thought| (occasion, thought));
        }
        self.thought.as_mut().map(|(_, thought)| thought)
    }
}

/// A copy begins its search again: it depends on nothing but the decision.
impl Clone for Searcher {
    fn clone(&self) -> Self {
        Self {
            seed: self.seed,
            begin: Arc::clone(&self.begin),
            thought: None,
        }
    }
}

impl Bot<Planowanie> for Searcher {
    fn observe(&mut self, _: &Event) {
        self.thought = None;
    }

    fn decide(&mut self, view: &View, ask: &Ask, budget: Budget<'_>) -> Act {
        self.thought = None;
        self.ponder(view, ask, budget).0
    }

    fn ponder(&mut self, view: &View, ask: &Ask, slice: Budget<'_>) -> (Act, Progress) {
        let Some(thought) = self.thought(view, *ask) else {
            return (rules::act(view, *ask), Progress::Done);
        };
        let mut progress = Progress::Done;
        while !thought.settled(slice.nodes) {
            if (slice.stop)() {
                progress = Progress::More;
                break;
            }
            thought.step();
        }
        let act = thought.act();
        (act.unwrap_or_else(|| rules::act(view, *ask)), progress)
    }

    fn reasons(&mut self, view: &View, ask: &Ask, budget: Budget<'_>) -> Reasons<Act> {
        let mut reasons = Reasons::from_act(self.ponder(view, ask, budget).0);
        if let Some((_, thought)) = &mut self.thought {
            reasons.nodes = thought.used();
            reasons.options = thought.weighed();
            for option in &mut reasons.options {
                option.chosen = option.act == reasons.act;
            }
            reasons.beliefs = thought.beliefs(view);
        }
        reasons
    }
}

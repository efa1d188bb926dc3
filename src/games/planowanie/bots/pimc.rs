//! Rung 5: plays every card out in the same sampled worlds.

use super::judgement;
use super::mcbid;
use super::position::{Layout, Mask, Position, narrow};
use super::searcher::Thinking;
use super::worlds::{Unknown, list};
use crate::cards::{CARDS_MAX, Card};
use crate::rules::{Act, Ask, View};
use drover_game::reasons::Weighed;
use drover_game::rng::Rng;

pub(super) const DESCRIPTION: &str = "Declares like mcbid-200; plays every legal card out by rules in 50 sampled worlds and takes the one with the best mean points. A node is one world.";

/// Sampled worlds per card.
const WORLDS: u64 = 50;

struct Sampling<M> {
    layout: Layout<M>,
    unknown: Unknown<M>,
    start: Position<M>,
    rng: Rng,
    /// Cards with the points they brought in all worlds.
    cards: Vec<(u8, i64)>,
    used: u64,
}

/// Starts a search.
pub(super) fn begin(view: &View, ask: Ask, rng: Rng) -> Option<Box<dyn Thinking>> {
    match (ask, narrow(view.game.deck())) {
        (Ask::Declare, _) => mcbid::begin(view, ask, rng),
        (Ask::Play, true) => Some(Box::new(Sampling::<u64>::new(view, rng))),
        (Ask::Play, false) => Some(Box::new(Sampling::<u128>::new(view, rng))),
    }
}

impl<M: Mask> Sampling<M> {
    fn new(view: &View, rng: Rng) -> Self {
        let layout = Layout::new(view.game.deck());
        let start = Position::seen(&layout, view);
        let mut cards = [0; CARDS_MAX];
        let count = list(start.distinct(&layout), &mut cards);
        Self {
            unknown: Unknown::new(&layout, view),
            start,
            layout,
            rng,
            cards: cards[..count].iter().map(|card| (*card, 0)).collect(),
            used: 0,
        }
    }
}

impl<M: Mask> Thinking for Sampling<M> {
    fn step(&mut self) {
        let hands = self.unknown.draw(&self.layout, &mut self.rng);
        let world = self.unknown.fill(self.start, &hands);
        for (card, points) in &mut self.cards {
            let mut position = world;
            position.play(&self.layout, *card);
            judgement::play_out(&self.layout, &mut position);
            *points += i64::from(position.points(self.unknown.seat));
        }
        self.used += 1;
    }

    fn settled(&mut self, _: u64) -> bool {
        self.used >= WORLDS || self.cards.len() < 2
    }

    fn act(&self) -> Option<Act> {
        if self.used == 0 && self.cards.len() != 1 {
            return None;
        }
        let best = self.cards.iter().rev().max_by_key(|(_, points)| *points);
        best.map(|(card, _)| Act::Play(Card(*card)))
    }

    fn used(&self) -> u64 {
        self.used
    }

    fn weighed(&self) -> Vec<Weighed<Act>> {
        let worth = |points: i64| (self.used > 0).then(|| points as f64 / self.used as f64);
        let all = self.cards.iter();
        all.map(|(card, points)| {
            Weighed::new(Act::Play(Card(*card)), worth(*points), Some(self.used))
        })
        .collect()
    }
}

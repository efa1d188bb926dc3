//! Rung 4: tries declarations near the counted one in sampled deals, plays by rules.

use super::judgement::{self, Counting};
use super::position::{Layout, Mask, Position, SEATS_MAX, narrow};
use super::searcher::Thinking;
use super::worlds::Unknown;
use crate::rules::{Act, Ask, View};
use drover_game::reasons::Weighed;
use drover_game::rng::Rng;

pub(super) const DESCRIPTION: &str = "Tries the declarations near the counted one in 200 sampled deals that all play by rules, and plays by rules. A node is one sampled deal.";

/// Sampled deals per declaration.
const DEALS: u64 = 200;
/// How far from the counted declaration others are tried.
const REACH: u8 = 2;

/// Compares declarations.
pub(super) struct Bidding<M> {
    layout: Layout<M>,
    counting: Counting,
    unknown: Unknown<M>,
    start: Position<M>,
    rng: Rng,
    first: u8,
    points: Vec<i64>,
    used: u64,
}

/// Starts a search: only for declarations.
pub(super) fn begin(view: &View, ask: Ask, rng: Rng) -> Option<Box<dyn Thinking>> {
    match (ask, narrow(view.game.deck())) {
        (Ask::Play, _) => None,
        (Ask::Declare, true) => Some(Box::new(Bidding::<u64>::new(view, rng))),
        (Ask::Declare, false) => Some(Box::new(Bidding::<u128>::new(view, rng))),
    }
}

impl<M: Mask> Bidding<M> {
    /// The declarations near the counted one.
    pub(super) fn new(view: &View, rng: Rng) -> Self {
        let layout = Layout::new(view.game.deck());
        let counting = Counting::new(&layout, view);
        let counted = counting.declaration(&layout, M::from_set(view.hand));
        let first = counted.saturating_sub(REACH);
        let last = (counted + REACH).min(view.round.cards());
        Self {
            unknown: Unknown::new(&layout, view),
            start: Position::seen(&layout, view),
            layout,
            counting,
            rng,
            first,
            points: vec![0; usize::from(last - first) + 1],
            used: 0,
        }
    }
}

impl<M: Mask> Thinking for Bidding<M> {
    fn step(&mut self) {
        let hands = self.unknown.draw(&self.layout, &mut self.rng);
        let mut start = self.unknown.fill(self.start, &hands);
        let seat = self.unknown.seat;
        let players = usize::from(start.players).min(SEATS_MAX);
        for (other, hand) in hands.iter().copied().enumerate().take(players) {
            if other != seat {
                let declared = self.counting.declaration(&self.layout, hand);
                start.need[other] = declared as i8;
            }
        }
        for (tricks, points) in (self.first..).zip(&mut self.points) {
            let mut position = start;
            position.need[seat] = tricks as i8;
            judgement::play_out(&self.layout, &mut position);
            *points += i64::from(position.points(seat));
        }
        self.used += 1;
    }

    fn settled(&mut self, _: u64) -> bool {
        self.used >= DEALS
    }

    fn act(&self) -> Option<Act> {
        if self.used == 0 {
            return None;
        }
        let best = (self.first..).zip(&self.points);
        let best = best.max_by_key(|(tricks, points)| (**points, u8::MAX - tricks));
        best.map(|(tricks, _)| Act::Declare(tricks))
    }

    fn used(&self) -> u64 {
        self.used
    }

    fn weighed(&self) -> Vec<Weighed<Act>> {
        let worth = |points: i64| (self.used > 0).then(|| points as f64 / self.used as f64);
        let all = (self.first..).zip(&self.points);
        all.map(|(tricks, points)| {
            Weighed::new(Act::Declare(tricks), worth(*points), Some(self.used))
        })
        .collect()
    }
}

//! Rung 6: one tree over what is known, with worlds sampled again for every descent.

use super::judgement::{self, Counting};
use super::mcbid;
use super::position::{Layout, Mask, PLIES_MAX, Position, SEATS_MAX, narrow};
use super::searcher::Thinking;
use super::tree::{NONE, Node, ROOT, Tree};
use super::worlds::{PLACES, Unknown};
use crate::cards::Card;
use crate::rules::{Act, Ask, View};
use drover_game::reasons::Weighed;
use drover_game::rng::Rng;

pub(super) const DESCRIPTION: &str = "Declares like mcbid-200; plays by 1000 descents of one tree over sampled worlds, of three worlds one that fits the declarations. A node is one descent.";

/// Descents per card.
const DESCENTS: u64 = 1000;
/// Sampled worlds from which one is chosen.
const WORLDS: usize = 3;
/// Weight of exploration, for results in 0..=1.
const EXPLORING: f64 = 0.35;
/// The spread of declarations around the counted one, in tricks.
const SPREAD: f64 = 1.0;

/// How much a node that was visited asks to be visited again.
fn urgency(node: &Node) -> f64 {
    let visits = f64::from(node.visits.max(1));
    node.sum / visits + EXPLORING * (f64::from(node.available).ln() / visits).sqrt()
}

struct Search<M> {
    layout: Layout<M>,
    counting: Counting,
    unknown: Unknown<M>,
    start: Position<M>,
    /// What each player has declared.
    declared: [u8; SEATS_MAX],
    /// What each player has played in this deal.
    shown: [M; SEATS_MAX],
    rng: Rng,
    tree: Tree,
    path: Vec<u32>,
    used: u64,
    forced: bool,
}

/// Starts a search.
pub(super) fn begin(view: &View, ask: Ask, rng: Rng) -> Option<Box<dyn Thinking>> {
    match (ask, narrow(view.game.deck())) {
        (Ask::Declare, _) => mcbid::begin(view, ask, rng),
        (Ask::Play, true) => Some(Box::new(Search::<u64>::new(view, rng))),
        (Ask::Play, false) => Some(Box::new(Search::<u128>::new(view, rng))),
    }
}

impl<M: Mask> Search<M> {
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
            tree: Tree::new(),
            path: Vec::new(),
            used: 0,
        }
    }

    /// More points than a deal brings.
    fn most(&self) -> f64 {
        f64::from(self.start.cards) * 2.0
    }

    fn likelihood(&self, hands: &[M; PLACES]) -> f64 {
        let mut squares = 0.0;
        let players = usize::from(self.start.players).min(SEATS_MAX);
        for (seat, hand) in hands.iter().copied().enumerate().take(players) {
            if seat != self.unknown.seat {
                let dealt = hand | self.shown[seat];
                let counted = self.counting.tricks(&self.layout, dealt);
                squares += (f64::from(self.declared[seat]) - counted).powi(2);
            }
        }
        (-0.5 * squares / (SPREAD * SPREAD)).exp()
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
        self.tree.each_legal(at, legal, |child, node| {
            untried = untried & !M::card(node.card);
            let urgency = urgency(node);
            if urgency > best.0 {
                best = (urgency, child);
            }
        });
        if untried.is_none() {
            return (best.1, false);
        }
        let mut skip = self.rng.below(untried.count());
        while skip > 0 {
            untried.pop();
            skip -= 1;
        }
        let card = untried.lowest();
        (self.tree.grow(at, card, position.turn, 1), true)
    }
}

impl<M: Mask> Thinking for Search<M> {
    fn step(&mut self) {
        let hands = self.world();
        let mut position = self.unknown.fill(self.start, &hands);
        self.path.clear();
        let mut at = ROOT;
        for _ in 0..PLIES_MAX {
            if position.is_over() {
                break;
            }
            let (next, new) = self.choose(at, &position);
            let Some(node) = self.tree.get(next) else {
                break;
            };
            position.play(&self.layout, node.card);
            self.path.push(next);
            at = next;
            if new {
                judgement::play_out(&self.layout, &mut position);
            }
        }
        let most = self.most();
        self.tree
            .count(&self.path, |seat| f64::from(position.points(seat)) / most);
        self.used += 1;
    }

    fn settled(&mut self, _: u64) -> bool {
        self.used >= DESCENTS || self.forced
    }

    fn act(&self) -> Option<Act> {
        if self.forced {
            return Some(Act::Play(Card(self.start.playable(&self.layout).lowest())));
        }
        self.tree.act()
    }

    fn used(&self) -> u64 {
        self.used
    }

    fn weighed(&self) -> Vec<Weighed<Act>> {
        let choices = self.tree.choices().map(|node| {
            let worth = (node.visits > 0).then(|| self.most() * node.sum / f64::from(node.visits));
            let act = Act::Play(Card(node.card));
            Weighed::new(act, worth, Some(node.visits.into()))
        });
        choices.collect()
    }
}

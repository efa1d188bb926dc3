//! How well the belief knows where the cards are: for measuring.

use super::belief::Belief;
use super::knobs::Knobs;
use super::table::Table;
use crate::planowanie::bots::position::{Layout, Mask, narrow};
use crate::planowanie::bots::worlds::ASIDE;
use crate::planowanie::cards::CardSet;
use crate::planowanie::rules::View;
use crate::rng::Rng;

/// Worlds that are counted.
const WORLDS: u32 = 300;
/// Worlds of the walk that are skipped before each.
const SKIPPED: u32 = 9;

/// The mean log loss of the places of the cards that others hold or that were not dealt, in nats a card; 0 if
/// there are none. `hands` are those of all seats, before the card that the view's player is to play.
#[must_use]
pub fn surprise(view: &View, hands: &[CardSet], knobs: &Knobs, table: &Table, rng: Rng) -> f64 {
    if narrow(view.game.deck()) {
        measure::<u64>(view, hands, knobs, table, rng)
    } else {
        measure::<u128>(view, hands, knobs, table, rng)
    }
}

fn measure<M: Mask>(
    view: &View,
    hands: &[CardSet],
    knobs: &Knobs,
    table: &Table,
    mut rng: Rng,
) -> f64 {
    let layout = Layout::<M>::new(view.game.deck());
    let mut belief = Belief::new(&layout, table, view, knobs, &mut rng);
    let mut unseen = layout.all & !M::of(view.round.gone()) & !M::of(view.hand);
    let mut cards = Vec::new();
    while let Some(card) = unseen.pop() {
        let holds = |hand: &CardSet| !(M::of(*hand) & M::card(card)).is_none();
        let place = hands.iter().position(holds).unwrap_or(ASIDE);
        cards.push((M::card(card), place, 0));
    }
    for _ in 0..WORLDS {
        for _ in 0..SKIPPED {
            belief.next(&layout, table, &mut rng);
        }
        let world = belief.next(&layout, table, &mut rng);
        for (card, place, right) in &mut cards {
            *right += u32::from(!(world[*place] & *card).is_none());
        }
    }
    // Half a world more for each of four places, so that none is impossible.
    let chance = |right: u32| (f64::from(right) + 0.5) / (f64::from(WORLDS) + 2.0);
    let sum: f64 = cards.iter().map(|(_, _, right)| -chance(*right).ln()).sum();
    sum / cards.len().max(1) as f64
}

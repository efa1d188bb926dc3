//! The frozen deal generator (README.md, section 4): any change to it would give recorded seeds other cards.

use crate::cards::{Card, Deck};
use drover_game::rng::Rng;

/// The hands of a deal, by seat, in the order of `set_cards`. `number` counts deals from 1.
///
/// The deck in order, suit after suit with the lowest value first, is shuffled by stream `number` of the
/// seed; the first `cards` of it are seat 0's, the next seat 1's, and so on.
#[must_use]
pub fn deal(deck: &Deck, players: usize, cards: usize, seed: u64, number: u64) -> Vec<Vec<Card>> {
    let mut all: Vec<Card> = deck.all().iter().collect();
    Rng::new(seed, number).shuffle(&mut all);
    all.chunks(cards.max(1))
        .take(players)
        .map(<[Card]>::to_vec)
        .collect()
}

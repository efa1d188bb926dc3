//! Rung 2: takes what it can.

use super::random::playable;
use super::reason::Reason;
use crate::cards::Card;
use crate::rules::{Act, Ask, View};

pub(super) const DESCRIPTION: &str =
    "Declares its even share of the tricks; plays the highest card that wins now, else its lowest.";

/// Takes every trick that it can, by the rule that decided.
pub(super) fn act(view: &View, ask: &Ask) -> (Act, Reason) {
    let (cards, players) = (view.round.cards(), view.round.players().max(1) as u8);
    match ask {
        Ask::Declare => {
            let share = (cards + players / 2) / players;
            (Act::Declare(share), Reason::EvenShare)
        }
        Ask::Play => {
            let (card, reason) = card(view);
            (Act::Play(card), reason)
        }
    }
}

fn card(view: &View) -> (Card, Reason) {
    let deck = view.game.deck();
    let playable = playable(view);
    let trick = view.round.trick();
    let best = deck.winner(trick).and_then(|at| trick.get(at));
    let value = |card: &Card| (deck.value_of(*card), deck.suit_of(*card) == 0);
    let wins = |card: &Card| best.is_none_or(|best| deck.beats(*card, *best));
    match playable.iter().filter(wins).max_by_key(value) {
        Some(highest) => (highest, Reason::Highest),
        None => {
            let lowest = playable.iter().min_by_key(value);
            (lowest.unwrap_or(Card(0)), Reason::Lowest)
        }
    }
}

//! Rung 2: takes what it can.

use super::random::playable;
use crate::cards::Card;
use crate::rules::{Act, Ask, Planowanie, View};
use drover_game::game::{Bot, Budget};

pub(super) const DESCRIPTION: &str =
    "Declares its even share of the tricks; plays the highest card that wins now, else its lowest.";

/// Takes every trick that it can.
#[derive(Clone)]
pub(super) struct Greedy;

impl Bot<Planowanie> for Greedy {
    fn decide(&mut self, view: &View, ask: &Ask, _: Budget<'_>) -> Act {
        let (cards, players) = (view.round.cards(), view.round.players().max(1) as u8);
        match ask {
            Ask::Declare => Act::Declare((cards + players / 2) / players),
            Ask::Play => Act::Play(card(view)),
        }
    }
}

fn card(view: &View) -> Card {
    let deck = view.game.deck();
    let playable = playable(view);
    let trick = view.round.trick();
    let best = deck.winner(trick).and_then(|at| trick.get(at));
    let value = |card: &Card| (deck.value_of(*card), deck.suit_of(*card) == 0);
    let wins = |card: &Card| best.is_none_or(|best| deck.beats(*card, *best));
    let highest = playable.iter().filter(wins).max_by_key(value);
    let lowest = || playable.iter().min_by_key(value);
    highest.or_else(lowest).unwrap_or(Card(0))
}

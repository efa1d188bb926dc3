//! Rung 3: declares by counting, plays by a few simple rules.

use super::judgement::{self, Counting};
use super::position::{Layout, Mask, Position, narrow};
use super::reason::Reason;
use crate::cards::Card;
use crate::rules::{Act, Ask, View};

pub(super) const DESCRIPTION: &str = "Declares the sum of its cards' chances and plays by rules: ducks when it has enough, cashes sure winners and wins cheaply when it needs tricks.";

/// The rules policy's act: legal, immediate, for any deck.
#[must_use]
pub fn act(view: &View, ask: Ask) -> Act {
    reasoned(view, &ask).0
}

/// The same with the rule that decided.
pub(super) fn reasoned(view: &View, ask: &Ask) -> (Act, Reason) {
    if narrow(view.game.deck()) {
        reasoned_by::<u64>(&Layout::new(view.game.deck()), view, *ask)
    } else {
        reasoned_by::<u128>(&Layout::new(view.game.deck()), view, *ask)
    }
}

fn reasoned_by<M: Mask>(layout: &Layout<M>, view: &View, ask: Ask) -> (Act, Reason) {
    match ask {
        Ask::Declare => {
            let counting = Counting::new(layout, view);
            let tricks = counting.tricks(layout, M::from_set(view.hand));
            let reason = Reason::Counted(tricks as f32);
            (Act::Declare(counting.declared(tricks)), reason)
        }
        Ask::Play => {
            let position = Position::seen(layout, view);
            let chosen = judgement::reasoned(layout, &position);
            let (card, reason) = chosen.unwrap_or((0, Reason::Only));
            (Act::Play(Card(card)), reason)
        }
    }
}

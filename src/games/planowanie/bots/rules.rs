//! Rung 3: declares by counting, plays by a few simple rules.

use super::judgement::{self, Counting};
use super::position::{Layout, Mask, Position, narrow};
use crate::cards::Card;
use crate::rules::{Act, Ask, Planowanie, View};
use drover_game::game::{Bot, Budget};

pub(super) const DESCRIPTION: &str = "Declares the sum of its cards' chances and plays by rules: ducks when it has enough, cashes sure winners and wins cheaply when it needs tricks.";

/// Plays by the rules policy.
#[derive(Clone)]
pub(super) struct Rules;

impl Bot<Planowanie> for Rules {
    fn decide(&mut self, view: &View, ask: &Ask, _: Budget<'_>) -> Act {
        act(view, *ask)
    }
}

/// The rules policy's act: legal, immediate, for any deck.
#[must_use]
pub fn act(view: &View, ask: Ask) -> Act {
    if narrow(view.game.deck()) {
        act_by::<u64>(&Layout::new(view.game.deck()), view, ask)
    } else {
        act_by::<u128>(&Layout::new(view.game.deck()), view, ask)
    }
}

/// The rules policy's act, given the deck's masks.
#[must_use]
pub fn act_by<M: Mask>(layout: &Layout<M>, view: &View, ask: Ask) -> Act {
    match ask {
        Ask::Declare => {
            let counting = Counting::new(layout, view);
            Act::Declare(counting.declaration(layout, M::from_set(view.hand)))
        }
        Ask::Play => {
            let position = Position::seen(layout, view);
            Act::Play(Card(judgement::card(layout, &position).unwrap_or(0)))
        }
    }
}

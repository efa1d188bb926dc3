//! Rung 1: any legal act.

use super::reason::Reason;
use crate::cards::{Card, CardSet};
use crate::rules::{Act, Ask, Planowanie, View};
use drover_game::by_rule::ByRule;
use drover_game::rng::Rng;

pub(super) const DESCRIPTION: &str =
    "Declares any number of tricks and plays any legal card, each as likely as the others.";

/// Plays at random.
#[derive(Clone)]
pub(super) struct Random(pub(super) Rng);

/// The legal cards of the own hand.
pub(super) fn playable(view: &View) -> CardSet {
    let deck = view.game.deck();
    deck.playable(view.hand, view.round.led(deck))
}

impl ByRule<Planowanie> for Random {
    fn turn(&mut self, view: &View, ask: &Ask) -> (Act, impl ToString) {
        let act = match ask {
            Ask::Declare => Act::Declare(self.0.below(u32::from(view.round.cards()) + 1) as u8),
            Ask::Play => {
                let playable = playable(view);
                let at = self.0.below(playable.len() as u32) as usize;
                Act::Play(playable.iter().nth(at).unwrap_or(Card(0)))
            }
        };
        (act, Reason::Chance)
    }
}

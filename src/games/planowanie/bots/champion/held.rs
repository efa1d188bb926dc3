//! Where the hidden cards are, as a sample of worlds has it.

use crate::bots::position::{Mask, SEATS_MAX};
use crate::bots::worlds::{PLACES, Unknown};
use crate::cards::Card;
use crate::rules::View;
use crate::scene::{face, suit as sign};
use drover_game::reasons::Belief;

/// The likeliest cards that are reported of each player.
const CARDS_SHOWN: usize = 6;
/// What is less likely than this is not reported.
const SHOWN_FROM: f64 = 0.05;

/// Counts over worlds.
pub(super) struct Held<M> {
    seat: usize,
    unseen: M,
    /// Cards that each player has shown not to have.
    barred: [M; PLACES],
    worlds: Vec<[M; PLACES]>,
}

impl<M: Mask> Held<M> {
    /// No world yet.
    pub(super) fn new(unknown: &Unknown<M>) -> Self {
        Self {
            seat: unknown.seat,
            unseen: unknown.unseen,
            barred: unknown.barred,
            worlds: Vec::new(),
        }
    }

    /// One more world.
    pub(super) fn add(&mut self, hands: &[M; PLACES]) {
        self.worlds.push(*hands);
    }

    fn share(&self, fits: impl Fn(&[M; PLACES]) -> bool) -> f64 {
        let fitting = self.worlds.iter().filter(|hands| fits(hands)).count();
        fitting as f64 / self.worlds.len().max(1) as f64
    }

    /// The likeliest cards of each other player, and the suits that it may lack, those left out
    /// that it has shown to lack and those that nobody can have.
    pub(super) fn beliefs(&self, view: &View) -> Vec<Belief> {
        let deck = view.game.deck();
        let mut beliefs = Vec::new();
        for seat in (0..view.round.players().min(SEATS_MAX)).filter(|seat| *seat != self.seat) {
            let mut cards = Vec::new();
            let mut rest = self.unseen;
            while let Some(card) = rest.pop() {
                let has = self.share(|hands| !(hands[seat] & M::card(card)).is_none());
                cards.push((has, card));
            }
            cards.sort_by(|one, other| other.0.total_cmp(&one.0));
            cards.truncate(CARDS_SHOWN);
            for (has, card) in cards.into_iter().filter(|(has, _)| *has >= SHOWN_FROM) {
                let what = format!("holds {}", face(&deck.text(Card(card))));
                beliefs.push(Belief::likely(seat, what, has));
            }
            for (suit, letter) in (0u8..).zip(deck.suits().chars()) {
                let suit = M::from_set(deck.suit(suit)) & self.unseen;
                if suit.is_none() || !(suit & self.barred[seat]).is_none() {
                    continue;
                }
                let void = self.share(|hands| (hands[seat] & suit).is_none());
                if void >= SHOWN_FROM {
                    beliefs.push(Belief::likely(
                        seat,
                        format!("void in {}", sign(letter)),
                        void,
                    ));
                }
            }
        }
        beliefs
    }
}

//! How a player spreads its time for a whole game over its decisions.

use super::rules::{Ask, PlannedDeal, View};
use std::time::Duration;

/// Time kept in reserve for the unexpected, in a game with plenty of it.
const MARGIN: Duration = Duration::from_secs(2);
/// This share of the time left is the reserve if it is less than [`MARGIN`].
const MARGIN_PART: u32 = 10;
/// This share of the whole game's weight is never spent.
const RESERVE_PART: u64 = 20;
/// The share of what is still to come that takes no time: forced cards, and searches that end early.
const FREE_PART: f64 = 0.45;
/// The weight of a declaration, in first cards of its deal.
const DECLARING: u64 = 1;

/// How much of the time `left` for the whole game this decision should get. Zero for a forced decision: the
/// only legal card.
///
/// A card weighs the cards left in hand times the cards of the deal, a declaration as much as a first card.
/// The decision gets its share of the weight that this deal and those after it still have, and a reserve
/// weighs as if it had to be decided too; but of what is to come only the part that is likely to need time.
#[must_use]
pub fn allot(left: Duration, view: &View, ask: Ask) -> Duration {
    let cards = u64::from(view.round.cards());
    let held = view.hand.len() as u64;
    let (own, after) = match ask {
        Ask::Declare => (DECLARING * cards * cards, cards_weight(cards, cards)),
        Ask::Play if forced(view) => return Duration::ZERO,
        Ask::Play => (cards * held, cards_weight(cards, held.saturating_sub(1))),
    };
    let later = view.game.deals().iter().skip(view.deal + 1);
    let later: u64 = later.map(deal_weight).sum();
    let whole: u64 = view.game.deals().iter().map(deal_weight).sum();
    let reserve = whole / RESERVE_PART;
    let spread = left.saturating_sub(MARGIN.min(left / MARGIN_PART));
    let to_come = (after + later + reserve) as f64 * (1.0 - FREE_PART);
    spread.mul_f64(own as f64 / (own as f64 + to_come).max(1.0))
}

fn forced(view: &View) -> bool {
    let deck = view.game.deck();
    deck.playable(view.hand, view.round.led(deck)).len() < 2
}

/// The weight of the decisions from a hand of `held` cards; the last card is not a decision.
fn cards_weight(cards: u64, held: u64) -> u64 {
    let all = held * (held + 1) / 2;
    cards * all.saturating_sub(1)
}

fn deal_weight(deal: &PlannedDeal) -> u64 {
    let cards = u64::from(deal.cards);
    DECLARING * cards * cards + cards_weight(cards, cards)
}

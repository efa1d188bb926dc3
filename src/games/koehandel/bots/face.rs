//! Rung 5: plays by face value. Raises by the minimum up to a quarter of the quartet's value, buys up to the
//! same price, offers a third of its cash for the most valuable animal at the deck's end, counters with a
//! third.

use super::policy::{Challenge, Standing, buy_within, challenges, pay, pick};
use super::reason::Reason;
use crate::cards::Animal;
use crate::message::Goods;
use crate::rules::{Act, Ask};
use crate::view::View;

/// What it does, in one sentence.
pub const DESCRIPTION: &str = "Bids and buys up to a quarter of a quartet's value, offers and counters with a third of its cash.";

/// The value of a card to it, in points.
#[must_use]
pub fn limit(card: Animal) -> u16 {
    card.value() / 4
}

/// Its answer, and the rule that decided.
#[must_use]
pub fn act(view: &View, ask: &Ask) -> (Act, Reason) {
    let cash = view.purse.value();
    match *ask {
        Ask::Turn if view.deck_empty() => {
            let mut best: Option<Goods> = None;
            challenges(
                view,
                &Standing::from_herds(&view.herds),
                0.0,
                |Challenge { goods, .. }| {
                    if best.is_none_or(|best| goods.animal > best.animal) {
                        best = Some(goods);
                    }
                },
            );
            best.map_or((Act::Auction, Reason::NoTrade), |best| {
                let offer = pick(view.purse, cash / 3);
                (Act::trade(best.rival, best.animal, offer), Reason::Dearest)
            })
        }
        Ask::Turn => (Act::Auction, Reason::Late),
        Ask::Bid { card, price, .. } => {
            let limit = limit(card).min(cash);
            let bid = raise(limit, price);
            (Act::Amount(bid), Reason::from_bid(bid, price, limit, cash))
        }
        Ask::PreEmpt { card, price, .. } => buy_within(limit(card).min(cash), price),
        Ask::Pay { price, .. } => pay(view.purse, price),
        Ask::Counter { .. } | Ask::Rebid { .. } => {
            (Act::cards(pick(view.purse, cash / 3)), Reason::Third)
        }
    }
}

/// The next bid over `price` within `limit`.
#[must_use]
pub fn raise(limit: u16, price: u16) -> Option<u16> {
    (price.saturating_add(10) <= limit).then_some(price.saturating_add(10))
}

//! Rung 1: an empty reply to everything. Passes, sells, accepts, and auctions on its turn.

use super::policy::pay;
use crate::game::{Bot, Budget};
use crate::koehandel::cards::Purse;
use crate::koehandel::rules::{Act, Ask, Koehandel};
use crate::koehandel::view::View;

/// What it does, in one sentence.
pub const DESCRIPTION: &str =
    "Answers nothing to everything: never bids, never counters, never trades.";

/// The filler.
#[derive(Clone)]
pub struct Filler;

/// Its answer.
#[must_use]
pub fn act(view: &View, ask: &Ask) -> Act {
    match ask {
        Ask::Turn => Act::Auction,
        Ask::Bid { .. } | Ask::PreEmpt { .. } => Act::PASS,
        Ask::Pay { price, .. } => pay(view.purse, *price),
        Ask::Counter { .. } | Ask::Rebid { .. } => Act::cards(Purse::EMPTY),
    }
}

impl Bot<Koehandel> for Filler {
    fn decide(&mut self, view: &View, ask: &Ask, _: Budget<'_>) -> Act {
        act(view, ask)
    }
}

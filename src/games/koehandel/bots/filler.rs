//! Rung 1: an empty reply to everything. Passes, sells, accepts, and auctions on its turn.

use super::policy::pay;
use super::reason::Reason;
use crate::cards::Purse;
use crate::rules::{Act, Ask};
use crate::view::View;

/// What it does, in one sentence.
pub const DESCRIPTION: &str =
    "Answers nothing to everything: never bids, never counters, never trades.";

/// Its answer, and the rule that decided.
#[must_use]
pub fn act(view: &View, ask: &Ask) -> (Act, Reason) {
    let act = match ask {
        Ask::Turn => Act::Auction,
        Ask::Bid { .. } | Ask::PreEmpt { .. } => Act::PASS,
        Ask::Pay { price, .. } => return pay(view.purse, *price),
        Ask::Counter { .. } | Ask::Rebid { .. } => Act::cards(Purse::EMPTY),
    };
    (act, Reason::Nothing)
}

//! Rung 1: an empty reply to everything. Passes, sells, accepts, and auctions on its turn.

use super::policy::pay;
use super::reason::Reason;
use crate::cards::Purse;
use crate::rules::{Act, Ask, Koehandel};
use crate::view::View;
use drover_game::game::{Bot, Budget};
use drover_game::reasons::Reasons;

/// What it does, in one sentence.
pub const DESCRIPTION: &str =
    "Answers nothing to everything: never bids, never counters, never trades.";

/// The filler.
#[derive(Clone)]
pub struct Filler;

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

impl Bot<Koehandel> for Filler {
    fn decide(&mut self, view: &View, ask: &Ask, _: Budget<'_>) -> Act {
        act(view, ask).0
    }

    fn reasons(&mut self, view: &View, ask: &Ask, _: Budget<'_>) -> Reasons<Act> {
        let (act, reason) = act(view, ask);
        Reasons::by_rule(act, reason)
    }
}

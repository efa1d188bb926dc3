//! The open auction as one seat knows it, and what rivals were seen to do.

use super::reading::Part;
use crate::cards::{Compass, PLAYERS, Purse};
use crate::message::{History, Sale};

/// The open auction, as far as known.
#[derive(Clone, Debug)]
pub struct Open {
    /// The card, its seller and the highest bid.
    pub sale: Sale,
    /// The others' bids.
    pub history: History,
    /// The reader's own bids, each with how many of the others' came before it. The wire does not show them:
    /// a reader asked again has bid, and is assumed to have raised by the least.
    pub own: Vec<(usize, u16)>,
}

/// An act of a rival, for observers that keep counts.
#[derive(Clone, Copy, Debug)]
pub enum Noted {
    /// It was asked in an auction.
    Auction {
        /// Who.
        rival: Compass,
        /// Its bids.
        part: Part,
        /// The value of the card to it by its own claim.
        claim: f32,
        /// The share of the deals held possible in which its highest bid is more than it has.
        over: f32,
    },
    /// It sold a card and may have bought it.
    PreEmpt {
        /// Who.
        rival: Compass,
        /// Whether it bought.
        bought: bool,
        /// At what price.
        price: u16,
        /// The value of the card to it by its own claim.
        claim: f32,
    },
    /// It was exposed as bluffing.
    Exposed(Compass),
    /// Its bid in a trade was revealed.
    Offer {
        /// Who.
        rival: Compass,
        /// What it bid.
        paid: Purse,
    },
    /// It was challenged by the reader.
    Counter {
        /// Who.
        rival: Compass,
        /// Whether a counter bid was revealed.
        countered: bool,
    },
    /// It paid for a card.
    Paid {
        /// Who.
        rival: Compass,
        /// Whether with exactly the cards that the server would have picked.
        exact: bool,
    },
    /// It had a turn before the deck's end with a trade possible.
    Turn {
        /// Who.
        rival: Compass,
        /// Whether it traded.
        traded: bool,
    },
}

impl Open {
    /// The reader's bids if it is asked again.
    pub(super) fn asked_again(mut self) -> Vec<(usize, u16)> {
        self.own
            .push((self.history.len(), self.sale.price.saturating_add(10)));
        self.own
    }

    /// Who passed, by place.
    #[must_use]
    pub fn out(&self) -> [bool; PLAYERS] {
        let mut out = [false; PLAYERS];
        self.replay(|who, bid, price| {
            if bid <= price {
                out[who.index()] = true;
            }
        });
        out
    }

    /// Reports every bid of the others with the price before it.
    pub(super) fn replay(&self, mut bid_of: impl FnMut(Compass, u16, u16)) {
        let mut price = 0;
        for (at, (who, bid)) in self.history.iter().enumerate() {
            for (_, own) in self.own.iter().filter(|(before, _)| *before == at) {
                price = price.max(*own);
            }
            bid_of(*who, *bid, price);
            price = price.max(*bid);
        }
    }
}

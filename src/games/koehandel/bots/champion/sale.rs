//! The open auction as one seat heard it, and what rivals were seen to do.

use super::reading::Part;
use crate::koehandel::cards::{Animal, Compass, PLAYERS, Purse};
use crate::koehandel::message::History;

/// The auction now open, as last heard.
#[derive(Clone, Debug)]
pub struct Sale {
    /// What is sold.
    pub card: Animal,
    /// Who sells.
    pub auctioneer: Compass,
    /// Who leads, and the price.
    pub leader: Option<Compass>,
    /// The highest bid.
    pub price: u16,
    /// The others' bids.
    pub history: History,
    /// The reader's own bids, each with how many of the others' came before it. The wire does not
    /// show them: who is asked again has bid, and is taken to have raised by the least.
    pub own: Vec<(usize, u16)>,
}

/// Something that a rival did, for those who count.
#[derive(Clone, Copy, Debug)]
pub enum Noted {
    /// He was asked in an auction.
    Auction {
        /// Who.
        rival: Compass,
        /// His bids.
        part: Part,
        /// What the card is worth to him by his own claim.
        claim: f32,
        /// The most cash he can have held.
        most: u16,
    },
    /// He sold a card and bought it himself or not.
    PreEmpt {
        /// Who.
        rival: Compass,
        /// Whether he bought.
        bought: bool,
        /// At what price.
        price: u16,
        /// What the card is worth to him by his own claim.
        claim: f32,
    },
    /// He was shown to be bluffing.
    Exposed(Compass),
    /// His bid in a trade came to light.
    Offer {
        /// Who.
        rival: Compass,
        /// What he bid.
        paid: Purse,
    },
    /// He was challenged by the reader.
    Counter {
        /// Who.
        rival: Compass,
        /// Whether a counter bid came to light.
        countered: bool,
    },
    /// He paid for a card.
    Paid {
        /// Who.
        rival: Compass,
        /// Whether with the very cards that the server would have picked.
        exact: bool,
    },
    /// His turn, before the deck's end, with a trade possible.
    Turn {
        /// Who.
        rival: Compass,
        /// Whether he traded.
        traded: bool,
    },
}

impl Sale {
    /// The reader's bids once he is asked again.
    pub(super) fn asked_again(mut self) -> Vec<(usize, u16)> {
        self.own
            .push((self.history.len(), self.price.saturating_add(10)));
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

    /// Tells every bid of the others with the price before it.
    pub(super) fn replay(&self, mut told: impl FnMut(Compass, u16, u16)) {
        let mut price = 0;
        for (at, (who, bid)) in self.history.iter().enumerate() {
            for (_, own) in self.own.iter().filter(|(before, _)| *before == at) {
                price = price.max(*own);
            }
            told(*who, *bid, price);
            price = price.max(*bid);
        }
    }
}

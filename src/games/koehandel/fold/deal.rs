//! Settlements as the reader received them.

use crate::koehandel::cards::{Animal, Compass, Purse};

/// A settlement of which all rows were received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deal {
    /// An auctioned card was paid for.
    Sale {
        /// Which card.
        card: Animal,
        /// Who auctioned it; equal to the buyer in a pre-emption.
        auctioneer: Option<Compass>,
        /// Who owns it now.
        buyer: Compass,
        /// Who received the money.
        payee: Compass,
        /// The highest bid, where known.
        price: Option<u16>,
        /// How many money cards were paid ...
        cards: u8,
        /// ... and which, where the reader took part.
        paid: Option<Purse>,
    },
    /// Nobody bid.
    Free {
        /// Which card.
        card: Animal,
        /// Who owns it now.
        auctioneer: Compass,
    },
    /// A trade was settled.
    Trade {
        /// The animal that moved.
        animal: Animal,
        /// How many cards of it.
        count: u8,
        /// Who began it, where known.
        challenger: Option<Compass>,
        /// Who owns them now.
        winner: Compass,
        /// Who lost them.
        loser: Compass,
        /// Cards that the winner paid ...
        cards: u8,
        /// ... and that the loser paid back (A1 a).
        back: u8,
        /// Which cards those were, where the reader took part.
        paid: Option<Purse>,
        /// Likewise for the loser.
        paid_back: Option<Purse>,
        /// Whether the bids tied at first, where the reader took part.
        tied: bool,
    },
}

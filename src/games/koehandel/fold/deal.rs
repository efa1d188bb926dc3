//! Settlements as the reader heard them.

use crate::koehandel::cards::{Animal, Compass, Purse};

/// A settlement that the reader has heard to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deal {
    /// An auctioned card was paid for.
    Sale {
        /// Which.
        card: Animal,
        /// Who auctioned it; if he is the buyer, he pre-empted.
        auctioneer: Option<Compass>,
        /// Who owns it now.
        buyer: Compass,
        /// Who got the money.
        payee: Compass,
        /// The highest bid, where known.
        price: Option<u16>,
        /// How many cards were paid ...
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
        /// What moved.
        animal: Animal,
        /// How many of it.
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
        /// The same for the loser's.
        paid_back: Option<Purse>,
        /// Whether the bids tied at first, where the reader took part.
        tied: bool,
    },
}

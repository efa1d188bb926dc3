//! Settlements as the reader received them.

use crate::cards::{Animal, Compass, Purse};

/// A settlement of which all rows were received.
#[derive(Clone, Copy, Debug)]
pub enum Deal {
    /// An auctioned card was paid for, or nobody bid for it.
    Sale(Sold),
    /// A trade was settled.
    Trade(Traded),
}

/// An auctioned card and who owns it now.
#[derive(Clone, Copy, Debug)]
pub struct Sold {
    /// Which card.
    pub card: Animal,
    /// Who auctioned it; equal to the buyer in a pre-emption.
    pub auctioneer: Option<Compass>,
    /// Who owns it now.
    pub buyer: Compass,
    /// Who received the money; `None`: nobody bid.
    pub payee: Option<Compass>,
    /// The highest bid, where known.
    pub price: Option<u16>,
    /// How many money cards were paid ...
    pub cards: u8,
    /// ... and which, where the reader took part.
    pub paid: Option<Purse>,
}

impl Sold {
    /// Nobody bid.
    #[must_use]
    pub const fn free(card: Animal, auctioneer: Compass) -> Self {
        Self {
            card,
            auctioneer: Some(auctioneer),
            buyer: auctioneer,
            payee: None,
            price: Some(0),
            cards: 0,
            paid: None,
        }
    }
}

/// A trade and what moved in it.
#[derive(Clone, Copy, Debug)]
pub struct Traded {
    /// The animal that moved.
    pub animal: Animal,
    /// How many cards of it.
    pub count: u8,
    /// Who began it, where known.
    pub challenger: Option<Compass>,
    /// Who owns them now.
    pub winner: Compass,
    /// Who lost them.
    pub loser: Compass,
    /// Cards that the winner paid ...
    pub cards: u8,
    /// ... and that the loser paid back (A1 a).
    pub back: u8,
    /// Which cards those were, where the reader took part.
    pub paid: Option<Purse>,
    /// Likewise for the loser.
    pub paid_back: Option<Purse>,
    /// Whether the bids tied at first, where the reader took part.
    pub tied: bool,
}

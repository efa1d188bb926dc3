//! What is under way: the auction of a card, a trade.

use crate::cards::{Animal, Compass, MONEY_MAX, PLAYERS, Purse};
use crate::message::{Goods, History, Sale};
use smallvec::SmallVec;

/// The auction of one card, through all its restarts.
#[derive(Clone, Debug)]
pub struct Auction {
    /// The card for sale.
    pub card: Animal,
    /// The seller.
    pub auctioneer: usize,
    /// The highest bidder so far.
    pub leader: Option<usize>,
    /// The highest bid.
    pub price: u16,
    /// Who has passed.
    pub out: [bool; PLAYERS],
    pub(super) exposed: [bool; PLAYERS],
    /// What was logged as bid, in order; 0 is a pass.
    pub(super) log: SmallVec<[(u8, u16); 12]>,
}

impl Default for Auction {
    fn default() -> Self {
        Self {
            card: Animal::DONKEY,
            auctioneer: 0,
            leader: None,
            price: 0,
            out: [false; PLAYERS],
            exposed: [false; PLAYERS],
            log: SmallVec::new(),
        }
    }
}

impl Auction {
    /// The sale as `reader` sees it.
    pub(super) fn seen_by(&self, reader: usize) -> Sale {
        Sale {
            card: self.card,
            auctioneer: Compass::from_seats(reader, self.auctioneer),
            leader: Compass::from_seats(reader, self.leader.unwrap_or(self.auctioneer)),
            price: self.price,
        }
    }

    /// The bids as `reader` is shown them: without its own (I3).
    pub(super) fn history(&self, reader: usize) -> History {
        self.log
            .iter()
            .filter(|(bidder, _)| usize::from(*bidder) != reader)
            .map(|(bidder, value)| (Compass::from_seats(reader, usize::from(*bidder)), *value))
            .collect()
    }

    /// Takes up an auction in its middle.
    pub(super) fn resume(
        &mut self,
        card: Animal,
        auctioneer: usize,
        leader: Option<usize>,
        price: u16,
        out: [bool; PLAYERS],
        exposed: [bool; PLAYERS],
    ) {
        self.card = card;
        self.auctioneer = auctioneer;
        self.leader = leader;
        self.price = price.min(MONEY_MAX);
        self.out = out;
        self.exposed = exposed;
    }

    pub(super) fn next_bidder(&self, after: usize) -> Option<usize> {
        (1..=PLAYERS)
            .map(|step| (after + step) % PLAYERS)
            .find(|player| {
                *player != self.auctioneer && !self.out[*player] && self.leader != Some(*player)
            })
    }

    /// Forgets all bids and begins again at the auctioneer's left (A2).
    pub(super) fn restart(&mut self) {
        self.leader = None;
        self.price = 0;
        self.out = [false; PLAYERS];
        self.log.clear();
    }

    /// Strikes a player's bids; the next highest one stands (A3 b). What was no raise when it was
    /// said was a pass and stays one.
    pub(super) fn strike(&mut self, bluffer: usize) {
        let mut raised = 0;
        let mut best = None;
        for (bidder, value) in &self.log {
            if *value > raised {
                raised = *value;
                let bidder = usize::from(*bidder);
                best = Some((bidder, *value))
                    .filter(|_| bidder != bluffer)
                    .or(best);
            }
        }
        self.log
            .retain(|(bidder, _)| usize::from(*bidder) != bluffer);
        self.out[bluffer] = true;
        self.leader = best.map(|(bidder, _)| bidder);
        self.price = best.map_or(0, |(_, value)| value);
    }
}

/// The trade now open.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trade {
    pub challenger: usize,
    pub target: usize,
    pub animal: Animal,
    pub count: u8,
    /// The challenger's bid that counts now.
    pub offer: Purse,
    /// The target's bid that counts now; its first one while the challenger bids again.
    pub counter: Purse,
}

impl Default for Trade {
    fn default() -> Self {
        Self {
            challenger: 0,
            target: 0,
            animal: Animal::DONKEY,
            count: 0,
            offer: Purse::EMPTY,
            counter: Purse::EMPTY,
        }
    }
}

impl Trade {
    /// The animals as `reader` sees a row that names `rival`.
    pub fn goods(&self, reader: usize, rival: usize) -> Goods {
        Goods {
            animal: self.animal,
            count: self.count,
            rival: Compass::from_seats(reader, rival),
        }
    }

    /// Who bids now, the animals, and how many cards the other party has bid.
    pub fn asked(&self, challenger: bool) -> (usize, Goods, u8) {
        let (me, other, bid) = if challenger {
            (self.challenger, self.target, self.counter)
        } else {
            (self.target, self.challenger, self.offer)
        };
        (me, self.goods(me, other), bid.cards())
    }
}

//! A match as those may see it who see everything.

use super::{Koehandel, Phase};
use crate::cards::{DECK, PLAYERS};
use crate::scene::{Auction, Bid, Player, Settled, Stage, Stake, State, Trade};
use crate::view::Bounds;

impl Koehandel {
    /// The state with all hands; `settled` is what was settled last.
    #[must_use]
    pub fn shown(&self, settled: Option<Settled>) -> State {
        let owned: u8 = self.herds.iter().flatten().sum();
        let asked = self.asked().map(|(seat, _)| seat);
        let stage = match self.phase {
            Phase::Turn => Stage::Turn,
            Phase::Bid { .. } => Stage::Auction,
            Phase::PreEmpt => Stage::Buy,
            Phase::Pay { .. } => Stage::Pay,
            Phase::Counter | Phase::RebidChallenger | Phase::RebidTarget => Stage::Trade,
            Phase::Over(_) => Stage::Over,
        };
        let sells = matches!(stage, Stage::Auction | Stage::Buy | Stage::Pay);
        State {
            stage,
            players: std::array::from_fn(|seat| self.shown_player(seat, sells)),
            turn: asked.map(|_| self.turn),
            asked,
            deck_left: (DECK as u8).saturating_sub(owned),
            donkeys: self.donkeys,
            auction: sells.then(|| self.shown_auction()),
            trade: (stage == Stage::Trade).then(|| self.shown_trade()),
            settled,
        }
    }

    fn shown_player(&self, seat: usize, sells: bool) -> Player {
        let purse = self.purses[seat];
        Player {
            caught: sells && self.auction.exposed[seat],
            barred: self.barred[seat],
            ..Player::new(
                format!("Seat {seat}"),
                &self.herds[seat],
                Some(purse),
                purse.cards(),
                Bounds::exact(purse.value()),
            )
        }
    }

    fn shown_auction(&self) -> Auction {
        let auction = &self.auction;
        let bid = |(by, amount): &(u8, u16)| {
            let by = usize::from(*by) % PLAYERS;
            let held = self.purses[by].value();
            Bid {
                by,
                amount: *amount,
                bluff: (*amount > 0).then_some(*amount > held),
            }
        };
        Auction {
            card: auction.card,
            seller: auction.auctioneer,
            price: auction.price,
            leader: match self.phase {
                Phase::Pay { payer, .. } => Some(payer),
                _ => auction.leader,
            },
            bids: auction.log.iter().map(bid).collect(),
        }
    }

    fn shown_trade(&self) -> Trade {
        let trade = &self.trade;
        let tied = matches!(self.phase, Phase::RebidChallenger | Phase::RebidTarget);
        // While the challenger bids again, both first bids are void.
        let offered = !matches!(self.phase, Phase::RebidChallenger);
        Trade {
            animal: trade.animal,
            count: trade.count,
            challenger: trade.challenger,
            target: trade.target,
            offer: offered.then(|| Stake::seen(trade.offer)),
            counter: None,
            tied,
        }
    }
}

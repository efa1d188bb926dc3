//! Positions imagined by a player that cannot see the hidden cards, for playouts on the real rules.

use super::{Koehandel, Phase};
use crate::cards::{ANIMALS, Animal, Compass, PLAYERS, Purse};
use crate::options::Options;
use crate::rules::act::Ask;
use crate::rules::state::{Auction, Trade};
use crate::view::View;

/// What an ask leaves open of the position in which it comes up.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hidden {
    /// Who has passed in the open auction.
    pub out: [bool; PLAYERS],
    /// The rival's bid in the open trade.
    pub bid: Purse,
}

impl Koehandel {
    /// The position in which `view` is shown and the viewer, seat 0, is asked `ask`, with hidden money and the order of the unseen deck imagined. At first
    /// every player in it knows all cash; it maintains only estimates of cash, no bounds.
    ///
    /// `None` if the cards do not add up: views must see the deck's end when the last card is drawn, so
    /// [`View::deck_left`] must equal the `unseen` cards plus the one that is up, and no animal may have more
    /// than its four cards.
    #[must_use]
    pub fn imagine(
        view: &View,
        purses: &[Purse; PLAYERS],
        unseen: &[Animal],
        options: Options,
        ask: &Ask,
        hidden: &Hidden,
    ) -> Option<Self> {
        if !adds_up(view, unseen, ask) {
            return None;
        }
        let views = std::array::from_fn(|seat| view.imagined(seat, purses));
        let mut game = Self {
            barred: view.barred,
            blind: true,
            ..Self::before_turn(options, unseen, *purses, view.herds, view.donkeys, views)
        };
        game.set_ask(view.exposed, ask, hidden);
        Some(game)
    }

    /// Makes the position one in which the viewer, seat 0, is asked this.
    fn set_ask(&mut self, exposed: [bool; PLAYERS], ask: &Ask, hidden: &Hidden) {
        match *ask {
            Ask::Turn | Ask::Pay { .. } => {}
            Ask::Bid {
                card,
                price,
                leader,
                auctioneer,
            } => {
                self.turn = auctioneer.index();
                let leader = Some(leader).filter(|leader| price > 0 && *leader != auctioneer);
                let leader = leader.map(Compass::index);
                self.auction
                    .resume(card, self.turn, leader, price, hidden.out, exposed);
                self.phase = Phase::Bid { bidder: 0 };
            }
            Ask::PreEmpt {
                card,
                price,
                bidder,
            } => {
                // Nobody bids in their own auction, whatever a foreign referee says.
                let leader = bidder.index().max(1);
                let out = std::array::from_fn(|seat| seat != leader);
                self.auction
                    .resume(card, 0, Some(leader), price, out, exposed);
                self.phase = Phase::PreEmpt;
            }
            Ask::Counter {
                animal,
                count,
                challenger,
                ..
            } => {
                self.turn = challenger.index();
                self.trade = Trade {
                    challenger: self.turn,
                    target: 0,
                    animal,
                    count,
                    offer: hidden.bid,
                    counter: Purse::EMPTY,
                };
                self.phase = Phase::Counter;
            }
            Ask::Rebid {
                animal,
                count,
                opponent,
                challenger,
                ..
            } => {
                let rival = opponent.index();
                let trade = Trade {
                    challenger: 0,
                    target: rival,
                    animal,
                    count,
                    offer: Purse::EMPTY,
                    counter: hidden.bid,
                };
                (self.trade, self.phase) = if challenger {
                    (trade, Phase::RebidChallenger)
                } else {
                    let theirs = Trade {
                        challenger: rival,
                        target: 0,
                        offer: hidden.bid,
                        counter: Purse::EMPTY,
                        ..trade
                    };
                    (theirs, Phase::RebidTarget)
                };
                self.turn = self.trade.challenger;
            }
        }
    }

    /// Makes all players believe that the deck is empty.
    #[cfg(test)]
    pub(crate) fn mislead(&mut self) {
        for view in &mut self.views {
            view.deck_left = 0;
        }
    }

    /// The auction under way, if a bid is being asked for.
    #[must_use]
    pub fn bidding(&self) -> Option<&Auction> {
        matches!(self.phase, Phase::Bid { .. }).then_some(&self.auction)
    }
}

/// Whether herds, the card that is up and the unseen cards make up the whole deck, four of each animal.
fn adds_up(view: &View, unseen: &[Animal], ask: &Ask) -> bool {
    let up = match ask {
        Ask::Bid { card, .. } | Ask::PreEmpt { card, .. } => Some(*card),
        _ => None,
    };
    let mut counts = [0usize; ANIMALS];
    for card in unseen.iter().chain(&up) {
        counts[card.index()] += 1;
    }
    let whole = |animal: Animal| counts[animal.index()] + usize::from(view.out(animal)) == 4;
    usize::from(view.deck_left) == unseen.len() + usize::from(up.is_some())
        && Animal::all().all(whole)
}

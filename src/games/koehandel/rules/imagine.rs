//! Positions made up by a player who cannot see the hidden cards, to be played out on the real rules.

use super::game::{Koehandel, Phase};
use super::state::{Auction, Trade};
use crate::koehandel::cards::{ANIMALS, Animal, Compass, DECK, MONEY_MAX, PLAYERS, Purse};
use crate::koehandel::options::Options;
use crate::koehandel::view::View;

/// What a made-up position waits for. The viewer is seat 0; the others sit clockwise as he names them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Moment {
    /// The viewer's turn.
    Turn,
    /// The viewer is asked for a bid.
    Bid {
        /// What is sold.
        card: Animal,
        /// Who sells.
        auctioneer: usize,
        /// Who bid most so far.
        leader: Option<usize>,
        /// How much.
        price: u16,
        /// Who passed.
        out: [bool; PLAYERS],
    },
    /// The viewer sells and may buy.
    PreEmpt {
        /// What is sold.
        card: Animal,
        /// Who bid most.
        leader: usize,
        /// How much.
        price: u16,
    },
    /// The viewer is challenged by one who offers `offer`.
    Counter {
        /// Who challenges.
        challenger: usize,
        /// Over what.
        animal: Animal,
        /// How many of it.
        count: u8,
        /// The made-up offer.
        offer: Purse,
    },
    /// The bids tied and the viewer bids again.
    Rebid {
        /// The other party.
        rival: usize,
        /// Over what.
        animal: Animal,
        /// How many of it.
        count: u8,
        /// The viewer's tied bid.
        mine: Purse,
        /// The rival's bid that counts now.
        theirs: Purse,
        /// Whether the viewer began the trade.
        challenger: bool,
    },
}

/// How a made-up match goes on in its auction, for those who run the bidding themselves.
#[derive(Clone, Copy, Debug)]
pub struct Bidding {
    /// What is sold.
    pub card: Animal,
    /// Who sells.
    pub auctioneer: usize,
    /// Who bid most so far.
    pub leader: Option<usize>,
    /// How much.
    pub price: u16,
    /// Who passed.
    pub out: [bool; PLAYERS],
    /// Who is asked.
    pub bidder: usize,
}

impl Koehandel {
    /// The position as `view` has it, with hidden money and the order of the unseen deck made up.
    /// Everybody in it knows everybody's cash at first; bounds on cash are not kept up in it, only
    /// estimates.
    ///
    /// `None` if the cards do not add up: views must see the deck's end when the last card is drawn,
    /// so [`View::deck_left`] must be the `unseen` cards and the one that is up, and no animal may have
    /// more than its four cards.
    #[must_use]
    pub fn imagine(
        view: &View,
        purses: &[Purse; PLAYERS],
        unseen: &[Animal],
        options: Options,
        moment: &Moment,
    ) -> Option<Self> {
        if !adds_up(view, unseen, moment) {
            return None;
        }
        let mut deck = [Animal::DONKEY; DECK];
        for (place, card) in deck.iter_mut().zip(unseen) {
            *place = *card;
        }
        let mut game = Self {
            options,
            deck,
            deck_size: unseen.len().min(DECK) as u8,
            drawn: 0,
            donkeys: view.donkeys,
            purses: *purses,
            herds: view.herds,
            barred: view.barred,
            turn: 0,
            phase: Phase::Turn,
            auction: Auction::default(),
            trade: Trade::default(),
            views: std::array::from_fn(|seat| view.imagined(seat, purses)),
            end_turns: 0,
            end_turns_without_set: 0,
            blind: true,
        };
        game.set_moment(view, moment);
        Some(game)
    }

    fn set_moment(&mut self, view: &View, moment: &Moment) {
        match *moment {
            Moment::Turn => {}
            Moment::Bid {
                card,
                auctioneer,
                leader,
                price,
                out,
            } => {
                self.turn = auctioneer;
                let leader = leader.filter(|leader| *leader != auctioneer);
                let price = price.min(MONEY_MAX);
                self.auction
                    .resume(card, auctioneer, leader, price, out, view.exposed);
                self.phase = Phase::Bid { bidder: 0 };
            }
            Moment::PreEmpt {
                card,
                leader,
                price,
            } => {
                // Nobody bids in his own auction, whatever a foreign referee says.
                let leader = leader.max(1);
                let price = price.min(MONEY_MAX);
                let out = std::array::from_fn(|seat| seat != leader);
                self.auction
                    .resume(card, 0, Some(leader), price, out, view.exposed);
                self.phase = Phase::PreEmpt;
            }
            Moment::Counter {
                challenger,
                animal,
                count,
                offer,
            } => {
                self.turn = challenger;
                self.trade = Trade {
                    challenger,
                    target: 0,
                    animal,
                    count,
                    offer,
                    counter: Purse::EMPTY,
                };
                self.phase = Phase::Counter;
            }
            Moment::Rebid {
                rival,
                animal,
                count,
                mine,
                theirs,
                challenger,
            } => {
                let (first, second) = if challenger { (0, rival) } else { (rival, 0) };
                let (offer, counter) = if challenger {
                    (mine, theirs)
                } else {
                    (theirs, mine)
                };
                self.turn = first;
                self.trade = Trade {
                    challenger: first,
                    target: second,
                    animal,
                    count,
                    offer,
                    counter,
                };
                self.phase = if challenger {
                    Phase::RebidChallenger
                } else {
                    Phase::RebidTarget
                };
            }
        }
    }

    /// Makes everybody believe that the deck is empty.
    #[cfg(test)]
    pub(in crate::koehandel) fn mislead(&mut self) {
        for view in &mut self.views {
            view.deck_left = 0;
        }
    }

    /// The auction under way, if bids are asked for.
    #[must_use]
    pub fn bidding(&self) -> Option<Bidding> {
        let Phase::Bid { bidder } = self.phase else {
            return None;
        };
        let auction = &self.auction;
        Some(Bidding {
            card: auction.card,
            auctioneer: auction.auctioneer,
            leader: auction.leader,
            price: auction.price,
            out: auction.out,
            bidder,
        })
    }
}

/// Whether herds, the card that is up and the unseen cards are the whole deck, four of each animal.
fn adds_up(view: &View, unseen: &[Animal], moment: &Moment) -> bool {
    let up = match moment {
        Moment::Bid { card, .. } | Moment::PreEmpt { card, .. } => Some(*card),
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

impl View {
    /// What the player at `seat` would know if everybody's money lay open as `purses`.
    pub(crate) fn imagined(&self, seat: usize, purses: &[Purse; PLAYERS]) -> View {
        let turned = |at: usize| (seat + at) % PLAYERS;
        let mut view = View::of(
            std::array::from_fn(|at| purses[turned(at)]),
            std::array::from_fn(|at| self.herds[turned(at)]),
            self.donkeys,
        );
        for place in Compass::ALL.map(Compass::index) {
            view.barred[place] = self.barred[turned(place)];
            view.exposed[place] = self.exposed[turned(place)];
        }
        if seat == 0 {
            view.guess = self.guess;
        }
        view.deck_left = self.deck_left;
        view
    }
}

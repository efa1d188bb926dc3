//! An auction: sequential bids, the auctioneer's right to buy, and payment, at which bluffs are found.

use super::{Koehandel, Phase, send};
use crate::cards::{Animal, Compass, PLAYERS};
use crate::message::{Bought, Message};
use crate::options::SecondBluff;
use crate::rules::act::Money;
use drover_game::game::Listener;

impl Koehandel {
    pub(super) fn open_auction(
        &mut self,
        card: Animal,
        auctioneer: usize,
        listener: &mut impl Listener<Message>,
    ) {
        self.auction.card = card;
        self.auction.auctioneer = auctioneer;
        self.auction.exposed = [false; PLAYERS];
        self.auction.restart();
        self.ask_bid(auctioneer, listener);
    }

    /// Asks the next bidder after `player`, or closes the bidding.
    fn ask_bid(&mut self, player: usize, listener: &mut impl Listener<Message>) {
        let Some(bidder) = self.auction.next_bidder(player) else {
            return self.close_bidding(listener);
        };
        self.phase = Phase::Bid { bidder };
        let auction = &self.auction;
        send(listener, bidder, || {
            Message::Bid(auction.seen_by(bidder), auction.history(bidder))
        });
    }

    pub(super) fn bid(
        &mut self,
        bidder: usize,
        amount: u16,
        listener: &mut impl Listener<Message>,
    ) {
        let refused = amount > self.auction.price && self.refuses(bidder, amount);
        if refused {
            send(listener, bidder, || Message::SecondBluff);
        }
        let logged = if refused { 0 } else { amount };
        let auction = &mut self.auction;
        auction.log.push((bidder as u8, logged));
        if logged > auction.price {
            auction.leader = Some(bidder);
            auction.price = logged;
        } else {
            auction.out[bidder] = true;
        }
        self.ask_bid(bidder, listener);
    }

    /// Whether an amount bid by an exposed player is refused at once (A3 a, A5).
    fn refuses(&self, player: usize, amount: u16) -> bool {
        self.options.second_bluff == SecondBluff::Refused
            && self.auction.exposed[player]
            && amount > self.purses[player].value()
    }

    fn close_bidding(&mut self, listener: &mut impl Listener<Message>) {
        let auctioneer = self.auction.auctioneer;
        if self.auction.leader.is_none() {
            return self.give_free(listener);
        }
        self.phase = Phase::PreEmpt;
        let auction = &self.auction;
        send(listener, auctioneer, || {
            Message::PreEmpt(auction.seen_by(auctioneer), auction.history(auctioneer))
        });
    }

    fn give_free(&mut self, listener: &mut impl Listener<Message>) {
        let (card, auctioneer) = (self.auction.card, self.auction.auctioneer);
        self.settle_card(card, auctioneer);
        send(listener, auctioneer, || Message::Card(card));
        for seat in others(auctioneer, auctioneer) {
            let auctioneer = Compass::from_seats(seat, auctioneer);
            send(listener, seat, || Message::Free { card, auctioneer });
        }
        self.next_turn(listener);
    }

    pub(super) fn pre_empt(&mut self, amount: u16, listener: &mut impl Listener<Message>) {
        let (auctioneer, price) = (self.auction.auctioneer, self.auction.price);
        let Some(leader) = self.auction.leader else {
            return self.give_free(listener);
        };
        let mut buys = amount > 0 && amount >= price;
        let excluded = self.auction.exposed[auctioneer] && !self.options.bluffer_rebids;
        if buys && (excluded || self.refuses(auctioneer, price)) {
            send(listener, auctioneer, || Message::SecondBluff);
            buys = false;
        }
        let (payer, payee) = if buys {
            (auctioneer, leader)
        } else {
            (leader, auctioneer)
        };
        if self.purses[payer].value() < price {
            return self.bluff_found(payer, listener);
        }
        self.phase = Phase::Pay { payer, payee };
        let card = self.auction.card;
        send(listener, payer, || Message::Card(card));
        send(listener, payer, || Message::Collect {
            payee: Compass::from_seats(payer, payee),
            price,
        });
    }

    /// Shows the bluffer's hand to all and sells the card again (A4, A24).
    fn bluff_found(&mut self, bluffer: usize, listener: &mut impl Listener<Message>) {
        let again = self.auction.exposed[bluffer];
        self.auction.exposed[bluffer] = true;
        let hand = self.purses[bluffer];
        if again {
            return self.strike_bid(bluffer, listener);
        }
        for seat in 0..PLAYERS {
            let by = Compass::from_seats(seat, bluffer);
            self.views[seat].bluffed(by, hand);
            send(listener, seat, || Message::Bluffed { by, hand });
        }
        self.auction.restart();
        if !self.options.bluffer_rebids {
            self.auction.out = self.auction.exposed;
        }
        self.ask_bid(self.auction.auctioneer, listener);
    }

    /// The second unpayable bid lapses at payment (A3 b).
    fn strike_bid(&mut self, bluffer: usize, listener: &mut impl Listener<Message>) {
        send(listener, bluffer, || Message::SecondBluff);
        if bluffer == self.auction.auctioneer {
            // The purchase lapses and the highest bid stands.
            return self.pre_empt(0, listener);
        }
        self.auction.strike(bluffer);
        self.close_bidding(listener);
    }

    pub(super) fn pay_price(
        &mut self,
        payer: usize,
        payee: usize,
        money: Money,
        listener: &mut impl Listener<Message>,
    ) {
        let (card, price) = (self.auction.card, self.auction.price);
        let hand = self.purses[payer];
        let chosen = match money {
            Money::Cards(paid) if hand.holds(paid) && paid.value() >= price => Some(paid),
            _ => None,
        };
        let Some(paid) = chosen.or_else(|| hand.exact_payment(price)) else {
            return self.bluff_found(payer, listener);
        };
        self.settle_card(card, payer);
        self.move_money(paid, price, payer, payee);
        if chosen.is_none() {
            let payee = Compass::from_seats(payer, payee);
            send(listener, payer, || Message::PaidByServer { payee, paid });
        }
        send(listener, payer, || Message::Settled(paid));
        send(listener, payee, || Message::Money {
            payer: Compass::from_seats(payee, payer),
            paid,
        });
        let cards = paid.cards();
        for seat in others(payer, payee) {
            let buyer = Compass::from_seats(seat, payer);
            send(listener, seat, || {
                Message::Bought(Bought {
                    card,
                    buyer,
                    cards,
                    price,
                })
            });
        }
        for seat in others(payer, payee) {
            let payee = Compass::from_seats(seat, payee);
            send(listener, seat, || Message::WasPaid {
                payee,
                cards,
                price,
            });
        }
        self.next_turn(listener);
    }
}

/// The seats that are neither `a` nor `b`, in seat order.
pub(super) fn others(a: usize, b: usize) -> impl Iterator<Item = usize> {
    (0..PLAYERS).filter(move |seat| *seat != a && *seat != b)
}

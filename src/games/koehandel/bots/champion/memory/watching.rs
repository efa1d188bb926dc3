//! What rivals' acts say about their types: each observation goes to the reading of its rival, and to the
//! notes if they are taken.

use super::Memory;
use crate::bots::champion::reading::Part;
use crate::bots::champion::sale::{Noted, Open};
use crate::bots::styles::claims;
use crate::cards::{Animal, Compass, Purse};
use crate::message::{Goods, History, Sale};
use crate::view::View;

impl Memory {
    /// What a rival knows, in one of the deals.
    pub(super) fn rival_view(&mut self, rival: Compass) -> View {
        let mut coin = self.coin();
        let deal = self.belief.draw(&mut coin);
        let mut view =
            View::from_holdings(deal, self.herds, self.donkeys).imagined(rival.index(), &deal);
        view.deck_left = self.deck_left;
        view
    }

    pub(super) fn cards_of(&mut self, rival: Compass) -> Purse {
        let mut coin = self.coin();
        self.belief.draw(&mut coin)[rival.index()]
    }

    pub(super) fn cash(&mut self, rival: Compass) -> u16 {
        self.cards_of(rival).value()
    }

    pub(super) fn read_turn(&mut self, rival: Compass, traded: Option<(Compass, Animal)>) {
        if rival == Compass::S {
            return;
        }
        let view = self.rival_view(rival);
        if !view.deck_empty() && view.can_trade(Compass::S) {
            self.note(Noted::Turn {
                rival,
                traded: traded.is_some(),
            });
        }
        let coin = self.coin();
        let seen =
            traded.map(|(with, animal)| (Compass::from_seats(rival.index(), with.index()), animal));
        self.readings[rival.index() - 1].turn(&view, seen, &coin);
    }

    /// A trade of the reader's own in which the rival's bid was revealed.
    pub(super) fn read_trade(&mut self, rival: Compass, paid: Purse) {
        let Some((goods, view)) = self.settled.take() else {
            return;
        };
        if goods.rival != rival || rival == Compass::S {
            return;
        }
        let coin = self.coin();
        let me = Compass::from_seats(rival.index(), 0);
        let goods = Goods { rival: me, ..goods };
        self.note(Noted::Offer { rival, paid });
        if let Some((_, countered)) = &mut self.answer {
            *countered = true;
        }
        self.readings[rival.index() - 1].bid(&view, goods, paid, &coin);
    }

    /// An auction ended at a price between two players.
    pub(super) fn read_price(&mut self, payer: Compass, payee: Compass, price: u16) {
        let Some(sale) = self.sale.as_ref().map(|open| open.sale) else {
            return;
        };
        let auctioneer = sale.auctioneer;
        let winner = if payer == auctioneer { payee } else { payer };
        self.read_sale(Some((winner, price)));
        if auctioneer != Compass::S {
            let claims = claims(&self.herds, sale.card);
            let cash = self.cash(auctioneer);
            self.note(Noted::PreEmpt {
                rival: auctioneer,
                bought: payer == auctioneer,
                price,
                claim: claims[auctioneer.index()],
            });
            self.readings[auctioneer.index() - 1].pre_empt(
                payer == auctioneer,
                price,
                sale.card,
                &claims,
                auctioneer.index(),
                cash,
            );
        }
    }

    /// Nobody bid for a card. A player without a bid passed; but in a card that is sold again, an exposed player may
    /// have had no part.
    pub(super) fn read_unwanted(&mut self, card: Animal, auctioneer: Compass) {
        let sale = Sale {
            card,
            auctioneer,
            leader: auctioneer,
            price: 0,
        };
        let received = self.sale.take();
        let received =
            received.filter(|open| (open.sale.card, open.sale.auctioneer) == (card, auctioneer));
        let mut open = received.unwrap_or(Open {
            sale,
            history: History::new(),
            own: Vec::new(),
        });
        for rival in Compass::RIVALS.into_iter().filter(|_| !self.again) {
            if !open.history.iter().any(|(who, _)| *who == rival) {
                open.history.push((rival, 0));
            }
        }
        self.sale = Some(open);
        self.read_sale(None);
    }

    /// Reads every rival's bids in the auction that ends now; `end` is the winning bid, where known.
    pub(super) fn read_sale(&mut self, end: Option<(Compass, u16)>) {
        let Some(open) = self.sale.clone() else {
            return;
        };
        let sale = open.sale;
        let claims = claims(&self.herds, sale.card);
        for rival in Compass::RIVALS {
            if rival == sale.auctioneer {
                continue;
            }
            let mut part = Part::default();
            let mut asked = false;
            open.replay(|who, bid, price| {
                if who == rival {
                    asked = true;
                    part.add(bid, price);
                }
            });
            if let Some((winner, bid)) = end {
                if winner == rival && bid >= part.bid {
                    part.bid = bid;
                    asked = true;
                } else if part.passed.is_none() && asked {
                    part.passed = Some(bid);
                }
            }
            if asked {
                let cash = self.cash(rival);
                self.note(Noted::Auction {
                    rival,
                    part,
                    claim: claims[rival.index()],
                    over: self.belief.short_of(part.bid, rival),
                });
                self.readings[rival.index() - 1].auction(
                    part,
                    sale.card,
                    &claims,
                    rival.index(),
                    cash,
                );
            }
        }
    }
}

//! Settlements of several rows: which rows are still to come, and what follows once they have.

use super::Fold;
use crate::cards::{Animal, Compass, Purse};
use crate::fold::deal::{Deal, Sold};
use crate::fold::state::Pending;
use crate::message::{Bought, Message};
use crate::view::Flow;

impl Fold {
    /// Adds this message to the settlement under way, or closes that settlement.
    pub(super) fn carry_on(&mut self, message: &Message) -> Option<Purse> {
        let pending = std::mem::replace(&mut self.pending, Pending::None);
        match (pending, message) {
            (Pending::Card(card), &Message::Collect { payee, price }) => {
                self.await_payment(Some(card), payee, price);
            }
            (Pending::Card(card), _) => {
                self.settle_card(card, Compass::S);
                self.deals.push(Deal::Sale(Sold::free(card, Compass::S)));
            }
            (Pending::Paying { .. }, _) => return self.close_payment(pending, message),
            (Pending::Bought(bought), _) => {
                let payee = match *message {
                    Message::WasPaid { payee, .. } => payee,
                    _ => self.payee_of(bought.buyer),
                };
                self.note_sale(bought, payee, None);
                let flow = Flow::Hidden {
                    cards: bought.cards,
                    least: bought.price,
                };
                self.pay(bought.buyer, payee, flow);
            }
            (Pending::Own(own), _) => self.carry_on_own(own, message),
            (Pending::Trade(..) | Pending::Traded(_), _) => {
                self.carry_on_trade(pending, message);
            }
            (Pending::None, _) => {}
        }
        if let Pending::None = self.pending {
            self.open_settlement(message);
        }
        None
    }

    /// The rows that begin a settlement.
    fn open_settlement(&mut self, message: &Message) {
        match *message {
            Message::Card(card) => self.pending = Pending::Card(card),
            Message::Collect { payee, price } => self.await_payment(None, payee, price),
            Message::Bought(bought) => self.pending = Pending::Bought(bought),
            Message::TradeWon { goods, cards } => self.pending = Pending::Trade(goods, cards),
            _ => {}
        }
    }

    fn await_payment(&mut self, card: Option<Animal>, payee: Compass, price: u16) {
        self.pending = Pending::Paying {
            card,
            payee,
            price,
            chosen: None,
        };
    }

    /// Determines what was paid from the message after row 9.
    fn close_payment(&mut self, pending: Pending, message: &Message) -> Option<Purse> {
        let Pending::Paying {
            card,
            payee,
            price,
            chosen,
        } = pending
        else {
            return None;
        };
        let paid = match *message {
            Message::PaidByServer { paid, .. } | Message::Settled(paid) => paid,
            _ => chosen
                .or_else(|| self.view.purse.exact_payment(price))
                .unwrap_or(self.view.purse),
        };
        if let Some(card) = card {
            let bought = Bought {
                card,
                buyer: Compass::S,
                cards: paid.cards(),
                price,
            };
            self.note_sale(bought, payee, Some(paid));
        }
        self.pay(Compass::S, payee, Flow::Seen(paid));
        self.open_settlement(message);
        (!matches!(message, Message::Settled(_))).then_some(paid)
    }

    /// Who was paid for the card now up, if no row said so.
    fn payee_of(&self, buyer: Compass) -> Compass {
        match self.up {
            Some(sale) if sale.auctioneer == buyer => sale.leader,
            Some(sale) => sale.auctioneer,
            None => Compass::S,
        }
    }

    /// Records that a card was bought from `payee`.
    fn note_sale(&mut self, bought: Bought, payee: Compass, paid: Option<Purse>) {
        self.deals.push(Deal::Sale(Sold {
            card: bought.card,
            auctioneer: self.up.map(|sale| sale.auctioneer),
            buyer: bought.buyer,
            payee: Some(payee),
            price: Some(bought.price),
            cards: bought.cards,
            paid,
        }));
        self.settle_card(bought.card, bought.buyer);
    }
}

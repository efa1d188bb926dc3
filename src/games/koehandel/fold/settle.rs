//! Settlements of several rows: what is still to come, and what follows once it has.

use super::deal::Deal;
use super::knowledge::Fold;
use super::state::Pending;
use crate::koehandel::cards::{Animal, Compass, Purse};
use crate::koehandel::message::Message;
use crate::koehandel::view::Flow;

impl Fold {
    /// Adds this message to the settlement under way, or closes that one.
    pub(super) fn carry_on(&mut self, message: &Message) -> Option<Purse> {
        let pending = std::mem::replace(&mut self.pending, Pending::None);
        match (pending, message) {
            (Pending::Card(card), &Message::Collect { payee, price }) => {
                self.await_payment(Some(card), payee, price);
            }
            (Pending::Card(card), _) => {
                self.settle_card(card, Compass::S);
                let auctioneer = Compass::S;
                self.deals.push(Deal::Free { card, auctioneer });
            }
            (Pending::Paying { .. }, _) => return self.close_payment(pending, message),
            (
                Pending::Bought {
                    card,
                    buyer,
                    cards,
                    price,
                },
                _,
            ) => {
                let payee = match *message {
                    Message::WasPaid { payee, .. } => payee,
                    _ => self.payee_of(buyer),
                };
                self.note_sale(card, buyer, payee, price, cards, None);
                self.pay(
                    buyer,
                    payee,
                    Flow::Hidden {
                        cards,
                        least: price,
                    },
                );
            }
            (Pending::Own { .. }, _) => self.carry_on_own(pending, message),
            (Pending::Trade { .. } | Pending::Traded { .. }, _) => {
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
            Message::Bought {
                card,
                buyer,
                cards,
                price,
            } => {
                self.pending = Pending::Bought {
                    card,
                    buyer,
                    cards,
                    price,
                };
            }
            Message::TradeWon {
                animal,
                count,
                winner,
                cards,
            } => {
                self.pending = Pending::Trade {
                    animal,
                    count,
                    winner,
                    cards,
                };
            }
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

    /// The message after row 9 makes certain what was paid.
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
            self.note_sale(card, Compass::S, payee, price, paid.cards(), Some(paid));
        }
        self.pay(Compass::S, payee, Flow::Seen(paid));
        self.open_settlement(message);
        (!matches!(message, Message::Settled(_))).then_some(paid)
    }

    /// Who was paid for the card now up, where no row said so.
    fn payee_of(&self, buyer: Compass) -> Compass {
        match self.up {
            Some(sale) if sale.auctioneer == buyer => sale.leader,
            Some(sale) => sale.auctioneer,
            None => Compass::S,
        }
    }

    /// A card was bought for `price`, by `buyer`, from `payee`.
    fn note_sale(
        &mut self,
        card: Animal,
        buyer: Compass,
        payee: Compass,
        price: u16,
        cards: u8,
        paid: Option<Purse>,
    ) {
        self.deals.push(Deal::Sale {
            card,
            auctioneer: self.up.map(|sale| sale.auctioneer),
            buyer,
            payee,
            price: Some(price),
            cards,
            paid,
        });
        self.settle_card(card, buyer);
    }
}

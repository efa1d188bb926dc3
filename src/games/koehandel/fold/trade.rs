//! Settlements of trades: the reader's own, and those of others with the I5 question who lost.

use super::deal::Deal;
use super::knowledge::{Fold, OwnTrade};
use super::state::Pending;
use crate::koehandel::cards::{Animal, Compass, Purse};
use crate::koehandel::message::Message;
use crate::koehandel::options::TradePayment;
use crate::koehandel::view::{Flow, stake};

impl Fold {
    pub(super) fn carry_on_own(&mut self, pending: Pending, message: &Message) {
        let Pending::Own {
            animal,
            count,
            rival,
            won,
            mut paid,
            mut got,
        } = pending
        else {
            return;
        };
        match *message {
            Message::Pay {
                receiver,
                paid: cards,
            } if receiver == rival => paid = Some(cards),
            Message::Money { payer, paid: cards } if payer == rival => got = Some(cards),
            _ => {
                self.learn_payment(won, paid.is_some(), got.is_some());
                self.view.traded(Compass::S, rival);
                let (winner, loser, paid, paid_back) = if won {
                    (Compass::S, rival, paid, got)
                } else {
                    (rival, Compass::S, got, paid)
                };
                let own = self.own.challenger;
                self.deals.push(Deal::Trade {
                    animal,
                    count,
                    challenger: Some(if own { Compass::S } else { rival }),
                    winner,
                    loser,
                    cards: paid.map_or(0, Purse::cards),
                    back: paid_back.map_or(0, Purse::cards),
                    paid,
                    paid_back,
                    tied: self.own.tied,
                });
                return;
            }
        }
        self.pending = Pending::Own {
            animal,
            count,
            rival,
            won,
            paid,
            got,
        };
    }

    /// What a trade of the reader's own says about A1. A second tie, an invalid bid and bids of no
    /// card say nothing.
    fn learn_payment(&mut self, won: bool, paid: bool, got: bool) {
        let OwnTrade {
            challenger,
            mine,
            theirs,
            tied,
            ..
        } = self.own;
        if (won && got) || (!won && paid) {
            self.payment = Some(TradePayment::Exchange);
        } else if (won && paid && !challenger && !tied && theirs > 0) || (!won && got && mine > 0) {
            self.payment = Some(TradePayment::Winner);
        }
    }

    pub(super) fn carry_on_trade(&mut self, pending: Pending, message: &Message) {
        match (pending, message) {
            (
                Pending::Trade {
                    animal,
                    count,
                    winner,
                    ..
                },
                &Message::TradeLost { named, .. },
            ) => match self.loser(animal, count, winner, named) {
                (loser, true) => self.settle_trade(pending, loser),
                (_, false) => self.pending = pending,
            },
            (Pending::Trade { winner, .. }, &Message::LoserPaid { loser, cards })
                if loser != winner =>
            {
                self.settle_trade(pending, loser);
                self.exchange(winner, loser, cards);
            }
            (Pending::Traded { winner, loser, .. }, &Message::LoserPaid { cards, .. }) => {
                self.pending = pending;
                self.exchange(winner, loser, cards);
            }
            (Pending::Traded { .. }, Message::WinnerPaid { .. }) => self.pending = pending,
            (Pending::Traded { .. }, _) => self.close_trade(pending),
            (
                Pending::Trade {
                    animal,
                    count,
                    winner,
                    ..
                },
                _,
            ) => {
                let (loser, certain) = self.loser(animal, count, winner, winner);
                self.certain &= certain;
                self.settle_trade(pending, loser);
                let settled = std::mem::replace(&mut self.pending, Pending::None);
                self.close_trade(settled);
            }
            _ => {}
        }
    }

    fn settle_trade(&mut self, pending: Pending, loser: Compass) {
        let Pending::Trade {
            animal,
            count,
            winner,
            cards,
        } = pending
        else {
            return;
        };
        self.turn = self
            .turn_after()
            .filter(|place| *place == winner || *place == loser);
        self.move_animals(animal, count, loser, winner);
        if cards > 0 {
            self.pay(winner, loser, Flow::Hidden { cards, least: 0 });
        }
        self.pending = Pending::Traded {
            animal,
            count,
            winner,
            loser,
            cards,
            back: 0,
        };
    }

    fn close_trade(&mut self, pending: Pending) {
        let Pending::Traded {
            animal,
            count,
            winner,
            loser,
            cards,
            back,
        } = pending
        else {
            return;
        };
        self.view.traded(winner, loser);
        self.deals.push(Deal::Trade {
            animal,
            count,
            challenger: self.turn,
            winner,
            loser,
            cards,
            back,
            paid: None,
            paid_back: None,
            tied: false,
        });
    }

    fn exchange(&mut self, winner: Compass, loser: Compass, cards: u8) {
        self.payment = Some(TradePayment::Exchange);
        if let Pending::Traded { back, .. } = &mut self.pending {
            *back = cards;
        }
        self.pay(loser, winner, Flow::Hidden { cards, least: 0 });
    }

    /// Who lost a trade among others, and whether that is certain. Where the `-` row names the
    /// winner (I5), it must be somebody who can have lost such cards; a trade that the player on
    /// turn did not win is one that he lost.
    fn loser(&self, animal: Animal, count: u8, winner: Compass, named: Compass) -> (Compass, bool) {
        let possible = |place: Compass| place != Compass::S && place != winner;
        if possible(named) {
            return (named, true);
        }
        let held = self.view.owns(winner, animal);
        let fits = |place: &Compass| {
            possible(*place) && stake(held, self.view.owns(*place, animal)) == count
        };
        let mut fitting = Compass::RIVALS.into_iter().filter(fits);
        match (fitting.next(), fitting.next()) {
            (Some(loser), None) => (loser, true),
            (Some(first), Some(_)) => {
                let turn = self.turn_after().filter(|place| fits(place));
                (turn.unwrap_or(first), turn.is_some())
            }
            (None, _) => {
                let owner = Compass::RIVALS
                    .into_iter()
                    .filter(|place| possible(*place))
                    .max_by_key(|place| self.view.owns(*place, animal));
                (owner.unwrap_or(Compass::N), true)
            }
        }
    }
}

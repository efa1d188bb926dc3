//! Settlements of trades: the reader's own, and those of others, where I5 leaves open who lost.

use super::{Fold, OwnTrade};
use crate::cards::{Compass, Purse};
use crate::fold::deal::{Deal, Traded};
use crate::fold::state::{Pending, Settling};
use crate::message::{Goods, Message};
use crate::options::TradePayment;
use crate::view::{Flow, stake};

impl Fold {
    pub(super) fn carry_on_own(&mut self, mut own: Settling, message: &Message) {
        let rival = own.goods.rival;
        match *message {
            Message::Pay { receiver, paid } if receiver == rival => own.paid = Some(paid),
            Message::Money { payer, paid } if payer == rival => own.got = Some(paid),
            _ => return self.close_own(own),
        }
        self.pending = Pending::Own(own);
    }

    fn close_own(
        &mut self,
        Settling {
            goods,
            won,
            paid,
            got,
        }: Settling,
    ) {
        self.learn_payment(won, paid.is_some(), got.is_some());
        self.view.traded(Compass::S, goods.rival);
        let (winner, loser, paid, paid_back) = if won {
            (Compass::S, goods.rival, paid, got)
        } else {
            (goods.rival, Compass::S, got, paid)
        };
        let began = self.own.challenger;
        self.deals.push(Deal::Trade(Traded {
            animal: goods.animal,
            count: goods.count,
            challenger: Some(if began { Compass::S } else { goods.rival }),
            winner,
            loser,
            cards: paid.map_or(0, Purse::cards),
            back: paid_back.map_or(0, Purse::cards),
            paid,
            paid_back,
            tied: self.own.tied,
        }));
    }

    /// What a trade of the reader's own reveals about A1. A second tie, an invalid bid and bids of no cards
    /// reveal nothing.
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
            (Pending::Trade(won, cards), Message::TradeLost { goods, .. }) => {
                match self.loser(won, goods.rival) {
                    (loser, true) => self.settle_trade(won, cards, loser),
                    (_, false) => self.pending = pending,
                }
            }
            (Pending::Trade(won, paid), &Message::LoserPaid { loser, cards })
                if loser != won.rival =>
            {
                self.settle_trade(won, paid, loser);
                self.exchange(won.rival, loser, cards);
            }
            (Pending::Traded(traded), &Message::LoserPaid { cards, .. }) => {
                self.pending = pending;
                self.exchange(traded.winner, traded.loser, cards);
            }
            (Pending::Traded(_), Message::WinnerPaid { .. }) => self.pending = pending,
            (Pending::Traded(traded), _) => self.close_trade(traded),
            (Pending::Trade(won, cards), _) => {
                let (loser, certain) = self.loser(won, won.rival);
                self.certain &= certain;
                self.settle_trade(won, cards, loser);
                if let Pending::Traded(settled) =
                    std::mem::replace(&mut self.pending, Pending::None)
                {
                    self.close_trade(settled);
                }
            }
            _ => {}
        }
    }

    fn settle_trade(&mut self, won: Goods, cards: u8, loser: Compass) {
        let winner = won.rival;
        self.turn = self
            .turn_after()
            .filter(|place| *place == winner || *place == loser);
        self.move_animals(won.animal, won.count, loser, winner);
        if cards > 0 {
            self.pay(winner, loser, Flow::Hidden { cards, least: 0 });
        }
        self.pending = Pending::Traded(Traded {
            animal: won.animal,
            count: won.count,
            challenger: None,
            winner,
            loser,
            cards,
            back: 0,
            paid: None,
            paid_back: None,
            tied: false,
        });
    }

    fn close_trade(&mut self, traded: Traded) {
        self.view.traded(traded.winner, traded.loser);
        self.deals.push(Deal::Trade(Traded {
            challenger: self.turn,
            ..traded
        }));
    }

    fn exchange(&mut self, winner: Compass, loser: Compass, cards: u8) {
        self.payment = Some(TradePayment::Exchange);
        if let Pending::Traded(traded) = &mut self.pending {
            traded.back = cards;
        }
        self.pay(loser, winner, Flow::Hidden { cards, least: 0 });
    }

    /// Who lost a trade between others, and whether that is certain. If the `-` row names the winner (I5),
    /// the loser must be a player that can have lost such cards; the player on turn lost a trade it did not
    /// win.
    fn loser(&self, won: Goods, named: Compass) -> (Compass, bool) {
        let Goods {
            animal,
            count,
            rival: winner,
        } = won;
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

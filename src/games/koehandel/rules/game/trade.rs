//! A trade: a challenge, a counter bid, possibly a tie and new bids, then the exchange.

use super::auction::others;
use super::{Koehandel, Phase, send};
use crate::cards::{Animal, Compass, Purse};
use crate::message::{Fault, Message};
use crate::options::{LostRow, TradePayment};
use crate::rules::act::Money;
use crate::rules::state::Trade;
use crate::view::stake;
use drover_game::game::Listener;

/// Who wins a trade and what each side pays; `None`: its bid does not count.
struct Verdict {
    challenger_wins: bool,
    offer: Option<Purse>,
    counter: Option<Purse>,
}

impl Koehandel {
    /// Checks a challenge, in the order of A16.
    pub(super) fn challenge(
        &self,
        player: usize,
        opponent: Option<Compass>,
        animal: Option<Animal>,
        offer: Money,
    ) -> Result<Trade, Fault> {
        let opponent = opponent
            .filter(|place| *place != Compass::S)
            .ok_or(Fault::Opponent)?;
        let target = opponent.seat(player);
        let mine = |animal: Animal| self.herds[player][animal.index()];
        let animal = animal
            .filter(|animal| mine(*animal) > 0)
            .ok_or(Fault::Goods)?;
        let count = stake(mine(animal), self.herds[target][animal.index()]);
        if count == 0 {
            return Err(Fault::OpponentGoods);
        }
        let offer = match offer {
            Money::Cards(offer) if self.purses[player].holds(offer) => offer,
            _ => return Err(Fault::Bid),
        };
        if offer.cards() == 0 && !self.options.empty_offer {
            return Err(Fault::Bid);
        }
        Ok(Trade {
            challenger: player,
            target,
            animal,
            count,
            offer,
            counter: Purse::EMPTY,
        })
    }

    pub(super) fn open_trade(&mut self, trade: Trade, listener: &mut impl Listener<Message>) {
        self.trade = trade;
        self.phase = Phase::Counter;
        let (target, goods, cards) = self.trade.asked(false);
        send(listener, target, || Message::Challenged { goods, cards });
    }

    pub(super) fn counter(&mut self, money: Money, listener: &mut impl Listener<Message>) {
        match self.judge_target(money, listener) {
            Judged::Tie(counter) => {
                self.trade.counter = counter;
                self.phase = Phase::RebidChallenger;
                self.ask_rebid(true, listener);
            }
            Judged::Settled(verdict) => self.settle_trade(&verdict, listener),
        }
    }

    /// After a tie the challenger bids again; no answer is a bid of no card (A13).
    pub(super) fn rebid_challenger(&mut self, money: Money, listener: &mut impl Listener<Message>) {
        let challenger = self.trade.challenger;
        self.trade.offer = match self.bid_cards(challenger, money) {
            Bid::Invalid => {
                send(listener, challenger, || Message::Fault(Fault::Bid));
                let counter = Some(self.trade.counter);
                let lost = Verdict {
                    challenger_wins: false,
                    offer: None,
                    counter,
                };
                return self.settle_trade(&lost, listener);
            }
            Bid::None => Purse::EMPTY,
            Bid::Cards(offer) => offer,
        };
        self.phase = Phase::RebidTarget;
        self.ask_rebid(false, listener);
    }

    /// The target's new bid decides; a second tie gives the challenger the animals free (A14).
    pub(super) fn rebid_target(&mut self, money: Money, listener: &mut impl Listener<Message>) {
        let verdict = match self.judge_target(money, listener) {
            Judged::Tie(_) => Verdict {
                challenger_wins: true,
                offer: None,
                counter: None,
            },
            Judged::Settled(verdict) => verdict,
        };
        self.settle_trade(&verdict, listener);
    }

    /// Holds the target's bid against the challenger's: no bid accepts, an invalid one loses (A11,
    /// A12), the higher total wins.
    fn judge_target(&self, money: Money, listener: &mut impl Listener<Message>) -> Judged {
        let (offer, target) = (self.trade.offer, self.trade.target);
        let bid = self.bid_cards(target, money);
        if matches!(bid, Bid::Invalid) {
            send(listener, target, || Message::Fault(Fault::Bid));
        }
        let counter = match bid {
            Bid::Cards(counter) if counter.value() == offer.value() => return Judged::Tie(counter),
            Bid::Cards(counter) => Some(counter),
            Bid::None | Bid::Invalid => None,
        };
        Judged::Settled(Verdict {
            challenger_wins: counter.is_none_or(|counter| offer.value() > counter.value()),
            offer: Some(offer),
            counter,
        })
    }

    /// Reads a counter bid or new bid of `player` (A11, A12).
    fn bid_cards(&self, player: usize, money: Money) -> Bid {
        match money {
            Money::Missing => Bid::None,
            Money::Cards(cards) if cards.cards() == 0 => Bid::None,
            Money::Cards(cards) if self.purses[player].holds(cards) => Bid::Cards(cards),
            Money::Cards(_) | Money::Garbage => Bid::Invalid,
        }
    }

    fn ask_rebid(&self, challenger: bool, listener: &mut impl Listener<Message>) {
        let (asked, goods, cards) = self.trade.asked(challenger);
        send(listener, asked, || Message::Tie { goods, cards });
    }

    /// Moves animals and money, and notifies everybody in the order of the worked example.
    fn settle_trade(&mut self, verdict: &Verdict, listener: &mut impl Listener<Message>) {
        let trade = self.trade;
        let (challenger, target) = (trade.challenger, trade.target);
        let ((winner, won_by), (loser, lost_by)) = if verdict.challenger_wins {
            ((challenger, verdict.offer), (target, verdict.counter))
        } else {
            ((target, verdict.counter), (challenger, verdict.offer))
        };
        let exchange = self.options.trade_payment == TradePayment::Exchange;
        let paid = won_by.filter(|purse| purse.cards() > 0);
        let paid_back = lost_by.filter(|purse| exchange && purse.cards() > 0);
        send(listener, loser, || {
            Message::Lost(trade.goods(loser, winner))
        });
        send(listener, winner, || {
            Message::Won(trade.goods(winner, loser))
        });
        self.move_animals(trade.animal, trade.count, loser, winner);
        for (purse, from, to) in [(paid, winner, loser), (paid_back, loser, winner)] {
            let Some(paid) = purse else { continue };
            send(listener, from, || Message::Pay {
                receiver: Compass::from_seats(from, to),
                paid,
            });
            send(listener, to, || Message::Money {
                payer: Compass::from_seats(to, from),
                paid,
            });
            self.move_money(paid, 0, from, to);
        }
        self.notify_uninvolved(winner, loser, paid, paid_back, listener);
        for seat in 0..self.views.len() {
            let (winner, loser) = (
                Compass::from_seats(seat, winner),
                Compass::from_seats(seat, loser),
            );
            self.views[seat].traded(winner, loser);
        }
        self.next_turn(listener);
    }

    fn notify_uninvolved(
        &self,
        winner: usize,
        loser: usize,
        paid: Option<Purse>,
        paid_back: Option<Purse>,
        listener: &mut impl Listener<Message>,
    ) {
        let cards = paid.map(Purse::cards);
        for seat in others(winner, loser) {
            send(listener, seat, || Message::TradeWon {
                goods: self.trade.goods(seat, winner),
                cards: cards.unwrap_or(0),
            });
        }
        let named = match self.options.lost_row {
            LostRow::Loser => loser,
            LostRow::Winner => winner,
        };
        for seat in others(winner, loser) {
            let goods = self.trade.goods(seat, named);
            send(listener, seat, || Message::TradeLost { goods, cards });
        }
        let Some(cards) = paid_back.map(Purse::cards) else {
            return;
        };
        for seat in others(winner, loser) {
            let loser = Compass::from_seats(seat, loser);
            send(listener, seat, || Message::LoserPaid { loser, cards });
        }
        for seat in others(winner, loser) {
            let winner = Compass::from_seats(seat, winner);
            send(listener, seat, || Message::WinnerPaid { winner, cards });
        }
    }
}

/// The result of comparing the target's bid.
enum Judged {
    Tie(Purse),
    Settled(Verdict),
}

/// A bid of real cards, as read.
enum Bid {
    None,
    Cards(Purse),
    Invalid,
}

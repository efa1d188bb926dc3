//! What the champion remembers of a match: the open auction's bids, whose turn it is, herds, the deals
//! considered possible, and the likely type of each rival.

mod watching;

use super::belief::{Belief, HiddenTrade};
use super::playout::Coin;
use super::reading::Reading;
use super::sale::{Noted, Open};
use crate::bots::evolved::Rule;
use crate::bots::styles::KINDS;
use crate::cards::{ANIMALS, Animal, Compass, PLAYERS, Purse};
use crate::message::{Bought, Goods, History, Message, Sale};
use crate::view::{Herd, View};

#[cfg(test)]
mod tests;

/// A settlement between two others that may have further rows.
#[derive(Clone, Copy, Debug)]
enum Settling {
    None,
    Bought(Bought),
    Traded(HiddenTrade),
}

/// The champion's memory of a match.
#[derive(Clone)]
pub struct Memory {
    /// Possible deals of the hidden money.
    pub belief: Belief,
    /// The likely type of each rival: W, N, E.
    pub readings: [Reading; 3],
    /// How trades are paid for, as far as seen.
    pub rule: Rule,
    /// The auction now open.
    pub sale: Option<Open>,
    pub(super) herds: [Herd; PLAYERS],
    pub(super) donkeys: u8,
    pub(super) deck_left: u8,
    /// Whether a bluff was shown on the card now up, so that it is sold again.
    pub(super) again: bool,
    open: Settling,
    collecting: Option<Compass>,
    /// Whether the reader's trade under way was begun by a rival.
    challenged: bool,
    /// The reader's own trade in which no bid was revealed so far, and what the rival knew when it bid: before the
    /// payments, of which the reader receives its own first if it won.
    pub(super) settled: Option<(Goods, View)>,
    /// The rival last challenged by the reader, and whether it was seen to counter.
    pub(super) answer: Option<(Compass, bool)>,
    /// What was noted since the last call of [`Memory::notes`], if notes are taken.
    notes: Option<Vec<Noted>>,
    seed: u64,
    events: u64,
}

impl Memory {
    /// Before the first message.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self {
            belief: Belief::default(),
            readings: Default::default(),
            rule: Rule::default(),
            sale: None,
            herds: [[0; ANIMALS]; PLAYERS],
            donkeys: 0,
            deck_left: 40,
            again: false,
            open: Settling::None,
            collecting: None,
            challenged: false,
            settled: None,
            answer: None,
            notes: None,
            seed,
            events: 0,
        }
    }

    /// Starts taking notes of what rivals do; [`Memory::notes`] returns them.
    pub fn take_notes(&mut self) {
        self.notes = Some(Vec::new());
    }

    /// What was noted since the last call.
    pub fn notes(&mut self) -> Vec<Noted> {
        self.notes.as_mut().map(std::mem::take).unwrap_or_default()
    }

    pub(super) fn note(&mut self, note: Noted) {
        if let Some(notes) = &mut self.notes {
            notes.push(note);
        }
    }

    /// Decides whether the rival challenged last has countered.
    fn note_answer(&mut self) {
        if let Some((rival, countered)) = self.answer.take() {
            self.note(Noted::Counter { rival, countered });
        }
    }

    /// The reader's last trade is over.
    fn forget_trade(&mut self) {
        (self.challenged, self.settled) = (false, None);
        self.note_answer();
    }

    pub(super) fn coin(&mut self) -> Coin {
        self.events += 1;
        Coin::at(self.seed, self.events, 4)
    }

    /// Makes everything agree with what the seat knows for certain.
    pub fn agree(&mut self, view: &View) {
        self.close();
        let mut coin = self.coin();
        self.belief.agree(view, &mut coin);
        self.herds = view.herds;
        self.donkeys = view.donkeys;
        self.deck_left = view.deck_left;
    }

    /// Takes in one message.
    pub fn receive(&mut self, message: &Message) {
        self.rule.receive(message);
        if !matches!(
            message,
            Message::WasPaid { .. }
                | Message::TradeLost { .. }
                | Message::LoserPaid { .. }
                | Message::WinnerPaid { .. }
        ) {
            self.close();
        }
        match *message {
            Message::Donkey(note) => {
                self.belief.donkey(note);
                self.donkeys = (self.donkeys + 1).min(4);
            }
            Message::Bid(sale, ref history) | Message::PreEmpt(sale, ref history) => {
                self.open_sale(sale, history);
            }
            Message::Card(card) => {
                match self.sale {
                    Some(_) => self.read_sale(None),
                    // The reader's own card, for which nobody bid: it was asked nothing.
                    None => self.read_unwanted(card, Compass::S),
                }
                self.settle(card, Compass::S);
            }
            Message::Collect { payee, .. } => self.collecting = Some(payee),
            Message::Settled(paid) => {
                if let Some(payee) = self.collecting.take() {
                    self.belief.seen(Compass::S, payee, paid);
                }
            }
            Message::Free { card, auctioneer } => {
                self.read_unwanted(card, auctioneer);
                self.settle(card, auctioneer);
            }
            Message::Bluffed { by, hand } => {
                self.read_sale(None);
                (self.sale, self.again) = (None, true);
                self.belief.shown(by, hand);
                if by != Compass::S {
                    self.note(Noted::Exposed(by));
                }
            }
            _ => self.receive_payment(message),
        }
    }

    /// A bid is asked for, or the reader may buy.
    fn open_sale(&mut self, sale: Sale, history: &History) {
        let mut own = Vec::new();
        if sale.auctioneer != Compass::S {
            if self.sale.is_none() && !self.again {
                self.read_turn(sale.auctioneer, None);
            }
            self.forget_trade();
            let same = |open: &Open| {
                (open.sale.card, open.sale.auctioneer) == (sale.card, sale.auctioneer)
            };
            let before = self.sale.take().filter(same);
            own = before.map_or(own, Open::asked_again);
        }
        self.sale = Some(Open {
            sale,
            history: history.clone(),
            own,
        });
    }

    fn receive_payment(&mut self, message: &Message) {
        match *message {
            Message::Money { payer, paid } => {
                if let Some(sale) = self.sale.as_ref().map(|open| open.sale) {
                    // An auctioneer that buys pays the reader's own last bid, which no message shows.
                    let sold = sale.auctioneer == Compass::S;
                    let price = if sold {
                        sale.price
                    } else {
                        sale.price.saturating_add(10)
                    };
                    if sold {
                        self.note_paid(payer, price, |exact| exact == paid);
                    }
                    self.read_price(payer, Compass::S, price);
                    self.settle(sale.card, payer);
                } else {
                    self.read_trade(payer, paid);
                }
                self.belief.seen(payer, Compass::S, paid);
            }
            Message::Pay { receiver, paid } => self.belief.seen(Compass::S, receiver, paid),
            Message::Bought(bought) => {
                if self.sale.is_none() {
                    let sale = Sale {
                        card: bought.card,
                        auctioneer: Compass::S,
                        leader: bought.buyer,
                        price: bought.price,
                    };
                    self.open_sale(sale, &History::new());
                }
                self.open = Settling::Bought(bought);
            }
            Message::WasPaid { payee, .. } => {
                let open = std::mem::replace(&mut self.open, Settling::None);
                if let Settling::Bought(bought) = open {
                    self.receive_paid(bought, payee);
                }
            }
            _ => self.receive_trade(message),
        }
    }

    fn receive_paid(&mut self, bought: Bought, payee: Compass) {
        let (buyer, cards, price) = (bought.buyer, bought.cards, bought.price);
        self.read_price(buyer, payee, price);
        self.note_paid(buyer, price, |exact| exact.cards() == cards);
        let mut coin = self.coin();
        self.belief.paid(buyer, payee, cards, price, &mut coin);
        if let Some(card) = self.sale.as_ref().map(|open| open.sale.card) {
            self.settle(card, buyer);
        }
    }

    /// Notes whether a rival paid as the server would have, where its cards are known.
    fn note_paid(&mut self, rival: Compass, price: u16, same: impl Fn(Purse) -> bool) {
        if self.notes.is_some() && self.belief.is_sure(rival) {
            let exact = self.cards_of(rival).exact_payment(price).is_some_and(same);
            self.note(Noted::Paid { rival, exact });
        }
    }

    fn receive_trade(&mut self, message: &Message) {
        match *message {
            Message::Challenged { goods, .. } => {
                self.note_answer();
                self.read_turn(goods.rival, Some((Compass::S, goods.animal)));
                (self.challenged, self.settled) = (true, None);
            }
            Message::Won(goods) => self.receive_settled(goods, goods.rival, Compass::S),
            Message::Lost(goods) => self.receive_settled(goods, Compass::S, goods.rival),
            Message::Start => {
                self.again = false;
                self.forget_trade();
            }
            Message::End(_) => self.note_answer(),
            Message::TradeWon { goods, cards } => {
                self.open = Settling::Traded(HiddenTrade {
                    animal: goods.animal,
                    count: goods.count,
                    winner: (goods.rival, cards),
                    loser: (goods.rival, 0),
                });
            }
            Message::TradeLost { goods, .. } => {
                if let Settling::Traded(trade) = &mut self.open {
                    let winner = trade.winner.0;
                    let owner = Compass::RIVALS.into_iter().find(|rival| {
                        *rival != winner && self.herds[rival.index()][goods.animal.index()] > 0
                    });
                    trade.loser.0 = if goods.rival == winner {
                        owner.unwrap_or(winner)
                    } else {
                        goods.rival
                    };
                }
            }
            Message::LoserPaid { loser, cards } => {
                if let Settling::Traded(trade) = &mut self.open {
                    trade.loser = (loser, cards);
                }
            }
            _ => {}
        }
    }

    /// The animals of the reader's own trade moved.
    fn receive_settled(&mut self, goods: Goods, from: Compass, to: Compass) {
        self.settled = Some((goods, self.rival_view(goods.rival)));
        self.move_animals(goods.animal, goods.count, from, to);
        if !self.challenged {
            self.answer = Some((goods.rival, from == Compass::S));
        }
    }

    /// Closes a settlement between two others.
    fn close(&mut self) {
        let Settling::Traded(trade) = std::mem::replace(&mut self.open, Settling::None) else {
            return;
        };
        let ((winner, _), (loser, _)) = (trade.winner, trade.loser);
        if winner == loser {
            return;
        }
        let weights: [Vec<f32>; 3] = std::array::from_fn(|at| self.readings[at].weights());
        let mut coin = self.coin();
        self.belief.traded(
            &trade,
            &self.herds,
            self.donkeys,
            |who, coin| {
                let weights = &weights[(who.index() + 2) % 3];
                KINDS[Reading::draw(weights, coin) % KINDS.len()].style
            },
            &mut coin,
        );
        self.move_animals(trade.animal, trade.count, loser, winner);
    }

    fn move_animals(&mut self, animal: Animal, count: u8, from: Compass, to: Compass) {
        let lost = &mut self.herds[from.index()][animal.index()];
        *lost = lost.saturating_sub(count);
        let got = &mut self.herds[to.index()][animal.index()];
        *got = (*got + count).min(4);
    }

    /// The card up is settled.
    fn settle(&mut self, card: Animal, owner: Compass) {
        (self.sale, self.again) = (None, false);
        let owned = &mut self.herds[owner.index()][card.index()];
        *owned = (*owned + 1).min(4);
        self.deck_left = self.deck_left.saturating_sub(1);
    }
}

//! What a row implies about rows lost before it. What is certain is folded; the owner of a card that no row
//! reported is guessed, and the guess is undone if the row arrives after all.

use super::Fold;
use crate::cards::{Animal, Compass, Note, Purse};
use crate::fold::state::{Pending, next};
use crate::message::{Bought, Fault, Goods, Message, Sale};
use crate::view::Flow;
use smallvec::{SmallVec, smallvec};

/// Rows to fold in place of one: the lost ones that are certain, and the row itself.
pub type Rows = SmallVec<[Message; 4]>;

impl Fold {
    /// Makes the view agree with a row that [`Fold::judge`] calls fixed, and returns the rows to fold.
    pub fn fix(&mut self, message: &Message) -> Rows {
        match *message {
            Message::Donkey(note) | Message::DonkeyOther(_, note) => {
                self.lost_donkeys(note, message)
            }
            Message::Start => {
                self.begin_turn(Compass::S);
                smallvec![message.clone()]
            }
            Message::Bid(
                Sale {
                    card, auctioneer, ..
                },
                _,
            )
            | Message::PreEmpt(
                Sale {
                    card, auctioneer, ..
                },
                _,
            ) => {
                // The reader's own auction may begin with the question whether to buy.
                let none = matches!(message, Message::PreEmpt(..));
                let same = self.up.map_or(none, |sale| sale.card == card);
                if !(self.course.open && same && self.turn == Some(auctioneer)) {
                    self.begin_turn(auctioneer);
                }
                smallvec![message.clone()]
            }
            Message::Challenged { goods, .. } => {
                if self.course.open && self.turn != Some(goods.rival) {
                    self.begin_turn(goods.rival);
                }
                self.close_pending();
                self.ensure(goods.rival, goods);
                self.ensure(Compass::S, goods);
                smallvec![message.clone()]
            }
            Message::Collect { .. }
            | Message::PaidByServer { .. }
            | Message::Money { .. }
            | Message::Pay { .. } => self.fix_money(message),
            Message::Fault(fault) => {
                self.take_back(fault);
                smallvec![message.clone()]
            }
            _ => self.fix_settlement(message),
        }
    }

    /// Each player got a card from every donkey: those not reported are certain too.
    fn lost_donkeys(&mut self, note: Note, message: &Message) -> Rows {
        let own = usize::from(matches!(message, Message::DonkeyOther(..)));
        let known = usize::from(self.view.donkeys);
        let at = Note::DONKEYS.iter().position(|given| *given == note);
        let lost = Note::DONKEYS.iter().take(at.unwrap_or(0) + own).skip(known);
        let mut rows: Rows = lost.map(|note| Message::Donkey(*note)).collect();
        rows.push(message.clone());
        rows
    }

    /// The turn of the player at `place` has begun: the one before it is over, whatever its result.
    fn begin_turn(&mut self, place: Compass) {
        self.course.guessed = true;
        self.close_pending();
        if let Some(turn) = self.turn.filter(|_| !self.view.deck_empty()) {
            let mut between = next(turn);
            for _ in Compass::ALL {
                if between == place {
                    break;
                }
                self.course.missed = self.course.missed.saturating_add(1);
                between = next(between);
            }
        }
        if std::mem::take(&mut self.course.open) {
            match self.up.take() {
                Some(sale) => self.guess_owner(sale),
                None => self.guess_trade(),
            }
        }
    }

    fn guess_owner(&mut self, sale: Sale) {
        let bought_off = sale.leader == Compass::S && sale.auctioneer != Compass::S;
        let owner = if bought_off {
            sale.auctioneer
        } else {
            sale.leader
        };
        self.course.guess = Some((sale.card, owner));
        self.view.settle_card(sale.card, owner);
    }

    /// The end of the reader's own turn or trade was not received.
    fn guess_trade(&mut self) {
        match self.own.with.take() {
            // A player that accepts loses.
            Some(goods) if !self.own.challenger && self.own.bid == Purse::EMPTY => {
                self.move_animals(goods.animal, goods.count, Compass::S, goods.rival);
            }
            Some(_) => {}
            None => self.course.missed = self.course.missed.saturating_add(1),
        }
    }

    /// Closes a settlement that gets no more rows, as any other row does.
    fn close_pending(&mut self) {
        if !matches!(self.pending, Pending::None) {
            self.deals.clear();
            self.carry_on(&Message::SecondBluff);
            self.course.closed = true;
        }
    }

    /// Makes the player at `place` own this many of an animal, whatever was believed: cards missing from the
    /// deck's count are taken first, then those of the rival that has most.
    fn ensure(&mut self, place: Compass, Goods { animal, count, .. }: Goods) {
        let short = count.saturating_sub(self.view.owns(place, animal));
        for _ in 0..short {
            self.course.guessed = true;
            let other = Compass::RIVALS
                .into_iter()
                .filter(|other| *other != place && self.view.owns(*other, animal) > 0)
                .max_by_key(|other| self.view.owns(*other, animal));
            let undrawn = self.view.out(animal) < 4 && self.view.deck_left > 0;
            match other {
                Some(other) if self.course.missed == 0 || !undrawn => {
                    self.view.move_animals(animal, 1, other, place);
                }
                _ if undrawn => {
                    let exposed = self.view.exposed;
                    self.view.settle_card(animal, place);
                    self.view.exposed = exposed;
                    self.course.missed = self.course.missed.saturating_sub(1);
                }
                _ => {}
            }
        }
    }

    fn fix_money(&mut self, message: &Message) -> Rows {
        let with = self.own.with.filter(|_| self.course.open);
        match *message {
            Message::Collect { payee, price } => match (with, self.up.filter(|_| self.course.open))
            {
                (Some(goods), _)
                    if goods.rival == payee && self.own.bid.value() == price && price > 0 =>
                {
                    let pay = Message::Pay {
                        receiver: payee,
                        paid: self.own.bid,
                    };
                    smallvec![Message::Won(goods), pay]
                }
                (None, Some(sale)) => smallvec![Message::Card(sale.card), message.clone()],
                _ => smallvec![message.clone()],
            },
            Message::PaidByServer { payee, paid } => {
                self.own_at_least(paid);
                if let Pending::Paying { .. } = self.pending {
                    return smallvec![message.clone()];
                }
                let price = self.up.map_or(paid.value(), |sale| sale.price);
                let mut rows: Rows = smallvec![Message::Collect { payee, price }, message.clone()];
                if !matches!(self.pending, Pending::Card(_))
                    && let Some(sale) = self.up.filter(|_| self.course.open)
                {
                    rows.insert(0, Message::Card(sale.card));
                }
                rows
            }
            Message::Pay { paid, .. } => {
                self.own_at_least(paid);
                smallvec![message.clone()]
            }
            Message::Money { payer, .. } => match with {
                Some(goods) if goods.rival == payer => {
                    smallvec![Message::Lost(goods), message.clone()]
                }
                _ => {
                    self.course.guessed = true;
                    smallvec![message.clone()]
                }
            },
            _ => smallvec![message.clone()],
        }
    }

    /// The reader has paid these cards, so it owned them.
    fn own_at_least(&mut self, paid: Purse) {
        let missing = paid.capped().less(self.view.purse);
        if missing != Purse::EMPTY {
            self.course.guessed = true;
            self.own_purse(self.view.purse.plus(missing));
        }
    }

    fn fix_settlement(&mut self, message: &Message) -> Rows {
        match *message {
            Message::Bought(Bought { card, buyer, .. }) if self.is_guess(card) => {
                self.correct(card, buyer)
            }
            Message::Free { card, auctioneer } if self.is_guess(card) => {
                self.correct(card, auctioneer)
            }
            Message::WasPaid {
                payee,
                cards,
                price,
            } => self.lost_buyer(payee, cards, price, message),
            Message::TradeLost { goods, cards } => {
                let named = goods.rival;
                let turn = self.turn.map(next).filter(|_| !self.view.deck_empty());
                let winner = turn.filter(|turn| *turn != named && *turn != Compass::S);
                let winner = winner.or_else(|| {
                    let other = |place: &Compass| *place != named;
                    Compass::RIVALS
                        .into_iter()
                        .filter(other)
                        .max_by_key(|place| self.view.owns(*place, goods.animal))
                });
                self.course.guessed = true;
                let rival = winner.unwrap_or(named);
                let won = Message::TradeWon {
                    goods: Goods { rival, ..goods },
                    cards: cards.unwrap_or(0),
                };
                smallvec![won, message.clone()]
            }
            Message::Won(goods) | Message::Lost(goods) => {
                let won = matches!(message, Message::Won(_));
                self.close_pending();
                self.ensure(if won { goods.rival } else { Compass::S }, goods);
                smallvec![message.clone()]
            }
            Message::Bought(Bought { card, .. })
            | Message::Free { card, .. }
            | Message::Card(card) => {
                if self.course.open && self.up.is_some_and(|sale| sale.card != card) {
                    self.begin_turn(self.turn.map_or(Compass::W, next));
                }
                smallvec![message.clone()]
            }
            Message::TradeWon { goods, .. } => {
                self.begin_turn(self.turn.map_or(goods.rival, next));
                smallvec![message.clone()]
            }
            _ => smallvec![message.clone()],
        }
    }

    fn is_guess(&self, card: Animal) -> bool {
        self.course.guess.is_some_and(|(guess, _)| guess == card)
    }

    /// The row that says who got a card arrives after the guess: corrects the guess.
    fn correct(&mut self, card: Animal, owner: Compass) -> Rows {
        if let Some((_, guess)) = self.course.guess.replace((card, owner)) {
            self.view.move_animals(card, 1, guess, owner);
        }
        Rows::new()
    }

    /// Row 13 without row 12: an auctioneer that is not the payee is the buyer.
    fn lost_buyer(&mut self, payee: Compass, cards: u8, price: u16, message: &Message) -> Rows {
        let flow = Flow::Hidden {
            cards,
            least: price,
        };
        if let Some((_, buyer)) = self.course.guess.take() {
            self.pay(buyer, payee, flow);
            return Rows::new();
        }
        let Some(sale) = self.up.filter(|_| self.course.open) else {
            return Rows::new();
        };
        let buyer = if payee == sale.auctioneer {
            sale.leader
        } else {
            sale.auctioneer
        };
        if buyer == Compass::S || buyer == payee {
            return Rows::new();
        }
        self.course.guessed = true;
        let bought = Bought {
            card: sale.card,
            buyer,
            cards,
            price,
        };
        smallvec![Message::Bought(bought), message.clone()]
    }

    /// What the reader believed legal was refused: undoes the belief behind it.
    fn take_back(&mut self, fault: Fault) {
        self.course.guessed = true;
        let Some(Goods { rival, animal, .. }) = self.own.with else {
            return;
        };
        match fault {
            Fault::Goods => self.give_away(Compass::S, animal, rival),
            Fault::OpponentGoods => {
                let other = Compass::RIVALS.into_iter().find(|place| *place != rival);
                self.give_away(rival, animal, other.unwrap_or(rival));
            }
            Fault::Bid => {
                let purse = self.view.purse.less(self.own.bid);
                self.own_purse(purse);
            }
            Fault::Opponent => {}
        }
    }

    fn give_away(&mut self, from: Compass, animal: Animal, to: Compass) {
        let all = self.view.owns(from, animal);
        self.view.move_animals(animal, all, from, to);
    }

    /// After missed cards the deck may be empty on the reader's turn: a challenge is legal in any case, an
    /// auction would bar the reader.
    pub(super) fn doubt_deck(&mut self) {
        if self.view.deck_left <= self.course.missed {
            self.view.deck_left = 0;
        }
    }

    /// A card was put up: the deck is not empty, and all unsettled cards are in it.
    pub(super) fn recount(&mut self) {
        let out: u8 = Animal::all().map(|animal| self.view.out(animal)).sum();
        self.view.deck_left = 40u8.saturating_sub(out);
    }
}

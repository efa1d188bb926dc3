//! A seat's knowledge as a fold over what it hears: the same [`View`] that the rules keep for the
//! seat, built from messages alone. Foreign referees may send odd rows, leave some out, or be joined
//! late: whatever comes, nothing panics and bounds stay sane.

use super::cards::{Animal, Compass, Purse};
use super::message::Message;
use super::options::TradePayment;
use super::rules::{Act, Ask, Money};
use super::view::{Flow, View, stake};

/// What the reader knows, and what the last message asks of him.
#[derive(Clone, Debug)]
pub struct Fold {
    view: View,
    ask: Option<Ask>,
    pending: Pending,
    /// The card for sale, once a bid for it was asked.
    up: Option<Sale>,
    /// Whose turn it was last, where known.
    turn: Option<Compass>,
    /// The reader's part in the open trade.
    own: OwnTrade,
    payment: Option<TradePayment>,
    /// Whether `begin` was the last message.
    begun: bool,
    certain: bool,
}

#[derive(Clone, Copy, Debug)]
struct Sale {
    card: Animal,
    auctioneer: Compass,
    leader: Compass,
}

/// The reader's own trade, as far as it says who pays (A1).
#[derive(Clone, Copy, Debug, Default)]
struct OwnTrade {
    challenger: bool,
    /// He answered his turn with a trade and has not heard of it yet.
    unheard: bool,
    /// Cards in his last valid bid, and in the other's as far as shown.
    mine: u8,
    theirs: u8,
    tied: bool,
}

/// A settlement of which some rows are still to come.
#[derive(Clone, Copy, Debug)]
enum Pending {
    None,
    /// Row 8: free, unless row 9 follows.
    Card(Animal),
    /// Row 9, and what the reader chose to pay.
    Paying {
        card: Option<Animal>,
        payee: Compass,
        price: u16,
        chosen: Option<Purse>,
    },
    /// Row 12.
    Bought {
        card: Animal,
        buyer: Compass,
        cards: u8,
        price: u16,
    },
    /// Row 20 or 21, and which money rows followed.
    Own {
        rival: Compass,
        won: bool,
        paid: bool,
        got: bool,
    },
    /// Row 24, and perhaps a row 25 that does not say who lost (I5).
    Trade {
        animal: Animal,
        count: u8,
        winner: Compass,
        cards: u8,
    },
    /// Rows 24 and 25; the exchange's rows may follow (A1 a).
    Traded {
        winner: Compass,
        loser: Compass,
    },
}

impl Default for Fold {
    fn default() -> Self {
        Self::new()
    }
}

impl Fold {
    /// Before the first message.
    #[must_use]
    pub fn new() -> Self {
        Self::of(View::start())
    }

    /// In the middle of a match, with everything known that `view` holds.
    #[must_use]
    pub fn of(view: View) -> Self {
        Self {
            view,
            ask: None,
            pending: Pending::None,
            up: None,
            turn: None,
            own: OwnTrade::default(),
            payment: None,
            begun: false,
            certain: true,
        }
    }

    /// What the reader knows now.
    #[must_use]
    pub fn view(&self) -> &View {
        &self.view
    }

    /// The decision that the last message asks for and that was not answered yet.
    #[must_use]
    pub fn ask(&self) -> Option<Ask> {
        self.ask
    }

    /// Who pays after a trade, once that was seen (A1).
    #[must_use]
    pub fn payment(&self) -> Option<TradePayment> {
        self.payment
    }

    /// Whether nothing had to be guessed so far: a referee whose rows do not say who lost a trade
    /// (I5) can leave it open between two owners.
    #[must_use]
    pub fn is_certain(&self) -> bool {
        self.certain
    }

    /// Whether money collected now belongs to a trade (row 22) and not to an auction (row 9).
    #[must_use]
    pub fn trade_is_settling(&self) -> bool {
        matches!(self.pending, Pending::Own { .. })
    }

    /// Takes one message in. Gives back what the reader paid at row 9, if that is certain only now;
    /// it belongs after [`Message::PaidByServer`] and before any other message.
    pub fn hear(&mut self, message: &Message) -> Option<Purse> {
        let settled = self.carry_on(message);
        self.ask = None;
        self.note_unheard(message);
        let begun = std::mem::replace(&mut self.begun, *message == Message::Begin);
        match *message {
            Message::Donkey(note) => self.view.donkey(note),
            Message::Dealt(money) if begun && money == Purse::START => self.own_purse(money),
            Message::Dealt(money) => self.own_purse(self.view.purse.plus(money.capped())),
            Message::Start => self.start(),
            Message::Bid {
                card,
                leader,
                price,
                auctioneer,
                ..
            } => {
                self.put_up(card, auctioneer, leader);
                self.ask = Some(Ask::Bid {
                    card,
                    price,
                    leader,
                    auctioneer,
                });
            }
            Message::PreEmpt {
                card,
                bidder,
                price,
                ..
            } => {
                self.put_up(card, Compass::S, bidder);
                self.ask = Some(Ask::PreEmpt {
                    card,
                    price,
                    bidder,
                });
            }
            Message::Collect { payee, price } => self.ask = Some(Ask::Pay { payee, price }),
            Message::Free { card, auctioneer } => {
                self.turn = Some(auctioneer);
                self.settle_card(card, auctioneer);
            }
            Message::Bluffed { by, hand } => {
                let hand = hand.capped();
                if by == Compass::S {
                    self.own_purse(hand);
                }
                self.view.cards[by.index()] = hand.cards();
                self.view.bluffed(by, hand);
            }
            Message::Challenged { .. } | Message::Tie { .. } => self.trade_ask(message),
            Message::Lost {
                animal,
                count,
                winner,
            } => self.own_animals(animal, count, winner, false),
            Message::Won {
                animal,
                count,
                loser,
            } => self.own_animals(animal, count, loser, true),
            Message::Pay { receiver, paid } => {
                self.pay(Compass::S, receiver, Flow::Seen(paid));
            }
            Message::Money { payer, paid } => {
                if !self.trade_is_settling()
                    && let Some(sale) = self.up.take()
                {
                    self.settle_card(sale.card, payer);
                }
                self.pay(payer, Compass::S, Flow::Seen(paid));
            }
            Message::Fault(_) => self.own.mine = 0,
            _ => {}
        }
        self.view.cards[0] = self.view.purse.cards();
        settled
    }

    /// Takes note of what the reader answered to [`Fold::ask`].
    pub fn said(&mut self, act: &Act) {
        let Some(ask) = self.ask.take() else { return };
        let bid = |money: &Money| match money {
            Money::Cards(cards) if self.view.purse.holds(*cards) => Some(*cards),
            _ => None,
        };
        match (ask, act) {
            (Ask::Turn, Act::Trade { offer, .. }) => {
                self.own = OwnTrade {
                    challenger: true,
                    unheard: true,
                    mine: bid(offer).map_or(0, Purse::cards),
                    ..OwnTrade::default()
                };
            }
            (Ask::Turn, _) => self.view.barred[0] |= self.view.deck_empty(),
            (Ask::Pay { price, .. }, Act::Cards(money)) => {
                let valid = bid(money).filter(|paid| paid.value() >= price);
                if let Pending::Paying { chosen, .. } = &mut self.pending {
                    *chosen = valid;
                }
            }
            (Ask::Counter { .. } | Ask::Rebid { .. }, Act::Cards(money)) => {
                self.own.mine = bid(money).map_or(0, Purse::cards);
            }
            (Ask::Counter { .. } | Ask::Rebid { .. }, _) => self.own.mine = 0,
            _ => {}
        }
    }

    /// Adds this message to the settlement under way, or closes that one.
    fn carry_on(&mut self, message: &Message) -> Option<Purse> {
        let pending = std::mem::replace(&mut self.pending, Pending::None);
        match (pending, message) {
            (Pending::Card(card), &Message::Collect { payee, price }) => {
                self.await_payment(Some(card), payee, price);
            }
            (Pending::Card(card), _) => self.settle_card(card, Compass::S),
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
                self.settle_card(card, buyer);
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
            self.settle_card(card, Compass::S);
        }
        self.pay(Compass::S, payee, Flow::Seen(paid));
        self.open_settlement(message);
        (!matches!(message, Message::Settled(_))).then_some(paid)
    }

    fn carry_on_own(&mut self, pending: Pending, message: &Message) {
        let Pending::Own {
            rival,
            won,
            paid,
            got,
        } = pending
        else {
            return;
        };
        self.pending = match *message {
            Message::Pay { receiver, .. } if receiver == rival => Pending::Own {
                rival,
                won,
                paid: true,
                got,
            },
            Message::Money { payer, .. } if payer == rival => Pending::Own {
                rival,
                won,
                paid,
                got: true,
            },
            _ => {
                self.learn_payment(won, paid, got);
                self.view.traded(Compass::S, rival);
                Pending::None
            }
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

    fn carry_on_trade(&mut self, pending: Pending, message: &Message) {
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
            (Pending::Traded { winner, loser }, &Message::LoserPaid { cards, .. }) => {
                self.exchange(winner, loser, cards);
                self.pending = pending;
            }
            (Pending::Traded { .. }, Message::WinnerPaid { .. }) => self.pending = pending,
            (Pending::Traded { winner, loser }, _) => self.view.traded(winner, loser),
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
                self.pending = Pending::None;
                self.view.traded(winner, loser);
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
        self.turn = self.turn_after();
        self.move_animals(animal, count, loser, winner);
        if cards > 0 {
            self.pay(winner, loser, Flow::Hidden { cards, least: 0 });
        }
        self.pending = Pending::Traded { winner, loser };
    }

    fn exchange(&mut self, winner: Compass, loser: Compass, cards: u8) {
        self.payment = Some(TradePayment::Exchange);
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

    /// Whose turn came after the last known one, while the deck lasts and nobody is passed over.
    fn turn_after(&self) -> Option<Compass> {
        let after = |place: Compass| Compass::ALL[(place.index() + 1) % Compass::ALL.len()];
        self.turn.filter(|_| !self.view.deck_empty()).map(after)
    }

    /// Who was paid for the card now up, where no row said so.
    fn payee_of(&self, buyer: Compass) -> Compass {
        match self.up {
            Some(sale) if sale.auctioneer == buyer => sale.leader,
            Some(sale) => sale.auctioneer,
            None => Compass::S,
        }
    }

    fn start(&mut self) {
        self.turn = Some(Compass::S);
        self.own = OwnTrade::default();
        self.view.barred[0] = false;
        self.view.turn();
        self.ask = Some(Ask::Turn);
    }

    /// After the deck's end a trade that came to nothing bars its player, also when his answer was
    /// lost on the way.
    fn note_unheard(&mut self, message: &Message) {
        if std::mem::take(&mut self.own.unheard) {
            let opened = matches!(
                message,
                Message::Tie { .. } | Message::Won { .. } | Message::Lost { .. }
            );
            self.view.barred[0] |= !opened && self.view.deck_empty();
        }
    }

    fn put_up(&mut self, card: Animal, auctioneer: Compass, leader: Compass) {
        self.turn = Some(auctioneer);
        self.up = Some(Sale {
            card,
            auctioneer,
            leader,
        });
    }

    fn trade_ask(&mut self, message: &Message) {
        match *message {
            Message::Challenged {
                animal,
                count,
                challenger,
                cards,
            } => {
                self.turn = Some(challenger);
                self.own = OwnTrade {
                    theirs: cards,
                    ..OwnTrade::default()
                };
                self.ask = Some(Ask::Counter {
                    animal,
                    count,
                    challenger,
                    cards,
                });
            }
            Message::Tie {
                animal,
                count,
                opponent,
                cards,
            } => {
                self.own.tied = true;
                self.ask = Some(Ask::Rebid {
                    animal,
                    count,
                    opponent,
                    cards,
                    challenger: self.own.challenger,
                });
            }
            _ => {}
        }
    }

    fn own_animals(&mut self, animal: Animal, count: u8, rival: Compass, won: bool) {
        let (from, to) = if won {
            (rival, Compass::S)
        } else {
            (Compass::S, rival)
        };
        self.move_animals(animal, count, from, to);
        self.pending = Pending::Own {
            rival,
            won,
            paid: false,
            got: false,
        };
    }

    fn settle_card(&mut self, card: Animal, owner: Compass) {
        self.up = None;
        self.view.settle_card(card, owner);
    }

    /// Animals move. Who should not have had them was misjudged before (I5): the one who has too
    /// many gives them.
    fn move_animals(&mut self, animal: Animal, count: u8, from: Compass, to: Compass) {
        let short = count.saturating_sub(self.view.owns(from, animal));
        if short > 0 {
            let other = Compass::ALL
                .into_iter()
                .filter(|place| *place != from && *place != to)
                .max_by_key(|place| self.view.owns(*place, animal));
            if let Some(other) = other {
                self.view.move_animals(animal, short, other, from);
            }
        }
        self.view.move_animals(animal, count, from, to);
    }

    fn pay(&mut self, from: Compass, to: Compass, flow: Flow) {
        if from != to {
            self.view.pay(from, to, flow);
        }
    }

    fn own_purse(&mut self, purse: Purse) {
        self.view.purse = purse.capped();
        self.view.cards[0] = self.view.purse.cards();
        self.view.settle_bounds();
    }
}

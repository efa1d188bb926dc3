//! A seat's knowledge, folded from the messages it receives: the same [`View`] that the rules keep for the
//! seat. Foreign referees may send odd rows, leave some out, or be joined late: whatever comes, nothing
//! panics and bounds stay sane.

pub(super) mod course;

pub(super) mod fix;

mod settle;
mod trade;

use super::deal::{Deal, Sold};
use super::state::{Course, Pending, Settling, next};
use crate::cards::{Animal, Compass, Purse};
use crate::message::{Goods, Message, Sale};
use crate::options::TradePayment;
use crate::rules::{Act, Ask, Money, is_in_order};
use crate::view::{Flow, View};
use smallvec::SmallVec;

/// What the reader knows, and what the last message asks of it.
#[derive(Clone, Debug)]
pub struct Fold {
    pub(super) view: View,
    ask: Option<Ask>,
    pub(super) pending: Pending,
    /// The card for sale, once a bid for it was asked for.
    pub(super) up: Option<Sale>,
    /// Whose turn it last was, where known.
    pub(super) turn: Option<Compass>,
    /// The reader's part in the open trade.
    pub(super) own: OwnTrade,
    pub(super) payment: Option<TradePayment>,
    /// Whether `begin` was the last message.
    pub(super) begun: bool,
    pub(super) course: Course,
    pub(super) certain: bool,
    pub(super) deals: SmallVec<[Deal; 2]>,
}

/// The reader's own trade, as far as it says who pays (A1).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OwnTrade {
    pub(super) challenger: bool,
    /// The reader answered its turn with a trade and has not received a row about it yet.
    pub(super) unanswered: bool,
    /// Cards in its last valid bid, and in the other party's as far as shown.
    pub(super) mine: u8,
    pub(super) theirs: u8,
    pub(super) tied: bool,
    /// The animals and the other party, from the challenge to its settlement.
    pub(super) with: Option<Goods>,
    /// The last bid, as far as the reader holds its cards, and whether it is legal as far as is known.
    pub(super) bid: Purse,
    pub(super) valid: bool,
    /// Whether a fault was reported for it.
    pub(super) faulted: bool,
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
        Self::from_view(View::start())
    }

    /// Starts in the middle of a match, knowing what `view` holds.
    #[must_use]
    pub fn from_view(view: View) -> Self {
        Self {
            view,
            ask: None,
            pending: Pending::None,
            up: None,
            turn: None,
            own: OwnTrade::default(),
            payment: None,
            begun: false,
            course: Course::default(),
            certain: true,
            deals: SmallVec::new(),
        }
    }

    /// What the reader knows now.
    #[must_use]
    pub fn view(&self) -> &View {
        &self.view
    }

    /// The decision that the last message asks for and that has not been answered yet.
    #[must_use]
    pub fn ask(&self) -> Option<Ask> {
        self.ask
    }

    /// Whose turn it last was, where known.
    #[must_use]
    pub fn turn(&self) -> Option<Compass> {
        self.turn
    }

    /// Who pays after a trade, once observed (A1).
    #[must_use]
    pub fn payment(&self) -> Option<TradePayment> {
        self.payment
    }

    /// Whether nothing had to be guessed so far: a referee whose rows do not say who lost a trade (I5) can
    /// leave it open between two owners.
    #[must_use]
    pub fn is_certain(&self) -> bool {
        self.certain
    }

    /// Whether the bounds on the rivals' cash are proved by messages: from the first row on, and nothing
    /// of it guessed.
    #[must_use]
    pub fn proves(&self) -> bool {
        self.certain && !self.course.late && !self.course.guessed && self.course.missed == 0
    }

    /// Whether money collected now belongs to a trade (row 22) and not to an auction (row 9).
    #[must_use]
    pub fn trade_is_settling(&self) -> bool {
        matches!(self.pending, Pending::Own(_))
    }

    /// The settlements that the last message closed.
    #[must_use]
    pub fn deals(&self) -> &[Deal] {
        &self.deals
    }

    /// Folds one message. Returns what the reader paid at row 9 if that is certain only now; it belongs after
    /// [`Message::PaidByServer`] and before any other message.
    pub fn receive(&mut self, message: &Message) -> Option<Purse> {
        self.receive_again(message, false)
    }

    /// Like [`Fold::receive`]; `again` if a row with the same text was received before.
    pub fn receive_again(&mut self, message: &Message, again: bool) -> Option<Purse> {
        self.follow(message, again);
        if !std::mem::take(&mut self.course.closed) {
            self.deals.clear();
        }
        let settled = self.carry_on(message);
        self.note_unanswered(message);
        let begun = std::mem::replace(&mut self.begun, *message == Message::Begin);
        match *message {
            Message::Donkey(note) => self.view.donkey(note),
            Message::Dealt(money) if begun && money == Purse::START => self.own_purse(money),
            Message::Dealt(money) => self.own_purse(self.view.purse.plus(money.capped())),
            Message::Start => self.start(),
            Message::Bid(sale, _) | Message::PreEmpt(sale, _) => self.put_up(sale),
            Message::Free { card, auctioneer } => {
                self.turn = Some(auctioneer);
                self.settle_card(card, auctioneer);
                self.deals.push(Deal::Sale(Sold::free(card, auctioneer)));
            }
            Message::Bluffed { by, hand } => {
                let hand = hand.capped();
                if by == Compass::S {
                    self.own_purse(hand);
                }
                self.view.cards[by.index()] = hand.cards();
                self.view.bluffed(by, hand);
            }
            Message::Challenged { goods, cards } => {
                self.turn = Some(goods.rival);
                self.own = OwnTrade {
                    theirs: cards,
                    with: Some(goods),
                    ..OwnTrade::default()
                };
            }
            Message::Tie { .. } => self.own.tied = true,
            Message::Lost(goods) => self.own_animals(goods, false),
            Message::Won(goods) => self.own_animals(goods, true),
            Message::Pay { receiver, paid } => {
                self.pay(Compass::S, receiver, Flow::Seen(paid));
            }
            Message::Money { payer, paid } => {
                if !self.trade_is_settling()
                    && let Some(sale) = self.up.take()
                {
                    self.settle_card(sale.card, payer);
                    self.deals.push(Deal::Sale(Sold {
                        card: sale.card,
                        auctioneer: Some(sale.auctioneer),
                        buyer: payer,
                        payee: Some(Compass::S),
                        price: Some(sale.price).filter(|price| *price > 0),
                        cards: paid.cards(),
                        paid: Some(paid),
                    }));
                }
                self.pay(payer, Compass::S, Flow::Seen(paid));
            }
            Message::Fault(_) => self.fault(),
            _ => {}
        }
        self.view.cards[0] = self.view.purse.cards();
        self.ask = self.asked(message);
        settled
    }

    /// What a message asks, whether or not it is folded.
    #[must_use]
    pub fn asked(&self, message: &Message) -> Option<Ask> {
        Some(match *message {
            Message::Start => Ask::Turn,
            Message::Bid(sale, _) => Ask::bid(sale),
            Message::PreEmpt(sale, _) => Ask::pre_empt(sale),
            Message::Collect { payee, price } => Ask::Pay { payee, price },
            Message::Challenged { goods, cards } => Ask::counter(goods, cards),
            Message::Tie { goods, cards } => Ask::rebid(goods, cards, self.own.challenger),
            _ => return None,
        })
    }

    /// Takes note of what the reader answered to [`Fold::ask`].
    pub fn said(&mut self, act: &Act) {
        let Some(ask) = self.ask.take() else { return };
        let bid = |money: &Money| match money {
            Money::Cards(cards) if self.view.purse.holds(*cards) => Some(*cards),
            _ => None,
        };
        match (ask, act) {
            (
                Ask::Turn,
                Act::Trade {
                    opponent,
                    animal,
                    offer,
                },
            ) => {
                let with = opponent.zip(*animal).map(|(rival, animal)| Goods {
                    animal,
                    count: self.view.stake(rival, animal),
                    rival,
                });
                let bid = bid(offer);
                self.own = OwnTrade {
                    challenger: true,
                    unanswered: true,
                    mine: bid.map_or(0, Purse::cards),
                    with,
                    bid: bid.unwrap_or_default(),
                    // A referee may refuse an offer of no cards (A10).
                    valid: is_in_order(&self.view, &ask, act) && bid != Some(Purse::EMPTY),
                    ..OwnTrade::default()
                };
            }
            (Ask::Bid { price, .. }, Act::Amount(Some(amount))) if *amount > price => {
                if let Some(sale) = &mut self.up {
                    (sale.price, sale.leader) = (*amount, Compass::S);
                }
            }
            (Ask::PreEmpt { price, .. }, Act::Amount(Some(amount)))
                if *amount > 0 && *amount >= price =>
            {
                if let Some(sale) = &mut self.up {
                    sale.leader = Compass::S;
                }
            }
            (Ask::Turn, _) => {
                self.view.barred[0] |= self.view.deck_empty();
                self.course.open &= !self.view.deck_empty();
            }
            (Ask::Pay { price, .. }, Act::Cards(money)) => {
                let valid = bid(money).filter(|paid| paid.value() >= price);
                if let Pending::Paying { chosen, .. } = &mut self.pending {
                    *chosen = valid;
                }
            }
            (Ask::Counter { .. } | Ask::Rebid { .. }, Act::Cards(money)) => {
                let bid = bid(money);
                self.own.mine = bid.map_or(0, Purse::cards);
                self.own.bid = bid.unwrap_or_default();
                self.own.valid = bid.is_some();
            }
            (Ask::Counter { .. } | Ask::Rebid { .. }, _) => {
                (self.own.mine, self.own.bid, self.own.valid) = (0, Purse::EMPTY, false);
            }
            _ => {}
        }
    }

    /// Whose turn follows the last known one, while the deck lasts and nobody is skipped.
    pub(super) fn turn_after(&self) -> Option<Compass> {
        self.turn.filter(|_| !self.view.deck_empty()).map(next)
    }

    /// A faulty opening bid ends the trade: the turn becomes an auction, or is over.
    fn fault(&mut self) {
        (self.own.mine, self.own.faulted) = (0, true);
        if self.own.challenger && !self.own.tied {
            self.own.with = None;
            self.course.open &= !self.view.deck_empty();
        }
    }

    fn start(&mut self) {
        if self.course.missed > 0 {
            self.doubt_deck();
        }
        self.turn = Some(Compass::S);
        self.own = OwnTrade::default();
        self.view.barred[0] = false;
        self.view.turn();
    }

    /// After the deck's end a failed trade bars its player, even if the answer was lost on the way.
    fn note_unanswered(&mut self, message: &Message) {
        if std::mem::take(&mut self.own.unanswered) {
            let opened = matches!(
                message,
                Message::Tie { .. } | Message::Won(_) | Message::Lost(_)
            );
            if !opened {
                self.own.with = None;
                self.view.barred[0] |= self.view.deck_empty();
            }
        }
    }

    fn put_up(&mut self, sale: Sale) {
        if self.course.missed > 0 {
            self.recount();
        }
        self.turn = Some(sale.auctioneer);
        self.up = Some(sale);
    }

    fn own_animals(&mut self, goods: Goods, won: bool) {
        let (from, to) = if won {
            (goods.rival, Compass::S)
        } else {
            (Compass::S, goods.rival)
        };
        self.move_animals(goods.animal, goods.count, from, to);
        self.own.with = None;
        self.pending = Pending::Own(Settling {
            goods,
            won,
            paid: None,
            got: None,
        });
    }

    pub(super) fn settle_card(&mut self, card: Animal, owner: Compass) {
        self.up = None;
        self.view.settle_card(card, owner);
    }

    /// Moves animals. A giver that should not have had them was misjudged before (I5): a player with too many
    /// gives them.
    pub(super) fn move_animals(&mut self, animal: Animal, count: u8, from: Compass, to: Compass) {
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

    pub(super) fn pay(&mut self, from: Compass, to: Compass, flow: Flow) {
        if from != to {
            self.view.pay(from, to, flow);
        }
    }

    pub(super) fn own_purse(&mut self, purse: Purse) {
        self.view.purse = purse.capped();
        self.view.cards[0] = self.view.purse.cards();
        self.view.settle_bounds();
    }
}

//! A seat's knowledge as a fold over what it hears: the same [`View`] that the rules keep for the
//! seat, built from messages alone. Foreign referees may send odd rows, leave some out, or be joined
//! late: whatever comes, nothing panics and bounds stay sane.

use super::deal::Deal;
use super::state::{Course, Pending, next};
use crate::koehandel::cards::{Animal, Compass, Purse};
use crate::koehandel::message::Message;
use crate::koehandel::options::TradePayment;
use crate::koehandel::rules::{Act, Ask, Money, is_in_order};
use crate::koehandel::view::{Flow, View};
use smallvec::SmallVec;

/// What the reader knows, and what the last message asks of him.
#[derive(Clone, Debug)]
pub struct Fold {
    pub(super) view: View,
    ask: Option<Ask>,
    pub(super) pending: Pending,
    /// The card for sale, once a bid for it was asked.
    pub(super) up: Option<Sale>,
    /// Whose turn it was last, where known.
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

#[derive(Clone, Copy, Debug)]
pub(super) struct Sale {
    pub(super) card: Animal,
    pub(super) auctioneer: Compass,
    pub(super) leader: Compass,
    pub(super) price: u16,
}

/// The reader's own trade, as far as it says who pays (A1).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OwnTrade {
    pub(super) challenger: bool,
    /// He answered his turn with a trade and has not heard of it yet.
    pub(super) unheard: bool,
    /// Cards in his last valid bid, and in the other's as far as shown.
    pub(super) mine: u8,
    pub(super) theirs: u8,
    pub(super) tied: bool,
    /// The other party, the animal and how many of it, from the challenge to its settlement.
    pub(super) with: Option<(Compass, Animal, u8)>,
    /// The last bid, as far as the reader holds its cards; and whether it is legal by all that is known.
    pub(super) bid: Purse,
    pub(super) valid: bool,
    /// A fault was told of it.
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

    /// The settlements that the last message closed.
    #[must_use]
    pub fn deals(&self) -> &[Deal] {
        &self.deals
    }

    /// Takes one message in. Gives back what the reader paid at row 9, if that is certain only now;
    /// it belongs after [`Message::PaidByServer`] and before any other message.
    pub fn hear(&mut self, message: &Message) -> Option<Purse> {
        self.hear_again(message, false)
    }

    /// As [`Fold::hear`], of a row whose text was heard before if `again`.
    pub fn hear_again(&mut self, message: &Message, again: bool) -> Option<Purse> {
        self.follow(message, again);
        if !std::mem::take(&mut self.course.closed) {
            self.deals.clear();
        }
        let settled = self.carry_on(message);
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
            } => self.put_up(card, auctioneer, leader, price),
            Message::PreEmpt {
                card,
                bidder,
                price,
                ..
            } => self.put_up(card, Compass::S, bidder, price),
            Message::Free { card, auctioneer } => {
                self.turn = Some(auctioneer);
                self.settle_card(card, auctioneer);
                self.deals.push(Deal::Free { card, auctioneer });
            }
            Message::Bluffed { by, hand } => {
                let hand = hand.capped();
                if by == Compass::S {
                    self.own_purse(hand);
                }
                self.view.cards[by.index()] = hand.cards();
                self.view.bluffed(by, hand);
            }
            Message::Challenged {
                animal,
                count,
                challenger,
                cards,
            } => {
                self.turn = Some(challenger);
                self.own = OwnTrade {
                    theirs: cards,
                    with: Some((challenger, animal, count)),
                    ..OwnTrade::default()
                };
            }
            Message::Tie { .. } => self.own.tied = true,
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
                    self.deals.push(Deal::Sale {
                        card: sale.card,
                        auctioneer: Some(sale.auctioneer),
                        buyer: payer,
                        payee: Compass::S,
                        price: Some(sale.price).filter(|price| *price > 0),
                        cards: paid.cards(),
                        paid: Some(paid),
                    });
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
            Message::Bid {
                card,
                price,
                leader,
                auctioneer,
                ..
            } => Ask::Bid {
                card,
                price,
                leader,
                auctioneer,
            },
            Message::PreEmpt {
                card,
                bidder,
                price,
                ..
            } => Ask::PreEmpt {
                card,
                price,
                bidder,
            },
            Message::Collect { payee, price } => Ask::Pay { payee, price },
            Message::Challenged {
                animal,
                count,
                challenger,
                cards,
            } => Ask::Counter {
                animal,
                count,
                challenger,
                cards,
            },
            Message::Tie {
                animal,
                count,
                opponent,
                cards,
            } => Ask::Rebid {
                animal,
                count,
                opponent,
                cards,
                challenger: self.own.challenger,
            },
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
            (Ask::Turn, Act::Trade { offer, .. }) => {
                let with = match act {
                    Act::Trade {
                        opponent: Some(rival),
                        animal: Some(animal),
                        ..
                    } => Some((*rival, *animal, self.view.stake(*rival, *animal))),
                    _ => None,
                };
                let bid = bid(offer);
                self.own = OwnTrade {
                    challenger: true,
                    unheard: true,
                    mine: bid.map_or(0, Purse::cards),
                    with,
                    bid: bid.unwrap_or_default(),
                    // A referee may refuse an offer of no card (A10).
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

    /// Whose turn came after the last known one, while the deck lasts and nobody is passed over.
    pub(super) fn turn_after(&self) -> Option<Compass> {
        self.turn.filter(|_| !self.view.deck_empty()).map(next)
    }

    /// A fault of the opening bid ends the trade: the turn becomes an auction, or is over.
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

    /// After the deck's end a trade that came to nothing bars its player, also when his answer was
    /// lost on the way.
    fn note_unheard(&mut self, message: &Message) {
        if std::mem::take(&mut self.own.unheard) {
            let opened = matches!(
                message,
                Message::Tie { .. } | Message::Won { .. } | Message::Lost { .. }
            );
            if !opened {
                self.own.with = None;
                self.view.barred[0] |= self.view.deck_empty();
            }
        }
    }

    fn put_up(&mut self, card: Animal, auctioneer: Compass, leader: Compass, price: u16) {
        if self.course.missed > 0 {
            self.recount();
        }
        self.turn = Some(auctioneer);
        self.up = Some(Sale {
            card,
            auctioneer,
            leader,
            price,
        });
    }

    pub(super) fn own_animals(&mut self, animal: Animal, count: u8, rival: Compass, won: bool) {
        let (from, to) = if won {
            (rival, Compass::S)
        } else {
            (Compass::S, rival)
        };
        self.move_animals(animal, count, from, to);
        self.own.with = None;
        self.pending = Pending::Own {
            animal,
            count,
            rival,
            won,
            paid: None,
            got: None,
        };
    }

    pub(super) fn settle_card(&mut self, card: Animal, owner: Compass) {
        self.up = None;
        self.view.settle_card(card, owner);
    }

    /// Animals move. Who should not have had them was misjudged before (I5): the one who has too
    /// many gives them.
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

//! Where the match stands by the order of its rows, and whether the next row can be true. A row that does not
//! fit is a repeat, or a sign that an earlier row was lost (README.md 2.4).

use super::Fold;
use crate::cards::{Animal, Compass, Note, Purse};
use crate::fold::state::{Pending, next};
use crate::message::{Bought, Goods, Message, Sale};

/// A row judged against everything received before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is possible: fold it.
    Fits,
    /// It is impossible, or was settled before: do not fold it.
    Unsound(&'static str),
    /// It is possible only if an earlier row was lost: fold it after [`Fold::fix`].
    Fixed(&'static str),
}

const AGAIN: &str = "it was heard before and its turn is over";
const LOST: &str = "a row before it was lost";

impl Fold {
    /// Whether the reader missed the match's first row, if `message` is the next: a late joiner cannot distinguish a
    /// lost row from one sent before it joined.
    #[must_use]
    pub fn joined_late(&self, message: &Message) -> bool {
        self.course.late || !self.course.received && *message != Message::Begin
    }

    /// Judges a row against those received. `again` says that an equal text was received before; alone this
    /// proves nothing, because some rows rightly recur.
    #[must_use]
    pub fn judge(&self, message: &Message, again: bool) -> Verdict {
        if matches!(message, Message::Dealt(_)) && again {
            return Verdict::Unsound("the bank has paid that already");
        }
        match self.impossible(message) {
            Some(why) if !self.joined_late(message) && !self.course.guessed => {
                return Verdict::Unsound(why);
            }
            _ => {}
        }
        if self.fits(message) {
            return if self.names_unknown(message) {
                Verdict::Fixed("it names cards that were not known of")
            } else {
                Verdict::Fits
            };
        }
        match message {
            Message::Begin => Verdict::Unsound("the match has begun already"),
            Message::Donkey(note) | Message::DonkeyOther(_, note) => {
                match Note::DONKEYS.iter().position(|given| given == note) {
                    Some(at) if at >= usize::from(self.view.donkeys) => Verdict::Fixed(LOST),
                    _ => Verdict::Unsound("that donkey has paid already"),
                }
            }
            // Every turn begins with the same text: this may be the turn after a lost settlement.
            Message::Start if self.may_follow(Compass::S) => Verdict::Fixed(LOST),
            // A late joiner cannot know: if in doubt, the row is folded.
            _ if again && !self.course.late || self.is_answered(message) => Verdict::Unsound(AGAIN),
            // For a late joiner it may belong to an earlier trade; then it changes nothing.
            Message::LoserPaid { .. } | Message::WinnerPaid { .. } | Message::Fault(_)
                if self.joined_late(message) =>
            {
                Verdict::Fits
            }
            Message::LoserPaid { .. } | Message::WinnerPaid { .. } | Message::Fault(_) => {
                Verdict::Unsound("no trade is open that it could belong to")
            }
            _ => Verdict::Fixed(LOST),
        }
    }

    /// Why a row is impossible whatever rows were lost.
    fn impossible(&self, message: &Message) -> Option<&'static str> {
        let fifth = |card: Animal| self.settled(card) >= 4;
        match *message {
            Message::Bid(Sale { card, .. }, _)
            | Message::PreEmpt(Sale { card, .. }, _)
            | Message::Card(card)
            | Message::Bought(Bought { card, .. })
            | Message::Free { card, .. }
                if fifth(card) =>
            {
                Some("all four of that animal are settled")
            }
            Message::Bought(bought) if bought.buyer == Compass::S => {
                Some("what the reader buys is told otherwise")
            }
            Message::Bought(Bought { cards, .. })
            | Message::TradeWon { cards, .. }
            | Message::LoserPaid { cards, .. }
            | Message::WinnerPaid { cards, .. }
            | Message::WasPaid { cards, .. }
            | Message::Challenged { cards, .. }
                if cards > Purse::issued(self.view.donkeys).cards() =>
            {
                Some("there is not so much money at the table")
            }
            Message::Money { paid, .. } | Message::Dealt(paid)
                if !Purse::issued(self.view.donkeys).holds(self.view.purse.plus(paid.capped()))
                    && !self.begun =>
            {
                Some("there is not so much money of that kind")
            }
            _ => None,
        }
    }

    /// Settled cards of an animal, including one being settled.
    fn settled(&self, card: Animal) -> u8 {
        self.view.out(card) + u8::from(self.settling() == Some(card))
    }

    /// The card whose settlement has begun.
    fn settling(&self) -> Option<Animal> {
        match self.pending {
            Pending::Card(card) | Pending::Bought(Bought { card, .. }) => Some(card),
            Pending::Paying { card, .. } => card,
            _ => None,
        }
    }

    /// Whether the last card is, or may be, settled or being settled, as far as is known.
    fn ended(&self) -> bool {
        let settled = u8::from(self.settling().is_some()).saturating_add(self.course.missed);
        self.course.late || self.view.deck_left <= settled
    }

    /// Whether it can be the turn of the player at `place` now that the previous turn is settled.
    fn is_due(&self, place: Compass) -> bool {
        let follows = self.turn.is_none_or(|turn| next(turn) == place);
        !self.course.open && (follows || self.ended() || self.is_unclear())
    }

    /// Whether a trade is being settled whose loser (and so whose turn it was) is not yet clear (I5).
    fn is_unclear(&self) -> bool {
        matches!(self.pending, Pending::Trade(..))
    }

    /// Whether it is another player's turn and the next one is that of the player at `place`.
    fn may_follow(&self, place: Compass) -> bool {
        self.course.open
            && self
                .turn
                .is_some_and(|turn| turn != place && (self.ended() || next(turn) == place))
    }

    fn is_mine(&self) -> bool {
        self.course.open && self.turn == Some(Compass::S)
    }

    /// Whether the reader's turn can be an auction: it offered no trade, or one that did not arrive.
    fn may_auction(&self) -> bool {
        self.is_mine() && (self.own.with.is_none() || self.own.unanswered)
    }

    /// Whether the row can come now, assuming none was lost.
    fn fits(&self, message: &Message) -> bool {
        let course = &self.course;
        match *message {
            Message::Begin => !course.received,
            Message::Start => self.is_due(Compass::S),
            Message::Donkey(note) => {
                Note::DONKEYS.get(usize::from(self.view.donkeys)) == Some(&note)
            }
            Message::DonkeyOther(_, note) => {
                let given = Note::DONKEYS.iter().position(|given| *given == note);
                given.is_none_or(|at| at < usize::from(self.view.donkeys))
            }
            Message::Bid(asked, _) => match self.up.filter(|_| course.open) {
                Some(sale) => {
                    (sale.card, sale.auctioneer) == (asked.card, asked.auctioneer)
                        && (course.again || asked.price > sale.price)
                }
                None => self.is_due(asked.auctioneer),
            },
            Message::PreEmpt(asked, _) => match self.up.filter(|_| self.is_mine()) {
                // A bid struck at payment (A3) leaves the next highest.
                Some(sale) => {
                    let other = (asked.price, asked.leader) != (sale.price, sale.leader);
                    sale.card == asked.card && (course.again || self.is_bluffed() && other)
                }
                None => self.may_auction() || self.is_due(Compass::S),
            },
            Message::Card(card) => match self.up.filter(|_| course.open) {
                Some(sale) => {
                    let mine = sale.auctioneer == Compass::S || sale.leader == Compass::S;
                    sale.card == card && (mine || self.is_bluffed())
                }
                None => self.may_auction(),
            },
            Message::Collect { .. } => matches!(self.pending, Pending::Card(_)),
            Message::PaidByServer { .. } => matches!(self.pending, Pending::Paying { .. }),
            Message::Bought(bought) => self.is_sale_of(bought.card) && bought.buyer != Compass::S,
            Message::Free { card, auctioneer } => {
                self.is_sale_of(card) && self.up.is_some_and(|sale| sale.auctioneer == auctioneer)
            }
            Message::WasPaid { cards, price, .. } => matches!(
                self.pending,
                Pending::Bought(bought) if (bought.cards, bought.price) == (cards, price)
            ),
            Message::Bluffed { by, .. } => course.open && !self.view.exposed[by.index()],
            _ => self.fits_trade(message),
        }
    }

    /// Whether a bluff was exposed on the card that is up, so that bids may be struck (A3).
    fn is_bluffed(&self) -> bool {
        self.view.exposed.contains(&true)
    }

    /// Whether a card sold by another player is up and open.
    fn is_sale_of(&self, card: Animal) -> bool {
        self.course.open
            && self
                .up
                .is_some_and(|sale| sale.card == card && sale.auctioneer != Compass::S)
    }

    fn fits_trade(&self, message: &Message) -> bool {
        let course = &self.course;
        let with = self.own.with;
        // How many are at stake may be misjudged when it is unclear who lost a trade (I5).
        let same = |goods: Goods| {
            with.is_some_and(|own| (own.rival, own.animal) == (goods.rival, goods.animal))
        };
        match *message {
            Message::Challenged { goods, .. } => self.is_due(goods.rival),
            Message::Tie { goods, .. } => same(goods) && !self.own.tied,
            Message::Won(goods) | Message::Lost(goods) => course.open && same(goods),
            Message::Fault(_) => {
                let open = with.is_some() || self.own.unanswered;
                course.open && open && !self.own.faulted
            }
            Message::Pay { receiver, .. } => {
                matches!(self.pending, Pending::Own(own) if own.paid.is_none() && own.goods.rival == receiver)
            }
            Message::Money { payer, paid } => match self.pending {
                Pending::Own(own) => own.goods.rival == payer && own.got.is_none(),
                _ => self.up.filter(|_| course.open).is_some_and(|sale| {
                    let mine = sale.auctioneer == Compass::S;
                    let bought_off = sale.auctioneer == payer && sale.leader == Compass::S;
                    let bluffed = self.is_bluffed() && (mine || sale.auctioneer == payer);
                    bluffed || (mine || bought_off) && paid.value() >= sale.price
                }),
            },
            // Its winner's turn, or its loser's.
            Message::TradeWon { .. } => Compass::RIVALS.iter().any(|place| self.is_due(*place)),
            Message::TradeLost { goods, .. } => matches!(
                self.pending,
                Pending::Trade(won, _) if (won.animal, won.count) == (goods.animal, goods.count)
            ),
            Message::LoserPaid { .. } => match self.pending {
                Pending::Trade(..) => true,
                Pending::Traded(traded) => traded.back == 0,
                _ => false,
            },
            Message::WinnerPaid { .. } => matches!(self.pending, Pending::Traded(_)),
            _ => true,
        }
    }

    /// Whether the row is certainly true and names cards that the reader believes to be elsewhere.
    fn names_unknown(&self, message: &Message) -> bool {
        if !self.certain {
            return false;
        }
        // This row's own settlement counts.
        let after = || {
            let mut after = self.clone();
            after.carry_on(message);
            after.view
        };
        let lacks = |place, goods: Goods| after().owns(place, goods.animal) < goods.count;
        match *message {
            Message::Won(goods) => lacks(goods.rival, goods),
            Message::Lost(goods) => lacks(Compass::S, goods),
            Message::Challenged { goods, .. } => {
                lacks(goods.rival, goods) || lacks(Compass::S, goods)
            }
            Message::Collect { price, .. } => self.view.purse.value() < price,
            Message::PaidByServer { paid, .. } | Message::Pay { paid, .. } => {
                !self.view.purse.holds(paid)
            }
            Message::Bluffed { by, hand } => by == Compass::S && after().purse != hand.capped(),
            // The reader believed its bid was legal.
            Message::Fault(_) => self.own.valid && !self.own.faulted,
            _ => false,
        }
    }

    /// Whether it asks what the reader has already answered and nothing can have been lost in between.
    fn is_answered(&self, message: &Message) -> bool {
        match *message {
            Message::Start => self.is_mine(),
            Message::Bid(asked, _) => self.up.is_some_and(|sale| {
                self.course.open
                    && Sale {
                        leader: asked.leader,
                        ..sale
                    } == asked
            }),
            _ => false,
        }
    }

    /// Tracks the order of turns. Call it before the row is folded.
    pub(super) fn follow(&mut self, message: &Message, again: bool) {
        let was = (self.course.open, self.turn);
        self.course.late |= !self.course.received && *message != Message::Begin;
        self.course.received = true;
        match *message {
            Message::Start | Message::Challenged { .. } => {
                (self.course.open, self.course.again) = (true, false);
                self.up = None;
            }
            Message::Bid(..) | Message::PreEmpt(..) => {
                (self.course.open, self.course.again) = (true, false);
            }
            Message::Bluffed { .. } => self.course.again = true,
            Message::Bought(_) => {
                self.settle_turn();
                self.course.doubt = again.then_some(was);
            }
            // Whose turn that was is known once the loser is.
            Message::TradeWon { .. } => {
                (self.course.open, self.course.again) = (false, false);
                self.course.doubt = again.then_some(was);
            }
            Message::Card(_) | Message::Free { .. } | Message::Won(_) | Message::Lost(_) => {
                self.settle_turn();
            }
            Message::Money { .. } if !self.trade_is_settling() && self.up.is_some() => {
                self.settle_turn();
            }
            Message::WasPaid { .. } | Message::TradeLost { .. } | Message::LoserPaid { .. } => {
                self.course.doubt = None;
            }
            _ => {}
        }
    }

    fn settle_turn(&mut self) {
        if !std::mem::take(&mut self.course.open) {
            // A turn of which nothing was received before its end.
            self.turn = self.turn.map(next);
        }
        self.course.again = false;
    }

    /// Drops a settlement that equals an earlier one and is not followed by its second row: it was a repeat.
    /// Returns whether there was one.
    pub fn drop_doubtful(&mut self, message: &Message) -> bool {
        let follows = match self.pending {
            Pending::Bought(_) => matches!(message, Message::WasPaid { .. }),
            Pending::Trade(..) => {
                matches!(
                    message,
                    Message::TradeLost { .. } | Message::LoserPaid { .. }
                )
            }
            _ => true,
        };
        let Some((open, turn)) = self.course.doubt.filter(|_| !follows) else {
            return false;
        };
        (self.course.open, self.turn, self.course.doubt) = (open, turn, None);
        self.pending = Pending::None;
        true
    }
}

//! Imagines the position in which a decision is asked for, and judges the end of a playout.

use super::belief::{Deal, bid_showing};
use super::outlook::{Outlook, Position};
use super::playout::Coin;
use super::sale::Open;
use crate::bots::policy::Chance;
use crate::bots::styles::Style;
use crate::cards::{Animal, Compass, PLAYERS, Purse};
use crate::message::Goods;
use crate::rules::{Ask, Hidden, Koehandel};
use crate::view::View;

/// A guess at everything hidden: the money, and how the others play.
pub struct Guess<'a> {
    /// What is known.
    pub view: &'a View,
    /// All players' money.
    pub deal: &'a Deal,
    /// How each player plays.
    pub cast: &'a [Style; PLAYERS],
}

impl Guess<'_> {
    /// What `ask` leaves open of the position in which it comes up.
    #[must_use]
    pub fn hidden(&self, ask: &Ask, sale: Option<&Open>, coin: &mut Coin) -> Hidden {
        let sale = sale.filter(|_| matches!(ask, Ask::Bid { .. }));
        let out = sale.map_or([false; PLAYERS], Open::out);
        let bid = match (ask, ask.goods()) {
            (Ask::Counter { cards, .. } | Ask::Rebid { cards, .. }, Some(goods)) => {
                self.hidden_bid(goods, *cards, coin)
            }
            _ => Purse::EMPTY,
        };
        Hidden { out, bid }
    }

    /// What a rival may have bid with this many cards.
    fn hidden_bid(&self, goods: Goods, cards: u8, coin: &mut Coin) -> Purse {
        let seat = goods.rival.index();
        let view = self.view.imagined(seat, self.deal);
        let rival = Compass::from_seats(seat, 0);
        let goods = Goods { rival, ..goods };
        bid_showing(&self.cast[seat], &view, goods, cards, coin)
    }
}

/// The cards that may still be turned up, in an imagined order.
#[must_use]
pub fn unseen(view: &View, ask: &Ask, coin: &mut Coin) -> ([Animal; 40], usize) {
    let up = match ask {
        Ask::Bid { card, .. } | Ask::PreEmpt { card, .. } => Some(*card),
        _ => None,
    };
    let mut deck = [Animal::DONKEY; 40];
    let mut count = 0;
    for animal in Animal::all() {
        let left = 4u8.saturating_sub(view.out(animal) + u8::from(up == Some(animal)));
        for _ in 0..left {
            if let Some(place) = deck.get_mut(count) {
                *place = animal;
                count += 1;
            }
        }
    }
    for last in (1..count).rev() {
        deck.swap(last, coin.below(last as u32 + 1) as usize);
    }
    (deck, count)
}

/// How far playouts go, and what counts at their end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Horizon {
    /// To the next turn, whose worth is learnt ([`Outlook`]), before and after the deck's end.
    Turn,
    /// To the end of the match.
    Match,
}

impl Horizon {
    /// The weight of winning; the rest is the share of points, which differs less by chance.
    #[must_use]
    pub const fn win_weight(self) -> f64 {
        match self {
            Self::Turn => 0.7,
            Self::Match => 0.5,
        }
    }

    /// The most cards left in the deck at the turn where a playout ends that starts with `undrawn` of them at this ask;
    /// `None` if it goes on to the end of the match. Whether a turn is an auction or a trade, as many cards are sold.
    #[must_use]
    pub fn until(self, undrawn: usize, ask: &Ask) -> Option<usize> {
        match self {
            Self::Turn => Some(undrawn.saturating_sub(usize::from(matches!(ask, Ask::Turn)))),
            Self::Match => None,
        }
    }

    /// The value for a seat of where a playout ended.
    #[must_use]
    pub fn value(self, game: &Koehandel, types: &[usize; PLAYERS], seat: usize) -> f64 {
        let Some((turn, Ask::Turn)) = game.asked().filter(|_| self == Self::Turn) else {
            return worth(game, seat, self.win_weight());
        };
        let position = Position {
            herds: game.herds(),
            cash: game.purses().map(|purse| purse.value()),
            turn,
            types: *types,
        };
        let ended = game.undrawn() == 0;
        let outlook = Outlook::shipped(game.options().trade_payment, ended);
        f64::from(outlook.shares(&position)[seat])
    }
}

/// The value of an end for a seat.
#[must_use]
pub fn worth(game: &Koehandel, seat: usize, win_weight: f64) -> f64 {
    let scores = game.scores();
    let best = scores.iter().copied().max().unwrap_or(0);
    let winners = scores.iter().filter(|score| **score == best).count();
    let sum: i64 = scores.iter().sum();
    let win = if scores[seat] == best {
        1.0 / winners as f64
    } else {
        0.0
    };
    let share = if sum > 0 {
        scores[seat] as f64 / sum as f64
    } else {
        0.25
    };
    win_weight * win + (1.0 - win_weight) * share
}

//! Imagines the position in which a decision is asked for, and judges the end of a playout.

use super::belief::{Deal, bid_of, random_part};
use super::playout::Coin;
use super::sale::Open;
use crate::koehandel::bots::policy::Chance;
use crate::koehandel::bots::styles::Style;
use crate::koehandel::cards::{Animal, Compass, PLAYERS, Purse};
use crate::koehandel::message::Goods;
use crate::koehandel::rules::{Ask, Hidden, Koehandel};
use crate::koehandel::view::View;

/// The weight of winning; the rest is the share of points.
const WIN_WEIGHT: f64 = 0.5;
/// How often to try for a bid in the style that has the number of cards seen.
const TRIES: usize = 8;

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
        let hand = self.deal[seat];
        if cards >= hand.cards() {
            return hand;
        }
        let view = self.view.imagined(seat, self.deal);
        let rival = Compass::of(seat, 0);
        let goods = Goods { rival, ..goods };
        for _ in 0..TRIES {
            let bid = bid_of(&self.cast[seat], &view, goods, coin);
            if bid.cards() == cards {
                return bid;
            }
        }
        random_part(hand, cards, coin)
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

/// The value of an end for seat 0.
#[must_use]
pub fn value(game: &Koehandel) -> f64 {
    let scores = game.scores();
    let best = scores.iter().copied().max().unwrap_or(0);
    let winners = scores.iter().filter(|score| **score == best).count();
    let sum: i64 = scores.iter().sum();
    let win = if scores[0] == best {
        1.0 / winners as f64
    } else {
        0.0
    };
    let share = if sum > 0 {
        scores[0] as f64 / sum as f64
    } else {
        0.25
    };
    WIN_WEIGHT * win + (1.0 - WIN_WEIGHT) * share
}

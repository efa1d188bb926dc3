//! Rung 2: legal and uniform. Half the time it trades if it can, with a random part of its hand; it
//! bids 10 to 40 more every second time while its cash allows, and counters and buys every second time.

use super::policy::{Chance, Standing, challenges, pay};
use super::reason::Reason;
use crate::cards::{Note, Purse};
use crate::rules::{Act, Ask};
use crate::view::View;
use smallvec::SmallVec;

/// What it does, in one sentence.
pub const DESCRIPTION: &str = "Plays legal moves at random: every second time it trades, bids 10 to 40 more, counters or buys.";

fn part(hand: Purse, rng: &mut impl Chance) -> Purse {
    let mut part = Purse::EMPTY;
    for note in Note::ALL {
        for _ in 0..hand.count(note) {
            if rng.chance(0.5) {
                part = part.plus(Purse::single(note));
            }
        }
    }
    part
}

fn turn(view: &View, rng: &mut impl Chance) -> Act {
    let mut all: SmallVec<[_; 16]> = SmallVec::new();
    challenges(view, &Standing::from_herds(&view.herds), 0.0, |challenge| {
        all.push(challenge.goods);
    });
    let wanted = view.deck_empty() || rng.chance(0.5);
    let drawn = rng.below(all.len() as u32) as usize;
    match all.get(drawn) {
        Some(goods) if wanted => {
            let mut offer = part(view.purse, rng);
            if offer.cards() == 0 {
                offer = view.purse;
            }
            Act::trade(goods.rival, goods.animal, offer)
        }
        _ => Act::Auction,
    }
}

/// The next bid over `price`.
pub fn raise(cash: u16, price: u16, rng: &mut impl Chance) -> Option<u16> {
    let bid = price.saturating_add(10 * (1 + rng.below(4) as u16));
    (rng.chance(0.5) && bid <= cash).then_some(bid)
}

/// Its answer, and the rule that decided.
pub fn act(view: &View, ask: &Ask, rng: &mut impl Chance) -> (Act, Reason) {
    let cash = view.purse.value();
    let act = match *ask {
        Ask::Turn => turn(view, rng),
        Ask::Bid { price, .. } => Act::Amount(raise(cash, price, rng)),
        Ask::PreEmpt { price, .. } if rng.chance(0.5) && price <= cash => Act::bid(price),
        Ask::PreEmpt { .. } => Act::PASS,
        Ask::Pay { price, .. } => return pay(view.purse, price),
        Ask::Counter { .. } | Ask::Rebid { .. } => {
            let countered = rng.chance(0.5);
            Act::cards(if countered {
                part(view.purse, rng)
            } else {
                Purse::EMPTY
            })
        }
    };
    (act, Reason::Chance)
}

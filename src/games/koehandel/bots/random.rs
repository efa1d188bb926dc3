//! Rung 2: legal and uniform. Half the time it trades if it can, with a random part of its hand; it
//! bids 10 to 40 more every second time while its cash allows, and counters and buys every second time.

use super::policy::{Standing, challenges, pay};
use crate::game::{Bot, Budget};
use crate::koehandel::cards::{Note, Purse};
use crate::koehandel::message::Message;
use crate::koehandel::rules::{Act, Ask, Koehandel};
use crate::koehandel::view::View;
use crate::rng::Rng;
use smallvec::SmallVec;

/// What it does, in one sentence.
pub const DESCRIPTION: &str = "Plays legal moves at random: every second time it trades, bids 10 to 40 more, counters or buys.";

/// The random player.
pub struct Random(pub Rng);

impl Random {
    fn part(&mut self, hand: Purse) -> Purse {
        let mut part = Purse::EMPTY;
        for note in Note::ALL {
            for _ in 0..hand.of(note) {
                if self.0.chance(0.5) {
                    part = part.plus(Purse::single(note));
                }
            }
        }
        part
    }

    fn turn(&mut self, view: &View) -> Act {
        let mut all: SmallVec<[_; 16]> = SmallVec::new();
        challenges(view, &Standing::of(&view.herds), 0.0, |challenge| {
            all.push(challenge);
        });
        let wanted = view.deck_empty() || self.0.chance(0.5);
        let drawn = self.0.below(all.len() as u32) as usize;
        match all.get(drawn) {
            Some(challenge) if wanted => {
                let mut offer = self.part(view.purse);
                if offer.cards() == 0 {
                    offer = view.purse;
                }
                Act::trade(challenge.rival, challenge.animal, offer)
            }
            _ => Act::Auction,
        }
    }
}

impl Bot<Koehandel> for Random {
    fn observe(&mut self, _: &Message) {}

    fn decide(&mut self, view: &View, ask: &Ask, _: Budget<'_>) -> Act {
        match *ask {
            Ask::Turn => self.turn(view),
            Ask::Bid { price, .. } => {
                let bid = price + 10 * (1 + self.0.below(4) as u16);
                if self.0.chance(0.5) && bid <= view.purse.value() {
                    Act::bid(bid)
                } else {
                    Act::PASS
                }
            }
            Ask::PreEmpt { price, .. } => {
                if self.0.chance(0.5) && price <= view.purse.value() {
                    Act::bid(price)
                } else {
                    Act::PASS
                }
            }
            Ask::Pay { price, .. } => pay(view.purse, price),
            Ask::Counter { .. } | Ask::Rebid { .. } => {
                let part = if self.0.chance(0.5) {
                    self.part(view.purse)
                } else {
                    Purse::EMPTY
                };
                Act::cards(part)
            }
        }
    }
}

//! The candidates that the champion compares at each kind of decision. The first is always what its base
//! policy would do.

use crate::bots::policy::{Challenge, Standing, challenges, pick};
use crate::cards::{Compass, Note, Purse};
use crate::message::Goods;
use crate::rules::{Act, Ask};
use crate::view::View;

/// The most challenges compared at one turn.
const CHALLENGES_MAX: usize = 6;

/// One way to continue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Candidate {
    /// This act.
    Act(Act),
    /// Bidding by least raises up to this limit until the card is settled.
    Limit(u16),
}

/// Limits to try in an auction, as fractions of the cash; above 1 is a bluff that makes others pay.
const LIMITS: [f32; 8] = [0.12, 0.25, 0.4, 0.55, 0.7, 0.85, 1.0, 1.5];
/// Offers to try in a trade, as fractions of the cash.
const OFFERS: [f32; 6] = [0.08, 0.2, 0.35, 0.5, 0.75, 1.0];

/// The candidates for one decision, the base policy's first.
#[must_use]
pub fn candidates(view: &View, ask: &Ask, base: Act, limit: u16) -> Vec<Candidate> {
    let mut all = Vec::new();
    let mut add = |candidate: Candidate| {
        if !all.contains(&candidate) {
            all.push(candidate);
        }
    };
    match *ask {
        Ask::Turn => {
            add(Candidate::Act(base));
            if !view.deck_empty() {
                add(Candidate::Act(Act::Auction));
            }
            for challenge in worth_trying(view) {
                let some_card =
                    |offer: &Purse| offer.cards() > 0 || view.purse.count(Note::Zero) == 0;
                let Goods { rival, animal, .. } = challenge.goods;
                for offer in offers(view, rival).into_iter().filter(some_card) {
                    add(Candidate::Act(Act::trade(rival, animal, offer)));
                }
            }
        }
        Ask::Bid { price, .. } => {
            add(Candidate::Limit(limit));
            let bids = |limit: u16| limit >= price.saturating_add(10);
            // Every limit below the least raise is the same pass.
            if bids(limit) {
                add(Candidate::Limit(0));
            }
            let cash = f32::from(view.purse.value());
            for fraction in LIMITS {
                let limit = (cash * fraction) as u16 / 10 * 10;
                if bids(limit) {
                    add(Candidate::Limit(limit));
                }
            }
        }
        Ask::PreEmpt { price, .. } => {
            add(Candidate::Act(base));
            add(Candidate::Act(Act::PASS));
            if view.purse.value() >= price {
                add(Candidate::Act(Act::bid(price)));
            }
        }
        Ask::Counter {
            challenger: rival, ..
        }
        | Ask::Rebid {
            opponent: rival, ..
        } => {
            add(Candidate::Act(base));
            for offer in offers(view, rival) {
                add(Candidate::Act(Act::cards(offer)));
            }
        }
        Ask::Pay { .. } => add(Candidate::Act(base)),
    }
    all
}

/// The trades with the highest stakes.
fn worth_trying(view: &View) -> Vec<Challenge> {
    let mut found = Vec::new();
    challenges(
        view,
        &Standing::from_herds(&view.herds),
        0.65,
        |challenge| found.push(challenge),
    );
    found.sort_by(|a: &Challenge, b| {
        (b.rank == 3, b.stake)
            .partial_cmp(&(a.rank == 3, a.stake))
            .unwrap_or(std::cmp::Ordering::Equal)
    });
    found.truncate(CHALLENGES_MAX);
    found
}

/// Bids worth trying against a rival: nothing, a bare zero, parts of the own cash, just above the rival's.
#[must_use]
pub fn offers(view: &View, rival: Compass) -> Vec<Purse> {
    let hand = view.purse;
    let cash = hand.value();
    let mut offers = vec![Purse::EMPTY];
    if hand.count(Note::Zero) > 0 {
        offers.push(Purse::single(Note::Zero));
    }
    for fraction in OFFERS {
        let amount = (f32::from(cash) * fraction) as u16;
        offers.push(pick(hand, amount));
    }
    let over = view.guess[rival.index()].saturating_add(10);
    offers.extend(hand.exact_payment(over));
    offers.retain(|offer| hand.holds(*offer));
    let mut kept: Vec<Purse> = Vec::new();
    for offer in offers {
        if !kept.iter().any(|other| {
            other.value() == offer.value() && (other.cards() > 0) == (offer.cards() > 0)
        }) {
            kept.push(offer);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::{Candidate, candidates};
    use crate::cards::{Animal, Compass};
    use crate::rules::{Act, Ask};
    use crate::view::View;

    /// How many candidates pass at this price if the base policy's limit is this.
    fn passes(price: u16, limit: u16) -> usize {
        let ask = Ask::Bid {
            card: Animal::DONKEY,
            price,
            leader: Compass::W,
            auctioneer: Compass::N,
        };
        let all = candidates(&View::start(), &ask, Act::PASS, limit);
        assert_eq!(all[0], Candidate::Limit(limit));
        let passes = |candidate: &&Candidate| match candidate {
            Candidate::Limit(limit) => *limit < price + 10,
            Candidate::Act(_) => false,
        };
        all.iter().filter(passes).count()
    }

    #[test]
    fn one_candidate_passes() {
        for price in (0..160).step_by(5) {
            for limit in (0..160).step_by(10) {
                assert_eq!(passes(price, limit), 1, "{price} {limit}");
            }
        }
    }
}

//! The answer for a bot that gives none, or none that the rules allow.

use super::cards::{Animal, Compass, Note, Purse};
use super::rules::{Act, Ask, Money};
use super::view::View;

/// A legal and sensible answer without any search: auction; after the deck's end the smallest challenge
/// rather than being barred; pass; pay with the fewest cards; accept.
#[must_use]
pub fn fallback(view: &View, ask: &Ask) -> Act {
    match ask {
        Ask::Turn if view.deck_empty() => smallest_challenge(view).unwrap_or(Act::Auction),
        Ask::Turn => Act::Auction,
        Ask::Bid { .. } | Ask::PreEmpt { .. } => Act::PASS,
        Ask::Pay { price, .. } => view
            .purse
            .exact_payment(*price)
            .map_or(Act::Cards(Money::Missing), Act::cards),
        Ask::Counter { .. } | Ask::Rebid { .. } => Act::Cards(Money::Missing),
    }
}

/// One card of the least value, for the most valuable animal available.
fn smallest_challenge(view: &View) -> Option<Act> {
    let offer = Note::ALL
        .into_iter()
        .find(|note| view.purse.count(*note) > 0)
        .map_or(Purse::EMPTY, Purse::single);
    Animal::all().rev().find_map(|animal| {
        let rival = Compass::RIVALS
            .into_iter()
            .find(|rival| view.stake(*rival, animal) > 0)?;
        Some(Act::trade(rival, animal, offer))
    })
}

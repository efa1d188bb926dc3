//! The champion as a player.

use super::declare::Declaring;
use super::knobs::{CHAMPION, Knobs};
use super::search::Search;
use super::table::{SHIPPED, Table};
use crate::bots::position::narrow;
use crate::bots::searcher::{Searcher, Thinking};
use crate::rules::{Ask, Planowanie, View};
use drover_game::game::Bot;
use drover_game::rng::Rng;

pub(in crate::bots) const DESCRIPTION: &str = "Declares by playing plausible declarations out in sampled deals; plays by one tree over worlds that fit declarations and cards played, guided by a learnt net. A node is one deal played out.";

/// A player with these parameters and this table.
#[must_use]
pub fn thinking(seed: u64, knobs: Knobs, table: &'static Table) -> Box<dyn Bot<Planowanie>> {
    Box::new(Searcher::new(seed, move |view, ask, rng| {
        Some(begin(view, ask, rng, knobs, table))
    }))
}

/// The shipped champion.
#[must_use]
pub fn champion(seed: u64) -> Box<dyn Bot<Planowanie>> {
    thinking(seed, CHAMPION, &SHIPPED)
}

/// Starts a search.
pub(super) fn begin(
    view: &View,
    ask: Ask,
    rng: Rng,
    knobs: Knobs,
    table: &'static Table,
) -> Box<dyn Thinking> {
    match (ask, narrow(view.game.deck())) {
        (Ask::Declare, true) => Box::new(Declaring::<u64>::new(view, table, knobs, rng)),
        (Ask::Declare, false) => Box::new(Declaring::<u128>::new(view, table, knobs, rng)),
        (Ask::Play, true) => Box::new(Search::<u64>::new(view, table, knobs, rng)),
        (Ask::Play, false) => Box::new(Search::<u128>::new(view, table, knobs, rng)),
    }
}

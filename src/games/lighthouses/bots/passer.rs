//! Rung 1: does nothing.

use crate::rules::{Act, Ask, Lighthouses, View};
use drover_game::game::{Bot, Budget};
use drover_game::reasons::Reasons;

pub(super) const DESCRIPTION: &str = "Passes every turn.";

/// Stays where it starts.
#[derive(Clone)]
pub(super) struct Passer;

impl Bot<Lighthouses> for Passer {
    fn decide(&mut self, _: &View, _: &Ask, _: Budget<'_>) -> Act {
        Act::Pass
    }

    fn reasons(&mut self, _: &View, _: &Ask, _: Budget<'_>) -> Reasons<Act> {
        Reasons::by_rule(Act::Pass, "It passes every turn.")
    }
}

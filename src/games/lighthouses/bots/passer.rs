//! Rung 1: does nothing.

use crate::game::{Bot, Budget};
use crate::lighthouses::rules::{Act, Ask, Event, Lighthouses, View};

pub(super) const DESCRIPTION: &str = "Passes every turn.";

/// Stays where it starts.
pub(super) struct Passer;

impl Bot<Lighthouses> for Passer {
    fn observe(&mut self, _: &Event) {}

    fn decide(&mut self, _: &View, _: &Ask, _: Budget<'_>) -> Act {
        Act::Pass
    }
}

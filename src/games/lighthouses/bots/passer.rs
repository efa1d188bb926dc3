//! Rung 1: does nothing.

use crate::rules::{Act, Ask, View};

pub(super) const DESCRIPTION: &str = "Passes every turn.";

/// Stays where it starts, by its one rule.
pub(super) fn act(_: &View, _: &Ask) -> (Act, &'static str) {
    (Act::Pass, "It passes every turn.")
}

//! Rung 1: never moves.

use crate::rules::{Ask, Orders, View};

pub(super) const DESCRIPTION: &str =
    "Ends every turn without a command: what sheep do when left alone.";

/// Never commands anything, by its one rule.
pub(super) fn act(_: &View, _: &Ask) -> (Orders, &'static str) {
    (Orders::new(), "It never gives an order.")
}

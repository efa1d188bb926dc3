//! L0: orders nothing.

use super::field::Field;
use super::orders::Orders;
use super::player::Habit;
use super::reason::Reason;
use crate::rules::{Act, Ask, View};

pub(super) const DESCRIPTION: &str = "Orders nothing and says 0 to the next in the ring.";
pub(super) const TEAM_DESCRIPTION: &str = "Orders nothing but passes the ring's words on.";

#[derive(Clone)]
pub(super) struct Idle;

/// What it does alone, by the rule that decided.
pub(super) fn act(_: &View, _: &Ask) -> (Act, Reason) {
    let act = Act {
        message: Some(0),
        ..Act::default()
    };
    (act, Reason::Nothing)
}

impl Habit for Idle {
    fn order(&mut self, _: &Field<'_>, orders: &mut Orders) {
        orders.reason = Reason::Nothing;
    }
}

//! L0: orders nothing.

use super::field::Field;
use super::orders::Orders;
use super::player::Habit;
use super::reason::Reason;
use crate::rules::{Act, Ask, PlanetWars, View};
use drover_game::game::{Bot, Budget};
use drover_game::reasons::Reasons;

pub(super) const DESCRIPTION: &str = "Orders nothing and says 0 to the next in the ring.";
pub(super) const TEAM_DESCRIPTION: &str = "Orders nothing but passes the ring's words on.";

#[derive(Clone)]
pub(super) struct Idle;

impl Bot<PlanetWars> for Idle {
    fn decide(&mut self, _: &View, _: &Ask, _: Budget<'_>) -> Act {
        Act {
            message: Some(0),
            ..Act::default()
        }
    }

    fn reasons(&mut self, view: &View, ask: &Ask, budget: Budget<'_>) -> Reasons<Act> {
        Reasons::by_rule(self.decide(view, ask, budget), Reason::Nothing)
    }
}

impl Habit for Idle {
    fn order(&mut self, _: &Field<'_>, orders: &mut Orders) {
        orders.reason = Reason::Nothing;
    }
}

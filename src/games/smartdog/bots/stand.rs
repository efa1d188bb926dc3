//! Rung 1: never moves.

use crate::rules::{Ask, Orders, SmartDog, View};
use drover_game::game::{Bot, Budget};
use drover_game::reasons::Reasons;

pub(super) const DESCRIPTION: &str =
    "Ends every turn without a command: what sheep do when left alone.";

/// Never commands anything.
#[derive(Clone)]
pub struct Stand;

impl Bot<SmartDog> for Stand {
    fn decide(&mut self, _: &View, _: &Ask, _: Budget<'_>) -> Orders {
        Orders::new()
    }

    fn reasons(&mut self, _: &View, _: &Ask, _: Budget<'_>) -> Reasons<Orders> {
        Reasons::by_rule(Orders::new(), "It never gives an order.")
    }
}

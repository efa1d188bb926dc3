//! Rung 1: never moves.

use crate::game::{Bot, Budget};
use crate::smartdog::rules::{Ask, Orders, SmartDog, View};

pub(super) const DESCRIPTION: &str =
    "Ends every turn without a command: what sheep do when left alone.";

/// Never commands anything.
#[derive(Clone)]
pub struct Stand;

impl Bot<SmartDog> for Stand {
    fn decide(&mut self, _: &View, _: &Ask, _: Budget<'_>) -> Orders {
        Orders::new()
    }
}

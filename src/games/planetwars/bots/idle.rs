//! L0: orders nothing.

use crate::game::{Bot, Budget};
use crate::planetwars::rules::{Act, Ask, Event, PlanetWars, View};

pub(super) const DESCRIPTION: &str = "Orders nothing and says 0 to the next in the ring.";

pub(super) struct Idle;

impl Bot<PlanetWars> for Idle {
    fn observe(&mut self, event: &Event) {
        match *event {}
    }

    fn decide(&mut self, _: &View, _: &Ask, _: Budget<'_>) -> Act {
        Act {
            message: Some(0),
            ..Act::default()
        }
    }
}

//! Rung 2: the player of the contest's Java kit.

use super::sight::Sight;
use crate::rules::{Ask, Command, Direction, Orders, SmartDog, View};
use drover_game::game::{Bot, Budget};
use drover_game::reasons::Reasons;
use drover_game::rng::Rng;

pub(super) const DESCRIPTION: &str = "Like the official Java kit: every N turns, N being its seat's number, the first dog it sees takes a random step and barks.";

/// Moves at random.
#[derive(Clone)]
pub struct Random(pub Rng);

impl Bot<SmartDog> for Random {
    fn decide(&mut self, view: &View, _: &Ask, _: Budget<'_>) -> Orders {
        self.turn(view).0
    }

    fn reasons(&mut self, view: &View, _: &Ask, _: Budget<'_>) -> Reasons<Orders> {
        let (orders, reason) = self.turn(view);
        Reasons::by_rule(orders, reason)
    }
}

impl Random {
    /// The turn's orders, and the rule that decided.
    fn turn(&mut self, view: &View) -> (Orders, &'static str) {
        let mut orders = Orders::new();
        let way = Direction::ALL[self.0.below(4) as usize];
        let sight = Sight::from_view(view);
        let Some(dog) = sight.own.first() else {
            return (orders, "It sees no dog of its own.");
        };
        if !view.turn.is_multiple_of(u32::from(view.seat.0) + 1) {
            return (orders, "It gives orders only every few turns, by its seat.");
        }
        orders.push(Command::Move(dog.id, way));
        orders.push(Command::Bark(dog.id));
        (
            orders,
            "The first dog barks after a step that chance chose.",
        )
    }
}

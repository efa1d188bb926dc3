//! Rung 2: the player of the contest's Java kit.

use super::sight::Sight;
use crate::rules::{Ask, Command, Direction, Orders, SmartDog, View};
use drover_game::game::{Bot, Budget};
use drover_game::rng::Rng;

pub(super) const DESCRIPTION: &str = "Like the official Java kit: every N turns, N being its seat's number, the first dog it sees takes a random step and barks.";

/// Moves at random.
#[derive(Clone)]
pub struct Random(pub Rng);

impl Bot<SmartDog> for Random {
    fn decide(&mut self, view: &View, _: &Ask, _: Budget<'_>) -> Orders {
        let mut orders = Orders::new();
        let way = Direction::ALL[self.0.below(4) as usize];
        let sight = Sight::from_view(view);
        let Some(dog) = sight.own.first() else {
            return orders;
        };
        if view.turn.is_multiple_of(u32::from(view.seat.0) + 1) {
            orders.push(Command::Move(dog.id, way));
            orders.push(Command::Bark(dog.id));
        }
        orders
    }
}

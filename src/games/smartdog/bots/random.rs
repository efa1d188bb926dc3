//! Rung 2: the player of the contest's Java kit.

use super::sight::Sight;
use crate::rules::{Ask, Command, Direction, Orders, SmartDog, View};
use drover_game::by_rule::ByRule;
use drover_game::rng::Rng;

pub(super) const DESCRIPTION: &str = "Like the official Java kit: every N turns, N being its seat's number, the first dog it sees takes a random step and barks.";

/// Moves at random.
#[derive(Clone)]
pub struct Random(pub Rng);

impl ByRule<SmartDog> for Random {
    fn turn(&mut self, view: &View, _: &Ask) -> (Orders, impl ToString) {
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

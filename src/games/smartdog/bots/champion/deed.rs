//! What one dog does in one turn.

use crate::options::Key;
use crate::rules::{Command, Direction, DogId, SmartDog, Spot};
use drover_game::game::Seat;

/// A step or none, and a bark before it, after it, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Deed {
    way: Option<Direction>,
    bark: Bark,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
enum Bark {
    #[default]
    No,
    Before,
    After,
}

impl Deed {
    /// The deed that these commands of one dog are.
    pub(super) fn from_commands(commands: &[Command]) -> Self {
        let mut deed = Self::default();
        for command in commands {
            match *command {
                Command::Move(_, way) => deed.way = Some(way),
                Command::Bark(_) if deed.way.is_some() => deed.bark = Bark::After,
                Command::Bark(_) => deed.bark = Bark::Before,
            }
        }
        deed
    }

    /// The dog's commands, in order.
    pub fn commands(self, dog: DogId) -> impl Iterator<Item = Command> {
        let bark = move |when: Bark| (self.bark == when).then_some(Command::Bark(dog));
        let step = self.way.map(|way| Command::Move(dog, way));
        [bark(Bark::Before), step, bark(Bark::After)]
            .into_iter()
            .flatten()
    }
}

/// Those deeds of a dog that may make a difference: barks only if a sheep, a foreign dog or a disabled friend
/// is in earshot.
pub(super) fn deeds(game: &SmartDog, me: Seat, at: usize) -> Vec<Deed> {
    let id = DogId(at as u16);
    let mut deeds = vec![Deed::default()];
    let Some(dog) = game.dogs().get(at) else {
        return deeds;
    };
    let torus = game.ground().torus();
    let radius = game.ground().options().get(Key::DogBarkingR);
    let may_bark = game.allows(me, Command::Bark(id)).is_ok();
    let received = |from: Spot| {
        let by_sheep = || {
            let mut sheep = game.sheep().iter();
            sheep.any(|sheep| torus.within(from, sheep.spot, radius))
        };
        let by_dogs = || {
            let mut dogs = game.dogs().iter().enumerate();
            dogs.any(|(other, dog)| {
                other != at
                    && (dog.owner != me || dog.disabled > 0)
                    && torus.within(from, dog.spot, radius)
            })
        };
        may_bark && (by_sheep() || by_dogs())
    };
    let before = received(dog.spot);
    if before {
        let bark = Bark::Before;
        deeds.push(Deed { way: None, bark });
    }
    for way in Direction::ALL {
        if game.allows(me, Command::Move(id, way)).is_err() {
            continue;
        }
        let after = received(torus.next(dog.spot, way));
        let way = Some(way);
        let bark = Bark::No;
        deeds.push(Deed { way, bark });
        if before {
            let bark = Bark::Before;
            deeds.push(Deed { way, bark });
        }
        if after {
            let bark = Bark::After;
            deeds.push(Deed { way, bark });
        }
    }
    deeds
}

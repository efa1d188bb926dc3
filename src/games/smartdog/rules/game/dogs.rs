//! How dogs move and bark.

use super::{SmartDog, Thing};
use crate::options::Key;
use crate::rules::torus::{Direction, Spot};
use crate::rules::{Command, Dog, DogId, Fright, Refusal};
use drover_game::game::Seat;

impl SmartDog {
    /// Whether a seat may play a command now.
    ///
    /// # Errors
    /// [`Refusal`], in the official order of checks.
    pub fn allows(&self, seat: Seat, command: Command) -> Result<(), Refusal> {
        if !self.may_command(seat) {
            return Err(Refusal::Ended);
        }
        match command {
            Command::Move(dog, direction) => self.aim(seat, dog, direction).map(drop),
            Command::Bark(dog) => self.voice(seat, dog),
        }
    }

    fn own(&self, seat: Seat, dog: DogId) -> Result<&Dog, Refusal> {
        let found = self.dogs.get(dog.index());
        found
            .filter(|dog| dog.owner == seat)
            .ok_or(Refusal::Unknown)
    }

    /// Where a move leads.
    fn aim(&self, seat: Seat, dog: DogId, direction: Direction) -> Result<Spot, Refusal> {
        let dog = self.own(seat, dog)?;
        if dog.moved {
            return Err(Refusal::Moved);
        }
        if dog.suffers() == Some(Fright::Panic) {
            return Err(Refusal::Scared);
        }
        let to = self.ground.torus().next(dog.spot, direction);
        if self.is_free(to) {
            Ok(to)
        } else {
            Err(Refusal::Blocked { x: to.x, y: to.y })
        }
    }

    fn voice(&self, seat: Seat, dog: DogId) -> Result<(), Refusal> {
        let dog = self.own(seat, dog)?;
        if dog.barked {
            Err(Refusal::Barked)
        } else if dog.suffers().is_some() {
            Err(Refusal::Muted)
        } else {
            Ok(())
        }
    }

    pub(super) fn move_dog(
        &mut self,
        seat: Seat,
        dog: DogId,
        direction: Direction,
    ) -> Result<(), Refusal> {
        let to = self.aim(seat, dog, direction)?;
        let from = std::mem::replace(&mut self.dogs[dog.index()].spot, to);
        self.dogs[dog.index()].moved = true;
        self.shift(from, to, Thing::Dog(dog));
        Ok(())
    }

    /// A bark takes effect at once, with all dogs and sheep where they stand now.
    pub(super) fn bark(&mut self, seat: Seat, dog: DogId) -> Result<(), Refusal> {
        self.voice(seat, dog)?;
        self.dogs[dog.index()].barked = true;
        let from = self.dogs[dog.index()].spot;
        let (torus, radius) = (
            self.ground.torus(),
            self.ground.options().get(Key::DogBarkingR),
        );
        let tiles = self.ground.tiles();
        for (at, other) in self.dogs.iter_mut().enumerate() {
            if at == dog.index() || !torus.within(from, other.spot, radius) {
                continue;
            }
            if other.owner == seat {
                other.helped = true;
            } else {
                other.hit = true;
                other.fright = match tiles.get(other.owner) {
                    Some(tile) if tile.contains(from) => Fright::Indignant,
                    _ => Fright::Panic,
                };
            }
        }
        let turns = self.ground.options().get(Key::SheepScaryTurns);
        for sheep in &mut self.sheep {
            if torus.within(from, sheep.spot, radius) {
                let (dx, dy) = torus.displacement(from, sheep.spot);
                sheep.flee(Direction::along(dx, dy), turns);
            }
        }
        Ok(())
    }

    pub(super) fn end_dogs(&mut self) {
        let turns = self.ground.options().get(Key::DogScaryTurns);
        for dog in &mut self.dogs {
            dog.end_turn(turns);
        }
    }
}

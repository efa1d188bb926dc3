//! A view sorted by kind, without anything that no honest hub would send.

use crate::rules::{DogId, Seen, SeenDog, SeenSheep, Spot, Torus, View};

/// What lies within the world, in the order of the wire.
#[derive(Clone, Debug, Default)]
pub(super) struct Sight {
    pub(super) own: Vec<SeenDog>,
    pub(super) foreign: Vec<SeenDog>,
    pub(super) sheep: Vec<SeenSheep>,
    pub(super) voices: Vec<Spot>,
}

impl Sight {
    pub(super) fn from_view(view: &View) -> Self {
        let mut sight = Self::default();
        let torus: Torus = view.ground.torus();
        for seen in view.seen.iter().filter(|seen| torus.contains(seen.spot())) {
            match *seen {
                Seen::Dog(dog) if dog.owner == view.seat => sight.own.push(dog),
                Seen::Dog(dog) => sight.foreign.push(dog),
                Seen::Sheep(sheep) => sight.sheep.push(sheep),
                Seen::Voice(spot) => sight.voices.push(spot),
            }
        }
        sight
    }
}

/// A seat's own dogs in creation order, whatever their numbers on the wire: row by row as they stood when
/// first seen.
#[derive(Clone, Debug, Default)]
pub(super) struct Roster(Vec<DogId>);

impl Roster {
    /// Adds dogs not met before.
    pub(super) fn meet(&mut self, sight: &Sight) {
        let mut new: Vec<_> = sight.own.iter().collect();
        new.retain(|dog| !self.0.contains(&dog.id));
        new.sort_by_key(|dog| (dog.spot.y, dog.spot.x, dog.id));
        new.dedup_by_key(|dog| dog.id);
        self.0.extend(new.iter().map(|dog| dog.id));
    }

    /// A dog's place in creation order.
    pub(super) fn place(&self, id: DogId) -> Option<usize> {
        self.0.iter().position(|known| *known == id)
    }

    /// The dogs in sight, in creation order.
    pub(super) fn sort(&self, sight: &Sight) -> Vec<SeenDog> {
        let mut dogs = sight.own.clone();
        dogs.sort_by_key(|dog| self.place(dog.id));
        dogs.dedup_by_key(|dog| dog.id);
        dogs
    }
}

//! A view sorted by kind, without anything that no honest hub would send.

use crate::game::Seat;
use crate::smartdog::rules::{Direction, DogAction, DogId, Seen, SheepAction, Spot, Torus, View};

/// Dogs of any seat in sight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SeenDog {
    pub(super) id: DogId,
    pub(super) spot: Spot,
    pub(super) owner: Seat,
    pub(super) action: DogAction,
    pub(super) voice: bool,
}

/// A sheep in sight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SeenSheep {
    pub(super) spot: Spot,
    pub(super) action: SheepAction,
    pub(super) direction: Direction,
}

/// What lies within the world, in the order of the wire.
#[derive(Clone, Debug, Default)]
pub(super) struct Sight {
    pub(super) own: Vec<SeenDog>,
    pub(super) foreign: Vec<SeenDog>,
    pub(super) sheep: Vec<SeenSheep>,
    pub(super) voices: Vec<Spot>,
}

impl Sight {
    pub(super) fn of(view: &View) -> Self {
        let mut sight = Self::default();
        let torus: Torus = view.ground.torus();
        for seen in &view.seen {
            match *seen {
                Seen::Dog {
                    id,
                    spot,
                    owner,
                    action,
                    voice,
                } if torus.contains(spot) => {
                    let dog = SeenDog {
                        id,
                        spot,
                        owner,
                        action,
                        voice,
                    };
                    if owner == view.seat {
                        sight.own.push(dog);
                    } else {
                        sight.foreign.push(dog);
                    }
                }
                Seen::Sheep {
                    spot,
                    action,
                    direction,
                } if torus.contains(spot) => sight.sheep.push(SeenSheep {
                    spot,
                    action,
                    direction,
                }),
                Seen::Voice { spot } if torus.contains(spot) => sight.voices.push(spot),
                Seen::Dog { .. } | Seen::Sheep { .. } | Seen::Voice { .. } => {}
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

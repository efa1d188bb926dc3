//! What a seat sees.

use super::{SmartDog, Thing};
use crate::options::Key;
use crate::rules::{Seen, SeenDog, SeenSheep, SheepAction, Spot, View};
use drover_game::game::Seat;
use std::sync::Arc;

impl SmartDog {
    /// What a seat sees: the discs of its dogs in creation order, each swept column by column over its
    /// bounding square, every cell once; then the voices from out of sight in creation order. Where the
    /// square is wider than the world, a cell comes where the sweep first meets it.
    #[must_use]
    pub fn seen_by(&self, seat: Seat) -> View {
        let torus = self.ground.torus();
        let radius = self.ground.options().get(Key::DogVisibilityR);
        let reach = radius as i32;
        let spots = self.dogs.iter().map(|dog| dog.spot);
        let mut hidden: Vec<Spot> = spots
            .chain(self.sheep.iter().map(|sheep| sheep.spot))
            .collect();
        let (mut seen, mut found) = (Vec::new(), Vec::new());
        for dog in self.dogs.iter().filter(|dog| dog.owner == seat) {
            hidden.retain(|spot| {
                let in_sight = torus.within(dog.spot, *spot, radius);
                if in_sight {
                    let column = met(dog.spot.x, spot.x, torus.cols(), reach);
                    let row = met(dog.spot.y, spot.y, torus.rows(), reach);
                    found.push((column, row, *spot));
                }
                !in_sight
            });
            found.sort_unstable_by_key(|(column, row, _)| (*column, *row));
            seen.extend(
                found
                    .drain(..)
                    .filter_map(|(_, _, spot)| self.seen_at(spot)),
            );
        }
        // The dogs not seen, still in creation order.
        for spot in hidden {
            if let Thing::Dog(id) = self.thing(spot)
                && self.dogs[id.index()].voice
            {
                seen.push(Seen::Voice(spot));
            }
        }
        View {
            seat,
            turn: self.turn,
            ground: Arc::clone(&self.ground),
            seen,
        }
    }

    /// Every dog and then every sheep, each in creation order, as one who saw all would see them.
    #[must_use]
    pub fn everything(&self) -> Vec<Seen> {
        let dogs = self.dogs.iter().map(|dog| dog.spot);
        let spots = dogs.chain(self.sheep.iter().map(|sheep| sheep.spot));
        spots.filter_map(|spot| self.seen_at(spot)).collect()
    }

    fn seen_at(&self, spot: Spot) -> Option<Seen> {
        match self.thing(spot) {
            Thing::Nothing => None,
            Thing::Dog(id) => {
                let dog = &self.dogs[id.index()];
                Some(Seen::Dog(SeenDog {
                    id,
                    spot,
                    owner: dog.owner,
                    action: dog.action(),
                    voice: dog.voice,
                }))
            }
            Thing::Sheep(sheep) => {
                let sheep = &self.sheep[usize::from(sheep)];
                Some(Seen::Sheep(SeenSheep {
                    spot,
                    action: if sheep.frightened > 0 {
                        SheepAction::Panic
                    } else if self.strolls(sheep) {
                        SheepAction::Move
                    } else {
                        SheepAction::StandBy
                    },
                    direction: sheep.direction,
                }))
            }
        }
    }
}

/// How far from −`reach` a sweep meets a column or row: it goes round the world at most once.
fn met(from: u16, to: u16, size: u16, reach: i32) -> i32 {
    (i32::from(to) - i32::from(from) + reach).rem_euclid(i32::from(size))
}

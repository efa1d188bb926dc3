//! Believed dogs are made to agree with those in sight.

use super::World;
use crate::bots::champion::hidden::Hidden;
use crate::bots::sight::Sight;
use crate::options::Key;
use crate::rules::{Dog, DogAction, Fright, SeenDog};
use std::collections::HashSet;

impl World {
    /// Which dogs were met this turn, able.
    pub(super) fn able(&self) -> Vec<bool> {
        let dogs = self.game.dogs().iter().zip(&self.met);
        dogs.map(|(dog, met)| *met == self.game.turn() && dog.disabled == 0)
            .collect()
    }

    /// Dogs that were able a turn ago and are frozen now were barked at in that turn, by any dog.
    pub(super) fn freeze(&self, dogs: &mut [Dog], able: &[bool], sight: &Sight) {
        let turns = self.game.ground().options().get(Key::DogScaryTurns);
        for seen in sight.own.iter().chain(&sight.foreign) {
            let at = self.index_of(seen.id);
            let at = at.filter(|at| able.get(*at) == Some(&true));
            if let Some(dog) = at.and_then(|at| dogs.get_mut(at))
                && seen.action != DogAction::Move
            {
                dog.disabled = turns;
            }
        }
    }

    /// Puts dogs in sight where they are, and those that are not where they were believed to be on hidden cells nearby.
    pub(super) fn correct_dogs(
        &mut self,
        turn: u32,
        sight: &Sight,
        dogs: &mut Vec<Dog>,
        hidden: &mut Hidden<'_>,
    ) {
        let mut met = vec![false; dogs.len()];
        let own = self.roster.sort(sight);
        for seen in own.iter().chain(&sight.foreign) {
            let at = self.match_dog(seen, dogs, hidden);
            met.resize(dogs.len(), false);
            if std::mem::replace(&mut met[at], true) {
                continue;
            }
            self.ids[at] = Some(seen.id);
            self.met[at] = turn;
            update(&mut dogs[at], seen);
        }
        let mut stands = Vec::with_capacity(dogs.len());
        for (at, dog) in dogs.iter_mut().enumerate() {
            stands.push(met[at] || hidden.settle(&mut dog.spot, i32::MAX));
        }
        // Of two dogs seen on one cell only one can be believed.
        let mut spots = HashSet::new();
        for (stands, dog) in stands.iter_mut().zip(dogs.iter()) {
            // A dog that has no place may lie outside the world.
            *stands = *stands && hidden.ground.land(dog.spot).is_open() && spots.insert(dog.spot);
        }
        let mut keep = stands.iter();
        dogs.retain(|_| *keep.next().unwrap_or(&false));
        let mut keep = stands.iter();
        self.ids.retain(|_| *keep.next().unwrap_or(&false));
        let mut keep = stands.iter();
        self.met.retain(|_| *keep.next().unwrap_or(&false));
    }

    /// The place of a dog in sight: known by its number, else the nearest one of its owner without a number, else a new
    /// one.
    fn match_dog(&mut self, seen: &SeenDog, dogs: &mut Vec<Dog>, hidden: &Hidden<'_>) -> usize {
        let torus = hidden.ground.torus();
        let bound = self.index_of(seen.id).filter(|at| *at < dogs.len());
        let nearest = || {
            let free = |at: &usize| dogs[*at].owner == seen.owner && self.ids[*at].is_none();
            (0..dogs.len()).filter(free).min_by_key(|at| {
                let (dx, dy) = torus.displacement(dogs[*at].spot, seen.spot);
                dx * dx + dy * dy
            })
        };
        bound.or_else(nearest).unwrap_or_else(|| {
            dogs.push(Dog::new(seen.owner, seen.spot));
            self.ids.push(None);
            self.met.push(0);
            dogs.len() - 1
        })
    }
}

/// A dog is as it is seen. The wire does not say how long it is frozen: the believed number of turns if there is one,
/// else one.
fn update(dog: &mut Dog, seen: &SeenDog) {
    dog.owner = seen.owner;
    dog.spot = seen.spot;
    dog.voice = seen.voice;
    dog.disabled = match seen.action {
        DogAction::Move => 0,
        DogAction::Panic | DogAction::Indignant => dog.disabled.max(1),
    };
    match seen.action {
        DogAction::Move => {}
        DogAction::Panic => dog.fright = Fright::Panic,
        DogAction::Indignant => dog.fright = Fright::Indignant,
    }
}

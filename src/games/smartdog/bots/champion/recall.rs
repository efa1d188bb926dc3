//! What happened in the finished turn, as far as it can be told: own orders, what others are seen and heard to
//! have done, and for the rest what is expected of them. Who came first, and whether a dog barked before or after its
//! step, is not told: of some guesses the one that explains most of what the sheep do is taken.

use super::reply::Expected;
use super::world::World;
use crate::smartdog::bots::sight::Sight;
use crate::smartdog::rules::{
    Command, Direction, Dog, DogId, Orders, SeenDog, SeenSheep, SheepAction, SmartDog, Spot,
};
use smallvec::SmallVec;
use std::collections::HashMap;

/// The most barking dogs about which guesses are made.
const BARKERS_MAX: u32 = 3;

/// What is not told.
#[derive(Clone, Copy)]
struct Guess {
    /// Whether the others' commands came first.
    others_first: bool,
    /// Which barking dogs barked before their step, a bit each.
    before: u32,
}

/// What is told: what was seen and heard afterwards, and the believed places of the foreign dogs in sight.
struct Told<'a> {
    sight: &'a Sight,
    dogs: SmallVec<[(DogId, SeenDog); 8]>,
}

impl World {
    /// Plays the turn; `heard` is the sight at the beginning of the next one.
    pub(super) fn advance(&mut self, ordered: &Orders, heard: Option<&Sight>) {
        let expected = self.replies.orders(&self.game, &|_| true);
        let plain = Guess {
            others_first: false,
            before: 0,
        };
        let Some(sight) = heard else {
            self.game = self.replayed(ordered, &expected, plain, None);
            return;
        };
        let told = self.told(sight);
        let barkers = told.dogs.iter().filter(|(_, dog)| dog.voice).count() as u32;
        let guesses = 0..1u32 << barkers.min(BARKERS_MAX);
        let guesses = guesses.flat_map(|before| {
            [false, true].map(|others_first| Guess {
                others_first,
                before,
            })
        });
        let mut best: Option<(usize, SmartDog)> = None;
        for guess in guesses {
            let game = self.replayed(ordered, &expected, guess, Some(&told));
            let unexplained = unexplained(&game, &sight.sheep);
            if best.as_ref().is_none_or(|(least, _)| unexplained < *least) {
                best = Some((unexplained, game));
            }
            if unexplained == 0 {
                break;
            }
        }
        if let Some((_, game)) = best {
            self.game = game;
        }
    }

    fn told<'a>(&self, sight: &'a Sight) -> Told<'a> {
        let torus = self.game.ground().torus();
        let mut dogs: SmallVec<[(DogId, SeenDog); 8]> = SmallVec::new();
        for seen in &sight.foreign {
            let free = |(at, dog): &(usize, &Dog)| {
                let bound = self.ids.get(*at).is_some_and(Option::is_some);
                let taken = dogs.iter().any(|(id, _)| id.index() == *at);
                dog.owner == seen.owner && !bound && !taken
            };
            let far = |(_, dog): &(usize, &Dog)| {
                let (dx, dy) = torus.displacement(dog.spot, seen.spot);
                dx * dx + dy * dy
            };
            let nearest = || {
                let all = self.game.dogs().iter().enumerate();
                all.filter(free).min_by_key(far).map(|(at, _)| at)
            };
            if let Some(at) = self.index_of(seen.id).or_else(nearest) {
                dogs.push((DogId(at as u16), *seen));
            }
        }
        Told { sight, dogs }
    }

    /// The position after the turn.
    fn replayed(
        &self,
        ordered: &Orders,
        expected: &Expected,
        guess: Guess,
        told: Option<&Told<'_>>,
    ) -> SmartDog {
        let mut game = self.game.clone();
        if guess.others_first {
            self.play_others(&mut game, expected, guess, told);
        }
        for command in ordered {
            if let Some(command) = self.inner(*command) {
                // Refused commands change nothing, in the match or here.
                let _ = game.play(self.me, command);
            }
        }
        if !guess.others_first {
            self.play_others(&mut game, expected, guess, told);
        }
        game.end_all();
        game
    }

    fn play_others(
        &self,
        game: &mut SmartDog,
        expected: &Expected,
        guess: Guess,
        told: Option<&Told<'_>>,
    ) {
        let Some(told) = told else {
            for (seat, command) in expected {
                let _ = game.play(*seat, *command);
            }
            return;
        };
        let seen = |dog: DogId| told.dogs.iter().any(|(id, _)| *id == dog);
        let mut voices = told.sight.voices.clone();
        for (seat, command) in expected {
            let (Command::Move(dog, _) | Command::Bark(dog)) = *command;
            let bark = matches!(command, Command::Bark(_));
            if !seen(dog) && (!bark || was_heard(game, dog, &mut voices)) {
                let _ = game.play(*seat, *command);
            }
        }
        let mut bit = 1;
        let mut late: SmallVec<[(DogId, SeenDog); 8]> = SmallVec::new();
        for (id, dog) in &told.dogs {
            let before = guess.before & bit != 0;
            if dog.voice {
                bit = bit.checked_shl(1).unwrap_or_default();
                if before {
                    let _ = game.play(dog.owner, Command::Bark(*id));
                }
            }
            if !go(game, *id, dog.spot) {
                late.push((*id, *dog));
            }
            if dog.voice && !before {
                let _ = game.play(dog.owner, Command::Bark(*id));
            }
        }
        for (id, dog) in late {
            // Another dog stood there that has left by now.
            go(game, id, dog.spot);
        }
        self.bark_unseen(game, &voices, &seen);
    }

    /// Plays the barks from out of sight that nobody was expected to give, from where the barkers stand now.
    fn bark_unseen(&self, game: &mut SmartDog, voices: &[Spot], seen: &dyn Fn(DogId) -> bool) {
        let torus = game.ground().torus();
        for voice in voices {
            let dogs = (0u16..).map(DogId).zip(game.dogs());
            let unseen = dogs.filter(|(id, dog)| dog.owner != self.me && !seen(*id));
            let nearest = unseen.min_by_key(|(_, dog)| {
                let (dx, dy) = torus.displacement(dog.spot, *voice);
                dx * dx + dy * dy
            });
            if let Some((id, owner)) = nearest.map(|(id, dog)| (id, dog.owner)) {
                game.teleport(id, *voice);
                let _ = game.play(owner, Command::Bark(id));
            }
        }
    }
}

/// Moves a dog; false if it cannot stand there.
fn go(game: &mut SmartDog, id: DogId, to: Spot) -> bool {
    let at = game.dogs().get(id.index()).map(|dog| dog.spot);
    at == Some(to) || game.teleport(id, to)
}

/// Whether a dog out of sight that was expected to bark did: a voice nearby.
fn was_heard(game: &SmartDog, dog: DogId, voices: &mut Vec<Spot>) -> bool {
    let torus = game.ground().torus();
    let Some(believed) = game.dogs().get(dog.index()) else {
        return false;
    };
    let near = |voice: &Spot| torus.within(*voice, believed.spot, 2);
    let near = voices.iter().position(near);
    near.map(|at| voices.remove(at)).is_some()
}

/// How badly a position explains the sheep in sight: two for a sheep on no such cell, one for one that looks or runs
/// otherwise.
fn unexplained(game: &SmartDog, seen: &[SeenSheep]) -> usize {
    let state = |(direction, runs): (Direction, bool)| (direction as u8, runs);
    let sheep = game.sheep().iter();
    let sheep = sheep.map(|one| (one.spot, state((one.direction, one.frightened > 0))));
    let believed: HashMap<Spot, (u8, bool)> = sheep.collect();
    let points = |seen: &SeenSheep| {
        let runs = seen.action == SheepAction::Panic;
        match believed.get(&seen.spot) {
            Some(believed) if *believed == state((seen.direction, runs)) => 0,
            Some(_) => 1,
            None => 2,
        }
    };
    seen.iter().map(points).sum()
}

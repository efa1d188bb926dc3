//! What happened in the finished turn, as far as it can be known: own orders, what others are seen and noticed to
//! have done, and for the rest what is expected of them. Who came first, and whether a dog barked before or after its
//! step, is unknown: of some guesses the one that explains most of what the sheep do is taken.

use super::World;
use crate::bots::champion::arrival::Arrival;
use crate::bots::champion::reply::Expected;
use crate::bots::sight::Sight;
use crate::rules::{
    Command, Direction, Dog, DogId, Orders, Refusal, SeenDog, SheepAction, SmartDog, Spot,
};
use drover_game::game::Seat;
use smallvec::SmallVec;
use std::collections::HashMap;

/// The most barking dogs about which guesses are made.
const BARKERS_MAX: u32 = 3;
/// How far from where a dog out of sight was expected to bark a voice may be its own, in cells.
const BARK_NEAR: u32 = 2;

/// What is unknown.
#[derive(Clone, Copy)]
struct Guess {
    /// Whether the others' commands came first.
    others_first: bool,
    /// Which barking dogs barked before their step, a bit each.
    before: u32,
}

/// The evidence: what was seen and received afterwards, and the believed places of the dogs in sight.
struct Evidence<'a> {
    sight: &'a Sight,
    dogs: SmallVec<[(DogId, SeenDog); 8]>,
    own: SmallVec<[(DogId, SeenDog); 8]>,
}

impl World {
    /// Plays the turn; `received` is the sight at the beginning of the next one.
    pub(super) fn advance(&mut self, ordered: &Orders, after_bark: Option<&Sight>) {
        let expected = self.replies.orders(&self.game, &|_| true);
        let plain = Guess {
            others_first: Arrival::others_first(self.arrival.as_ref(), self.game.turn()),
            before: 0,
        };
        let Some(sight) = after_bark else {
            self.game = self.replayed(ordered, &expected, plain, None);
            return;
        };
        let evidence = self.evidence(sight);
        let barkers = evidence.dogs.iter().filter(|(_, dog)| dog.voice).count() as u32;
        let guesses = 0..1u32 << barkers.min(BARKERS_MAX);
        let turn = self.game.turn();
        let likely = Arrival::others_first(self.arrival.as_ref(), turn);
        let guesses = guesses.flat_map(|before| {
            [likely, !likely].map(|others_first| Guess {
                others_first,
                before,
            })
        });
        let mut best: Option<(usize, SmartDog)> = None;
        let mut least = [usize::MAX; 2];
        for guess in guesses {
            let game = self.replayed(ordered, &expected, guess, Some(&evidence));
            let unexplained = unexplained(&game, &evidence);
            let of_order = &mut least[usize::from(guess.others_first)];
            *of_order = unexplained.min(*of_order);
            if best.as_ref().is_none_or(|(least, _)| unexplained < *least) {
                best = Some((unexplained, game));
            }
            let done = |least: &usize| *least == 0;
            if unexplained == 0 && (self.arrival.is_none() || least.iter().all(done)) {
                break;
            }
        }
        if let Some(arrival) = &mut self.arrival {
            arrival.learn(turn, least[0], least[1]);
        }
        if let Some((_, game)) = best {
            self.game = game;
        }
        self.meet_barkers(&evidence);
    }

    /// Notes the dogs out of sight that barked: they stand where they barked.
    fn meet_barkers(&mut self, evidence: &Evidence<'_>) {
        let turn = self.game.turn();
        for (at, (met, dog)) in self.met.iter_mut().zip(self.game.dogs()).enumerate() {
            let seen = evidence.dogs.iter().any(|(id, _)| id.index() == at);
            if dog.voice && dog.owner != self.me && !seen {
                *met = turn;
            }
        }
    }

    fn evidence<'a>(&self, sight: &'a Sight) -> Evidence<'a> {
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
        // Most players command their dogs in this order.
        dogs.sort_by_key(|(id, _)| *id);
        let own = sight.own.iter();
        let own = own.filter_map(|dog| Some((DogId(self.index_of(dog.id)? as u16), *dog)));
        Evidence {
            sight,
            dogs,
            own: own.collect(),
        }
    }

    /// The position after the turn.
    fn replayed(
        &self,
        ordered: &Orders,
        expected: &Expected,
        guess: Guess,
        evidence: Option<&Evidence<'_>>,
    ) -> SmartDog {
        let mut game = self.game.clone();
        if guess.others_first {
            self.play_others(&mut game, expected, guess, evidence);
        }
        for command in ordered {
            if let Some(command) = self.inner(*command) {
                // Refused commands change nothing, in the match or here.
                let _ = game.play(self.me, command);
            }
        }
        if !guess.others_first {
            self.play_others(&mut game, expected, guess, evidence);
        }
        game.end_all();
        game
    }

    fn play_others(
        &self,
        game: &mut SmartDog,
        expected: &Expected,
        guess: Guess,
        evidence: Option<&Evidence<'_>>,
    ) {
        let Some(evidence) = evidence else {
            for (seat, command) in expected {
                let _ = game.play(*seat, *command);
            }
            return;
        };
        let seen = |dog: DogId| evidence.dogs.iter().any(|(id, _)| *id == dog);
        let mut voices = evidence.sight.voices.clone();
        play_unseen(game, expected, &seen, &mut voices);
        let mut bit = 1;
        let mut late: SmallVec<[(DogId, SeenDog, bool); 8]> = SmallVec::new();
        for (id, dog) in &evidence.dogs {
            let before = dog.voice && guess.before & bit != 0;
            let after = dog.voice && !before;
            if dog.voice {
                bit = bit.checked_shl(1).unwrap_or_default();
            }
            if before {
                bark(game, dog.owner, *id);
            }
            if !go(game, *id, dog.spot) {
                late.push((*id, *dog, after));
            } else if after {
                bark(game, dog.owner, *id);
            }
        }
        for (id, dog, after) in late {
            // Another dog stood there that has left by now.
            go(game, id, dog.spot);
            if after {
                bark(game, dog.owner, id);
            }
        }
        self.bark_unseen(game, &voices, &seen);
    }

    /// Plays the barks from out of sight that nobody was expected to give, from where the barkers stand now.
    fn bark_unseen(&self, game: &mut SmartDog, voices: &[Spot], seen: &dyn Fn(DogId) -> bool) {
        let torus = game.ground().torus();
        for voice in voices {
            let dogs = (0u16..).map(DogId).zip(game.dogs());
            let silent = |id: DogId, owner: Seat| {
                game.allows(owner, Command::Bark(id)) != Err(Refusal::Barked)
            };
            let unseen = dogs
                .filter(|(id, dog)| dog.owner != self.me && !seen(*id) && silent(*id, dog.owner));
            let nearest = unseen.min_by_key(|(_, dog)| {
                let (dx, dy) = torus.displacement(dog.spot, *voice);
                dx * dx + dy * dy
            });
            if let Some((id, owner)) = nearest.map(|(id, dog)| (id, dog.owner)) {
                go(game, id, *voice);
                bark(game, owner, id);
            }
        }
    }
}

/// Moves a dog; false if it cannot stand there.
fn go(game: &mut SmartDog, id: DogId, to: Spot) -> bool {
    let at = game.dogs().get(id.index()).map(|dog| dog.spot);
    at == Some(to) || game.teleport(id, to)
}

/// Plays a bark that was received: the dog that barked was able to.
fn bark(game: &mut SmartDog, owner: Seat, id: DogId) {
    game.enable(id);
    // Nobody barks twice.
    let _ = game.play(owner, Command::Bark(id));
}

/// Plays what dogs out of sight are expected to do, barks only with a voice nearby, which is where the barker stands
/// now. Takes these voices away, but for those whose cell is taken.
fn play_unseen(
    game: &mut SmartDog,
    expected: &Expected,
    seen: &dyn Fn(DogId) -> bool,
    voices: &mut Vec<Spot>,
) {
    let torus = game.ground().torus();
    let mut placed: SmallVec<[DogId; 8]> = SmallVec::new();
    for (at, (seat, command)) in expected.iter().enumerate() {
        let (Command::Move(dog, _) | Command::Bark(dog)) = *command;
        if seen(dog) || placed.contains(&dog) {
            continue;
        }
        if matches!(command, Command::Move(..)) {
            // Refused commands change nothing, in the match or here.
            let _ = game.play(*seat, *command);
            continue;
        }
        let Some(spot) = game.dogs().get(dog.index()).map(|dog| dog.spot) else {
            continue;
        };
        let near = |voice: &Spot| torus.within(*voice, spot, BARK_NEAR);
        let Some(voice) = voices.iter().position(near).map(|at| voices.remove(at)) else {
            continue;
        };
        let to_voice = |later: &(Seat, Command)| matches!(later.1, Command::Move(id, way) if id == dog && torus.next(spot, way) == voice);
        if !expected.iter().skip(at).any(to_voice) {
            if !go(game, dog, voice) {
                // The dog there may leave: `bark_unseen` tries again.
                voices.push(voice);
                continue;
            }
            placed.push(dog);
        }
        bark(game, *seat, dog);
    }
}

/// How badly a position explains what is in sight: two for a sheep on no such cell or a dog that is elsewhere, or frozen
/// or free otherwise, one for a sheep that looks or runs otherwise.
fn unexplained(game: &SmartDog, evidence: &Evidence<'_>) -> usize {
    let state = |(direction, runs): (Direction, bool)| (direction as u8, runs);
    let sheep = game.sheep().iter();
    let sheep = sheep.map(|one| (one.spot, state((one.direction, one.frightened > 0))));
    let believed: HashMap<Spot, (u8, bool)> = sheep.collect();
    let sheep = evidence.sight.sheep.iter().map(|seen| {
        let runs = seen.action == SheepAction::Panic;
        match believed.get(&seen.spot) {
            Some(believed) if *believed == state((seen.direction, runs)) => 0,
            Some(_) => 1,
            None => 2,
        }
    });
    let dogs = evidence.dogs.iter().chain(&evidence.own).map(|(id, seen)| {
        let dog = game.dogs().get(id.index());
        if dog.is_none_or(|dog| dog.action() == seen.action && dog.spot == seen.spot) {
            0
        } else {
            2
        }
    });
    sheep.sum::<usize>() + dogs.sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::super::PUSHES_MAX;
    use super::*;
    use crate::bots::champion::deed::deeds;
    use crate::known::KnownMaps;
    use crate::map::Map;
    use crate::options::{Key, Options};
    use crate::rules::{Players, Seen, Setup, Sheep};
    use drover_game::rng::Rng;
    use std::collections::HashSet;

    const ME: Seat = Seat(0);
    const RIVAL: Seat = Seat(1);
    /// Two dogs a player, some sheep in the pen, some in the open; sheep run for two turns.
    const MEADOW: &str = "..*......\n.@.--...*\n...-o..*.\n..*--.@..\n.....*...\n";

    /// A match of two whose dogs see and bark so far.
    fn begun(rows: &str, sight: i64, bark: i64) -> SmartDog {
        begun_by(Players::Two, rows, sight, bark)
    }

    fn begun_by(players: Players, rows: &str, sight: i64, bark: i64) -> SmartDog {
        let options = [
            (Key::DogVisibilityR, sight),
            (Key::DogBarkingR, bark),
            (Key::SheepScaryTurns, 2),
            (Key::TurnsLimit, 1_000),
        ];
        let options = (options.into_iter()).fold(Options::default(), |options, (key, value)| {
            options.with(key, value).unwrap()
        });
        SmartDog::begin(&Setup {
            map: Map::read(rows).unwrap(),
            players,
            options,
        })
    }

    fn believed(game: &SmartDog) -> World {
        World::new(&game.seen_by(ME), &KnownMaps::none(), &[])
    }

    /// Gives a seat's orders: one random deed of each dog, in the dogs' order.
    fn play_at_random(game: &mut SmartDog, seat: Seat, rng: &mut Rng) -> Orders {
        let mut given = Orders::new();
        for at in 0..game.dogs().len() {
            if game.dogs()[at].owner != seat {
                continue;
            }
            let deeds = deeds(game, seat, at);
            let deed = deeds[rng.below(deeds.len() as u32) as usize];
            for command in deed.commands(DogId(at as u16)) {
                given.push(command);
                // What is refused changes nothing.
                let _ = game.play(seat, command);
            }
        }
        given
    }

    #[test]
    fn a_turn_of_which_all_is_seen_is_explained() {
        let mut rng = Rng::new(7, 0);
        let mut game = begun(MEADOW, 20, 3);
        let mut world = believed(&game);
        world.ids = (0..game.dogs().len() as u16)
            .map(|id| Some(DogId(id)))
            .collect();
        let mut barks = 0;
        for _ in 0..300 {
            // The belief before the turn is right.
            world.game.clone_from(&game);
            let own_first = rng.below(2) == 0;
            if !own_first {
                play_at_random(&mut game, RIVAL, &mut rng);
            }
            let own = play_at_random(&mut game, ME, &mut rng);
            if own_first {
                play_at_random(&mut game, RIVAL, &mut rng);
            }
            game.end_all();
            let sight = Sight::from_view(&game.seen_by(ME));
            barks += sight.foreign.iter().filter(|dog| dog.voice).count();
            let evidence = world.evidence(&sight);
            world.advance(&own, Some(&sight));
            let turn = game.turn();
            assert_eq!(unexplained(&world.game, &evidence), 0, "turn {turn}");
            let spots =
                |game: &SmartDog| game.dogs().iter().map(|dog| dog.spot).collect::<Vec<_>>();
            assert_eq!(spots(&world.game), spots(&game), "turn {turn}");
        }
        assert!(barks > 30, "{barks}");
    }

    #[test]
    fn no_turn_makes_or_loses_sheep() {
        let tables = [Players::Two, Players::Four].into_iter();
        for (players, sight) in
            tables.flat_map(|players| [1, 2, 4, 20].map(|sight| (players, sight)))
        {
            let mut rng = Rng::new(11, sight as u64);
            let mut game = begun_by(players, MEADOW, sight, 3);
            let mut world = believed(&game);
            for _ in 0..150 {
                for rival in 1..players.count() {
                    play_at_random(&mut game, Seat(rival as u8), &mut rng);
                }
                let own = play_at_random(&mut game, ME, &mut rng);
                game.end_all();
                let view = game.seen_by(ME);
                let before = (world.game.sheep().len(), world.game.turn());
                let mut recalled = world.clone();
                recalled.advance(&own, Some(&Sight::from_view(&view)));
                let sheep = recalled.game.sheep();
                assert_eq!(
                    (sheep.len(), recalled.game.turn()),
                    (before.0, before.1 + 1)
                );
                let spots: HashSet<Spot> = sheep.iter().map(|sheep| sheep.spot).collect();
                assert_eq!(spots.len(), sheep.len(), "two sheep on one cell");
                // The whole update may learn of sheep and give some up, but never believes in more than there are, and in
                // those in sight.
                world.order(&own);
                world.begin_turn(&view);
                let believed: HashSet<Spot> =
                    world.game.sheep().iter().map(|one| one.spot).collect();
                assert!(believed.len() <= game.sheep().len());
                if sight == 20 {
                    assert_eq!(believed.len(), game.sheep().len());
                }
                let sight = Sight::from_view(&view);
                assert!(sight.sheep.iter().all(|seen| believed.contains(&seen.spot)));
            }
        }
    }

    #[test]
    fn a_bark_from_out_of_sight_frightens_the_sheep_near_it() {
        // The own dog sees the sheep next to it; that the rival has one there too follows from the tiles being alike.
        let mut game = begun(APART, 2, 2);
        let mut world = believed(&game);
        assert_eq!(world.game.sheep().len(), 2);
        let before: Vec<Spot> = game.sheep().iter().map(|sheep| sheep.spot).collect();
        game.play(RIVAL, Command::Bark(DogId(1))).unwrap();
        game.end_all();
        let view = game.seen_by(ME);
        assert!(view.seen.iter().any(|seen| matches!(seen, Seen::Voice(_))));
        world.advance(&Orders::new(), Some(&Sight::from_view(&view)));
        let sheep = |game: &SmartDog| -> Vec<(Spot, u32)> {
            (game.sheep().iter())
                .map(|sheep| (sheep.spot, sheep.frightened))
                .collect()
        };
        assert_eq!(sheep(&world.game), sheep(&game));
        assert_ne!(game.sheep()[1].spot, before[1], "it ran");
    }

    /// A dog and a sheep next to it; the rival's are twelve columns away, out of sight.
    const APART: &str = "............\n............\n...@*.......\n............\n";

    #[test]
    fn a_voice_is_where_the_barker_stands() {
        let begun = begun(APART, 2, 2);
        let after_bark = |expected: &[Command], voice: Spot| {
            let mut game = begun.clone();
            let expected = expected.iter().map(|command| (RIVAL, *command)).collect();
            let mut voices = vec![voice];
            play_unseen(&mut game, &expected, &|_| false, &mut voices);
            assert_eq!(voices, []);
            let sheep = &game.sheep()[1];
            let runs = (sheep.frightened > 0).then_some(sheep.direction);
            (game.dogs()[1].spot, runs)
        };
        let (dog, bark) = (DogId(1), Command::Bark(DogId(1)));
        let stand = begun.dogs()[1].spot;
        let torus = begun.ground().torus();
        let (below, beyond) = (torus.offset(stand, 0, 1), torus.offset(stand, 2, 0));
        // It did what was expected, or barked from where it reaches: below the sheep, or beyond it.
        let down = Command::Move(dog, Direction::Down);
        assert_eq!(
            after_bark(&[bark, down], below),
            (below, Some(Direction::Right))
        );
        assert_eq!(
            after_bark(&[down, bark], below),
            (below, Some(Direction::Up))
        );
        assert_eq!(after_bark(&[bark], beyond), (beyond, Some(Direction::Left)));
        assert_eq!(
            after_bark(&[bark, down], beyond),
            (beyond, Some(Direction::Left))
        );
        // Where another dog still stands a voice is left for later.
        let mut game = begun.clone();
        let own = game.dogs()[0].spot;
        let mut voices = vec![own];
        let mut dogs = game.dogs().to_vec();
        dogs[1].spot = torus.offset(own, 0, 1);
        let sheep = game.sheep().iter().cloned();
        game = SmartDog::imagine(game.ground(), game.turn(), dogs, sheep, PUSHES_MAX);
        let expected = [(RIVAL, bark)].into_iter().collect();
        play_unseen(&mut game, &expected, &|_| false, &mut voices);
        assert_eq!(voices, [own]);
        assert!(game.allows(RIVAL, bark).is_ok(), "it has not barked yet");
    }

    #[test]
    fn a_barking_dog_was_able_to_bark_and_is_met() {
        let mut game = begun(APART, 2, 2);
        let mut world = believed(&game);
        // It is believed frozen, and was not met.
        let mut dogs = game.dogs().to_vec();
        dogs[1].disabled = 5;
        let sheep = game.sheep().iter().cloned();
        world.game = SmartDog::imagine(game.ground(), game.turn(), dogs, sheep, PUSHES_MAX);
        assert_eq!(world.met[1], 0);
        game.play(RIVAL, Command::Bark(DogId(1))).unwrap();
        game.end_all();
        world.begin_turn(&game.seen_by(ME));
        assert_eq!(world.game.sheep()[1].spot, game.sheep()[1].spot);
        assert_eq!(world.game.dogs()[1].disabled, 0);
        assert_eq!(world.met[1], game.turn());
    }

    #[test]
    fn others_are_taken_to_come_first_unless_it_is_known_otherwise() {
        // Out of sight a sheep is in reach of two barks: the own dog's, to its left, and the rival's, as far above it
        // as below. The later bark counts.
        let begun = begun(APART, 1, 3);
        let dogs = begun.dogs().iter().zip([(3, 2), (6, 0)]);
        let dogs: Vec<Dog> = dogs
            .map(|(dog, (x, y))| Dog::new(dog.owner, Spot { x, y }))
            .collect();
        let sheep = [Sheep::imagine(Spot { x: 6, y: 2 }, Direction::Down, 0)];
        let mut game = SmartDog::imagine(begun.ground(), 1, dogs, sheep, PUSHES_MAX);
        let before = game.clone();
        let mut world = believed(&game);
        world.game.clone_from(&game);
        let own = Orders::from_slice(&[Command::Bark(DogId(0))]);
        game.play(ME, own[0]).unwrap();
        game.play(RIVAL, Command::Bark(DogId(1))).unwrap();
        game.end_all();
        world.advance(&own, Some(&Sight::from_view(&game.seen_by(ME))));
        assert_eq!(world.game.sheep()[0].direction, Direction::Right);
        // Where it was observed in such turns, own barks come first, and the rival's counts.
        let mut world = believed(&before);
        world.game.clone_from(&before);
        let mut arrival = Arrival::new(2);
        for _ in 0..2 {
            arrival.learn(1, 0, 1);
        }
        world.arrival = Some(arrival);
        world.advance(&own, Some(&Sight::from_view(&game.seen_by(ME))));
        assert_eq!(world.game.sheep()[0].direction, Direction::Up);
    }
}

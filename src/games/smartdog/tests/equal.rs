//! The rules against the second implementation, turn by turn over random games.

use super::reference::{Reference, WORDS};
use crate::map::Map;
use crate::options::{Key, Options};
use crate::rules::{Command, Direction, DogId, Fright, Players, Setup, SmartDog};
use drover_game::game::Seat;
use drover_game::rng::Rng;

const GAMES: u64 = 1_000;
const TURNS: u32 = 50;

/// A small crowded tile, so that barks, pushes and walls meet all the time.
fn tile(rng: &mut Rng) -> Vec<String> {
    let (cols, rows) = (3 + rng.below(9), 3 + rng.below(7));
    let sheep = rng.between(0.02, 0.3);
    let mut letters = vec![vec!['.'; cols as usize]; rows as usize];
    for letter in letters.iter_mut().flatten() {
        *letter = match rng.unit() {
            x if x < sheep => '*',
            x if x < sheep + 0.04 => '#',
            x if x < sheep + 0.08 => '^',
            x if x < sheep + 0.18 => '-',
            x if x < sheep + 0.24 => 'o',
            x if x < sheep + 0.32 => '@',
            _ => '.',
        };
    }
    letters
        .into_iter()
        .map(|row| row.into_iter().collect())
        .collect()
}

fn assert_equal(game: &SmartDog, reference: &Reference, what: &str) {
    assert_eq!(game.sheep().len(), reference.sheep.len(), "{what}");
    for (at, (sheep, other)) in game.sheep().iter().zip(&reference.sheep).enumerate() {
        assert_eq!(
            (
                (i64::from(sheep.spot.x), i64::from(sheep.spot.y)),
                sheep.direction.word(),
                i64::from(sheep.frightened),
            ),
            (other.at, other.facing, other.left),
            "{what}: sheep {at}"
        );
    }
    for (at, (dog, other)) in game.dogs().iter().zip(&reference.dogs).enumerate() {
        assert_eq!(
            (
                (i64::from(dog.spot.x), i64::from(dog.spot.y)),
                i64::from(dog.disabled),
                dog.fright == Fright::Panic,
                dog.voice,
            ),
            (other.at, other.disabled, other.full, other.voice),
            "{what}: dog {at}"
        );
    }
    assert_eq!(game.scores().values(), reference.scores(), "{what}");
}

fn command(rng: &mut Rng, dogs: usize) -> (usize, Option<usize>) {
    let dog = rng.below(dogs as u32 + 1) as usize;
    let word = rng.below(6) as usize;
    (dog, (word < 4).then_some(word))
}

fn random_game(seed: u64) {
    let mut rng = Rng::new(seed, 0);
    let rows = tile(&mut rng);
    let players = Players::ALL[rng.below(4) as usize];
    let options = [
        rng.below(5),
        1 + rng.below(4),
        rng.below(5),
        rng.below(5),
        rng.below(8),
    ]
    .map(i64::from);
    let [bark, scary, dog_scary, stand_by, sight] = options;
    let mut hub = Options::default();
    for (key, value) in [
        (Key::DogBarkingR, bark),
        (Key::SheepScaryTurns, scary),
        (Key::DogScaryTurns, dog_scary),
        (Key::SheepStandBy, stand_by),
        (Key::DogVisibilityR, sight),
        (Key::TurnsLimit, 1_000),
    ] {
        hub = hub.with(key, value).unwrap();
    }
    let setup = Setup {
        map: Map::read(&rows.join("\n")).unwrap(),
        players,
        options: hub,
    };
    let mut game = SmartDog::begin(&setup);
    let borrowed: Vec<&str> = rows.iter().map(String::as_str).collect();
    let mut reference = Reference::new(
        &borrowed,
        players.count(),
        [bark, scary, dog_scary, stand_by],
    );
    let landscape: Vec<String> = reference
        .rows
        .iter()
        .map(|row| row.iter().collect())
        .collect();
    assert_eq!(game.ground().rows().collect::<Vec<_>>(), landscape);
    for turn in 1..=TURNS {
        let what = format!("seed {seed}, turn {turn}");
        assert_equal(&game, &reference, &what);
        for _ in 0..2 * game.dogs().len() {
            let player = rng.below(players.count() as u32) as usize;
            let (dog, word) = command(&mut rng, game.dogs().len());
            let (act, played) = match word {
                Some(word) => (
                    Command::Move(
                        DogId(dog as u16),
                        Direction::from_word(WORDS[word]).unwrap(),
                    ),
                    reference.dog_moves(player, dog, WORDS[word]),
                ),
                None => (
                    Command::Bark(DogId(dog as u16)),
                    reference.dog_barks(player, dog),
                ),
            };
            let allowed = game.allows(Seat(player as u8), act);
            assert_eq!(allowed, game.play(Seat(player as u8), act), "{what}");
            assert_eq!(allowed.is_ok(), played, "{what}: {act:?}");
        }
        for seat in 0..players.count() {
            game.end(Seat(seat as u8)).unwrap();
        }
        reference.end_turn();
    }
    assert_equal(&game, &reference, "the end");
}

#[test]
fn a_thousand_random_games() {
    (0..GAMES).for_each(random_game);
}

//! Orders that pen every sheep of a lone tile, or as many as its pen has cells: proofs that it can be done,
//! found by long searches.

use crate::atlas;
use crate::map::Square;
use crate::rules::{Command, Direction, DogId, Players, Setup, SmartDog};
use drover_game::game::Seat;

/// What a dog does in one turn: `.` stands, `!` barks, `urdl` steps, `URDL` barks and steps, `^>v<` steps and
/// barks.
fn deed(letter: char, dog: DogId) -> Vec<Command> {
    let step = |at: usize| Command::Move(dog, Direction::ALL[at % 4]);
    match (".!".find(letter), "urdlURDL^>v<".find(letter)) {
        (Some(0), _) => vec![],
        (Some(_), _) => vec![Command::Bark(dog)],
        (_, Some(at @ 0..4)) => vec![step(at)],
        (_, Some(at @ 4..8)) => vec![Command::Bark(dog), step(at)],
        (_, at) => vec![step(at.unwrap()), Command::Bark(dog)],
    }
}

fn check(name: &str, text: &str) {
    let map = atlas::find(name).unwrap().unwrap();
    let pens = map.count(|square| matches!(square, Square::Pen | Square::PennedSheep));
    let sheep = map.count(Square::has_sheep);
    let setup = Setup::on_map(map, Players::One);
    let mut end = SmartDog::begin(&setup);
    let mut turns = text.split_whitespace();
    while !end.is_over() {
        for (dog, letter) in (0..)
            .map(DogId)
            .zip(turns.next().unwrap_or_default().chars())
        {
            for command in deed(letter, dog) {
                // A refused command changes nothing.
                let _ = end.play(Seat(0), command);
            }
        }
        end.end_all();
    }
    assert_eq!(end.penned().values()[0] as usize, sheep.min(pens), "{name}");
}

#[test]
fn every_map_can_be_penned() {
    for (name, text) in [
        ("canyon", include_str!("../proofs/canyon.txt")),
        ("corral", include_str!("../proofs/corral.txt")),
        ("crossroads", include_str!("../proofs/crossroads.txt")),
        ("fold", include_str!("../proofs/fold.txt")),
        ("guards", include_str!("../proofs/guards.txt")),
        ("islands", include_str!("../proofs/islands.txt")),
        ("market", include_str!("../proofs/market.txt")),
        ("meadow", include_str!("../proofs/meadow.txt")),
        ("seed", include_str!("../proofs/seed.txt")),
    ] {
        check(name, text);
    }
}

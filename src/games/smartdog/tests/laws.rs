//! Laws of every position: nobody is lost, nobody is doubled, refused commands change nothing.

use crate::game::{Game as _, Seat};
use crate::laws::play_randomly;
use crate::smartdog::atlas;
use crate::smartdog::map::Map;
use crate::smartdog::options::{Key, Options};
use crate::smartdog::rules::{Act, Direction, DogId, Event, Players, Seen, Setup, SmartDog, Spot};
use std::collections::HashSet;

fn setup(name: &str, players: Players) -> Setup {
    Setup {
        map: atlas::find(name).unwrap().unwrap(),
        players,
        options: Options::default(),
    }
}

/// Everybody stands on open ground, alone.
fn audit(game: &SmartDog, setup: &Setup) {
    let tiles = setup.players.count();
    let sheep = setup.map.count(|square| square.has_sheep());
    assert_eq!(game.sheep().len(), tiles * sheep, "no sheep comes or goes");
    let spots: Vec<Spot> = game
        .sheep()
        .iter()
        .map(|sheep| sheep.spot)
        .chain(game.dogs().iter().map(|dog| dog.spot))
        .collect();
    let distinct: HashSet<Spot> = spots.iter().copied().collect();
    assert_eq!(distinct.len(), spots.len(), "two on one cell");
    assert!(spots.iter().all(|spot| game.ground().land(*spot).is_open()));
    for seat in (0..tiles).map(|seat| Seat(seat as u8)) {
        seen_as_it_is(game, seat, &spots);
    }
}

/// What is seen is there, once.
fn seen_as_it_is(game: &SmartDog, seat: Seat, spots: &[Spot]) {
    let mut seen_spots = HashSet::new();
    for seen in game.seen_by(seat).seen {
        let (Seen::Dog { spot, .. } | Seen::Sheep { spot, .. } | Seen::Voice { spot }) = seen;
        assert!(spots.contains(&spot) && seen_spots.insert(spot));
    }
    let mut own = game.dogs().iter().filter(|dog| dog.owner == seat);
    assert!(own.all(|dog| seen_spots.contains(&dog.spot)));
}

#[test]
fn nobody_is_lost_or_doubled() {
    for name in ["islands", "corral", "seed"] {
        for players in Players::ALL {
            let setup = setup(name, players);
            play_randomly::<SmartDog>(&setup, 3, 0.02, |game| audit(game, &setup));
        }
    }
}

#[test]
fn the_same_commands_give_the_same_match() {
    let play = |seed| {
        let setup = setup("crossroads", Players::Two);
        let mut positions = Vec::new();
        play_randomly::<SmartDog>(&setup, seed, 0.05, |game| {
            let spots = game.sheep().iter().map(|sheep| sheep.spot);
            positions.push(spots.collect::<Vec<_>>());
        });
        positions
    };
    assert_eq!(play(5), play(5));
    assert_ne!(play(5), play(6));
}

#[test]
fn refused_commands_change_nothing() {
    let mut game = SmartDog::begin(&setup("meadow", Players::Two));
    let before = format!("{game:?}");
    let wrong = [
        (Seat(0), Act::Bark(DogId(1))),
        (Seat(0), Act::Move(DogId(99), Direction::Up)),
        (Seat(7), Act::End),
    ];
    let mut events = Vec::new();
    for (seat, act) in wrong {
        assert!(game.check(seat, &act).is_err());
        game.step(&[(seat, Some(act))], &mut events);
    }
    assert_eq!(format!("{game:?}"), before);
    let refused = |(_, event): &(Seat, Event)| matches!(event, Event::Refused { .. });
    assert_eq!(events.iter().filter(|event| refused(event)).count(), 3);
}

#[test]
fn one_end_a_seat_ends_the_turn() {
    let mut game = SmartDog::begin(&setup("meadow", Players::Two));
    let mut events = Vec::new();
    let end = |seat| (Seat(seat), Some(Act::End));
    game.step(&[end(0), end(0)], &mut events);
    assert_eq!(
        game.turn(),
        1,
        "a second end does not count for another seat"
    );
    assert_eq!(game.to_move().values(), [false, true]);
    game.step(&[(Seat(1), None)], &mut events);
    assert_eq!(game.turn(), 2, "silence ends a seat's turn");
    assert_eq!(
        events[1..],
        [(Seat(0), Event::Turn(2)), (Seat(1), Event::Turn(2))]
    );
}

#[test]
fn a_world_packed_with_sheep_does_not_stop_the_turn() {
    let rows = "*".repeat(25) + "\n";
    let setup = Setup {
        map: Map::read(&rows.repeat(20)).unwrap(),
        players: Players::Two,
        options: Options::default().with(Key::SheepStandBy, 0).unwrap(),
    };
    let mut game = SmartDog::begin(&setup);
    for seat in [0, 1, 0, 1] {
        game.play(Seat(seat), Act::End).unwrap();
    }
    audit(&game, &setup);
    assert_eq!(game.turn(), 3);
}

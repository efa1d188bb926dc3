//! Laws of every position: nobody is lost, nobody is doubled, refused commands change nothing.

use crate::atlas;
use crate::map::Map;
use crate::options::{Key, Options};
use crate::rules::{Command, Direction, DogId, Event, Orders, Players, Setup, SmartDog, Spot};
use drover_game::game::{Game as _, Seat};
use drover_laws::{laws, play_randomly};
use std::collections::HashSet;

laws!(SmartDog, {"turnsLimit": 8}, careless: ["random", "shipped"], also: [scenes_are_whole]);

fn setup(name: &str, players: Players) -> Setup {
    Setup::on_map(atlas::find(name).unwrap().unwrap(), players)
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
        let spot = seen.spot();
        assert!(spots.contains(&spot) && seen_spots.insert(spot));
    }
    let mut own = game.dogs().iter().filter(|dog| dog.owner == seat);
    assert!(own.all(|dog| seen_spots.contains(&dog.spot)));
}

#[test]
fn nobody_is_lost_or_doubled() {
    for (name, _) in atlas::MAPS {
        for players in Players::ALL {
            let setup = setup(name, players);
            play_randomly::<SmartDog>(&setup, 3, 0.02, |game| audit(game, &setup));
        }
    }
}

#[test]
fn refused_commands_change_nothing() {
    let mut game = SmartDog::begin(&setup("meadow", Players::Two));
    let before = format!("{game:?}");
    let wrong = [
        (Seat(0), Command::Bark(DogId(1))),
        (Seat(0), Command::Move(DogId(99), Direction::Up)),
        (Seat(7), Command::Bark(DogId(0))),
    ];
    for (seat, command) in wrong {
        let refused = game.play(seat, command).unwrap_err();
        let orders = Orders::from_slice(&[command]);
        assert_eq!(
            game.check(seat, &orders).unwrap_err().to_string(),
            refused.to_string()
        );
    }
    assert!(game.end(Seat(7)).is_err());
    assert_eq!(format!("{game:?}"), before);
    let mut events = Vec::new();
    let orders = Orders::from_slice(&[wrong[0].1, Command::Bark(DogId(0))]);
    game.step(&[(Seat(0), Some(orders))], &mut events);
    assert_eq!(events.len(), 2, "the commands after a refused one stand");
    assert!(matches!(events[0], (Seat(0), Event::Ordered(_))));
    assert!(matches!(events[1], (Seat(0), Event::Refused { .. })));
    game.end(Seat(1)).unwrap();
    assert!(game.dogs()[0].voice);
}

#[test]
fn one_end_a_seat_ends_the_turn() {
    let mut game = SmartDog::begin(&setup("meadow", Players::Two));
    let mut events = Vec::new();
    let ended = |seat| (Seat(seat), Some(Orders::new()));
    game.step(&[ended(0), ended(0)], &mut events);
    assert_eq!(
        game.turn(),
        1,
        "a second end does not count for another seat"
    );
    assert_eq!(game.to_move().values(), [false, true]);
    game.step(&[(Seat(1), None)], &mut events);
    assert_eq!(game.turn(), 2, "silence ends a seat's turn");
    let message: Vec<(Seat, u32)> = events
        .iter()
        .filter_map(|(seat, event)| match event {
            Event::Turn(view) => Some((*seat, view.turn)),
            Event::Ordered(_) => None,
            other => panic!("{other:?} is received by {seat:?}"),
        })
        .collect();
    assert_eq!(message, [(Seat(0), 2), (Seat(1), 2)]);
}

#[test]
fn a_seat_that_forfeits_is_not_waited_for() {
    let mut game = SmartDog::begin(&setup("guards", Players::Three));
    game.end(Seat(0)).unwrap();
    game.forfeit(Seat(2));
    game.end(Seat(1)).unwrap();
    assert_eq!(game.turn(), 2);
    assert_eq!(game.waits_for(Seat(2)), Some(false));
    assert_eq!(game.scores().values(), [0.0, 0.0, -10.0]);
    game.end(Seat(1)).unwrap();
    game.forfeit(Seat(0));
    assert_eq!(game.turn(), 3, "the turn waited for it alone");
    assert_eq!(game.winner(), Some(Seat(1)));
    game.forfeit(Seat(1));
    assert!(game.is_over());
    assert_eq!(game.winner(), None);
    game.forfeit(Seat(9));
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
        game.end(Seat(seat)).unwrap();
    }
    audit(&game, &setup);
    assert_eq!(game.turn(), 3);
}

#[test]
fn disturbed_matches_recover() {
    drover_laws::disturb::check(&crate::KIT, 70);
}

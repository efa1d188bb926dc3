//! Single rules on drawn positions.

use crate::map::Map;
use crate::options::{Key, Options};
use crate::rules::{
    Command, Direction, DogAction, DogId, Fright, Players, Refusal, Seen, SeenDog, Setup,
    SheepAction, SmartDog, Spot,
};
use drover_game::game::Seat;

fn game(rows: &str, players: Players, options: &[(Key, i64)]) -> SmartDog {
    let set = |all: Options, (key, value): &(Key, i64)| all.with(*key, *value).unwrap();
    SmartDog::begin(&Setup {
        map: Map::read(rows).unwrap(),
        players,
        options: options.iter().fold(Options::default(), set),
    })
}

fn end(game: &mut SmartDog) {
    for seat in 0..game.ground().tiles().len() {
        game.end(Seat(seat as u8)).unwrap();
    }
}

fn sheep_spots(game: &SmartDog) -> Vec<(u16, u16)> {
    game.sheep()
        .iter()
        .map(|sheep| (sheep.spot.x, sheep.spot.y))
        .collect()
}

#[test]
fn a_bark_drives_sheep_away_for_its_turns() {
    let options = [(Key::SheepScaryTurns, 2), (Key::DogBarkingR, 2)];
    let mut game = game(
        "........\n.@.*....\n........\n........",
        Players::One,
        &options,
    );
    game.play(Seat(0), Command::Bark(DogId(0))).unwrap();
    end(&mut game);
    assert_eq!(sheep_spots(&game), [(4, 1)]);
    let panics =
        |seen: &Seen| matches!(seen, Seen::Sheep(sheep) if sheep.action == SheepAction::Panic);
    assert!(game.seen_by(Seat(0)).seen.iter().any(panics));
    end(&mut game);
    assert_eq!(sheep_spots(&game), [(5, 1)]);
    end(&mut game);
    assert_eq!(sheep_spots(&game), [(5, 1)], "calm again");
    assert_eq!(game.sheep()[0].frightened, 0);
}

#[test]
fn equal_axes_drive_vertically_and_distance_is_euclidean() {
    let radius = |r| [(Key::DogBarkingR, r)];
    let rows = "@......\n.......\n..*....\n.......\n.......\n.......\n.......";
    let mut near = game(rows, Players::One, &radius(2));
    near.play(Seat(0), Command::Bark(DogId(0))).unwrap();
    assert_eq!(near.sheep()[0].frightened, 0, "8 > 4");
    let mut far = game(rows, Players::One, &radius(3));
    far.play(Seat(0), Command::Bark(DogId(0))).unwrap();
    end(&mut far);
    assert_eq!(sheep_spots(&far), [(2, 3)]);
}

#[test]
fn fright_spreads_one_turn_shorter_but_not_back() {
    let options = [
        (Key::SheepScaryTurns, 2),
        (Key::DogBarkingR, 2),
        (Key::SheepStandBy, 90),
    ];
    let mut game = game(
        "..........\n@.*.......\n...*......\n..........",
        Players::One,
        &options,
    );
    game.play(Seat(0), Command::Bark(DogId(0))).unwrap();
    end(&mut game);
    assert_eq!(sheep_spots(&game), [(3, 1), (3, 2)]);
    end(&mut game);
    assert_eq!(
        sheep_spots(&game),
        [(4, 1), (4, 2)],
        "caught at the end of turn 1"
    );
    end(&mut game);
    assert_eq!(sheep_spots(&game), [(4, 1), (4, 2)], "not given back");
}

#[test]
fn a_frightened_sheep_pushes_a_calm_one_along() {
    let options = [(Key::DogBarkingR, 1), (Key::SheepStandBy, 90)];
    let mut game = game(".......\n@**....\n.......", Players::One, &options);
    game.play(Seat(0), Command::Bark(DogId(0))).unwrap();
    end(&mut game);
    assert_eq!(sheep_spots(&game), [(2, 1), (3, 1)]);
}

#[test]
fn calm_sheep_walk_in_their_turn_and_stick_in_pens() {
    let options = [(Key::SheepStandBy, 1)];
    let mut game = game("*.\n..\n-.\n..", Players::One, &options);
    let mut path = Vec::new();
    for _ in 0..8 {
        end(&mut game);
        path.push(game.sheep()[0].spot.y);
    }
    assert_eq!(path, [0, 1, 1, 2, 2, 2, 2, 2]);
    assert_eq!(game.scores().values(), [10.0]);
}

#[test]
fn a_blocked_sheep_turns_to_its_left_hand() {
    let mut game = game("...\n.*.\n.#.", Players::One, &[(Key::SheepStandBy, 0)]);
    end(&mut game);
    assert_eq!(sheep_spots(&game), [(2, 1)]);
    assert_eq!(game.sheep()[0].direction, Direction::Right);
}

#[test]
fn intruders_panic_and_owners_are_indignant() {
    // Seat 0's dog goes over the border and both bark.
    let mut game = game(
        "@..@\n....\n....\n....",
        Players::Two,
        &[(Key::DogBarkingR, 1)],
    );
    let (guest, host) = (DogId(1), DogId(2));
    assert_eq!(game.dogs()[host.index()].owner, Seat(1));
    assert_eq!(
        game.play(Seat(0), Command::Move(guest, Direction::Right)),
        Err(Refusal::Blocked { x: 4, y: 0 })
    );
    game.play(Seat(0), Command::Move(guest, Direction::Down))
        .unwrap();
    end(&mut game);
    game.play(Seat(0), Command::Move(guest, Direction::Right))
        .unwrap();
    game.play(Seat(0), Command::Bark(guest)).unwrap();
    game.play(Seat(1), Command::Bark(host)).unwrap();
    end(&mut game);
    let suffers = |dog: DogId| game.dogs()[dog.index()].suffers();
    assert_eq!(suffers(guest), Some(Fright::Panic));
    assert_eq!(suffers(host), Some(Fright::Indignant));
    assert_eq!(
        game.allows(Seat(0), Command::Move(guest, Direction::Left)),
        Err(Refusal::Scared)
    );
    assert_eq!(
        game.allows(Seat(1), Command::Bark(host)),
        Err(Refusal::Muted)
    );
    assert_eq!(
        game.allows(Seat(1), Command::Move(host, Direction::Right)),
        Ok(())
    );
    for _ in 0..4 {
        end(&mut game);
    }
    assert!(game.dogs().iter().all(|dog| dog.suffers().is_none()));
}

#[test]
fn an_ally_ends_fright_but_not_that_of_the_same_turn() {
    let mut game = game("@@..\n....\n....", Players::Two, &[(Key::DogBarkingR, 2)]);
    // Dogs 0 and 1 are seat 0's, 2 and 3 seat 1's; over the border 2 is 3 cells from 1.
    game.play(Seat(1), Command::Move(DogId(2), Direction::Left))
        .unwrap();
    game.play(Seat(1), Command::Bark(DogId(2))).unwrap();
    game.play(Seat(0), Command::Bark(DogId(0))).unwrap();
    end(&mut game);
    assert_eq!(
        game.dogs()[1].disabled,
        4,
        "the enemy's bark is the stronger"
    );
    assert_eq!(game.dogs()[0].disabled, 0, "3 cells off");
    game.play(Seat(0), Command::Bark(DogId(0))).unwrap();
    end(&mut game);
    assert_eq!(game.dogs()[1].disabled, 0);
}

#[test]
fn a_second_move_needs_a_refused_first() {
    let mut game = game("#..\n@..\n...", Players::One, &[]);
    let mut go = |direction| game.play(Seat(0), Command::Move(DogId(0), direction));
    assert_eq!(go(Direction::Up), Err(Refusal::Blocked { x: 0, y: 0 }));
    assert_eq!(go(Direction::Left), Ok(()), "the world has no border");
    assert_eq!(go(Direction::Left), Err(Refusal::Moved));
    assert_eq!(game.dogs()[0].spot, Spot { x: 2, y: 1 });
    assert_eq!(
        Refusal::Blocked { x: 0, y: 0 }.to_string(),
        "Cannot move to 0, 0 - there is a non traversable landscape or another object"
    );
}

#[test]
fn barks_out_of_sight_arrive_next_turn() {
    let options = [(Key::DogVisibilityR, 1)];
    let mut game = game("@...\n....\n....", Players::Two, &options);
    game.play(Seat(1), Command::Bark(DogId(1))).unwrap();
    game.play(Seat(1), Command::Move(DogId(1), Direction::Down))
        .unwrap();
    end(&mut game);
    let expected = [
        Seen::Dog(SeenDog {
            id: DogId(0),
            spot: Spot { x: 0, y: 0 },
            owner: Seat(0),
            action: DogAction::Panic,
            voice: false,
        }),
        Seen::Voice(Spot { x: 4, y: 1 }),
    ];
    assert_eq!(game.seen_by(Seat(0)).seen, expected);
}

#[test]
fn scores_and_winner() {
    let game = game("oo-.\n*.@.", Players::Two, &[]);
    let score = |penned| game.ground().score(penned);
    assert_eq!([0, 1, 2, 3, 6].map(score), [-10.0, -5.0, 0.0, 10.0, 20.0]);
    assert_eq!(game.winner(), Some(Seat(0)));
}

#[test]
fn three_and_four_players_have_empty_tiles_between() {
    let rows = |players| -> Vec<String> { game("-@", players, &[]).ground().rows().collect() };
    assert_eq!(rows(Players::Three), ["1.....", "..2...", "....3."]);
    assert_eq!(rows(Players::Four), ["1...3...", "..2...4."]);
    let owners: Vec<u8> = game("-@", Players::Four, &[])
        .dogs()
        .iter()
        .map(|dog| dog.owner.0)
        .collect();
    assert_eq!(owners, [0, 2, 1, 3], "row of tiles by row");
}

//! Smart-dog's engine: turns in process, views, and the wire's text. One thread each, so that every
//! figure is a core's.

use criterion::{BenchmarkId, Criterion, Throughput};
use games::rng::Rng;
use games::smartdog::dialect::state;
use games::smartdog::map::Map;
use games::smartdog::options::Options;
use games::smartdog::rules::{Command, Direction, DogId, Players, Setup, SmartDog};
use games::{Dialogue, DialogueSetup, Kit, Seat};
use std::hint::black_box;

/// Turns of one measured game.
const TURNS: u32 = 200;

/// A world of 40 × 40 cells for two players, with 20 sheep and 6 dogs.
fn setup() -> Setup {
    let mut rows = vec![vec!['.'; 20]; 40];
    for (x, y) in [(8, 18), (9, 18), (10, 18), (8, 19), (9, 19), (10, 19)] {
        rows[y][x] = '-';
    }
    let mut rng = Rng::new(40, 40);
    for letter in ["**********", "@@@", "^^^^^^", "######"].concat().chars() {
        loop {
            let (x, y) = (rng.below(20) as usize, rng.below(40) as usize);
            if rows[y][x] == '.' {
                rows[y][x] = letter;
                break;
            }
        }
    }
    let header = r#"{"turnsLimit": 200, "dogVisibilityR": 6, "dogBarkingR": 4, "sheepScaryTurns": 2, "dogScaryTurns": 4, "sheepStandBy": 4}"#;
    let rows: Vec<String> = rows.into_iter().map(String::from_iter).collect();
    Setup {
        map: Map::read(&format!("{header}\n{}", rows.join("\n"))).expect("a map"),
        players: Players::Two,
        options: Options::default(),
    }
}

/// Plays a game in which every dog moves at random, and barks every few turns (0: never).
fn play(game: &mut SmartDog, rng: &mut Rng, bark_every: u32) {
    while !game.is_over() {
        for dog in (0..game.dogs().len() as u16).map(DogId) {
            let owner = game.dogs()[dog.index()].owner;
            let direction = Direction::ALL[rng.below(4) as usize];
            // Refused commands are part of the game.
            let _ = game.play(owner, Command::Move(dog, direction));
            if bark_every > 0 && rng.below(bark_every) == 0 {
                let _ = game.play(owner, Command::Bark(dog));
            }
        }
        for seat in [Seat(0), Seat(1)] {
            game.end(seat).expect("nobody has ended this turn");
        }
    }
}

pub(super) fn turns(c: &mut Criterion) {
    let setup = setup();
    let mut group = c.benchmark_group("smartdog: turns, 40 x 40, 20 sheep, 2 players, 6 dogs");
    group.throughput(Throughput::Elements(TURNS.into()));
    for (name, bark_every) in [("nobody barks", 0), ("barks in 1 of 4", 4), ("all bark", 1)] {
        group.bench_function(BenchmarkId::from_parameter(name), |bencher| {
            let mut rng = Rng::new(1, 1);
            bencher.iter(|| {
                let mut game = SmartDog::begin(&setup);
                play(&mut game, &mut rng, bark_every);
                game
            });
        });
    }
    group.finish();
}

pub(super) fn wire(c: &mut Criterion) {
    let game = SmartDog::begin(&setup());
    let view = game.seen_by(Seat(0));
    let number = |dog: DogId| u64::from(dog.0) + 1;
    c.bench_function("smartdog: a view", |bencher| {
        bencher.iter(|| game.seen_by(black_box(Seat(0))))
    });
    c.bench_function("smartdog: a turn's text", |bencher| {
        bencher.iter(|| state(black_box(&view), number));
    });
    let kit: &dyn Kit = games::find("smartdog").expect("smartdog is a game");
    let table = |seat| {
        let setup = games::TableSetup {
            options: serde_json::json!({"map": "market"}),
            ids: vec![0; 2],
            ..games::TableSetup::default()
        };
        let mut calls = Vec::new();
        kit.table(&setup).expect("a built-in map").calls(&mut calls);
        calls.retain(|call| call.seat == seat);
        calls
    };
    let calls = table(Seat(0));
    let mut player: Box<dyn Dialogue> = kit
        .dialogue(&DialogueSetup {
            bot: "stand".to_owned(),
            ..DialogueSetup::default()
        })
        .expect("our bot");
    let [start, turn] = calls.as_slice() else {
        panic!("{calls:?}");
    };
    player.receive(start.text.as_bytes()).expect("our own text");
    c.bench_function("smartdog: a turn read by a player", |bencher| {
        bencher.iter(|| {
            let next = player.receive(black_box(turn.text.as_bytes()));
            player.said("end");
            player.facts();
            next
        });
    });
}

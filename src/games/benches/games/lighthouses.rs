//! Lighthouses' engine: rounds in process by the rules alone, and with every state written and every
//! command read. One thread each, so that every figure is a core's.

use criterion::{BenchmarkId, Criterion, Throughput};
use games::lighthouses::dialect::engine::{Neutral, command, state};
use games::lighthouses::dialect::player;
use games::lighthouses::rules::{Act, Lighthouse, Lighthouses, Setup};
use games::lighthouses::{atlas, generate};
use games::rng::Rng;

const ROUNDS: u32 = 1_200;

fn setup(name: &str, players: usize) -> Setup {
    let map = match name {
        // As large and as dense as the public map that speed is quoted on.
        "21x18" => {
            let style = generate::Style {
                width: Some(21),
                height: Some(18),
                lighthouses: Some(11),
                ..generate::Style::default()
            };
            generate::generate(5, &style).expect("a map of this size")
        }
        name => atlas::find(name).expect("a built-in map").expect("a map"),
    };
    Setup {
        map,
        players,
        rounds: ROUNDS,
    }
}

/// The acts of a game whose players walk, attack and connect by chance.
fn acts(setup: &Setup) -> Vec<Act> {
    let mut rng = Rng::new(1, 1);
    let mut game = Lighthouses::begin(setup);
    let mut acts = Vec::new();
    let (mut legal, count) = (Vec::new(), game.chart().lighthouses().len() as u32);
    while let Some(seat) = game.turn() {
        let own = game.players()[seat.index()];
        let on_one = game.chart().lighthouse_at(own.position).is_some();
        let act = if on_one && rng.chance(0.5) {
            legal.clear();
            games::Game::acts(&game, seat, &mut legal);
            legal[rng.below(legal.len() as u32) as usize]
        } else {
            let goal = game.round() / 8 + 3 * u32::from(seat.0);
            let goal = game.chart().lighthouses()[(goal % count) as usize];
            let step = game.chart().step(own.position, goal);
            match game.chart().moved(own.position, step) {
                Some(_) => Act::Move(step),
                None => Act::Connect(Lighthouse(rng.below(count) as u8)),
            }
        };
        // Whatever does not succeed costs as much.
        let _ = game.play(act);
        acts.push(act);
    }
    acts
}

pub(super) fn rules(c: &mut Criterion) {
    let mut group = c.benchmark_group("lighthouses: rules");
    group.throughput(Throughput::Elements(ROUNDS.into()));
    for (name, players) in [("21x18", 2), ("21x18", 4), ("crescent", 2), ("orchard", 4)] {
        let setup = setup(name, players);
        let acts = acts(&setup);
        let begun = Lighthouses::begin(&setup);
        group.bench_function(BenchmarkId::new(name, players), |bencher| {
            bencher.iter(|| {
                let mut game = begun.clone();
                for act in &acts {
                    let _ = game.play(*act);
                }
                game.scores()
            });
        });
    }
    group.finish();
}

pub(super) fn wire(c: &mut Criterion) {
    let mut group = c.benchmark_group("lighthouses: rules and lines");
    group.throughput(Throughput::Elements(ROUNDS.into()));
    let setup = setup("21x18", 2);
    let acts = acts(&setup);
    let begun = Lighthouses::begin(&setup);
    let lines: Vec<String> = acts
        .iter()
        .map(|act| player::write(begun.chart(), *act))
        .collect();
    group.bench_function(BenchmarkId::new("21x18", 2), |bencher| {
        bencher.iter(|| {
            let mut game = begun.clone();
            let mut bytes = 0;
            for line in &lines {
                if let Some(seat) = game.turn() {
                    bytes += state(&game, seat, Neutral::MinusOne).len();
                }
                let act = command(begun.chart(), line.as_bytes());
                let _ = game.play(act.expect("a command").unwrap_or(Act::Pass));
            }
            (game.scores(), bytes)
        });
    });
    group.finish();
}

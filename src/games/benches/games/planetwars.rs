//! Planet Wars' judge: rounds in process by the rules alone, and with every state written and every reply
//! read. One thread, so that every figure is a core's.

use criterion::{BenchmarkId, Criterion, Throughput};
use games::planetwars::dialect::{judge, player};
use games::planetwars::generate::{Look, Style, generate};
use games::planetwars::map;
use games::planetwars::rules::{Act, Launch, PlanetWars, Ruleset, Setup};
use games::rng::Rng;
use games::{Game as _, Seat};

const ROUNDS: u32 = 200;

fn setup(players: usize, planets: usize) -> Setup {
    let style = Style {
        look: Look::Contest,
        players,
        planets: Some(planets),
        side: None,
    };
    Setup {
        planets: generate(1, &style).expect("a map"),
        players: (1..).take(players).collect(),
        teams: (0..players)
            .map(|seat| (2 * seat / players) as u8)
            .collect(),
        ruleset: Ruleset {
            rounds: ROUNDS,
            ..Ruleset::TEAM
        },
    }
}

type Round = Vec<(Seat, Option<Act>)>;

/// A game in which everybody sends fleets about by chance.
fn rounds(setup: &Setup) -> Vec<Round> {
    let mut rng = Rng::new(1, 1);
    let mut game = PlanetWars::start(setup);
    let mut rounds = Vec::new();
    while game.outcome().is_none() {
        let mut round = Round::new();
        for seat in (0..setup.players.len() as u8).map(Seat) {
            let planets = game.planets();
            let you = setup.players[seat.index()];
            let own = planets
                .iter()
                .filter(|planet| planet.owner == you && planet.ships > 4);
            let launches = own
                .filter_map(|planet| {
                    let to = planets[rng.below(planets.len() as u32) as usize].id;
                    (to != planet.id).then_some(Launch {
                        from: planet.id,
                        to,
                        ships: 2,
                    })
                })
                .collect();
            let act = Act {
                launches,
                message: Some(7),
                ..Act::default()
            };
            round.push((seat, Some(act)));
        }
        game.play(&round);
        rounds.push(round);
    }
    rounds
}

pub(super) fn rules(c: &mut Criterion) {
    let mut group = c.benchmark_group("planetwars: rules");
    for (players, planets) in [(20, 99), (2, 10)] {
        let setup = setup(players, planets);
        let rounds = rounds(&setup);
        group.throughput(Throughput::Elements(rounds.len() as u64));
        let begun = PlanetWars::start(&setup);
        group.bench_function(BenchmarkId::new("orders", players), |bencher| {
            bencher.iter(|| {
                let mut game = begun.clone();
                for round in &rounds {
                    game.answered(round);
                }
                game.turn()
            });
        });
        let silent: Round = Vec::new();
        group.bench_function(BenchmarkId::new("no orders", players), |bencher| {
            bencher.iter(|| {
                let mut game = begun.clone();
                for _ in 0..rounds.len() {
                    game.play(&silent);
                }
                game.turn()
            });
        });
    }
    group.finish();
}

pub(super) fn wire(c: &mut Criterion) {
    let mut group = c.benchmark_group("planetwars: rules and lines");
    let setup = setup(20, 99);
    let rounds = rounds(&setup);
    group.throughput(Throughput::Elements(rounds.len() as u64));
    let begun = PlanetWars::start(&setup);
    let replies: Vec<Vec<String>> = rounds
        .iter()
        .map(|round| {
            let acts = round.iter().flat_map(|(_, act)| act);
            acts.map(player::write).collect()
        })
        .collect();
    group.bench_function(BenchmarkId::new("orders", 20), |bencher| {
        bencher.iter(|| {
            let mut game = begun.clone();
            let mut bytes = 0;
            for (round, replies) in rounds.iter().zip(&replies) {
                let planets = map::text(game.planets());
                for ((seat, _), reply) in round.iter().zip(replies) {
                    let you = setup.players[seat.index()];
                    bytes += judge::state(&planets, Some(game.word_for(*seat)), you).len();
                    for line in reply.lines() {
                        let line = judge::line(line.as_bytes(), judge::Lines::Strict);
                        assert!(line.is_ok(), "an order is refused");
                    }
                }
                game.answered(round);
            }
            bytes
        });
    });
    group.finish();
}

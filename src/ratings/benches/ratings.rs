//! Fits, covariances and exact distributions, on one thread.

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use games::rng::Rng;
use ratings::schedule::{Field, Format, Past};
use ratings::{PairResult, Results, Score, Settings, fit};

/// Results of players whose strengths spread like those of a contest's, of tables of four.
fn results(players: usize, tables: usize) -> Results {
    let mut rng = Rng::new(1, 0);
    let mut results = Results::default();
    let strength: Vec<f64> = (0..players).map(|_| rng.between(-300.0, 300.0)).collect();
    for player in 0..players {
        results.player(&format!("p{player}")).expect("room");
    }
    let mut seated: Vec<usize> = (0..players).collect();
    for _ in 0..tables {
        let table = results.open_table();
        rng.shuffle(&mut seated);
        for first in 0..4 {
            for second in first + 1..4 {
                let (first, second) = (seated[first], seated[second]);
                let wins = 1.0 / (1.0 + 10f64.powf((strength[second] - strength[first]) / 400.0));
                let score = match (rng.chance(0.02), rng.chance(wins)) {
                    (true, _) => Score::Draw,
                    (false, true) => Score::Win,
                    (false, false) => Score::Loss,
                };
                let result = PairResult {
                    first,
                    second,
                    score,
                    table,
                };
                results.add(result).expect("room");
            }
        }
    }
    results
}

fn ratings(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("ratings");
    group.sample_size(20);
    let settings = Settings::default();
    for (players, tables) in [(100, 5_000), (1_000, 20_000)] {
        let results = results(players, tables);
        let size = format!("{players} players, {} results", results.all().len());
        group.bench_function(format!("fit and covariance, {size}"), |bencher| {
            bencher.iter_batched(
                || &results,
                |results| fit(results, &settings).expect("a fit").covariance(0, 1),
                BatchSize::SmallInput,
            );
        });
        let fitted = fit(&results, &settings).expect("a fit");
        group.bench_function(format!("errors over tables, {size}"), |bencher| {
            bencher.iter(|| fitted.table_errors(&results));
        });
        if players == 100 {
            group.bench_function(format!("exact distributions, {size}"), |bencher| {
                bencher.iter(|| fitted.exact_intervals(0.95));
            });
        }
    }
    group.finish();
}

/// The round in the middle of a tournament in which no round ever changed.
fn schedules(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("schedule");
    group.sample_size(10);
    let results = Results::default();
    for (name, format, entrants, seats) in [
        ("all sets", Format::RoundRobin { laps: 1 }, 39, 3),
        ("all sets", Format::RoundRobin { laps: 1 }, 23, 4),
        ("balanced", Format::RoundRobin { laps: 1 }, 200, 4),
        ("Swiss", Format::Swiss { rounds: 100 }, 200, 4),
        ("Swiss", Format::Swiss { rounds: 100 }, 1_000, 2),
    ] {
        let field = Field {
            entrants,
            house: 0,
            seats,
            seed: 1,
        };
        let next = |rounds: &[_], points: &[_]| {
            let past = Past {
                rounds,
                points,
                results: &results,
                fit: None,
            };
            format.next(&field, &past).expect("a round")
        };
        let first = next(&[], &[]);
        let half = format.rounds(&field).expect("a field that fits") as usize / 2;
        let points = vec![vec![vec![0.0; seats]; first.tables.len()]; half];
        let rounds = vec![first; half];
        let size = format!("{name}, {entrants} entrants, tables of {seats}");
        group.bench_function(size, |bencher| bencher.iter(|| next(&rounds, &points)));
    }
    group.finish();
}

criterion_group!(benches, ratings, schedules);
criterion_main!(benches);

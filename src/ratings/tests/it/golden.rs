//! Ratings against those that BayesElo computed and those of an independent solver.

use ratings::{Fit, PairResult, Parameter, Results, Score, Settings, fit};
use std::collections::HashMap;
use std::path::PathBuf;

const SETS: [&str; 6] = [
    "s1_three_players",
    "s2_four_one_round",
    "s3_perfect_scores_draws_crash",
    "s4_disconnected",
    "s5_advantage_draws_10",
    "s8_planowanie_tables_8_bots",
];

pub(super) fn read(set: &str, file: &str) -> String {
    let golden = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("golden");
    let path = golden.join(set).join(file);
    std::fs::read_to_string(&path).unwrap_or_else(|why| panic!("{}: {why}", path.display()))
}

pub(super) fn results(set: &str) -> Results {
    let mut results = Results::default();
    for line in read(set, "results.tsv").lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let first = results.player(fields[0]).unwrap();
        let second = results.player(fields[1]).unwrap();
        let score = [Score::Loss, Score::Draw, Score::Win][fields[2].parse::<usize>().unwrap()];
        let table = results.open_table();
        results
            .add(PairResult {
                first,
                second,
                score,
                table,
            })
            .unwrap();
    }
    results
}

/// BayesElo's quantile for 95 %.
const Z: f64 = 1.960_127;

/// The settings of BayesElo under which the goldens were made.
fn configurations() -> [(&'static str, Settings); 6] {
    let with = |advantage, draw_elo, prior| Settings {
        advantage,
        draw_elo,
        prior,
    };
    let (none, usual) = (Parameter::Fixed(0.0), Parameter::Fixed(97.3));
    [
        ("default", with(Parameter::Fixed(32.8), usual, 2.0)),
        ("adv0", with(none, usual, 2.0)),
        ("adv0_draw001", with(none, Parameter::Fixed(0.01), 2.0)),
        ("adv0_mm01", with(none, Parameter::Fitted, 2.0)),
        ("mm11", with(Parameter::Fitted, Parameter::Fitted, 2.0)),
        ("adv0_prior01", with(none, usual, 0.1)),
    ]
}

/// A golden: single figures by their names, and lines of figures by their first word and number.
#[derive(Default)]
struct Golden {
    figures: HashMap<String, f64>,
    names: Vec<String>,
    players: Vec<Vec<f64>>,
    covariance: Vec<Vec<f64>>,
    superiority: Vec<Vec<f64>>,
}

fn golden(set: &str, file: &str) -> Golden {
    let mut golden = Golden::default();
    for line in read(set, file).lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let numbers = |from: usize| {
            fields[from..]
                .iter()
                .map(|field| field.parse().unwrap())
                .collect()
        };
        match fields[0] {
            "player" => {
                golden.names.push(fields[2].to_owned());
                golden.players.push(numbers(3));
            }
            "cov" => golden.covariance.push(numbers(2)),
            "los" => golden.superiority.push(numbers(2)),
            name => drop(
                golden
                    .figures
                    .insert(name.to_owned(), fields[1].parse().unwrap()),
            ),
        }
    }
    golden
}

fn near(found: f64, expected: f64, tolerance: f64, what: &str) {
    assert!(
        (found - expected).abs() <= tolerance,
        "{what}: {found} is not within {tolerance} of {expected}"
    );
}

/// Matrices within a relative tolerance, where the golden has numbers.
fn matrices(fit: &Fit, golden: &Golden, tolerance: f64, what: &str) {
    for (one, row) in golden.covariance.iter().enumerate() {
        for (other, expected) in row.iter().enumerate().filter(|(_, cell)| !cell.is_nan()) {
            let size = fit.covariance(one, one).max(1.0);
            near(
                fit.covariance(one, other),
                *expected,
                tolerance * size,
                what,
            );
        }
    }
    for (one, row) in golden.superiority.iter().enumerate() {
        for (other, expected) in row.iter().enumerate().filter(|(_, cell)| !cell.is_nan()) {
            if one != other {
                let found = fit.superiority(one, other).unwrap();
                near(found, *expected, tolerance, what);
            }
        }
    }
}

#[test]
fn ratings_are_the_optimum_of_an_independent_solver() {
    for set in SETS {
        let results = results(set);
        for (name, settings) in configurations() {
            let what = &format!("{set} {name}");
            let golden = golden(set, &format!("converged_{name}.tsv"));
            let fit = fit(&results, &settings).unwrap();
            assert_eq!(golden.players.len(), fit.players().len());
            near(fit.advantage(), golden.figures["advantage"], 1e-6, what);
            near(fit.draw_elo(), golden.figures["drawelo"], 1e-6, what);
            near(fit.scale(), golden.figures["scale"], 1e-9, what);
            near(fit.log_likelihood(), golden.figures["loglik"], 1e-8, what);
            let components = fit.components().iter().max().unwrap() + 1;
            assert_eq!(components as f64, golden.figures["components"], "{what}");
            for (at, (player, golden_name)) in golden.players.iter().zip(&golden.names).enumerate()
            {
                assert_eq!(golden_name, &results.names()[fit.players()[at]]);
                assert_eq!(player[0], fit.components()[at] as f64, "{what}");
                near(fit.elo()[at], player[1], 1e-6, what);
                near(fit.variance_alone(at), player[2], 1e-6 * player[2], what);
                if !player[3].is_nan() {
                    near(fit.covariance(at, at), player[3], 1e-6 * player[3], what);
                }
            }
            matrices(&fit, &golden, 1e-6, what);
        }
    }
}

/// How far BayesElo is from its own optimum, as it stops where nothing changes by more than 1e-5 of itself: in
/// a rating, and in half an interval.
fn tolerances(set: &str, configuration: &str) -> (f64, f64) {
    match (set, configuration) {
        // Half intervals of 1,100: players that won all or lost all have no bound.
        ("s3_perfect_scores_draws_crash", "adv0_prior01") => (0.6, 2.5),
        // Its distributions end at ±1,500 of a mean that the two components do not share.
        ("s4_disconnected", "adv0_prior01") => (0.15, 3.0),
        _ => (0.15, 0.15),
    }
}

/// Golden ratings with the mean of each component at 0: BayesElo leaves open how components that never met
/// stand to each other.
fn centred(fit: &Fit, golden: &Golden) -> Vec<f64> {
    let of = |number: usize| {
        let players = golden.players.iter().zip(fit.components());
        let own = players.filter(move |(_, component)| **component == number);
        own.map(|(player, _)| player[0])
    };
    let mean = |number: usize| of(number).sum::<f64>() / of(number).count() as f64;
    let players = golden.players.iter().zip(fit.components());
    players
        .map(|(player, number)| player[0] - mean(*number))
        .collect()
}

#[test]
fn ratings_and_intervals_are_those_of_bayeselo() {
    for set in SETS {
        let results = results(set);
        for (name, settings) in configurations() {
            let (of_rating, of_interval) = tolerances(set, name);
            let fit = fit(&results, &settings).unwrap();
            let exact = fit.exact_intervals(0.95);
            let players = 0..fit.elo().len();
            let alone = |at: usize| [Z * fit.variance_alone(at).sqrt(); 2];
            let full = |at: usize| [Z * fit.covariance(at, at).sqrt(); 2];
            let of_exact = |at: usize| [fit.elo()[at] - exact[at].0, exact[at].1 - fit.elo()[at]];
            let kinds: [(&str, Vec<[f64; 2]>); 3] = [
                ("variance", players.clone().map(alone).collect()),
                ("covariance", players.clone().map(full).collect()),
                ("exactdist", players.map(of_exact).collect()),
            ];
            for (kind, widths) in kinds {
                let file = format!("dump_{name}_{kind}.tsv");
                let what = format!("{set} {file}");
                let golden = golden(set, &file);
                for (at, elo) in centred(&fit, &golden).into_iter().enumerate() {
                    near(fit.elo()[at], elo, of_rating, &what);
                    // Where components never met BayesElo's covariance is noise.
                    if kind == "covariance" && set == "s4_disconnected" {
                        continue;
                    }
                    for (width, expected) in widths[at].iter().zip(&golden.players[at][1..3]) {
                        near(*width, *expected, of_interval, &what);
                    }
                }
            }
        }
    }
}

/// How all ratings differ between two fits, by name.
fn most_apart(one: (&Results, &Fit), other: (&Results, &Fit)) -> f64 {
    let by_name = |(results, fit): (&Results, &Fit)| -> HashMap<String, [f64; 2]> {
        let rated = fit.players().iter().enumerate();
        rated
            .map(|(at, player)| {
                (
                    results.names()[*player].clone(),
                    [fit.elo()[at], fit.covariance(at, at)],
                )
            })
            .collect()
    };
    let (one, other) = (by_name(one), by_name(other));
    assert_eq!(one.len(), other.len());
    let apart = |(name, figures): (&String, &[f64; 2])| {
        (figures[0] - other[name][0])
            .abs()
            .max((figures[1] - other[name][1]).abs())
    };
    one.iter().map(apart).fold(0.0, f64::max)
}

#[test]
fn who_is_named_first_matters_only_with_an_advantage() {
    for set in SETS {
        let one = results(set);
        let mut turned = Results::default();
        for (number, result) in one.all().iter().enumerate() {
            let mut player = |at: usize| turned.player(&one.names()[at]).unwrap();
            let (first, second) = (player(result.first), player(result.second));
            let table = turned.open_table();
            let result = if number % 3 == 0 {
                PairResult {
                    first,
                    second,
                    table,
                    ..*result
                }
            } else {
                PairResult {
                    first: second,
                    second: first,
                    score: result.score.turned(),
                    table,
                }
            };
            turned.add(result).unwrap();
        }
        for (name, settings) in configurations() {
            let fits = (
                fit(&one, &settings).unwrap(),
                fit(&turned, &settings).unwrap(),
            );
            let apart = most_apart((&one, &fits.0), (&turned, &fits.1));
            if settings.advantage == Parameter::Fixed(0.0) {
                assert!(apart < 1e-6, "{set} {name}: {apart}");
            } else {
                assert!(apart > 1e-3, "{set} {name}: {apart}");
            }
        }
    }
}

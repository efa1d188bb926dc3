//! The pair results of real Planowanie tables, and the errors that their dependence needs.

use crate::golden::{read, results};
use games::{Cause, Kit as _, Outcome, planowanie};
use ratings::{PairResult, Results, Score, Settings, fit};

/// Played tables; all rotations over one deal are one table of the ratings.
fn tables() -> (Results, usize) {
    let (mut results, mut of_early_ends) = (Results::default(), 0);
    let mut open = (String::new(), 0);
    let text = read("s8_planowanie_tables_8_bots", "tables.tsv");
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split('\t').collect();
        let (group, names, points, failed) = (
            fields[..2].join(" "),
            &fields[3..7],
            &fields[7..11],
            fields[11].parse::<usize>(),
        );
        if open.0 != group {
            open = (group, results.open_table());
        }
        let score = |(seat, points): (usize, &&str)| match &failed {
            Ok(failed) => -i64::from(*failed == seat),
            Err(_) => points.parse().unwrap(),
        };
        let outcome = Outcome {
            cause: if failed.is_ok() {
                Cause::Crash
            } else {
                Cause::Normal
            },
            scores: points.iter().enumerate().map(score).collect(),
        };
        let players: Vec<usize> = names
            .iter()
            .map(|name| results.player(name).unwrap())
            .collect();
        for duel in (planowanie::KIT.card().duels)(&outcome) {
            of_early_ends += usize::from(failed.is_ok());
            let result = PairResult {
                first: players[duel.first.index()],
                second: players[duel.second.index()],
                score: Score::from_share(duel.share).unwrap(),
                table: open.1,
            };
            results.add(result).unwrap();
        }
    }
    (results, of_early_ends)
}

#[test]
fn tables_give_the_pair_results_of_the_contest() {
    let (found, of_early_ends) = tables();
    assert_eq!((found.all().len(), of_early_ends), (1_407, 33));
    // Who of two is named first has no meaning.
    let sorted = |results: &Results| {
        let result = |one: &PairResult| {
            let (first, second) = (&results.names()[one.first], &results.names()[one.second]);
            if first < second {
                (first.clone(), second.clone(), one.score)
            } else {
                (second.clone(), first.clone(), one.score.turned())
            }
        };
        let mut all: Vec<_> = results.all().iter().map(result).collect();
        all.sort();
        all
    };
    let same = sorted(&found) == sorted(&results("s8_planowanie_tables_8_bots"));
    assert!(same, "the results are not those of the golden");
}

/// Each table left out in turn and all rated again.
fn left_out(results: &Results, settings: &Settings) -> Vec<f64> {
    let whole = fit(results, settings).unwrap();
    let tables = results.tables();
    let mut squares = vec![0.0; whole.elo().len()];
    for left_out in 0..tables {
        let mut rest = results.clone();
        rest.retain(|result| result.table != left_out);
        let rest = fit(&rest, settings).unwrap();
        for (square, (one, other)) in squares.iter_mut().zip(rest.elo().iter().zip(whole.elo())) {
            *square += (one - other).powi(2);
        }
    }
    let share = (tables - 1) as f64 / tables as f64;
    squares
        .iter()
        .map(|square| (square * share).sqrt())
        .collect()
}

#[test]
fn errors_over_tables_are_those_of_leaving_each_out() {
    let (results, _) = tables();
    for settings in [
        Settings::default(),
        Settings {
            advantage: ratings::Parameter::Fitted,
            ..Settings::default()
        },
    ] {
        let errors = fit(&results, &settings)
            .unwrap()
            .table_errors(&results)
            .unwrap();
        for (error, expected) in errors.iter().zip(left_out(&results, &settings)) {
            assert!(
                (error / expected - 1.0).abs() < 0.08,
                "{error} is not near {expected}"
            );
        }
    }
}

#[test]
fn errors_over_tables_are_wider_as_six_results_share_four_totals() {
    let (results, _) = tables();
    let fit = fit(&results, &Settings::default()).unwrap();
    let errors = fit.table_errors(&results).unwrap();
    let wider = errors
        .iter()
        .enumerate()
        .map(|(at, error)| error / fit.covariance(at, at).sqrt());
    let mean = wider.sum::<f64>() / errors.len() as f64;
    assert!((1.1..1.5).contains(&mean), "{mean}");
    let mut alone = Results::default();
    let (first, second) = (alone.player("a").unwrap(), alone.player("b").unwrap());
    let table = alone.open_table();
    alone
        .add(PairResult {
            first,
            second,
            table,
            score: Score::Win,
        })
        .unwrap();
    let of_one = ratings::fit(&alone, &Settings::default()).unwrap();
    assert_eq!(of_one.table_errors(&alone), None);
}

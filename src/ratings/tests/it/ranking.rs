//! The table of a fit.

use crate::golden::{read, results};
use ratings::{Intervals, PairResult, Parameter, Ranking, Results, Score, Settings, fit};

/// The lines of the n-th table that BayesElo printed: rank, name, Elo, +, -, games, score, opponents, draws.
fn printed(set: &str, file: &str, number: usize) -> Vec<Vec<String>> {
    let text = read(set, file);
    let table = text.split("Rank Name").nth(number + 1).unwrap();
    let rows = table
        .lines()
        .skip(1)
        .take_while(|line| line.starts_with(' '));
    rows.map(|row| row.split_whitespace().map(str::to_owned).collect())
        .collect()
}

fn shown(ranking: &Ranking) -> Vec<Vec<String>> {
    let whole = |elo: f64| format!("{:.0}", (ranking.scale * elo).round() + 0.0);
    let percent = |share: f64| format!("{:.0}%", 100.0 * share);
    let players = ranking.players.iter();
    players
        .map(|player| {
            vec![
                player.rank.to_string(),
                player.name.clone(),
                whole(player.elo),
                whole(player.upper - player.elo),
                whole(player.elo - player.lower),
                player.games.to_string(),
                percent(player.score),
                whole(player.opponents),
                percent(player.draws),
            ]
        })
        .collect()
}

#[test]
fn tables_are_those_that_bayeselo_prints() {
    let usual = Settings {
        advantage: Parameter::Fixed(32.8),
        draw_elo: Parameter::Fixed(97.3),
        prior: 2.0,
    };
    let sets = [
        (
            "s1_three_players",
            "out0057_default.txt",
            usual,
            Intervals::Exact,
        ),
        (
            "s8_planowanie_tables_8_bots",
            "out0057_adv0_mm01.txt",
            Settings::default(),
            Intervals::Covariance,
        ),
    ];
    for (set, file, settings, second) in sets {
        for (number, intervals) in [Intervals::Alone, second].into_iter().enumerate() {
            let ranking = Ranking::new(&results(set), &settings, intervals).unwrap();
            let what = format!("{set} {intervals:?}");
            assert_eq!(shown(&ranking), printed(set, file, number), "{what}");
        }
    }
}

#[test]
fn components_are_apart_and_players_without_results_left_out() {
    let mut results = results("s4_disconnected");
    let lonely = results.player("lonely").unwrap();
    let late = results.player("late").unwrap();
    let ranking = Ranking::new(&results, &Settings::default(), Intervals::default()).unwrap();
    assert_eq!((ranking.components, ranking.players.len()), (2, 8));
    assert_eq!(ranking.without_results, ["lonely", "late"]);
    for component in ranking
        .players
        .chunk_by(|one, other| one.component == other.component)
    {
        let ranks: Vec<usize> = component.iter().map(|player| player.rank).collect();
        assert_eq!(ranks, [1, 2, 3, 4]);
        assert!(component.iter().map(|player| player.elo).sum::<f64>().abs() < 1e-6);
        assert!(component[3].superiority.is_none() && component[0].superiority > Some(0.5));
    }
    let superiority = ranking.superiority.unwrap();
    assert!(
        superiority[0][1].is_some() && superiority[0][0].is_none() && superiority[0][4].is_none()
    );
    // A third component that is larger comes first.
    let table = results.open_table();
    let mut new: Vec<usize> = (0..3)
        .map(|at| results.player(&format!("n{at}")).unwrap())
        .collect();
    new.extend([lonely, late]);
    for pair in new.windows(2) {
        let result = PairResult {
            first: pair[0],
            second: pair[1],
            score: Score::Draw,
            table,
        };
        results.add(result).unwrap();
    }
    let ranking = Ranking::new(&results, &Settings::default(), Intervals::default()).unwrap();
    assert_eq!((ranking.components, ranking.players[0].component), (3, 1));
    // All drew: equal ratings, in the order of names.
    let first: Vec<&str> = ranking.players[..5]
        .iter()
        .map(|player| player.name.as_str())
        .collect();
    assert_eq!(first, ["late", "lonely", "n0", "n1", "n2"]);
}

#[test]
fn what_no_result_bounds_is_refused_unless_a_prior_does() {
    let mut results = Results::default();
    for _ in 0..3 {
        let (first, second) = (
            results.player("best").unwrap(),
            results.player("b").unwrap(),
        );
        let table = results.open_table();
        results
            .add(PairResult {
                first,
                second,
                score: Score::Win,
                table,
            })
            .unwrap();
    }
    let bare = Settings {
        prior: 0.0,
        ..Settings::default()
    };
    let error = fit(&results, &bare).unwrap_err().to_string();
    assert!(
        error.contains("\"best\"") || error.contains("\"b\""),
        "{error}"
    );
    assert!(error.contains("give a prior above 0"), "{error}");
    // Without upsets the draw parameter and all differences would grow together for ever.
    let rated = fit(&results, &Settings::default()).unwrap();
    assert_eq!(rated.draw_elo(), 97.3);
    assert!((1.0..400.0).contains(&rated.elo()[0]));
    for (settings, what) in [
        (
            Settings {
                prior: -1.0,
                ..Settings::default()
            },
            "the prior is -1",
        ),
        (
            Settings {
                prior: f64::NAN,
                ..Settings::default()
            },
            "the prior is NaN",
        ),
        (
            Settings {
                draw_elo: Parameter::Fixed(0.0),
                ..Settings::default()
            },
            "the draw parameter is 0",
        ),
        (
            Settings {
                advantage: Parameter::Fixed(1e9),
                ..Settings::default()
            },
            "the advantage is 1000000000",
        ),
    ] {
        let error = fit(&results, &settings).unwrap_err().to_string();
        assert!(error.contains(what), "{error}");
    }
}

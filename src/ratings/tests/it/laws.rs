//! What holds for all results.

use proptest::prelude::*;
use ratings::{PairResult, Results, Score, Settings, fit, input};

/// Results among six players, each with whether its two players are named the other way round.
fn played() -> impl Strategy<Value = Vec<(usize, usize, usize, bool)>> {
    let result = (0..6usize, 1..6usize, 0..3usize, any::<bool>());
    prop::collection::vec(result, 1..60)
}

fn results(played: &[(usize, usize, usize, bool)], turn: bool) -> Results {
    let mut results = Results::default();
    for player in 0..6 {
        results.player(&format!("p{player}")).unwrap();
    }
    for (first, further, score, turned) in played {
        let table = results.open_table();
        let (first, second) = (*first, (first + further) % 6);
        let score = [Score::Loss, Score::Draw, Score::Win][*score];
        let result = if turn && *turned {
            PairResult {
                first: second,
                second: first,
                score: score.turned(),
                table,
            }
        } else {
            PairResult {
                first,
                second,
                score,
                table,
            }
        };
        results.add(result).unwrap();
    }
    results
}

proptest! {
    #[test]
    fn who_of_two_is_named_first_changes_nothing(played in played()) {
        let (one, other) = (results(&played, false), results(&played, true));
        let settings = Settings::default();
        let (one, other) = (fit(&one, &settings).unwrap(), fit(&other, &settings).unwrap());
        prop_assert_eq!(one.elo(), other.elo());
        for player in 0..one.elo().len() {
            prop_assert_eq!(one.covariance(player, player), other.covariance(player, player));
            prop_assert!(one.elo()[player].is_finite() && one.covariance(player, player) > 0.0);
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in "[\\[{ab\"\\]}\t\n0-9:,/ -]{0,80}", bytes: Vec<u8>) {
        for input in [text.as_bytes(), &bytes] {
            let found = input::read(input);
            let lines = 1 + input.iter().filter(|byte| b"\n\r".contains(byte)).count();
            prop_assert!(found.errors.first.iter().all(|why| (1..=lines).contains(&why.line)));
        }
    }
}

//! Tables that were played.

use crate::field::Field;
use ratings::{PairResult, Results, Score};

/// Whether nobody is ahead at a table.
pub(crate) fn equals(points: &[f64]) -> bool {
    let most = points.iter().copied().fold(f64::MIN, f64::max);
    points.iter().filter(|own| most - **own < 1e-9).count() > 1
}

/// The points of a table from one game.
pub(crate) fn shares(strengths: &mut Field, results: &mut Results, table: &[usize]) -> Vec<f64> {
    let scores = strengths.points(table);
    let number = results.open_table();
    let mut won = vec![0.0; table.len()];
    for first in 0..table.len() {
        for second in first + 1..table.len() {
            let score = match scores[first].cmp(&scores[second]) {
                std::cmp::Ordering::Less => Score::Loss,
                std::cmp::Ordering::Equal => Score::Draw,
                std::cmp::Ordering::Greater => Score::Win,
            };
            won[first] += score.share();
            won[second] += score.turned().share();
            let (first, second) = (table[first], table[second]);
            results
                .add(PairResult {
                    first,
                    second,
                    score,
                    table: number,
                })
                .unwrap();
        }
    }
    won
}

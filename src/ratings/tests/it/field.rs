//! A field of players whose strengths are known: points a game, and luck.

use games::rng::Rng;
use games::{Cause, Outcome};
use ratings::pairing::Grouping;
use ratings::{Fit, PairResult, Results, Score, Settings, fit};
use std::collections::HashSet;

/// Players whose points in a game are their strength and luck, as in Planowanie's contest: strengths scatter by 6
/// points, luck by 13.
pub(crate) struct Field {
    pub(crate) strengths: Vec<f64>,
    luck: f64,
    rng: Rng,
}

/// A normal number with mean 0 and deviation 1.
fn normal(rng: &mut Rng) -> f64 {
    (-2.0 * (1.0 - rng.unit()).ln()).sqrt() * (std::f64::consts::TAU * rng.unit()).cos()
}

impl Field {
    pub(crate) fn new(players: usize, seed: u64) -> Self {
        let mut rng = Rng::new(seed, 0);
        let mut strengths: Vec<f64> = (0..players)
            .map(|_| 60.0 + 6.0 * normal(&mut rng))
            .collect();
        strengths.sort_by(|one, other| other.total_cmp(one));
        Self {
            strengths,
            luck: 13.0,
            rng,
        }
    }

    /// Two players of equal luck, the first one better by n points.
    pub(crate) fn pair(better_by: f64, seed: u64) -> Self {
        Self {
            strengths: vec![60.0 + better_by, 60.0],
            luck: 13.0,
            rng: Rng::new(seed, 0),
        }
    }

    /// Plays one table and gives the points.
    pub(crate) fn points(&mut self, table: &[usize]) -> Vec<i64> {
        let mut points = |player: &usize| {
            (self.strengths[*player] + self.luck * normal(&mut self.rng)).round() as i64
        };
        table.iter().map(&mut points).collect()
    }

    /// A group over one deal: as many games as it has players.
    pub(crate) fn group(&mut self, results: &mut Results, group: &[usize]) {
        let table = results.open_table();
        let mut seats = group.to_vec();
        for _ in 0..group.len() {
            let scores = self.points(&seats).into_iter().collect();
            let outcome = Outcome {
                cause: Cause::Normal,
                scores,
            };
            for duel in outcome.duels() {
                let (first, second) = (seats[duel.first.index()], seats[duel.second.index()]);
                let score = Score::from_share(duel.share).unwrap();
                results
                    .add(PairResult {
                        first,
                        second,
                        score,
                        table,
                    })
                    .unwrap();
            }
            seats.rotate_right(1);
        }
    }
}

/// The first player's share of the results with the second over one deal of four games.
pub(crate) fn block(field: &mut Field) -> f64 {
    let share = |_| match field.points(&[0, 1]) {
        points if points[0] > points[1] => 1.0,
        points if points[0] == points[1] => 0.5,
        _ => 0.0,
    };
    (0..4).map(share).sum::<f64>() / 4.0
}

/// A tournament as it was played.
pub(crate) struct Tournament {
    pub(crate) results: Results,
    pub(crate) rounds: Vec<Vec<Vec<usize>>>,
    pub(crate) fit: Fit,
}

/// Plays rounds in these groups.
pub(crate) fn tournament(field: &mut Field, grouping: &Grouping, rounds: usize) -> Tournament {
    let players: Vec<usize> = (0..field.strengths.len()).collect();
    let mut results = Results::default();
    for player in &players {
        results.player(&format!("p{player}")).unwrap();
    }
    let mut earlier = HashSet::new();
    let mut played = Vec::new();
    let mut fitted: Option<Fit> = None;
    for round in 0..rounds {
        let groups = grouping.round(round, &players, &results, fitted.as_ref(), &earlier);
        for group in &groups {
            field.group(&mut results, group);
            let mut group = group.clone();
            group.sort_unstable();
            earlier.insert(group);
        }
        played.push(groups);
        fitted = Some(fit(&results, &Settings::default()).unwrap());
    }
    Tournament {
        results,
        rounds: played,
        fit: fitted.unwrap(),
    }
}

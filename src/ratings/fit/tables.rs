//! Errors of ratings when the results of one table are not independent of each other: four players at a table
//! give six results, but only four totals.

use super::Fit;
use crate::model::ODDS;
use crate::results::{PairResult, Results, Score};

impl Fit {
    /// The standard error of each rating in Elo by a jackknife over tables: how far all ratings would move if one
    /// table had not been played, to first order, taken over all tables. `None` for fewer than two tables.
    ///
    /// `results` are those that were fitted.
    #[must_use]
    pub fn table_errors(&self, results: &Results) -> Option<Vec<f64>> {
        let mut place = vec![0; results.names().len()];
        for (at, player) in self.players().iter().enumerate() {
            place[*player] = at;
        }
        let mut all: Vec<&PairResult> = results.all().iter().collect();
        all.sort_by_key(|result| result.table);
        let mut squares = vec![0.0; self.elo.len()];
        let mut tables = 0.0;
        for table in all.chunk_by(|one, other| one.table == other.table) {
            tables += 1.0;
            let shifts = self.shifts(table.iter().map(|result| PairResult {
                first: place[result.first],
                second: place[result.second],
                ..**result
            }));
            for (square, shift) in squares.iter_mut().zip(shifts) {
                *square += shift * shift;
            }
        }
        let error = |square: &f64| (square * tables / (tables - 1.0)).sqrt();
        (tables > 1.0).then(|| squares.iter().map(error).collect())
    }

    /// At how many tables each player has results.
    pub(crate) fn tables_of(&self, results: &Results) -> Vec<usize> {
        let mut all: Vec<(usize, usize)> = results
            .all()
            .iter()
            .flat_map(|result| [(result.first, result.table), (result.second, result.table)])
            .collect();
        all.sort_unstable();
        all.dedup();
        let mut counts = vec![0; results.names().len()];
        for (player, _) in all {
            counts[player] += 1;
        }
        self.players()
            .iter()
            .map(|player| counts[*player])
            .collect()
    }

    /// How far results move all ratings, in Elo: the inverse of the information times their gradient.
    fn shifts(&self, results: impl Iterator<Item = PairResult>) -> Vec<f64> {
        let mut slopes: Vec<(usize, f64)> = Vec::new();
        let mut add =
            |at: usize, slope: f64| match slopes.iter_mut().find(|(known, _)| *known == at) {
                Some((_, sum)) => *sum += slope,
                None => slopes.push((at, slope)),
            };
        let players = self.elo.len();
        for result in results {
            let (first, second) = (result.first, result.second);
            let (win, loss) = self
                .shared
                .odds()
                .halves(self.elo[first] - self.elo[second]);
            let up = if result.score == Score::Loss {
                0.0
            } else {
                ODDS * win.no
            };
            let down = if result.score == Score::Win {
                0.0
            } else {
                ODDS * loss.no
            };
            let drawn = if result.score == Score::Draw {
                self.shared.slope_of_draw()
            } else {
                0.0
            };
            add(first, up - down);
            add(second, down - up);
            let by_shared = [up - down, drawn - up - down];
            for (row, parameter) in (players..).zip(self.free.parameters()) {
                add(row, by_shared[parameter]);
            }
        }
        let mut shifts = vec![0.0; players];
        for (at, slope) in slopes.iter().filter(|(at, _)| *at < players) {
            for (shift, covariance) in shifts.iter_mut().zip(self.covariance.row(*at)) {
                *shift += slope * covariance;
            }
        }
        for column in &self.of_shared {
            let weight: f64 = slopes.iter().map(|(at, slope)| slope * column[*at]).sum();
            for (shift, cell) in shifts.iter_mut().zip(column) {
                *shift += weight * cell;
            }
        }
        shifts
    }
}

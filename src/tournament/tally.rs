//! What many matches add up to: shares, means and how sure they are.

use crate::referee::histogram::Histogram;
use games::{Cause, Duel, Outcome, Seat, Seats};
use std::collections::BTreeMap;

/// Two-sided 95 % of a normal distribution.
const Z95: f64 = 1.959_964;

/// A mean over observations that come in clusters (the matches over one deck).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Mean {
    clusters: f64,
    sum: f64,
    count: f64,
    sum_sum: f64,
    sum_count: f64,
    count_count: f64,
}

impl Mean {
    /// Adds a cluster of `count` observations that total `sum`.
    pub fn add(&mut self, sum: f64, count: f64) {
        if count > 0.0 {
            self.clusters += 1.0;
            self.sum += sum;
            self.count += count;
            self.sum_sum += sum * sum;
            self.sum_count += sum * count;
            self.count_count += count * count;
        }
    }

    /// The mean; 0 without observations.
    #[must_use]
    pub fn value(&self) -> f64 {
        if self.count > 0.0 {
            self.sum / self.count
        } else {
            0.0
        }
    }

    /// Its standard error, clusters being independent; `None` for fewer than two clusters.
    #[must_use]
    pub fn error(&self) -> Option<f64> {
        if self.clusters < 2.0 {
            return None;
        }
        let mean = self.value();
        let squares = self.sum_sum - 2.0 * mean * self.sum_count + mean * mean * self.count_count;
        let spread = squares.max(0.0) * self.clusters / (self.clusters - 1.0);
        Some(spread.sqrt() / self.count)
    }

    /// The 95 % interval of a mean of shares (0 to 1). Where the clusters show no spread (few
    /// matches, all won or all lost) it is Wilson's.
    #[must_use]
    pub fn share_interval(&self) -> (f64, f64) {
        match self.error() {
            Some(error) if error > 0.0 => {
                let (mean, margin) = (self.value(), Z95 * error);
                ((mean - margin).max(0.0), (mean + margin).min(1.0))
            }
            _ => wilson(self.value(), self.count),
        }
    }
}

/// Wilson's 95 % interval of a share seen in `count` trials.
fn wilson(share: f64, count: f64) -> (f64, f64) {
    if count == 0.0 {
        return (0.0, 1.0);
    }
    let z2 = Z95 * Z95;
    let centre = share + z2 / (2.0 * count);
    let margin = Z95 * (share * (1.0 - share) / count + z2 / (4.0 * count * count)).sqrt();
    let scale = 1.0 + z2 / count;
    (
        ((centre - margin) / scale).max(0.0),
        ((centre + margin) / scale).min(1.0),
    )
}

/// One match as the tally needs it.
#[derive(Clone, Debug, PartialEq)]
pub struct Counted {
    /// Entrants by absolute seat.
    pub table: Vec<usize>,
    /// How it ended.
    pub outcome: Outcome,
    /// Shares of the win, by seat, as the game gives them.
    pub shares: Seats<f64>,
    /// The results between each two seats that count.
    pub duels: Vec<Duel>,
    /// Whose fault ended it, or their own part in it.
    pub faults: Vec<(Seat, Cause)>,
    /// Acts that the rules refused, by seat.
    pub refused: Vec<u32>,
    /// Answers that came late or not at all, by seat.
    pub missed: Vec<u32>,
    /// Times of decisions, by seat, where they were measured.
    pub took: Vec<Histogram>,
}

/// One entrant's sums.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EntrantTally {
    /// Seats taken in matches.
    pub games: u64,
    /// Matches won alone.
    pub wins: u64,
    /// Matches won together with others.
    pub shared_wins: u64,
    /// Shares of wins.
    pub share: Mean,
    /// Scores.
    pub score: Mean,
    /// Acts that the rules refused.
    pub refused: u64,
    /// Answers that came late or not at all.
    pub missed: u64,
    /// Times of decisions.
    pub took: Histogram,
    /// Results against each other player of a match: 1 won, 0.5 drawn.
    pub pairs: Mean,
    /// Matches that ended for it, or for all, by its fault, by cause.
    pub faults: BTreeMap<&'static str, u64>,
}

/// All entrants' sums.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    /// Matches counted.
    pub games: u64,
    /// By entrant.
    pub entrants: Vec<EntrantTally>,
}

impl Tally {
    /// Nothing counted yet.
    #[must_use]
    pub fn new(entrants: usize) -> Self {
        Self {
            games: 0,
            entrants: vec![EntrantTally::default(); entrants],
        }
    }

    /// Adds the matches over one deck.
    pub fn add(&mut self, matches: &[Counted]) {
        let mut cluster = vec![(0.0, 0.0, 0.0); self.entrants.len()];
        let mut pairs = vec![(0.0, 0.0); self.entrants.len()];
        for played in matches {
            self.games += 1;
            let shares = &played.shares;
            let scores = played.outcome.scores.values();
            for duel in &played.duels {
                for (seat, share) in [(duel.first, duel.share), (duel.second, 1.0 - duel.share)] {
                    let entrant = played.table.get(seat.index());
                    if let Some(sums) = entrant.and_then(|entrant| pairs.get_mut(*entrant)) {
                        *sums = (sums.0 + share, sums.1 + 1.0);
                    }
                }
            }
            for (seat, entrant) in played.table.iter().enumerate() {
                let share = shares.values().get(seat).copied().unwrap_or_default();
                let score = scores.get(seat).copied().unwrap_or_default() as f64;
                if let (Some(sums), Some(tally)) =
                    (cluster.get_mut(*entrant), self.entrants.get_mut(*entrant))
                {
                    *sums = (sums.0 + share, sums.1 + score, sums.2 + 1.0);
                    tally.count(played, seat, share);
                }
            }
        }
        for (tally, (share, score, count)) in self.entrants.iter_mut().zip(cluster) {
            tally.share.add(share, count);
            tally.score.add(score, count);
        }
        for (tally, (share, count)) in self.entrants.iter_mut().zip(pairs) {
            tally.pairs.add(share, count);
        }
    }
}

impl EntrantTally {
    fn count(&mut self, played: &Counted, seat: usize, share: f64) {
        self.games += 1;
        self.wins += u64::from(share == 1.0);
        self.shared_wins += u64::from(share > 0.0 && share < 1.0);
        self.refused += u64::from(played.refused.get(seat).copied().unwrap_or_default());
        self.missed += u64::from(played.missed.get(seat).copied().unwrap_or_default());
        for (_, cause) in played.faults.iter().filter(|(at, _)| at.index() == seat) {
            *self.faults.entry(cause.word()).or_default() += 1;
        }
        if let Some(took) = played.took.get(seat) {
            self.took.merge(took);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Counted, Mean, Tally, wilson};
    use games::{Cause, Outcome};

    #[test]
    fn single_observations_give_the_usual_error() {
        let mut mean = Mean::default();
        for value in [1.0, 2.0, 3.0, 4.0] {
            mean.add(value, 1.0);
        }
        assert_eq!(mean.value(), 2.5);
        // Sample deviation 1.29099 over the root of 4.
        assert!((mean.error().unwrap() - 0.645_497).abs() < 1e-5);
    }

    #[test]
    fn clusters_count_as_one_observation_each() {
        let (mut single, mut clustered) = (Mean::default(), Mean::default());
        for value in [0.0, 1.0, 1.0, 0.0, 1.0] {
            single.add(value, 1.0);
            clustered.add(4.0 * value, 4.0);
        }
        assert_eq!(single.value(), clustered.value());
        assert!((single.error().unwrap() - clustered.error().unwrap()).abs() < 1e-12);
    }

    #[test]
    fn certainty_still_has_an_interval() {
        let (low, high) = wilson(1.0, 10.0);
        assert!(
            (low - 0.722_5).abs() < 1e-3 && high > 0.999_999,
            "{low} {high}"
        );
        let mut always = Mean::default();
        always.add(4.0, 4.0);
        assert!(always.share_interval().0 < 1.0);
    }

    #[test]
    fn entrants_are_counted_wherever_they_sit() {
        let played = |table: Vec<usize>, scores: [i64; 4]| {
            let outcome = Outcome {
                cause: Cause::Normal,
                scores: scores.into_iter().collect(),
            };
            Counted {
                table,
                shares: outcome.win_shares(),
                duels: outcome.duels(),
                faults: Vec::new(),
                outcome,
                refused: vec![0, 1, 0, 0],
                missed: vec![0; 4],
                took: Vec::new(),
            }
        };
        let mut tally = Tally::new(2);
        tally.add(&[
            played(vec![0, 1, 1, 1], [9, 1, 2, 3]),
            played(vec![1, 0, 1, 1], [5, 5, 0, 0]),
        ]);
        let first = &tally.entrants[0];
        assert_eq!(
            (first.games, first.wins, first.shared_wins, first.refused),
            (2, 1, 1, 1)
        );
        assert_eq!(first.share.value(), 0.75);
        assert_eq!(first.score.value(), 7.0);
        // Three pairs won, then one drawn and two won.
        assert_eq!(first.pairs.value(), 5.5 / 6.0);
        assert_eq!((tally.games, tally.entrants[1].games), (2, 6));
    }
}

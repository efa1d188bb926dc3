//! The totals of many matches: shares, means and their intervals.

use games::Histogram;
use games::stats::ClusteredMean;
use games::{Cause, Duel, Outcome, Part, Participation, Seat, Seats};
use std::collections::BTreeMap;

/// One match as the tally counts it.
#[derive(Clone, Debug, PartialEq)]
pub struct Counted {
    /// Entrants by absolute seat.
    pub table: Vec<usize>,
    /// How it ended.
    pub outcome: Outcome,
    /// Each seat's team; empty in games without teams.
    pub teams: Vec<u8>,
    /// Shares of the win, by seat, as the game assigns them: mates have their team's each.
    pub shares: Seats<f64>,
    /// The results between each pair of seats that count: none between mates.
    pub duels: Vec<Duel>,
    /// The players at fault for its end or for their own part in it.
    pub faults: Vec<(Seat, Cause)>,
    /// Acts that the rules rejected, by seat.
    pub refused: Vec<u32>,
    /// Answers that were late or missing, by seat.
    pub missed: Vec<u32>,
    /// Decision times, by seat, where measured.
    pub took: Vec<Histogram>,
    /// How each seat took part, by side: of a whole team, that of each of its players.
    pub participation: Vec<Vec<Participation>>,
}

/// One entrant's totals.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EntrantTally {
    /// Seats taken in matches.
    pub games: u64,
    /// Matches won outright.
    pub wins: u64,
    /// Matches won together with others.
    pub shared_wins: u64,
    /// Shares of wins.
    pub share: ClusteredMean,
    /// Scores; that of a match that it did not play itself is below all others.
    pub score: ClusteredMean,
    /// Acts that the rules rejected.
    pub refused: u64,
    /// Answers that were late or missing.
    pub missed: u64,
    /// Decision times.
    pub took: Histogram,
    /// Results against each other player of a match: 1 won, 0.5 drawn.
    pub pairs: ClusteredMean,
    /// Its own faults by cause, one a match for each of its players at most: whether or not it lost.
    pub faults: BTreeMap<&'static str, u64>,
    /// Matches with such faults.
    pub matches_with_faults: u64,
    /// Those of them that it lost: it has no share of the win.
    pub lost_with_faults: u64,
    /// Decisions of its programs, where something decides in their place.
    pub decisions: u64,
    /// Those of them that a fallback or the game's default answer took.
    pub fallback: u64,
    /// How its players took part where they did not play to the end: how many of them did so.
    pub participation: BTreeMap<&'static str, u64>,
}

/// All entrants' totals.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    /// Matches counted.
    pub games: u64,
    /// Those of them over decks that were not played to the end.
    pub cut_short: u64,
    /// By entrant.
    pub entrants: Vec<EntrantTally>,
}

impl Tally {
    /// An empty tally.
    #[must_use]
    pub fn new(entrants: usize) -> Self {
        Self {
            games: 0,
            cut_short: 0,
            entrants: vec![EntrantTally::default(); entrants],
        }
    }

    /// Adds the matches over one deck: one block of the intervals, however many they are.
    pub fn add<'a>(&mut self, matches: impl IntoIterator<Item = &'a Counted>) {
        let mut cluster = vec![(0.0, 0.0, 0.0); self.entrants.len()];
        let mut pairs = vec![(0.0, 0.0); self.entrants.len()];
        for played in matches {
            self.games += 1;
            let shares = &played.shares;
            let is_last = |side| played.faults.contains(&(side, Cause::NotPlayed));
            let outcome = played.outcome.placing_last(is_last);
            let scores = outcome.scores.values();
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
        let faults = || played.faults.iter().filter(|(at, _)| at.index() == seat);
        for (_, cause) in faults() {
            *self.faults.entry(cause.word()).or_default() += 1;
        }
        if faults().next().is_some() {
            self.matches_with_faults += 1;
            self.lost_with_faults += u64::from(share == 0.0);
        }
        for part in played.participation.get(seat).into_iter().flatten() {
            self.decisions += u64::from(part.decisions.unwrap_or_default());
            self.fallback += u64::from(part.fallback.unwrap_or_default());
            if part.how != Part::Played {
                *self.participation.entry(part.how.word()).or_default() += 1;
            }
        }
        if let Some(took) = played.took.get(seat) {
            self.took.merge(took);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Counted, EntrantTally, Tally};
    use games::{Cause, Outcome, Seat};
    use std::collections::BTreeMap;

    #[test]
    fn entrants_are_counted_wherever_they_sit() {
        let played = |table: Vec<usize>, scores: [i64; 4]| {
            let outcome = Outcome {
                cause: Cause::Normal,
                scores: scores.into_iter().collect(),
            };
            Counted {
                table,
                teams: Vec::new(),
                shares: outcome.win_shares(),
                duels: outcome.duels(),
                // Two of its players failed.
                faults: vec![(Seat(0), Cause::Crash), (Seat(0), Cause::TimeForfeit)],
                outcome,
                refused: vec![0, 1, 0, 0],
                missed: vec![0; 4],
                took: Vec::new(),
                participation: Vec::new(),
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
        // Both won, in spite of their faults.
        let [first, second] = [0, 1].map(|entrant| {
            let EntrantTally {
                faults,
                matches_with_faults,
                lost_with_faults,
                ..
            } = &tally.entrants[entrant];
            (faults.clone(), *matches_with_faults, *lost_with_faults)
        });
        let each = BTreeMap::from([("crash", 1), ("time_forfeit", 1)]);
        assert_eq!((&first, &second), (&(each.clone(), 1, 0), &(each, 1, 0)));
    }
}

//! How each two entrants did against each other.

use games::stats::ClusteredMean;
use ratings::Score;

/// One entrant's results against another.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Meeting {
    /// Pairs won.
    pub(super) won: u64,
    /// Pairs drawn.
    pub(super) drawn: u64,
    /// Pairs lost.
    pub(super) lost: u64,
    /// The share of pairs won, a draw half of one; blocks are clusters.
    pub(super) share: ClusteredMean,
}

impl Meeting {
    /// Adds one result.
    pub(super) const fn count(&mut self, score: Score) {
        match score {
            Score::Loss => self.lost += 1,
            Score::Draw => self.drawn += 1,
            Score::Win => self.won += 1,
        }
    }

    /// Adds what others counted.
    pub(super) fn merge(&mut self, block: &Self) {
        self.won += block.won;
        self.drawn += block.drawn;
        self.lost += block.lost;
        self.share.add(block.points(), block.pairs() as f64);
    }

    /// How many results there are.
    pub(super) const fn pairs(&self) -> u64 {
        self.won + self.drawn + self.lost
    }

    /// 1 for each pair won, 0.5 for each drawn.
    pub(super) fn points(&self) -> f64 {
        self.won as f64 + 0.5 * self.drawn as f64
    }
}

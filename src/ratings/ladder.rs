//! A ladder that moves as games end: approximate, but at once. The final table is the joint fit.

use crate::results::PairResult;
use skillratings::Outcomes;
use skillratings::weng_lin::{WengLinConfig, WengLinRating, weng_lin_rating_period};
use std::collections::BTreeMap;

/// Ratings by Weng and Lin's Bayesian approximation.
#[derive(Clone, Debug, Default)]
pub struct Ladder(BTreeMap<usize, WengLinRating>);

impl Ladder {
    /// Adds the results of one table. Everybody's rivals count as they were before it.
    pub fn add(&mut self, table: &[PairResult]) {
        let mut met: BTreeMap<usize, Vec<(WengLinRating, Outcomes)>> = BTreeMap::new();
        for result in table {
            let sides = [
                (result.first, result.second, result.score.share()),
                (result.second, result.first, result.score.turned().share()),
            ];
            for (own, other, share) in sides {
                let outcome = match share {
                    1.0 => Outcomes::WIN,
                    0.0 => Outcomes::LOSS,
                    _ => Outcomes::DRAW,
                };
                met.entry(own)
                    .or_default()
                    .push((self.rating(other), outcome));
            }
        }
        for (player, results) in met {
            let new = weng_lin_rating_period(&self.rating(player), &results, &WengLinConfig::new());
            self.0.insert(player, new);
        }
    }

    fn rating(&self, player: usize) -> WengLinRating {
        self.0.get(&player).copied().unwrap_or_default()
    }

    /// All players who have results, best first: number, rating (25 at the start) and its uncertainty (25/3).
    #[must_use]
    pub fn standing(&self) -> Vec<(usize, f64, f64)> {
        let players = self.0.iter();
        let mut standing: Vec<_> = players
            .map(|(player, rating)| (*player, rating.rating, rating.uncertainty))
            .collect();
        standing.sort_by(|one, other| other.1.total_cmp(&one.1));
        standing
    }
}

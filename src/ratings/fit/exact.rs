//! Intervals of ratings from their exact distributions, which are not symmetric: a player without losses may be
//! far better than it is rated, but hardly worse.

use super::Fit;
use crate::model::ODDS;

/// The distance of the points at which a distribution is computed, in Elo.
const STEP: f64 = 3.0;
/// Distributions end here, in Elo, as BayesElo's do; those of ratings further out than two thirds of it go on
/// for another third.
const EDGE: f64 = 1_500.0;
/// A likelihood so much lower than the highest, as a logarithm, counts as 0.
const NEGLIGIBLE: f64 = 30.0;

/// A player's results against one other, walked along with the player's rating.
#[derive(Clone, Copy)]
struct Opponent {
    won: f64,
    lost: f64,
    /// The odds against winning and against losing.
    against: [f64; 2],
}

impl Opponent {
    fn log_likelihood(&self) -> f64 {
        let [win, loss] = self.against.map(|odds| (1.0 + odds).ln());
        -self.won * win - self.lost * loss
    }
}

impl Fit {
    /// For each player the interval that holds the share `confidence` (0 to 1) of its rating's distribution, in
    /// Elo: as if all others' distances were known, they make room as one so that the mean stays, and every
    /// rating were equally likely beforehand but for the prior's draws.
    #[must_use]
    pub fn exact_intervals(&self, confidence: f64) -> Vec<(f64, f64)> {
        let odds = self.shared.odds();
        let mut opponents = vec![Vec::new(); self.elo.len()];
        for meeting in &self.model.meetings {
            let (first, second) = (meeting.first, meeting.second);
            let up = (ODDS * (self.elo[first] - self.elo[second])).exp();
            let (won, lost) = meeting.halves();
            let (win, loss) = (odds.win / up, odds.loss * up);
            let of = |won, lost, against| Opponent { won, lost, against };
            opponents[first].push(of(won, lost, [win, loss]));
            opponents[second].push(of(lost, won, [loss, win]));
        }
        let players = self.elo.iter().zip(opponents);
        players
            .map(|(elo, opponents)| self.exact(*elo, &opponents, confidence))
            .collect()
    }

    fn exact(&self, elo: f64, opponents: &[Opponent], confidence: f64) -> (f64, f64) {
        // A player that moves away from the mean moves away from the others by a little more.
        let others = self.elo.len() as f64 - 1.0;
        let factor = (ODDS * STEP * (1.0 + 1.0 / others)).exp();
        let edge = EDGE.max(elo.abs() + EDGE / 3.0);
        let highest: f64 = opponents.iter().map(Opponent::log_likelihood).sum();
        let walk = |factor: f64, way: f64| {
            let mut opponents = opponents.to_vec();
            let likelihood = move |_| -> f64 {
                let step = |opponent: &mut Opponent| {
                    opponent.against = [opponent.against[0] / factor, opponent.against[1] * factor];
                    opponent.log_likelihood()
                };
                opponents.iter_mut().map(step).sum::<f64>() - highest
            };
            let points = 0..(way / STEP) as usize;
            points.map(likelihood).take_while(|low| *low > -NEGLIGIBLE)
        };
        let below: Vec<f64> = walk(1.0 / factor, edge + elo).collect();
        let first = elo - below.len() as f64 * STEP;
        let above = walk(factor, edge - elo);
        let whole = below.iter().rev().copied().chain([0.0]).chain(above);
        let density: Vec<f64> = whole.map(f64::exp).collect();
        let tail = (1.0 - confidence) / 2.0;
        let bound = |share: f64| first + STEP * quantile(&density, share);
        (bound(tail), bound(1.0 - tail))
    }
}

/// Where, in steps from the first point, the area below a density reaches this share: trapezoids, and a line
/// within the one that it falls into.
fn quantile(density: &[f64], share: f64) -> f64 {
    let areas = density
        .windows(2)
        .map(|ends| f64::midpoint(ends[0], ends[1]));
    let mut left = share * areas.clone().sum::<f64>();
    for (point, area) in areas.enumerate() {
        if left <= area {
            return point as f64 + left / area;
        }
        left -= area;
    }
    density.len() as f64 - 1.0
}

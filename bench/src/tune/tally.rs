//! Sums of records, and how they are shown.

use crate::field::{Figure, Unit};
use crate::play::Record;
use games::stats::{ClusteredMean, Moments, quantile};
use std::fmt::Write as _;

/// What a member got out of some blocks.
#[derive(Clone, Default)]
pub(crate) struct Tally {
    games: usize,
    /// Of the means over each block.
    figures: Vec<Moments>,
    /// The same as shares, whose interval is never empty.
    shares: Vec<ClusteredMean>,
    times: Vec<f32>,
}

impl Tally {
    /// Adds a block.
    pub(crate) fn add<'a>(&mut self, games: impl Iterator<Item = &'a Record> + Clone) {
        let count = games.clone().count();
        let Some(first) = games.clone().next() else {
            return;
        };
        self.games += count;
        self.figures.resize(first.figures.len(), Moments::default());
        self.shares
            .resize(first.figures.len(), ClusteredMean::default());
        for (at, figure) in self.figures.iter_mut().enumerate() {
            let sum: f64 = games.clone().map(|game| game.figures[at]).sum();
            figure.add(sum / count as f64);
            self.shares[at].add(sum, count as f64);
        }
        for game in games {
            self.times.extend(&game.times);
        }
    }

    /// The mean of the first figure, in per cent; `None` without games.
    pub(crate) fn share(&self) -> Option<f64> {
        Some(100.0 * self.figures.first()?.mean())
    }

    /// One line.
    pub(crate) fn show(&mut self, figures: &[Figure]) -> String {
        let mut line = format!("{:5} games", self.games);
        let both = self.figures.iter().zip(&self.shares);
        for (figure, (moments, share)) in figures.iter().zip(both) {
            let interval = moments.mean95();
            let (mean, half) = (interval.mean, interval.high - interval.mean);
            let name = figure.name;
            let _ = match figure.unit {
                Unit::Share => {
                    let (low, high) = share.share_interval();
                    let [low, mean, high] = [low, mean, high].map(|share| 100.0 * share);
                    write!(line, "  {mean:5.1} % ({low:.1}–{high:.1}) {name}")
                }
                // One block tells nothing of how far others stray.
                Unit::Mean(digits) if moments.count < 2.0 => {
                    write!(line, "  {mean:8.digits$} {name}")
                }
                Unit::Mean(digits) => write!(line, "  {mean:8.digits$} ± {half:.digits$} {name}"),
                Unit::Total => write!(line, "  {:.0} {name}", mean * self.games as f64),
            };
        }
        if self.times.is_empty() {
            return line;
        }
        self.times.sort_unstable_by(f32::total_cmp);
        let at = |share| quantile(&self.times, share).unwrap_or_default();
        let sum: f64 = self.times.iter().copied().map(f64::from).sum();
        let mean = sum / self.times.len() as f64;
        let [half, slow, most] = [0.5, 0.99, 1.0].map(at);
        let _ = write!(
            line,
            "  µs a decision {mean:.1}, p50 {half:.1}, p99 {slow:.1}, most {most:.1}"
        );
        line
    }
}

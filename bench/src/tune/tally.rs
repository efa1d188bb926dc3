//! Sums of records, and how they are shown.

use crate::field::{Figure, Unit};
use crate::play::Record;
use games::stats::{ClusteredMean, quantile};
use std::fmt::Write as _;

/// What a member, or several, got out of some blocks.
#[derive(Clone, Default)]
pub(crate) struct Tally {
    matches: usize,
    blocks: usize,
    records: usize,
    /// By block, whose matches share their map and seed.
    figures: Vec<ClusteredMean>,
    times: Vec<f32>,
}

impl Tally {
    /// Adds a block of so many matches: all that was noted in it of those who are counted here.
    pub(crate) fn add<'a>(
        &mut self,
        matches: usize,
        records: impl Iterator<Item = &'a Record> + Clone,
    ) {
        let count = records.clone().count();
        let Some(first) = records.clone().next() else {
            return;
        };
        self.matches += matches;
        self.blocks += 1;
        self.records += count;
        self.figures
            .resize(first.figures.len(), ClusteredMean::default());
        for (at, figure) in self.figures.iter_mut().enumerate() {
            let sum = records.clone().map(|record| record.figures[at]).sum();
            figure.add(sum, count as f64);
        }
        for record in records {
            self.times.extend(&record.times);
        }
    }

    /// The mean of the first figure, in per cent; `None` without games.
    pub(crate) fn share(&self) -> Option<f64> {
        Some(100.0 * self.figures.first()?.value())
    }

    /// One line.
    pub(crate) fn show(&mut self, figures: &[Figure]) -> String {
        let mut line = format!("{:5} games", self.matches);
        for (Figure { name, unit }, figure) in figures.iter().zip(&self.figures) {
            let mean = figure.value();
            let _ = match unit {
                Unit::Share => {
                    let (low, high) = figure.share_interval();
                    let [low, mean, high] = [low, mean, high].map(|share| 100.0 * share);
                    write!(line, "  {mean:5.1} % ({low:.1}–{high:.1}) {name}")
                }
                Unit::Mean(digits) => match figure.margin95() {
                    Some(half) => write!(line, "  {mean:8.digits$} ± {half:.digits$} {name}"),
                    // One block tells nothing of how far others stray, nor do some that are alike.
                    None if self.blocks < 2 => write!(line, "  {mean:8.digits$} {name}"),
                    None => write!(line, "  {mean:8.digits$} (all blocks alike) {name}"),
                },
                Unit::Total => write!(line, "  {:.0} {name}", mean * self.records as f64),
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

#[cfg(test)]
mod tests {
    use super::Tally;
    use crate::field::{Figure, Unit};
    use crate::play::Record;

    const FIGURES: &[Figure] = &[
        Figure::new("won", Unit::Share),
        Figure::new("points", Unit::Mean(1)),
        Figure::new("refused", Unit::Total),
    ];

    fn record(won: f64, points: f64) -> Record {
        Record {
            figures: vec![won, points, 1.0],
            times: vec![2.0],
        }
    }

    /// Blocks of two matches, each with these records of one member.
    fn shown(blocks: &[[(f64, f64); 2]]) -> String {
        let mut tally = Tally::default();
        for block in blocks {
            let records = block.map(|(won, points)| record(won, points));
            tally.add(2, records.iter());
        }
        let line = tally.show(FIGURES);
        line.split("  µs").next().unwrap().trim().to_owned()
    }

    #[test]
    fn intervals_are_student_s_with_a_cluster_a_block() {
        // Means of blocks 10, 14 and 12: the deviation 2 over the root of 3, times 4.303.
        let blocks = [
            [(0.0, 8.0), (1.0, 12.0)],
            [(1.0, 13.0), (1.0, 15.0)],
            [(0.5, 12.0), (0.5, 12.0)],
        ];
        assert_eq!(
            shown(&blocks),
            "6 games   66.7 % (0.0–100.0) won      12.0 ± 5.0 points  6 refused"
        );
    }

    #[test]
    fn where_blocks_show_no_spread_there_is_no_interval_of_it() {
        let block = [(0.0, 8.0), (1.0, 12.0)];
        let alike = shown(&[block; 3]);
        assert!(alike.contains("10.0 (all blocks alike) points"), "{alike}");
        // Wilson's of three trials.
        assert!(alike.contains("50.0 % (12.5–87.5) won"), "{alike}");
        let single = shown(&[block]);
        assert!(single.contains("    10.0 points"), "{single}");
    }

    #[test]
    fn members_of_one_block_are_one_cluster_and_no_matches() {
        let (one, other) = (record(1.0, 10.0), record(0.0, 20.0));
        let mut rivals = Tally::default();
        rivals.add(1, [&one, &other].into_iter());
        rivals.add(1, [&one, &one].into_iter());
        assert_eq!(rivals.share(), Some(75.0));
        let line = rivals.show(FIGURES);
        assert!(line.starts_with("    2 games"), "{line}");
        // Means of blocks 15 and 10: 2.5 times 12.706.
        assert!(line.contains("12.5 ± 31.8 points  4 refused"), "{line}");
        assert!(line.contains("µs a decision 2.0, p50 2.0"), "{line}");
        // Who took no part is not counted.
        rivals.add(3, std::iter::empty());
        assert!(rivals.show(FIGURES).starts_with("    2 games"));
        assert_eq!(Tally::default().share(), None);
    }
}

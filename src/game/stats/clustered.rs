//! A mean over observations that are not independent of each other.

use super::interval::wilson95;
use super::moments::Moments;
use super::student::t95;

/// Sums of squares that differ by this share are equal but for rounding.
const ROUNDING: f64 = 1e-13;

/// A mean over observations that come in clusters (the matches over one deck).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ClusteredMean {
    clusters: f64,
    sum: f64,
    count: f64,
    sum_sum: f64,
    sum_count: f64,
    count_count: f64,
}

impl From<Moments> for ClusteredMean {
    /// Each observation is a cluster of its own.
    fn from(moments: Moments) -> Self {
        let Moments {
            count,
            sum,
            squares,
        } = moments;
        Self {
            clusters: count,
            sum,
            count,
            sum_sum: squares,
            sum_count: sum,
            count_count: count,
        }
    }
}

impl ClusteredMean {
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
        let rounded = squares.abs() <= ROUNDING * self.sum_sum;
        let squares = if rounded { 0.0 } else { squares.max(0.0) };
        let spread = squares * self.clusters / (self.clusters - 1.0);
        Some(spread.sqrt() / self.count)
    }

    /// Half the width of the mean's 95 % interval, by Student's distribution: few clusters show little of their own spread.
    /// `None` where they show nothing of it: there are fewer than two, or all are alike.
    #[must_use]
    pub fn margin95(&self) -> Option<f64> {
        let error = self.error().filter(|error| *error > 0.0)?;
        Some(t95(self.clusters - 1.0) * error)
    }

    /// The 95 % interval of a mean of shares (0 to 1): [`margin95`](Self::margin95) to both sides. Where there is none
    /// (all won, all lost, or a single cluster) it is Wilson's, of as many trials as there are clusters.
    #[must_use]
    pub fn share_interval(&self) -> (f64, f64) {
        let mean = self.value();
        let (low, high) = match self.margin95() {
            Some(margin) => (mean - margin, mean + margin),
            None => wilson95(mean, self.clusters),
        };
        (at_end(low), at_end(high))
    }
}

/// A share: what is beyond an end, or as good as there, is the end. Sums of shares are no better than that.
fn at_end(share: f64) -> f64 {
    /// How near to it.
    const NEAR: f64 = 1e-9;
    match share {
        share if share < NEAR => 0.0,
        share if share > 1.0 - NEAR => 1.0,
        share => share,
    }
}

#[cfg(test)]
mod tests {
    use super::super::Z95;
    use super::{ClusteredMean, Moments, wilson95};
    use crate::rng::Rng;

    #[test]
    fn who_won_all_has_an_interval_that_ends_at_one() {
        for clusters in 1..500 {
            let (mut won, mut lost) = (ClusteredMean::default(), ClusteredMean::default());
            for _ in 0..clusters {
                won.add(0.1 + 0.2 + 0.7, 1.0);
                lost.add(0.0, 1.0);
            }
            assert_eq!(won.share_interval().1, 1.0, "{clusters}");
            assert_eq!(lost.share_interval().0, 0.0, "{clusters}");
            assert!(won.share_interval().0 > 0.0 && lost.share_interval().1 < 1.0);
        }
    }

    #[test]
    fn single_observations_give_the_usual_error() {
        let mut mean = ClusteredMean::default();
        for value in [1.0, 2.0, 3.0, 4.0] {
            mean.add(value, 1.0);
        }
        assert_eq!(mean.value(), 2.5);
        // Sample deviation 1.29099 over the root of 4.
        assert!((mean.error().unwrap() - 0.645_497).abs() < 1e-5);
    }

    #[test]
    fn moments_are_clusters_of_one() {
        let (mut mean, mut moments) = (ClusteredMean::default(), Moments::default());
        for value in [1.0, 0.0, 0.25] {
            mean.add(value, 1.0);
            moments.add(value);
        }
        assert_eq!(ClusteredMean::from(moments), mean);
    }

    #[test]
    fn clusters_count_as_one_observation_each() {
        let (mut single, mut clustered) = (ClusteredMean::default(), ClusteredMean::default());
        for value in [0.0, 1.0, 1.0, 0.0, 1.0] {
            single.add(value, 1.0);
            clustered.add(4.0 * value, 4.0);
        }
        assert_eq!(single.value(), clustered.value());
        assert!((single.error().unwrap() - clustered.error().unwrap()).abs() < 1e-12);
    }

    #[test]
    fn certainty_still_has_an_interval() {
        let (low, high) = wilson95(1.0, 10.0);
        assert!(
            (low - 0.722_5).abs() < 1e-3 && high > 0.999_999,
            "{low} {high}"
        );
        let mut always = ClusteredMean::default();
        for (clusters, least) in [(1, 0.2), (10, 0.72)] {
            (0..clusters).for_each(|_| always.add(4.0, 4.0));
            let (low, high) = always.share_interval();
            assert!((least..0.75).contains(&low) && high == 1.0, "{low} {high}");
        }
        assert_eq!(ClusteredMean::default().share_interval(), (0.0, 1.0));
    }

    #[test]
    fn rounding_is_no_spread() {
        for (sum, count) in [(4.0, 10.0), (6.0, 10.0), (1.0 / 3.0, 3.0), (12_345.6, 4.0)] {
            let mut alike = ClusteredMean::default();
            (0..7).for_each(|_| alike.add(sum, count));
            assert_eq!(alike.error(), Some(0.0), "{sum} of {count}");
        }
        let mut alike = ClusteredMean::default();
        (0..3).for_each(|_| alike.add(4.0, 10.0));
        assert_eq!(alike.share_interval(), wilson95(0.4, 3.0));
        assert_eq!(alike.margin95(), None);
    }

    #[test]
    fn few_clusters_have_intervals_that_hold() {
        let (mut rng, mut held, mut held_by_normal) = (Rng::new(1, 0), 0, 0);
        for _ in 0..4_000 {
            let mut mean = ClusteredMean::default();
            for _ in 0..4 {
                let luck = rng.between(-0.2, 0.2);
                let shares = (0..4).map(|_| f64::from(u8::from(rng.chance(0.6 + luck))));
                mean.add(shares.sum(), 4.0);
            }
            let (low, high) = mean.share_interval();
            held += u32::from((low..=high).contains(&0.6));
            let normal = Z95 * mean.error().unwrap();
            held_by_normal += u32::from((mean.value() - 0.6).abs() <= normal);
        }
        // 95 % of 4,000 are 3,800.
        assert!((3_720..=3_900).contains(&held), "{held}");
        assert!(held_by_normal < 3_600, "{held_by_normal}");
    }
}

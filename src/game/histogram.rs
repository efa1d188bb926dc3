//! Many durations in little memory: a histogram with logarithmic buckets, 3 % apart.

use std::time::Duration;

/// Buckets per doubling.
const STEPS: u64 = 32;
const STEP_BITS: u32 = STEPS.trailing_zeros();

/// A histogram of durations. Only buckets that are not empty take memory: a tournament keeps one for each seat of
/// all its matches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Histogram {
    /// Rising buckets with their counts, none of them 0.
    buckets: Vec<(u32, u64)>,
}

impl Histogram {
    /// Of these durations.
    #[must_use]
    pub fn from_times(times: &[Duration]) -> Self {
        let mut histogram = Self::default();
        times.iter().for_each(|time| histogram.add(*time));
        histogram
    }

    /// Adds one duration.
    pub fn add(&mut self, time: Duration) {
        let nanoseconds = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        self.count_in(bucket(nanoseconds), 1);
    }

    /// Adds all of another histogram's durations.
    pub fn merge(&mut self, other: &Self) {
        for (bucket, count) in &other.buckets {
            self.count_in(*bucket, *count);
        }
    }

    fn count_in(&mut self, bucket: u32, count: u64) {
        match self.buckets.binary_search_by_key(&bucket, |(at, _)| *at) {
            Ok(at) => {
                if let Some((_, here)) = self.buckets.get_mut(at) {
                    *here += count;
                }
            }
            Err(at) => self.buckets.insert(at, (bucket, count)),
        }
    }

    /// Its buckets that are not empty, with their counts.
    #[must_use]
    pub fn pairs(&self) -> &[(u32, u64)] {
        &self.buckets
    }

    /// The histogram with these buckets; ones that no histogram has are ignored.
    #[must_use]
    pub fn of_pairs(pairs: &[(u32, u64)]) -> Self {
        let mut histogram = Self::default();
        let last = bucket(u64::MAX);
        for (at, count) in pairs.iter().filter(|(at, count)| *at <= last && *count > 0) {
            histogram.count_in(*at, *count);
        }
        histogram
    }

    /// All durations together, each as the longest of its bucket.
    #[must_use]
    pub fn sum(&self) -> Duration {
        let buckets = self.buckets.iter();
        let nanoseconds = buckets.map(|(bucket, count)| upper(*bucket).saturating_mul(*count));
        Duration::from_nanos(nanoseconds.fold(0, u64::saturating_add))
    }

    /// The number of durations.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.buckets.iter().map(|(_, count)| count).sum()
    }

    /// The duration within which a `share` (0 to 1) of all lie; `None` if empty.
    #[must_use]
    pub fn quantile(&self, share: f64) -> Option<Duration> {
        let all = self.count();
        let wanted = ((all as f64 * share).ceil() as u64).clamp(1, all.max(1));
        let mut seen = 0;
        let reached = self.buckets.iter().find(|(_, count)| {
            seen += count;
            seen >= wanted
        });
        reached.map(|(bucket, _)| Duration::from_nanos(upper(*bucket)))
    }
}

fn bucket(value: u64) -> u32 {
    if value < STEPS {
        return value as u32;
    }
    let doubling = value.ilog2() - STEP_BITS;
    let step = (value >> doubling) - STEPS;
    (u64::from(doubling + 1) * STEPS + step) as u32
}

/// The largest value of a bucket.
fn upper(bucket: u32) -> u64 {
    let (doubling, step) = (u64::from(bucket) / STEPS, u64::from(bucket) % STEPS);
    match doubling {
        0 => step,
        doubling => (((u128::from(STEPS + step) + 1) << (doubling - 1)) - 1) as u64,
    }
}

#[cfg(test)]
mod tests {
    use super::{Duration, Histogram, bucket, upper};

    #[test]
    fn buckets_hold_what_they_say() {
        for value in [
            0,
            1,
            31,
            32,
            33,
            63,
            64,
            1_000,
            123_456_789,
            u64::MAX / 2,
            u64::MAX,
        ] {
            let place = bucket(value);
            assert!(upper(place) >= value, "{value}");
            assert!(place == 0 || upper(place - 1) < value, "{value}");
            assert!(upper(place) - value <= value / 31, "{value}");
        }
    }

    #[test]
    fn what_was_written_is_read_again() {
        let times = [0, 3, 3, 999, u64::MAX].map(Duration::from_nanos);
        let histogram = Histogram::from_times(&times);
        let pairs = histogram.pairs();
        assert_eq!(pairs.iter().map(|(_, count)| count).sum::<u64>(), 5);
        assert_eq!(Histogram::of_pairs(pairs), histogram);
        assert_eq!(Histogram::of_pairs(&[(u32::MAX, 1)]), Histogram::default());
    }

    #[test]
    fn quantiles_of_both_halves() {
        let mut times = Histogram::default();
        assert_eq!(times.quantile(0.5), None);
        let mut more = Histogram::default();
        for millisecond in 1..=50 {
            times.add(Duration::from_millis(millisecond));
            more.add(Duration::from_millis(50 + millisecond));
        }
        times.merge(&more);
        let near = |share: f64, wanted: f64| {
            let found = times.quantile(share).unwrap().as_secs_f64() * 1_000.0;
            assert!((found / wanted - 1.0).abs() < 0.04, "{found} {wanted}");
        };
        near(0.5, 50.0);
        near(0.99, 99.0);
        near(1.0, 100.0);
    }
}

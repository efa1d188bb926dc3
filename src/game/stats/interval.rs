//! Intervals of rates, shares and counts.

use super::beta::quantile;

/// Two-sided 90 % of a normal distribution.
pub(super) const Z90: f64 = 1.645;
/// Two-sided 95 % of a normal distribution.
pub const Z95: f64 = 1.959_964;

/// A figure with the interval in which it lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The figure itself.
    pub mean: f64,
    /// The upper end.
    pub high: f64,
}

/// A rate of which `yes` cases and `no` cases were seen, from a uniform prior: its mean and the middle
/// `level` (0 to 1) of what it may be.
#[must_use]
pub fn rate(yes: f64, no: f64, level: f64) -> Interval {
    let (a, b) = (yes.max(0.0) + 1.0, no.max(0.0) + 1.0);
    let tail = (1.0 - level) / 2.0;
    Interval {
        low: quantile(tail, a, b),
        mean: a / (a + b),
        high: quantile(1.0 - tail, a, b),
    }
}

/// Single events over time, `count` of them in `of` spans: how many a span, with the 90 % interval. The
/// spread of such a number is its root.
#[must_use]
pub fn events90(count: u64, of: u64) -> Interval {
    let of = of.max(1) as f64;
    let (mean, margin) = (count as f64 / of, Z90 * (count as f64).sqrt() / of);
    Interval {
        low: (mean - margin).max(0.0),
        mean,
        high: mean + margin,
    }
}

/// Wilson's 95 % interval of a share seen in `count` trials.
pub(super) fn wilson95(share: f64, count: f64) -> (f64, f64) {
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

#[cfg(test)]
mod tests {
    use super::{events90, rate};

    #[test]
    fn a_rate_is_between_its_ends_and_narrows() {
        let few = rate(3.0, 7.0, 0.9);
        assert!(few.low < few.mean && few.mean < few.high && few.low > 0.0 && few.high < 1.0);
        let many = rate(300.0, 700.0, 0.9);
        assert!(many.high - many.low < (few.high - few.low) / 5.0);
        assert!((many.low..many.high).contains(&0.3));
    }

    #[test]
    fn events_have_no_negative_rate() {
        let one = events90(1, 4);
        assert_eq!((one.low, one.mean), (0.0, 0.25));
        assert!((one.high - 0.661_25).abs() < 1e-9);
        assert_eq!(events90(0, 0).mean, 0.0);
    }
}

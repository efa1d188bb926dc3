//! Mean and spread of independent values.

use super::interval::{Interval, Z90};
use serde::{Deserialize, Serialize};

/// Count, sum and sum of squares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Moments {
    /// How many values.
    pub count: f64,
    /// Their sum.
    pub sum: f64,
    /// The sum of their squares.
    pub squares: f64,
}

impl Moments {
    /// Adds one value.
    pub fn add(&mut self, value: f64) {
        self.count += 1.0;
        self.sum += value;
        self.squares += value * value;
    }

    /// Adds all of another's values.
    pub fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.sum += other.sum;
        self.squares += other.squares;
    }

    /// The mean; 0 without values.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.sum / self.count.max(1.0)
    }

    /// The standard error of the mean; 0 for fewer than two values.
    #[must_use]
    pub fn error(&self) -> f64 {
        let variance = self.squares / self.count.max(1.0) - self.mean() * self.mean();
        (variance.max(0.0) / (self.count - 1.0).max(1.0)).sqrt()
    }

    /// The mean with its 90 % interval.
    #[must_use]
    pub fn mean90(&self) -> Interval {
        self.around(Z90)
    }

    fn around(&self, z: f64) -> Interval {
        let (mean, half) = (self.mean(), z * self.error());
        Interval {
            low: mean - half,
            mean,
            high: mean + half,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Moments;

    #[test]
    fn mean_and_error() {
        let mut moments = Moments::default();
        assert_eq!((moments.mean(), moments.error()), (0.0, 0.0));
        moments.add(1.0);
        assert_eq!((moments.mean(), moments.error()), (1.0, 0.0));
        let mut others = Moments::default();
        for value in [2.0, 3.0, 4.0] {
            others.add(value);
        }
        moments.merge(&others);
        // Sample deviation 1.29099 over the root of 4.
        assert!((moments.error() - 0.645_497).abs() < 1e-5);
        let interval = moments.mean90();
        assert_eq!(interval.mean, 2.5);
        assert!((interval.high - interval.low - 2.0 * 1.645 * 0.645_497).abs() < 1e-5);
    }
}

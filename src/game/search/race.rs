//! Choosing among candidates by paired samples: every candidate still in the race is tried on the same
//! scenarios as the base candidate, half of them are dropped at doubling checkpoints, and the base is
//! left only for one whose mean gain over it is beyond doubt.

use crate::stats::Moments;

/// Whether the race goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// More scenarios can change the choice.
    Open,
    /// The choice is settled.
    Settled,
}

/// A race among candidates 0 (the base) to `count`.
#[derive(Clone, Debug)]
pub struct Race {
    /// Values of the base candidate.
    base: Moments,
    /// By candidate: its differences to the base candidate.
    gains: Vec<Moments>,
    /// Candidates still in the race, the base first.
    alive: Vec<usize>,
    scenarios: u64,
    checkpoint: u64,
    most: u64,
    doubt: f64,
}

/// A gain that no choice is worth thinking longer for.
const NEGLIGIBLE: f64 = 0.003;
/// Fewer samples prove nothing.
const SAMPLES_MIN: f64 = 4.0;
/// Standard errors beyond which a settled race stops early.
const CERTAIN: f64 = 3.5;

impl Race {
    /// A race among `count` candidates with its first checkpoint after `first` scenarios, at most
    /// `most` scenarios, and a base that is left only for a gain over `doubt` standard errors.
    #[must_use]
    pub fn new(count: usize, first: u64, most: u64, doubt: f64) -> Self {
        Self {
            base: Moments::default(),
            gains: vec![Moments::default(); count],
            alive: (0..count).collect(),
            scenarios: 0,
            checkpoint: first.max(2),
            most,
            doubt,
        }
    }

    /// The candidates to try on the next scenario, the base first.
    #[must_use]
    pub fn alive(&self) -> &[usize] {
        &self.alive
    }

    /// How many scenarios were tried.
    #[must_use]
    pub fn scenarios(&self) -> u64 {
        self.scenarios
    }

    /// Takes the values of one scenario, in the order of [`Race::alive`].
    pub fn add(&mut self, values: &[f64]) -> Verdict {
        let Some(base) = values.first().copied() else {
            return Verdict::Settled;
        };
        self.base.add(base);
        for (candidate, value) in self.alive.iter().zip(values) {
            if let Some(gain) = self.gains.get_mut(*candidate) {
                gain.add(value - base);
            }
        }
        self.scenarios += 1;
        if self.scenarios < self.checkpoint {
            return Verdict::Open;
        }
        self.checkpoint *= 2;
        self.prune()
    }

    /// The values of the base candidate.
    #[must_use]
    pub fn base(&self) -> Moments {
        self.base
    }

    /// The gains of a candidate over the base in the scenarios in which it was tried.
    #[must_use]
    pub fn gain(&self, candidate: usize) -> Moments {
        self.gains.get(candidate).copied().unwrap_or_default()
    }

    /// Drops the worse half; the base always stays.
    fn prune(&mut self) -> Verdict {
        let mut rest: Vec<usize> = self.alive.iter().copied().skip(1).collect();
        rest.retain(|candidate| {
            let gain = self.gain(*candidate);
            gain.error() > 0.0 || gain.mean() > 0.0
        });
        rest.sort_by(|a, b| self.gain(*b).mean().total_cmp(&self.gain(*a).mean()));
        let keep = rest.len().div_ceil(2);
        let best = rest
            .first()
            .map_or(Moments::default(), |best| self.gain(*best));
        let hopeless = rest.is_empty() || best.mean() + 2.0 * best.error() < NEGLIGIBLE;
        rest.truncate(keep);
        let lone = rest.len() == 1;
        self.alive.truncate(1);
        self.alive.extend(rest);
        let certain = lone && best.mean().abs() > CERTAIN * best.error();
        let equal = lone && best.error() < NEGLIGIBLE;
        if hopeless || certain || equal || self.scenarios >= self.most {
            Verdict::Settled
        } else {
            Verdict::Open
        }
    }

    /// The choice so far: the base, or the candidate with the best mean gain if that is beyond doubt.
    #[must_use]
    pub fn choice(&self) -> usize {
        let best = self
            .alive
            .iter()
            .copied()
            .skip(1)
            .max_by(|a, b| self.gain(*a).mean().total_cmp(&self.gain(*b).mean()));
        let proven = |gain: Moments| {
            gain.count >= SAMPLES_MIN
                && gain.mean() > 0.0
                && gain.mean() > self.doubt * gain.error()
        };
        best.filter(|best| proven(self.gain(*best))).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::{Race, Verdict};
    use crate::rng::Rng;

    fn run(means: &[f64], seed: u64) -> (usize, u64) {
        let mut race = Race::new(means.len(), 8, 4096, 1.5);
        let mut rng = Rng::new(seed, 0);
        loop {
            let luck = rng.unit();
            let values: Vec<f64> = race
                .alive()
                .iter()
                .map(|arm| means[*arm] + luck + 0.3 * rng.unit())
                .collect();
            if race.add(&values) == Verdict::Settled {
                return (race.choice(), race.scenarios());
            }
        }
    }

    #[test]
    fn finds_the_better_candidate_and_keeps_an_equal_base() {
        let found = (0..50)
            .filter(|seed| run(&[0.5, 0.4, 0.6, 0.45, 0.5], *seed).0 == 2)
            .count();
        assert!(found >= 48, "{found} of 50");
        let kept = (0..50)
            .filter(|seed| run(&[0.5, 0.3, 0.35], *seed).0 == 0)
            .count();
        assert_eq!(kept, 50);
    }

    #[test]
    fn stops_at_once_when_nothing_differs() {
        let mut race = Race::new(3, 8, 4096, 1.5);
        let mut scenarios = 0;
        while race.add(&vec![0.5; race.alive().len()]) == Verdict::Open {
            scenarios += 1;
        }
        assert!(scenarios < 8);
        assert_eq!(race.choice(), 0);
    }
}

//! What a bot gives as its reasons, in the terms of its game: its acts are not written yet. The player's side makes
//! an explanation of it ([`crate::explain`]).

use serde::Serialize;
use utoipa::ToSchema;

/// Something that is not certain, or that it reckons with.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Belief {
    /// Whom it is about: the rival's place as the wire names it, `own` or `all`.
    pub about: String,
    /// What they are called, once that is known.
    pub who: String,
    /// What is believed, such as `cash (believed)`, `holds A♠` or `type tuned`.
    pub what: String,
    /// How much: an amount in `unit`, or a probability.
    pub value: f64,
    /// The least that it may be, where a range is known; for amounts drawn from samples the 5 % quantile.
    pub low: Option<f64>,
    /// The most that it may be; for amounts drawn from samples the 95 % quantile.
    pub high: Option<f64>,
    /// The unit of all three.
    pub unit: String,
}

/// The unit of a probability.
pub const PROBABILITY: &str = "probability";

impl Belief {
    /// An amount without a range.
    #[must_use]
    pub fn amount(about: impl ToString, what: impl Into<String>, value: f64, unit: &str) -> Self {
        Self {
            about: about.to_string(),
            who: String::new(),
            what: what.into(),
            value,
            low: None,
            high: None,
            unit: unit.to_owned(),
        }
    }

    /// How likely something is, from 0 to 1.
    #[must_use]
    pub fn likely(about: impl ToString, what: impl Into<String>, value: f64) -> Self {
        Self::amount(about, what, value, PROBABILITY)
    }

    /// An amount as samples have it: the middle one, and the range of nine in ten. `None` without samples.
    #[must_use]
    pub fn sampled(
        about: impl ToString,
        what: impl Into<String>,
        mut samples: Vec<f64>,
        unit: &str,
    ) -> Option<Self> {
        samples.sort_by(f64::total_cmp);
        let last = samples.len().checked_sub(1)?;
        let at = |share: f64| samples.get((share * last as f64).round() as usize).copied();
        let (low, middle, high) = (at(0.05)?, at(0.5)?, at(0.95)?);
        Some(Self::amount(about, what, middle, unit).within(low, high))
    }

    /// The same within a range.
    #[must_use]
    pub fn within(mut self, low: f64, high: f64) -> Self {
        (self.low, self.high) = (Some(low), Some(high));
        self
    }

    /// Whether all its numbers are.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        let all = [Some(self.value), self.low, self.high];
        all.into_iter().flatten().all(f64::is_finite)
    }
}

/// A bot's reasons, its acts not written yet.
#[derive(Clone, Debug)]
pub struct Reasons<A> {
    /// The decision.
    pub act: A,
    /// As in [`crate::Explanation::nodes`].
    pub nodes: u64,
    /// What was compared, in any order.
    pub options: Vec<Weighed<A>>,
    /// As in [`crate::Explanation::beliefs`].
    pub beliefs: Vec<Belief>,
    /// The reason in one sentence, where it is not the comparison.
    pub rule: Option<String>,
}

/// An act that was compared with others.
#[derive(Clone, Debug)]
pub struct Weighed<A> {
    /// The act.
    pub act: A,
    /// As in [`crate::Candidate::plan`].
    pub plan: String,
    /// As in [`crate::Candidate::value`].
    pub value: Option<f64>,
    /// As in [`crate::Candidate::error`].
    pub error: Option<f64>,
    /// As in [`crate::Candidate::visits`].
    pub visits: Option<u64>,
    /// Whether it is the one that is followed.
    pub chosen: bool,
}

impl<A> Weighed<A> {
    /// An act of this value, tried so often.
    pub fn new(act: A, value: Option<f64>, visits: Option<u64>) -> Self {
        Self {
            act,
            plan: String::new(),
            value,
            error: None,
            visits,
            chosen: false,
        }
    }
}

impl<A> Reasons<A> {
    /// A decision that nothing was compared for.
    pub fn from_act(act: A) -> Self {
        Self {
            act,
            nodes: 0,
            options: Vec::new(),
            beliefs: Vec::new(),
            rule: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Belief;

    #[test]
    fn samples_give_the_middle_and_a_range() {
        let samples = |count: u32| (0..count).map(f64::from).collect();
        let belief = Belief::sampled("W", "cash", samples(101), "points").unwrap();
        assert_eq!(
            (belief.low, belief.value, belief.high),
            (Some(5.0), 50.0, Some(95.0))
        );
        assert_eq!(Belief::sampled("W", "cash", samples(0), "points"), None);
    }
}

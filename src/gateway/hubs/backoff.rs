//! How long to wait before the next attempt after a failed connection.

use games::rng::Rng;
use std::time::Duration;

/// The longest first wait.
const FIRST: Duration = Duration::from_secs(1);
/// The longest wait.
const MOST: Duration = Duration::from_secs(60);
/// The longest wait after a game that began.
const AFTER_GAME: Duration = Duration::from_millis(500);

/// Waits that double up to a bound, each drawn between half of it and all of it, so that many connections do
/// not return at once.
#[derive(Clone, Debug)]
pub(super) struct Backoff {
    failures: u32,
    rng: Rng,
}

impl Backoff {
    pub(super) fn new(seed: u64, stream: u64) -> Self {
        Self {
            failures: 0,
            rng: Rng::new(seed, stream),
        }
    }

    /// A game began: failures before it no longer count.
    pub(super) fn began(&mut self) {
        self.failures = 0;
    }

    /// Failures since the last game began.
    pub(super) fn failures(&self) -> u32 {
        self.failures
    }

    /// The wait before the next attempt after a failure.
    pub(super) fn after_failure(&mut self) -> Duration {
        let doubled = FIRST.saturating_mul(1 << self.failures.min(16));
        self.failures = self.failures.saturating_add(1);
        self.drawn(doubled.min(MOST))
    }

    /// The wait before the next game after one that began.
    pub(super) fn after_game(&mut self) -> Duration {
        self.drawn(AFTER_GAME)
    }

    fn drawn(&mut self, most: Duration) -> Duration {
        most.mul_f64(self.rng.between(0.5, 1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::{AFTER_GAME, Backoff, FIRST, MOST};

    #[test]
    fn waits_double_up_to_a_bound_and_begin_again_after_a_game() {
        let mut backoff = Backoff::new(1, 1);
        let mut bound = FIRST;
        for _ in 0..40 {
            let wait = backoff.after_failure();
            assert!(bound / 2 <= wait && wait <= bound, "{wait:?} of {bound:?}");
            bound = (bound * 2).min(MOST);
        }
        assert_eq!(backoff.failures(), 40);
        backoff.began();
        assert!(backoff.after_game() <= AFTER_GAME);
        assert!(backoff.after_failure() <= FIRST);
    }

    #[test]
    fn connections_do_not_come_back_at_once() {
        let waits: std::collections::BTreeSet<_> = (0..24)
            .map(|stream| Backoff::new(7, stream).after_failure())
            .collect();
        assert_eq!(waits.len(), 24);
    }
}

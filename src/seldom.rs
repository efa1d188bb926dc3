//! Log lines that could come in floods: one of each kind in a while. The metrics count them all.

use governor::clock::DefaultClock;
use governor::state::keyed::HashMapStateStore;
use governor::{Quota, RateLimiter};
use std::sync::LazyLock;
use std::time::Duration;

/// Between two lines of one kind.
const EVERY: Duration = Duration::from_secs(10);

/// What happened, and why.
type Kind = (&'static str, &'static str);
type Limiter = RateLimiter<Kind, HashMapStateStore<Kind>, DefaultClock>;

static TOLD: LazyLock<Limiter> = LazyLock::new(|| {
    let quota = Quota::with_period(EVERY).expect("the period is not zero");
    RateLimiter::hashmap(quota)
});

/// Whether a line about this is due. Its kinds are words of this program, so that they are few.
#[must_use]
pub fn is_due(what: &'static str, why: &'static str) -> bool {
    TOLD.check_key(&(what, why)).is_ok()
}

/// Logs that somebody was refused.
pub fn refused(by: &'static str, why: &'static str) {
    if is_due(by, why) {
        tracing::info!(
            by,
            why,
            "refused (logged once in 10 s; the metrics count all)"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::is_due;

    #[test]
    fn one_line_of_a_kind() {
        let due = |why| (0..50).filter(|_| is_due("a test", why)).count();
        assert_eq!((due("one"), due("two")), (1, 1));
    }
}

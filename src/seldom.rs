//! How often something may happen: the begin of a session, a guess of a token, a log line of a kind that could come in
//! floods.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// Between two log lines of one kind.
const EVERY: Duration = Duration::from_secs(10);
/// Keys that are remembered at once; beyond them no rate holds.
const KEYS_MAX: usize = 16_384;

/// How fast something may happen, by key: some at once, and one more each time that a while has passed.
#[derive(Debug)]
pub struct Rates<K> {
    /// How far ahead of now a key may be that may do one more.
    most: Duration,
    one_more: Duration,
    /// When a key that nothing more happens to will have used up nothing.
    even: Mutex<HashMap<K, Instant>>,
}

impl<K: Eq + Hash> Rates<K> {
    /// This many at once, at least one, and one more each time that `one_more` has passed.
    #[must_use]
    pub fn new(at_once: u32, one_more: Duration) -> Self {
        Self {
            most: one_more * at_once.saturating_sub(1),
            one_more,
            even: Mutex::default(),
        }
    }

    /// Whether this key has used up all that it may do now.
    pub fn has_used_up(&self, key: &K, now: Instant) -> bool {
        self.is_spent(self.even.lock().get(key), now)
    }

    /// It has happened, whether it may or not.
    pub fn note(&self, key: K, now: Instant) {
        self.add(&mut self.even.lock(), key, now);
    }

    /// Whether it may happen now; then it has.
    pub fn allow(&self, key: K, now: Instant) -> bool {
        let mut even = self.even.lock();
        let allowed = !self.is_spent(even.get(&key), now);
        if allowed {
            self.add(&mut even, key, now);
        }
        allowed
    }

    fn is_spent(&self, even: Option<&Instant>, now: Instant) -> bool {
        even.is_some_and(|even| even.saturating_duration_since(now) > self.most)
    }

    fn add(&self, even: &mut HashMap<K, Instant>, key: K, now: Instant) {
        if even.len() >= KEYS_MAX && !even.contains_key(&key) {
            even.retain(|_, even| *even > now);
            if even.len() >= KEYS_MAX {
                return;
            }
        }
        let even = even.entry(key).or_insert(now);
        *even = (*even).max(now) + self.one_more;
    }
}

/// What happened, and why.
type Kind = (&'static str, &'static str);

static LOGGED: LazyLock<Rates<Kind>> = LazyLock::new(|| Rates::new(1, EVERY));

/// Whether a line about this is due. Its kinds are words of this program, so that they are few.
#[must_use]
pub fn is_due(what: &'static str, why: &'static str) -> bool {
    LOGGED.allow((what, why), Instant::now())
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
    use super::{KEYS_MAX, Rates, is_due};
    use std::time::{Duration, Instant};

    const ONE_MORE: Duration = Duration::from_secs(3);
    const AT_ONCE: u32 = 20;

    #[test]
    fn one_line_of_a_kind() {
        let due = |why| (0..50).filter(|_| is_due("a test", why)).count();
        assert_eq!((due("one"), due("two")), (1, 1));
    }

    #[test]
    fn a_key_has_some_at_once_and_then_one_at_a_time_and_others_are_not_slowed_down() {
        let (rates, mut now) = (Rates::new(AT_ONCE, ONE_MORE), Instant::now());
        let tried = |now| (0..1_000).filter(|_| rates.allow(1, now)).count();
        assert_eq!(tried(now), AT_ONCE as usize);
        assert!(rates.has_used_up(&1, now) && !rates.has_used_up(&2, now));
        for _ in 0..3 {
            now += ONE_MORE;
            assert_eq!(tried(now), 1);
        }
        now += ONE_MORE * AT_ONCE;
        assert_eq!(tried(now), AT_ONCE as usize);
    }

    #[test]
    fn what_is_noted_counts_even_if_it_was_not_allowed() {
        let (rates, now) = (Rates::new(AT_ONCE, ONE_MORE), Instant::now());
        (0..AT_ONCE * 2).for_each(|_| rates.note(1, now));
        assert!(rates.has_used_up(&1, now + ONE_MORE * AT_ONCE));
        assert!(!rates.has_used_up(&1, now + ONE_MORE * (AT_ONCE + 1)));
    }

    #[test]
    fn the_number_of_keys_is_bounded_and_those_that_rest_make_room() {
        let (rates, mut now) = (Rates::new(AT_ONCE, ONE_MORE), Instant::now());
        (0..AT_ONCE).for_each(|_| rates.note(0, now));
        for key in 1..KEYS_MAX + 1_000 {
            assert!(rates.allow(key, now));
        }
        assert!(!rates.allow(0, now), "who is known stays limited");
        assert_eq!(rates.even.lock().len(), KEYS_MAX);
        now += ONE_MORE * AT_ONCE;
        rates.note(KEYS_MAX + 1_000, now);
        assert_eq!(rates.even.lock().len(), 1);
    }
}

//! A replica's own lease, as far as it can know it.

use super::port::{CoordinationError, Renewal, Term};
use std::time::Duration;

/// How leases are kept.
#[derive(Clone, Copy, Debug)]
pub struct LeaseSettings {
    /// How long a lease lasts after a renewal, by the database's clock: less than the shortest limit of any wire (5 s),
    /// with time to fold and to think.
    pub length: Duration,
    /// A lease is renewed so often: several times in its length.
    pub renew_every: Duration,
    /// The wait after a renewal, a claim or an append that has failed.
    pub retry_every: Duration,
    /// So long before its end a lease is not relied on: how much clocks may differ in a length, and for how long a thread
    /// may stand between a look at the lease and what it does then.
    pub margin: Duration,
    /// An answer of the database is waited for up to this.
    pub ask_within: Duration,
    /// How often it is asked whether the replica that has a forwarded message, or runs what is wanted here, is alive.
    pub look_every: Duration,
    /// A message waits so long for a database that is away, or for our own lease; then its sender can try another replica.
    pub patience: Duration,
}

impl Default for LeaseSettings {
    fn default() -> Self {
        Self {
            length: Duration::from_secs(2),
            renew_every: Duration::from_millis(500),
            retry_every: Duration::from_millis(100),
            margin: Duration::from_millis(250),
            ask_within: Duration::from_secs(1),
            look_every: Duration::from_millis(250),
            patience: Duration::from_secs(2),
        }
    }
}

/// How a lease stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lease {
    /// Nobody can have claimed what was owned in this term.
    Sure(Term),
    /// It may have lapsed.
    Unsure,
}

/// A replica's lease. Moments are spans since any fixed one, by a clock of this machine that never goes back.
#[derive(Clone, Debug)]
pub struct Membership {
    settings: LeaseSettings,
    term: Option<Term>,
    /// Until when it is relied on.
    sure_until: Duration,
    renews_at: Duration,
}

impl Membership {
    /// A lease that is yet to begin.
    #[must_use]
    pub fn new(settings: LeaseSettings) -> Self {
        Self {
            settings,
            term: None,
            sure_until: Duration::ZERO,
            renews_at: Duration::ZERO,
        }
    }

    /// When the next renewal is due.
    #[must_use]
    pub fn renews_at(&self) -> Duration {
        self.renews_at
    }

    /// Takes note of what came of the renewal that was sent at `sent`; whether the lease stands otherwise than before.
    pub fn renewed(
        &mut self,
        sent: Duration,
        outcome: &Result<Renewal, CoordinationError>,
    ) -> bool {
        match outcome {
            Ok(Renewal { term, .. }) => {
                // The database counted from a later moment than this.
                self.sure_until = sent + self.settings.length.saturating_sub(self.settings.margin);
                self.renews_at = sent + self.settings.renew_every;
                self.term.replace(*term) != Some(*term)
            }
            Err(_) => {
                self.renews_at = sent + self.settings.retry_every;
                false
            }
        }
    }

    /// How the lease stands now.
    #[must_use]
    pub fn lease(&self, now: Duration) -> Lease {
        match self.term {
            Some(term) if now < self.sure_until => Lease::Sure(term),
            _ => Lease::Unsure,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn begun(term: u64) -> Result<Renewal, CoordinationError> {
        Ok(Renewal {
            term: Term(term),
            replicas: 1,
        })
    }

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn a_lease_is_relied_on_from_when_its_renewal_was_sent() {
        let mut own = Membership::new(LeaseSettings::default());
        assert_eq!(own.lease(ms(0)), Lease::Unsure);
        // However late the answer comes.
        assert!(own.renewed(ms(100), &begun(7)));
        assert_eq!(own.lease(ms(1_849)), Lease::Sure(Term(7)));
        assert_eq!(own.lease(ms(1_850)), Lease::Unsure);
        assert_eq!(own.renews_at(), ms(600));
    }

    #[test]
    fn a_renewal_that_fails_is_tried_again_soon_and_extends_nothing() {
        let mut own = Membership::new(LeaseSettings::default());
        own.renewed(ms(0), &begun(7));
        assert!(!own.renewed(ms(500), &Err(CoordinationError::Away(String::new()))));
        assert_eq!(own.renews_at(), ms(600));
        assert_eq!(own.lease(ms(1_750)), Lease::Unsure);
        assert!(!own.renewed(ms(1_900), &begun(7)), "it did not lapse");
        assert_eq!(own.lease(ms(1_950)), Lease::Sure(Term(7)));
        assert!(own.renewed(ms(9_000), &begun(8)), "it lapsed");
    }
}

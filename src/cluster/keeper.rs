//! What runs once in the whole cluster: who starts it, and who stops it.

use super::membership::{Lease, LeaseSettings};
use super::port::{Claim, CoordinationError, Epoch};
use super::routing::View;
use std::time::Duration;

/// What a keeper does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Duty {
    /// Claim the resource, if it has no living owner.
    Claim,
    /// Start what it keeps.
    Start(Epoch),
    /// Stop it: another replica has claimed it.
    Stop,
    /// Nothing for so long.
    Wait(Duration),
}

/// Keeps one resource running, here or elsewhere. While its lease is unsure, what runs goes on but has no effects
/// ([`super::Tenure::may_act`]): a database that is away lets nobody else claim it either.
#[derive(Debug)]
pub struct Keeper {
    retry_every: Duration,
    look_every: Duration,
    claim_every: Duration,
    running: Option<Epoch>,
    lost: bool,
    claims_at: Duration,
}

impl Keeper {
    /// A keeper of something that does not run here.
    #[must_use]
    pub fn new(settings: &LeaseSettings) -> Self {
        Self {
            retry_every: settings.retry_every,
            look_every: settings.look_every,
            claim_every: settings.renew_every,
            running: None,
            lost: false,
            claims_at: Duration::ZERO,
        }
    }

    /// What is to be done now.
    pub fn next(&mut self, view: &View) -> Duty {
        let Lease::Sure(_) = view.lease else {
            return Duty::Wait(self.retry_every);
        };
        match (self.running, view.held) {
            (Some(_), None) if self.lost => self.stop(),
            // Another replica has had it in between.
            (Some(running), Some(held)) if running != held => self.stop(),
            (None, Some(held)) => {
                self.running = Some(held);
                Duty::Start(held)
            }
            (Some(_), Some(_)) => Duty::Wait(self.look_every),
            (_, None) if view.now < self.claims_at => Duty::Wait(self.claims_at - view.now),
            (_, None) => Duty::Claim,
        }
    }

    fn stop(&mut self) -> Duty {
        (self.running, self.lost) = (None, false);
        Duty::Stop
    }

    /// Takes note of what came of a claim at `now`.
    pub fn claimed(&mut self, now: Duration, outcome: &Result<Claim, CoordinationError>) {
        self.lost = matches!(outcome, Ok(Claim::Theirs(_))) && self.running.is_some();
        self.claims_at = now + self.claim_every;
    }
}

#[cfg(test)]
mod tests {
    use super::super::port::{Owner, Term};
    use super::*;

    fn view(now_ms: u64, lease: Lease, held: Option<u64>) -> View {
        View {
            now: Duration::from_millis(now_ms),
            lease,
            held: held.map(Epoch),
        }
    }

    fn running() -> Keeper {
        let mut keeper = Keeper::new(&LeaseSettings::default());
        let sure = Lease::Sure(Term(1));
        assert_eq!(keeper.next(&view(0, sure, None)), Duty::Claim);
        keeper.claimed(Duration::ZERO, &Ok(Claim::Ours(Epoch(3))));
        assert_eq!(keeper.next(&view(1, sure, Some(3))), Duty::Start(Epoch(3)));
        assert!(matches!(
            keeper.next(&view(2, sure, Some(3))),
            Duty::Wait(_)
        ));
        assert!(matches!(
            keeper.next(&view(3, Lease::Unsure, None)),
            Duty::Wait(_)
        ));
        keeper
    }

    #[test]
    fn what_nobody_has_claimed_meanwhile_goes_on() {
        let mut keeper = running();
        let again = Lease::Sure(Term(2));
        assert_eq!(keeper.next(&view(9_000, again, None)), Duty::Claim);
        keeper.claimed(Duration::from_secs(9), &Ok(Claim::Ours(Epoch(3))));
        assert!(matches!(
            keeper.next(&view(9_001, again, Some(3))),
            Duty::Wait(_)
        ));
    }

    #[test]
    fn what_another_has_or_had_meanwhile_is_stopped() {
        let again = Lease::Sure(Term(2));
        let mut keeper = running();
        let owner = Owner {
            replica: "b".into(),
            address: "b:1".into(),
            epoch: Epoch(4),
        };
        keeper.claimed(Duration::from_secs(9), &Ok(Claim::Theirs(owner)));
        assert_eq!(keeper.next(&view(9_001, again, None)), Duty::Stop);
        assert!(matches!(
            keeper.next(&view(9_002, again, None)),
            Duty::Wait(_)
        ));

        let mut keeper = running();
        keeper.claimed(Duration::from_secs(9), &Ok(Claim::Ours(Epoch(5))));
        assert_eq!(keeper.next(&view(9_001, again, Some(5))), Duty::Stop);
        assert_eq!(
            keeper.next(&view(9_002, again, Some(5))),
            Duty::Start(Epoch(5))
        );
    }
}

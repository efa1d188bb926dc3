//! The way of one message to the replica that handles it.

use super::membership::{Lease, LeaseSettings};
use super::port::{Claim, CoordinationError, Epoch, Owner};
use std::time::Duration;

/// Steps of one message at most.
const STEPS_MAX: u32 = 200;

/// A message that has arrived at this replica ([`super::Replica::arrival`]).
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// When its answer must leave, on the replica's clock.
    pub deadline: Duration,
    /// Whether another replica has sent it on: it goes no further.
    pub forwarded: bool,
}

/// What a replica knows of itself and of one resource at one moment.
#[derive(Clone, Copy, Debug)]
pub struct View {
    /// The moment, on the replica's clock.
    pub now: Duration,
    /// How its lease stands.
    pub lease: Lease,
    /// Since when it has owned the resource, if the lease is sure and it is known to own it.
    pub held: Option<Epoch>,
}

/// What has happened to the message.
#[derive(Debug)]
pub enum Event {
    /// It has arrived, or the wait of a step is over.
    Ready,
    /// The database has decided a claim.
    Claimed(Result<Claim, CoordinationError>),
    /// It was forwarded to the owner of this epoch, and no answer came of it.
    Unforwarded(Epoch, Unforwarded),
    /// It was handled here, and no answer came of it.
    Failed(Failure),
}

/// Why another replica has not answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unforwarded {
    /// It does not own the session any more.
    NotOwner,
    /// It could not be reached, broke off, or cannot reach the database. It may have handled the message.
    Unreached,
}

/// Why a message could not be handled here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// Another writer's entry stands where this one was to stand, or it is not known whether this one does. What was
    /// remembered of the session is given up.
    Fenced,
    /// The store is away: nothing is acknowledged.
    Away,
}

/// Why a message is not answered. Nothing was acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Another replica owns its session; said to a replica that has forwarded it.
    #[error("another replica owns this session")]
    NotOwner,
    /// The database is away, or this replica is cut off from it.
    #[error("the database is away")]
    Away,
    /// Its deadline has passed.
    #[error("it could not be answered in time")]
    Late,
}

/// What is to be done next.
#[derive(Debug, PartialEq, Eq)]
pub enum Step {
    /// Handle it here; what is remembered of an earlier epoch does not count.
    Handle(Epoch),
    /// Claim its session: over this owner, or if it has no living one.
    Claim(Option<Epoch>),
    /// Forward it to its session's owner, and look meanwhile whether that one still is.
    Forward(Owner),
    /// Wait.
    Wait(Duration),
    /// Give it up.
    Refuse(Refusal),
}

/// One message on its way.
#[derive(Debug)]
pub struct Routing {
    arrival: Arrival,
    retry_every: Duration,
    patience: Duration,
    /// Since when nothing could be decided.
    away_since: Option<Duration>,
    steps: u32,
}

impl Routing {
    /// A message that has just arrived.
    #[must_use]
    pub fn new(arrival: Arrival, settings: &LeaseSettings) -> Self {
        Self {
            arrival,
            retry_every: settings.retry_every,
            patience: settings.patience,
            away_since: None,
            steps: 0,
        }
    }

    /// What follows on this event.
    pub fn next(&mut self, event: Event, view: &View) -> Step {
        self.steps += 1;
        if view.now >= self.arrival.deadline || self.steps > STEPS_MAX {
            return Step::Refuse(Refusal::Late);
        }
        match event {
            Event::Ready
            | Event::Failed(Failure::Fenced)
            | Event::Unforwarded(_, Unforwarded::NotOwner) => self.own(view, None),
            // The fence makes it safe: at worst both have handled it, and one of them finds the other's answer.
            Event::Unforwarded(epoch, Unforwarded::Unreached) => self.own(view, Some(epoch)),
            Event::Failed(Failure::Away) | Event::Claimed(Err(_)) => self.wait(view),
            Event::Claimed(Ok(claim)) => {
                self.away_since = None;
                match claim {
                    Claim::Ours(_) => match view.held {
                        Some(epoch) => Step::Handle(epoch),
                        // The lease has become unsure meanwhile.
                        None => self.wait(view),
                    },
                    Claim::Theirs(_) if self.arrival.forwarded => Step::Refuse(Refusal::NotOwner),
                    Claim::Theirs(owner) => Step::Forward(owner),
                }
            }
        }
    }

    fn own(&mut self, view: &View, over: Option<Epoch>) -> Step {
        match (view.lease, view.held) {
            (Lease::Sure(_), Some(epoch)) => Step::Handle(epoch),
            (Lease::Sure(_), None) => Step::Claim(over),
            (Lease::Unsure, _) => self.wait(view),
        }
    }

    fn wait(&mut self, view: &View) -> Step {
        let since = *self.away_since.get_or_insert(view.now);
        let until = self.arrival.deadline.min(since + self.patience);
        match view.now + self.retry_every < until {
            true => Step::Wait(self.retry_every),
            false => Step::Refuse(Refusal::Away),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::port::Term;
    use super::*;

    const SURE: Lease = Lease::Sure(Term(1));

    fn view(now_ms: u64, lease: Lease, held: Option<u64>) -> View {
        View {
            now: Duration::from_millis(now_ms),
            lease,
            held: held.map(Epoch),
        }
    }

    fn routing(forwarded: bool) -> Routing {
        let deadline = Duration::from_secs(5);
        let arrival = Arrival {
            deadline,
            forwarded,
        };
        Routing::new(arrival, &LeaseSettings::default())
    }

    fn owner(epoch: u64) -> Owner {
        Owner {
            replica: "b".into(),
            address: "b:1".into(),
            epoch: Epoch(epoch),
        }
    }

    fn theirs() -> Event {
        Event::Claimed(Ok(Claim::Theirs(owner(4))))
    }

    #[test]
    fn what_is_owned_is_handled_and_what_nobody_owns_is_claimed() {
        let mut one = routing(false);
        assert_eq!(
            one.next(Event::Ready, &view(0, SURE, Some(3))),
            Step::Handle(Epoch(3))
        );
        let mut one = routing(false);
        assert_eq!(
            one.next(Event::Ready, &view(0, SURE, None)),
            Step::Claim(None)
        );
        let claimed = Event::Claimed(Ok(Claim::Ours(Epoch(5))));
        assert_eq!(
            one.next(claimed, &view(1, SURE, Some(5))),
            Step::Handle(Epoch(5))
        );
    }

    #[test]
    fn a_message_is_forwarded_once() {
        assert_eq!(
            routing(false).next(theirs(), &view(0, SURE, None)),
            Step::Forward(owner(4))
        );
        let refused = Step::Refuse(Refusal::NotOwner);
        assert_eq!(routing(true).next(theirs(), &view(0, SURE, None)), refused);
    }

    #[test]
    fn an_owner_that_cannot_be_reached_is_claimed_over_and_one_that_has_changed_is_asked_for() {
        let mut one = routing(false);
        let unreached = Event::Unforwarded(Epoch(4), Unforwarded::Unreached);
        assert_eq!(
            one.next(unreached, &view(0, SURE, None)),
            Step::Claim(Some(Epoch(4)))
        );
        let changed = Event::Unforwarded(Epoch(4), Unforwarded::NotOwner);
        assert_eq!(one.next(changed, &view(0, SURE, None)), Step::Claim(None));
    }

    #[test]
    fn without_a_sure_lease_nothing_is_handled_or_claimed_and_the_sender_is_free_to_go_elsewhere() {
        let mut one = routing(false);
        let mut now_ms = 0;
        let refusal = loop {
            match one.next(Event::Ready, &view(now_ms, Lease::Unsure, None)) {
                Step::Wait(wait) => now_ms += wait.as_millis() as u64,
                step => break step,
            }
        };
        assert_eq!(refusal, Step::Refuse(Refusal::Away));
        assert!((1_800..2_000).contains(&now_ms), "{now_ms}");
    }

    #[test]
    fn what_is_late_is_not_done_any_more() {
        let late = Step::Refuse(Refusal::Late);
        assert_eq!(
            routing(false).next(Event::Ready, &view(5_000, SURE, Some(3))),
            late
        );
    }

    #[test]
    fn no_message_steps_without_end() {
        let mut one = routing(false);
        let steps = (0..).take_while(|_| {
            let fenced = Event::Failed(Failure::Fenced);
            one.next(fenced, &view(1, SURE, Some(3))) == Step::Handle(Epoch(3))
        });
        assert_eq!(steps.count(), STEPS_MAX as usize);
    }
}

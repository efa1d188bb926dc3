//! One replica: keeps its lease, and carries the steps of its messages to the database and to other replicas.

use super::membership::{Lease, LeaseSettings, Membership};
use super::port::{Claim, Coordination, CoordinationError, Epoch, Holding, Owner, Resource, Term};
use super::pulse::Pulse;
use super::routing::{Arrival, Event, Failure, Refusal, Routing, Step, Unforwarded, View};
use parking_lot::Mutex;
use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

/// Resources that are given up in one statement.
const RELEASED_AT_ONCE: usize = 500;

/// A clock that never goes back: the span since a fixed moment.
pub type Clock = Arc<dyn Fn() -> Duration + Send + Sync>;

/// What is done with one message. What is dropped before its end may go on, and may have happened.
pub trait Delivery: Send {
    /// What it is answered with.
    type Answer: Send;

    /// Handles it here, as the owner of its session in this epoch: what is remembered of another epoch is folded again
    /// from the store. What its session's log holds already is answered from there, wherever in the log it stands.
    fn handle(
        &mut self,
        epoch: Epoch,
    ) -> impl Future<Output = Result<Self::Answer, Failure>> + Send;

    /// Sends it on to another replica, marked as forwarded, to be answered within this time. The request says how much of
    /// it is left when it is written, not before a connection is made.
    fn forward(
        &mut self,
        owner: &Owner,
        within: Duration,
    ) -> impl Future<Output = Result<Self::Answer, Unforwarded>> + Send;
}

/// One replica.
pub struct Replica {
    port: Arc<dyn Coordination>,
    pub(super) settings: LeaseSettings,
    clock: Clock,
    own: Mutex<Own>,
    replicas: Arc<AtomicUsize>,
}

struct Own {
    membership: Membership,
    pulse: Pulse,
    held: BTreeMap<Resource, Held>,
}

/// What this replica owns, as far as it knows.
struct Held {
    epoch: Epoch,
    /// The term in which the database has said so; `None`: it is to say so again.
    term: Option<Term>,
    /// How much is being done with it.
    busy: usize,
}

impl Replica {
    /// A replica without a lease. `clock`: one for as long as the process runs.
    #[must_use]
    pub fn new(port: Arc<dyn Coordination>, settings: LeaseSettings, clock: Clock) -> Arc<Self> {
        let own = Own {
            membership: Membership::new(settings),
            pulse: Pulse::new(settings.retry_every, clock()),
            held: BTreeMap::new(),
        };
        Arc::new(Self {
            port,
            settings,
            clock,
            own: Mutex::new(own),
            replicas: Arc::default(),
        })
    }

    /// How many replicas have a lease, as the last renewal has found; 0 before the first one.
    #[must_use]
    pub fn replicas(&self) -> Arc<AtomicUsize> {
        Arc::clone(&self.replicas)
    }

    /// The moment on its clock.
    #[must_use]
    pub fn now(&self) -> Duration {
        (self.clock)()
    }

    /// Whether messages sent to it now can be handled: its lease is sure.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.own.lock().membership.lease(self.now()) != Lease::Unsure
    }

    /// What it knows of itself and of this resource now.
    pub(super) fn view(&self, resource: &Resource) -> View {
        let own = self.own.lock();
        let now = self.now();
        let lease = own.membership.lease(now);
        let held = own.held.get(resource).filter(|held| match lease {
            Lease::Sure(term) => held.term == Some(term),
            Lease::Unsure => false,
        });
        let held = held.map(|held| held.epoch);
        View { now, lease, held }
    }

    /// Whether nobody else can own the resource, which this replica has owned since this epoch.
    #[must_use]
    pub fn holds(&self, resource: &Resource, epoch: Epoch) -> bool {
        self.view(resource).held == Some(epoch)
    }

    /// Owns the resource, if nobody alive does.
    ///
    /// # Errors
    /// As [`Coordination::claim`].
    pub async fn take(&self, resource: &Resource) -> Result<Option<Epoch>, CoordinationError> {
        if let Some(epoch) = self.view(resource).held {
            return Ok(Some(epoch));
        }
        Ok(match self.claim(resource, None).await? {
            Claim::Ours(epoch) => Some(epoch),
            Claim::Theirs(_) => None,
        })
    }

    /// Owns the resource from now on, also if another replica does: for what only this process can do.
    ///
    /// # Errors
    /// As [`Coordination::claim`].
    pub async fn take_over(&self, resource: &Resource) -> Result<Epoch, CoordinationError> {
        if let Some(epoch) = self.view(resource).held {
            return Ok(epoch);
        }
        let mut over = None;
        loop {
            match self.claim(resource, over).await? {
                Claim::Ours(epoch) => return Ok(epoch),
                // Its next owner is not claimed over.
                Claim::Theirs(owner) if over.is_some() => {
                    let why = format!("{resource} is claimed by {} as well", owner.replica);
                    return Err(CoordinationError::Away(why));
                }
                Claim::Theirs(owner) => over = Some(owner.epoch),
            }
        }
    }

    /// A message that is read now, to be answered within `limit` of its arrival.
    #[must_use]
    pub fn arrival(&self, limit: Duration, forwarded: bool) -> Arrival {
        Arrival {
            deadline: self.own.lock().pulse.arrived(self.now()) + limit,
            forwarded,
        }
    }

    /// Renews the lease until `stop`. The lease then lasts until [`Self::leave`] or its end.
    pub async fn renew_until(&self, stop: &CancellationToken) {
        let (beating, renewing) = (self.beat(), async {
            loop {
                let due = self.own.lock().membership.renews_at();
                sleep(due.saturating_sub(self.now())).await;
                self.renew().await;
            }
        });
        let both = async { tokio::join!(biased; beating, renewing) };
        stop.run_until_cancelled(both).await;
    }

    async fn beat(&self) {
        loop {
            self.own.lock().pulse.beat(self.now());
            sleep(self.settings.retry_every).await;
        }
    }

    async fn renew(&self) {
        let sent = self.now();
        let renewed = self.ask(self.port.renew(self.settings.length)).await;
        match &renewed {
            Ok(renewal) => self.replicas.store(renewal.replicas, Ordering::Relaxed),
            Err(error) => tracing::debug!(%error, "the lease could not be renewed"),
        }
        let mut own = self.own.lock();
        if own.membership.renewed(sent, &renewed) {
            // What was owned before may be another's.
            own.held.retain(|_, held| held.busy > 0);
            tracing::info!(?renewed, "a term of this replica's lease began");
        }
    }

    async fn ask<T>(
        &self,
        asked: impl Future<Output = Result<T, CoordinationError>>,
    ) -> Result<T, CoordinationError> {
        let answer = timeout(self.settings.ask_within, asked).await;
        answer.unwrap_or_else(|_| Err(CoordinationError::Away("it does not answer".to_owned())))
    }

    /// Claims a resource as [`Coordination::claim`] does, while the lease is sure.
    pub(super) async fn claim(
        &self,
        resource: &Resource,
        over: Option<Epoch>,
    ) -> Result<Claim, CoordinationError> {
        let Lease::Sure(term) = self.view(resource).lease else {
            return Err(CoordinationError::Lapsed);
        };
        let claim = self.ask(self.port.claim(resource, over)).await?;
        let mut own = self.own.lock();
        match &claim {
            Claim::Ours(epoch) => {
                let held = own.held.entry(resource.clone()).or_insert(Held {
                    epoch: *epoch,
                    term: None,
                    busy: 0,
                });
                // Of two answers that cross, the later claim counts.
                if *epoch >= held.epoch {
                    (held.epoch, held.term) = (*epoch, Some(term));
                }
            }
            Claim::Theirs(_) => own.doubt(resource),
        }
        Ok(claim)
    }

    /// Has a message answered here or by the replica that owns its session. `Ok`: the answer is durable.
    ///
    /// # Errors
    /// [`Refusal`]: nothing was acknowledged.
    pub async fn deliver<D: Delivery>(
        &self,
        session: &Resource,
        arrival: Arrival,
        delivery: &mut D,
    ) -> Result<D::Answer, Refusal> {
        let mut routing = Routing::new(arrival, &self.settings);
        let mut event = Event::Ready;
        loop {
            let view = self.view(session);
            let within = arrival.deadline.saturating_sub(view.now);
            event = match routing.next(event, &view) {
                Step::Handle(epoch) => match self.handle(session, epoch, within, delivery).await {
                    Ok(answer) => return Ok(answer),
                    Err(failure) => Event::Failed(failure),
                },
                Step::Claim(over) => Event::Claimed(self.claim(session, over).await),
                Step::Forward(owner) => {
                    match self.forward(session, &owner, within, delivery).await {
                        Ok(answer) => return Ok(answer),
                        Err(event) => event,
                    }
                }
                Step::Wait(wait) => {
                    sleep(wait).await;
                    Event::Ready
                }
                Step::Refuse(refusal) => return Err(refusal),
            };
        }
    }

    async fn handle<D: Delivery>(
        &self,
        session: &Resource,
        epoch: Epoch,
        within: Duration,
        delivery: &mut D,
    ) -> Result<D::Answer, Failure> {
        let _busy = Busy::new(self, session);
        let handled = timeout(within, delivery.handle(epoch)).await;
        let handled = handled.unwrap_or(Err(Failure::Away));
        if let Err(Failure::Fenced) = handled {
            self.own.lock().doubt(session);
        }
        handled
    }

    /// Waits for another replica's answer for as long as that one owns the session.
    async fn forward<D: Delivery>(
        &self,
        session: &Resource,
        owner: &Owner,
        within: Duration,
        delivery: &mut D,
    ) -> Result<D::Answer, Event> {
        let changed = async {
            loop {
                sleep(self.settings.look_every).await;
                // While that is not known, it may answer all the same.
                let claim = self.claim(session, None).await;
                let same = |claim: &Claim| matches!(claim, Claim::Theirs(now) if now == owner);
                if let Some(claim) = claim.ok().filter(|claim| !same(claim)) {
                    return claim;
                }
            }
        };
        tokio::select! {
            biased;
            answer = delivery.forward(owner, within) => {
                answer.map_err(|why| Event::Unforwarded(owner.epoch, why))
            }
            claim = changed => Err(Event::Claimed(Ok(claim))),
            // It is late.
            () = sleep(within) => Err(Event::Ready),
        }
    }

    /// Gives up those resources that nothing is being done with, so that the next message takes them up anywhere.
    pub async fn release(&self, resources: Vec<Resource>) {
        let idle: Vec<Holding> = {
            let mut own = self.own.lock();
            let resources = resources.into_iter();
            resources
                .filter_map(|resource| own.remove_idle(resource))
                .collect()
        };
        for held in idle.chunks(RELEASED_AT_ONCE) {
            if let Err(error) = self.ask(self.port.release(held)).await {
                // They go with the lease at the latest.
                tracing::debug!(%error, "what was owned could not be released");
            }
        }
    }

    /// Hands over what is owned, each thing once nothing is being done with it, until `stop`: what a balancer still sends
    /// here is handled, and handed over after that.
    pub async fn hand_over_until(&self, stop: &CancellationToken) {
        let handing = async {
            loop {
                let held = self.own.lock().held.keys().cloned().collect();
                self.release(held).await;
                sleep(self.settings.retry_every).await;
            }
        };
        stop.run_until_cancelled(handing).await;
    }

    /// Gives up the lease: nothing is handled here any more. To be called when nothing renews it.
    pub async fn leave(&self) {
        {
            let mut own = self.own.lock();
            own.membership = Membership::new(self.settings);
            own.held.clear();
        }
        if let Err(error) = self.ask(self.port.leave()).await {
            tracing::warn!(%error, "the lease could not be given up: it lapses by itself");
        }
    }
}

impl Own {
    /// Forgets a resource, if it is owned and nothing is being done with it.
    fn remove_idle(&mut self, resource: Resource) -> Option<Holding> {
        self.held.get(&resource).filter(|held| held.busy == 0)?;
        let epoch = self.held.remove(&resource)?.epoch;
        Some(Holding { resource, epoch })
    }

    /// Notes that something is being done with a resource, if it is owned.
    fn enter(&mut self, resource: &Resource) -> bool {
        let held = self.held.get_mut(resource);
        held.map(|held| held.busy += 1).is_some()
    }

    fn leave(&mut self, resource: &Resource) {
        if let Some(held) = self.held.get_mut(resource) {
            held.busy = held.busy.saturating_sub(1);
        }
    }

    /// Whether the resource is owned here, only the database can say.
    fn doubt(&mut self, resource: &Resource) {
        match self.held.get_mut(resource) {
            Some(held) if held.busy > 0 => held.term = None,
            _ => drop(self.held.remove(resource)),
        }
    }
}

/// Something is being done with a resource while this lasts: it is not handed over meanwhile.
pub struct Busy<R: Deref<Target = Replica>, S: Borrow<Resource>> {
    replica: R,
    resource: S,
    counted: bool,
}

/// The same for as long as its owner keeps it.
pub type Occupied = Busy<Arc<Replica>, Resource>;

impl<R: Deref<Target = Replica>, S: Borrow<Resource>> Busy<R, S> {
    /// From now on, with a resource that is owned here.
    #[must_use]
    pub fn new(replica: R, resource: S) -> Self {
        let counted = replica.own.lock().enter(resource.borrow());
        Self {
            replica,
            resource,
            counted,
        }
    }

    /// Gives the resource up, unless something else is being done with it.
    pub async fn release(mut self) {
        self.done();
        let resource = self.resource.borrow().clone();
        self.replica.release(vec![resource]).await;
    }

    fn done(&mut self) {
        if std::mem::take(&mut self.counted) {
            self.replica.own.lock().leave(self.resource.borrow());
        }
    }
}

impl<R: Deref<Target = Replica>, S: Borrow<Resource>> Drop for Busy<R, S> {
    fn drop(&mut self) {
        self.done();
    }
}

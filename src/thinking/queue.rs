//! Which job runs next: the earliest deadline first; and for how long: a fair share of the time left.

use super::job::{Job, Published, Thought};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// A job in the queue.
pub(super) struct Waiting {
    pub(super) job: Job,
    pub(super) best: games::Frame,
    pub(super) published: Arc<Published>,
    pub(super) done: oneshot::Sender<Thought>,
    /// Its total budget; set when it first runs.
    pub(super) share: Option<Duration>,
    pub(super) used: Duration,
    /// Slices that ended normally.
    pub(super) slices: u32,
    order: u64,
}

impl Waiting {
    pub(super) fn new(
        job: Job,
        published: Arc<Published>,
        done: oneshot::Sender<Thought>,
        order: u64,
    ) -> Self {
        Self {
            best: job.fallback.clone(),
            job,
            published,
            done,
            share: None,
            used: Duration::ZERO,
            slices: 0,
            order,
        }
    }

    /// When it should be answered if no other job is present.
    pub(super) fn stop(&self) -> Instant {
        (self.job.received + self.job.ceiling).min(self.job.deadline)
    }

    /// Whether it is bounded by nodes.
    pub(super) fn counted(&self) -> bool {
        self.job.nodes != u64::MAX
    }

    fn rank(&self) -> (Instant, u64) {
        (self.stop(), self.order)
    }
}

/// Jobs by deadline.
#[derive(Default)]
pub(super) struct Queue {
    waiting: BTreeMap<(Instant, u64), Waiting>,
    /// Jobs that wait and those on threads.
    pub(super) present: usize,
    arrivals: u64,
    pub(super) closed: bool,
}

impl Queue {
    /// Adds a new job.
    pub(super) fn arrive(
        &mut self,
        job: Job,
        published: Arc<Published>,
        done: oneshot::Sender<Thought>,
    ) {
        self.arrivals += 1;
        self.present += 1;
        self.insert(Waiting::new(job, published, done, self.arrivals));
    }

    /// Returns a job that needs more thinking to the queue; if the pool is closed it is dropped.
    pub(super) fn put_back(&mut self, waiting: Waiting) {
        if self.closed {
            self.present -= 1;
            return;
        }
        self.insert(waiting);
    }

    fn insert(&mut self, waiting: Waiting) {
        self.waiting.insert(waiting.rank(), waiting);
    }

    /// Accepts no more jobs and drops all that wait.
    pub(super) fn close(&mut self) {
        self.closed = true;
        self.present -= self.waiting.len();
        self.waiting.clear();
    }

    /// Takes the most urgent job and, before its first slice, sets its share: the time left until its stop,
    /// divided among all jobs present, but never less than `floor`.
    pub(super) fn take(
        &mut self,
        threads: usize,
        floor: Duration,
        now: Instant,
    ) -> Option<Waiting> {
        let (_, mut waiting) = self.waiting.pop_first()?;
        if waiting.share.is_none() {
            let left = waiting.stop().saturating_duration_since(now);
            let threads = threads.min(self.present) as u32;
            let share = left * threads / (self.present.max(1) as u32);
            waiting.share = Some(share.clamp(floor, waiting.job.ceiling.max(floor)));
        }
        Some(waiting)
    }
}

//! What the threads of a pool share.

use super::queue::Queue;
use parking_lot::{Condvar, Mutex};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// A slice that overruns its end by this long holds its thread in breach of the rules.
const STUCK: Duration = Duration::from_millis(50);

/// A thread whose slice overruns by this long, and that was not replaced, counts as lost.
pub(super) const LOST: Duration = Duration::from_secs(5);

/// How many threads may be started in place of ones that a bot does not give back.
pub(super) const REPLACEMENTS_MAX: usize = 8;

pub(super) struct Shared {
    pub(super) queue: Mutex<Queue>,
    pub(super) arrived: Condvar,
    pub(super) threads: usize,
    pub(super) slice: Duration,
    pub(super) idle_priority: bool,
    pub(super) watch: Mutex<Watch>,
    /// Replacement threads that the system refused.
    pub(super) unstarted: AtomicUsize,
    pub(super) decisions: AtomicU64,
    pub(super) used_us: AtomicU64,
}

/// The running slices: number, end, whether their thread was replaced.
#[derive(Default)]
pub(super) struct Watch {
    running: Vec<(u64, Instant, bool)>,
    slices: u64,
    replaced: usize,
}

impl Shared {
    pub(super) fn close(&self) {
        self.queue.lock().close();
        self.arrived.notify_all();
    }

    pub(super) fn note_decision(&self, used: Duration) {
        self.decisions.fetch_add(1, Ordering::Relaxed);
        self.used_us
            .fetch_add(used.as_micros() as u64, Ordering::Relaxed);
    }

    /// Records the start of a slice due to end at `end`; returns its number.
    pub(super) fn note_begin(&self, end: Instant) -> u64 {
        let mut watch = self.watch.lock();
        watch.slices += 1;
        let number = watch.slices;
        watch.running.push((number, end, false));
        number
    }

    /// Records the end of a slice; true if its thread was replaced meanwhile and must end.
    pub(super) fn note_end(&self, number: u64) -> bool {
        let mut watch = self.watch.lock();
        let Some(place) = watch
            .running
            .iter()
            .position(|(running, _, _)| *running == number)
        else {
            return false;
        };
        let (_, _, replaced) = watch.running.swap_remove(place);
        if replaced {
            watch.replaced -= 1;
        }
        // If no other could be started in its place, it continues itself.
        let alone = |unstarted: usize| unstarted.checked_sub(1);
        let stays = |unstarted: &AtomicUsize| {
            unstarted.fetch_update(Ordering::Relaxed, Ordering::Relaxed, alone)
        };
        replaced && stays(&self.unstarted).is_err()
    }

    pub(super) fn threads_free(&self, now: Instant) -> usize {
        let queue = self.queue.lock();
        if queue.closed {
            return 0;
        }
        drop(queue);
        let watch = self.watch.lock();
        let held = watch
            .running
            .iter()
            .filter(|(_, end, replaced)| !*replaced && now.saturating_duration_since(*end) > LOST);
        let gone = held.count() + self.unstarted.load(Ordering::Relaxed);
        self.threads.saturating_sub(gone)
    }

    pub(super) fn mark_stuck(&self, now: Instant) -> usize {
        let mut watch = self.watch.lock();
        let room = REPLACEMENTS_MAX.saturating_sub(watch.replaced);
        let mut lost = 0;
        for (_, end, replaced) in &mut watch.running {
            if lost < room && !*replaced && now.saturating_duration_since(*end) > STUCK {
                *replaced = true;
                lost += 1;
            }
        }
        watch.replaced += lost;
        lost
    }
}

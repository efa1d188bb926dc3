//! One decision on its way through the pool.

use super::slice::Slice;
use games::{Dialogue, Frame};
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// A decision to be computed.
pub struct Job {
    /// The bot's dialogue; it is returned in [`Thought::dialogue`].
    pub dialogue: Box<dyn Dialogue>,
    /// A legal answer to start from.
    pub fallback: Frame,
    /// How long thinking may take when no other job is present.
    pub ceiling: Duration,
    /// The most nodes; [`u64::MAX`] if only time counts.
    pub nodes: u64,
    /// When the message was received.
    pub received: Instant,
    /// The latest time for an answer.
    pub deadline: Instant,
}

/// The result of a decision.
pub struct Thought {
    /// The dialogue, to be notified of what was sent. `None` if it panicked.
    pub dialogue: Option<Box<dyn Dialogue>>,
    /// The best answer found, or the fallback.
    pub best: Frame,
    /// Whether at least one slice of thinking went into it.
    pub thought: bool,
    /// The panic's message, if there was one.
    pub panic: Option<String>,
    /// Time spent thinking, excluding waiting.
    pub used: Duration,
}

/// The best answer so far, for a caller that cannot wait any longer.
#[derive(Debug, Default)]
pub(super) struct Published {
    best: Mutex<Option<Frame>>,
    cancelled: AtomicBool,
    running: Mutex<Option<Slice>>,
}

impl Published {
    pub(super) fn publish(&self, best: &Frame) {
        let mut published = self.best.lock();
        match published.as_mut() {
            Some(old) if old == best => {}
            _ => *published = Some(best.clone()),
        }
    }

    pub(super) fn cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// Records the slice in which the job is running; `None`: it is not running.
    pub(super) fn runs(&self, slice: Option<Slice>) {
        *self.running.lock() = slice;
    }
}

/// A decision being computed.
#[must_use = "the dialogue comes back here"]
pub struct Pending {
    pub(super) done: oneshot::Receiver<Thought>,
    pub(super) published: Arc<Published>,
}

impl Pending {
    /// Waits for the decision. `None` if the pool has ended.
    pub async fn thought(&mut self) -> Option<Thought> {
        (&mut self.done).await.ok()
    }

    /// The best answer published so far; `None` before the first slice is over.
    #[must_use]
    pub fn best(&self) -> Option<Frame> {
        self.published.best.lock().clone()
    }

    /// Whether a bot holds its thread far beyond the end of its slice, and not for lack of processor time.
    #[must_use]
    pub fn hangs(&self) -> bool {
        let running = self.published.running.lock();
        let slice = *running;
        slice.is_some_and(|slice| slice.hangs(Instant::now()))
    }

    /// Whether the decision has not been returned yet.
    pub fn is_out(&mut self) -> bool {
        matches!(
            self.done.try_recv(),
            Err(oneshot::error::TryRecvError::Empty)
        )
    }

    /// No more thinking is needed: the dialogue is returned after the running slice.
    pub fn cancel(&self) {
        self.published.cancelled.store(true, Ordering::Relaxed);
    }
}

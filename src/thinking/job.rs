//! One decision on its way through the pool.

use super::slice::Slice;
use games::{Dialogue, Frame};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// A decision to be thought about.
pub struct Job {
    /// Whose; it comes back in [`Thought::dialogue`].
    pub dialogue: Box<dyn Dialogue>,
    /// A legal answer to start from.
    pub fallback: Frame,
    /// How long thinking may take when nobody else thinks.
    pub ceiling: Duration,
    /// At most so many nodes; [`u64::MAX`] where time alone counts.
    pub nodes: u64,
    /// When the message was received.
    pub received: Instant,
    /// When an answer must be there at the latest.
    pub deadline: Instant,
}

/// What came of a decision.
pub struct Thought {
    /// The dialogue, to be told what was said. `None` if it panicked.
    pub dialogue: Option<Box<dyn Dialogue>>,
    /// The best answer found, or the fallback.
    pub best: Frame,
    /// Whether at least one slice of thinking went into it.
    pub thought: bool,
    /// What the panic said, if there was one.
    pub panic: Option<String>,
    /// Time spent thinking, without waiting.
    pub used: Duration,
}

/// The best answer so far, for whoever cannot wait any longer.
#[derive(Debug, Default)]
pub(super) struct Published {
    best: Mutex<Option<Frame>>,
    cancelled: AtomicBool,
    running: Mutex<Option<Slice>>,
}

impl Published {
    pub(super) fn publish(&self, best: &Frame) {
        let mut published = self.best.lock().unwrap_or_else(PoisonError::into_inner);
        match published.as_mut() {
            Some(old) if old == best => {}
            _ => *published = Some(best.clone()),
        }
    }

    pub(super) fn cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// Notes the slice that the job is on a thread with; `None`: it is on none.
    pub(super) fn runs(&self, slice: Option<Slice>) {
        *self.running.lock().unwrap_or_else(PoisonError::into_inner) = slice;
    }
}

/// A decision that is being thought about.
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
        self.published
            .best
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Whether a bot holds its thread far beyond the end of its slice, and not for want of a
    /// processor.
    #[must_use]
    pub fn hangs(&self) -> bool {
        let running = self.published.running.lock();
        let slice = *running.unwrap_or_else(PoisonError::into_inner);
        slice.is_some_and(|slice| slice.hangs(Instant::now()))
    }

    /// Whether the decision has not come back yet.
    pub fn is_out(&mut self) -> bool {
        matches!(
            self.done.try_recv(),
            Err(oneshot::error::TryRecvError::Empty)
        )
    }

    /// Thinking on is of no use any more: the dialogue comes back after the slice that is running.
    pub fn cancel(&self) {
        self.published.cancelled.store(true, Ordering::Relaxed);
    }
}

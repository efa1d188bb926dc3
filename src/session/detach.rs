//! Work that goes on when its caller goes away.

use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::runtime::Handle;
use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TaskTrackerToken;

/// A future that goes on in a task of its own if it is dropped before its end. Until then it costs no
/// task: most callers wait.
pub(super) struct DetachOnDrop<F: Future<Output: Send> + Send + 'static> {
    future: Option<Pin<Box<F>>>,
    token: TaskTrackerToken,
}

impl<F: Future<Output: Send> + Send + 'static> DetachOnDrop<F> {
    /// `tracker` knows of the work for as long as it takes.
    pub(super) fn new(tracker: &TaskTracker, future: F) -> Self {
        Self {
            future: Some(Box::pin(future)),
            token: tracker.token(),
        }
    }
}

impl<F: Future<Output: Send> + Send + 'static> Future for DetachOnDrop<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        // Out of its place while it is polled: one that panics must not be polled again.
        let Some(mut future) = self.future.take() else {
            return Poll::Pending;
        };
        let polled = future.as_mut().poll(context);
        if polled.is_pending() {
            self.future = Some(future);
        }
        polled
    }
}

impl<F: Future<Output: Send> + Send + 'static> Drop for DetachOnDrop<F> {
    fn drop(&mut self) {
        // Without a runtime the process is ending.
        if let Some(future) = self.future.take()
            && let Ok(runtime) = Handle::try_current()
        {
            let tracker = self.token.task_tracker().clone();
            tracker.spawn_on(async { drop(future.await) }, &runtime);
        }
    }
}

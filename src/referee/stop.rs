//! Ends a run of matches early.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio_util::sync::{CancellationToken, WaitForCancellationFuture};

/// Signals that all play must end now. A search checks it at every step, for which a token's lock is too
/// slow: the flag follows the token.
#[derive(Default)]
pub struct Stop {
    token: CancellationToken,
    flag: Arc<AtomicBool>,
}

impl Stop {
    /// A stop that follows `token`. Call it on the async runtime.
    #[must_use]
    pub fn on(token: &CancellationToken) -> Self {
        let stop = Self {
            token: token.child_token(),
            flag: Arc::default(),
        };
        let (token, flag) = (stop.token.clone(), Arc::clone(&stop.flag));
        tokio::spawn(async move {
            token.cancelled().await;
            flag.store(true, Ordering::Relaxed);
        });
        stop
    }

    /// Ends all play of this run, without affecting others that wait for its token.
    pub fn set(&self) {
        self.flag.store(true, Ordering::Relaxed);
        self.token.cancel();
    }

    /// Whether all play must end.
    #[must_use]
    pub fn is_set(&self) -> bool {
        self.flag.load(Ordering::Relaxed)
    }

    /// The same for frequent checks.
    #[must_use]
    pub fn flag(&self) -> &AtomicBool {
        &self.flag
    }

    /// The same for who waits.
    #[must_use]
    pub fn token(&self) -> &CancellationToken {
        &self.token
    }

    /// Waits for it.
    pub fn cancelled(&self) -> WaitForCancellationFuture<'_> {
        self.token.cancelled()
    }
}

/// Ends the task that follows the token.
impl Drop for Stop {
    fn drop(&mut self) {
        self.token.cancel();
    }
}

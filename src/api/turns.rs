//! Requests that compute for long: how many do so at once, and how many wait for it.

use super::problem::Problem;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// How many compute at once: matches that run keep their processors.
const AT_ONCE: usize = 2;
/// How many more wait for their turn; others are refused.
const WAITING_MAX: usize = 16;

/// Where replays and explanations are made, apart from the threads on which live matches think. All clones are one.
#[derive(Clone, Debug)]
pub struct Turns {
    /// Of all who compute or wait.
    places: Arc<Semaphore>,
    computing: Arc<Semaphore>,
}

impl Default for Turns {
    fn default() -> Self {
        Self::new(AT_ONCE)
    }
}

/// A turn to compute; the next one begins when this is dropped.
#[must_use = "the turn ends when this is dropped"]
#[derive(Debug)]
pub(super) struct Turn {
    _computing: OwnedSemaphorePermit,
    _place: OwnedSemaphorePermit,
}

impl Turns {
    /// Where this many compute at once.
    pub(super) fn new(at_once: usize) -> Self {
        Self {
            places: Arc::new(Semaphore::new(at_once + WAITING_MAX)),
            computing: Arc::new(Semaphore::new(at_once)),
        }
    }

    /// Waits for a turn, if not too many do so already.
    pub(super) async fn wait(&self) -> Result<Turn, Problem> {
        let busy =
            "too many replays, explanations and sums are being made; ask again in some seconds";
        let refused = |_| Problem::unavailable(busy);
        let place = Arc::clone(&self.places).try_acquire_owned();
        let place = place.map_err(refused)?;
        let computing = Arc::clone(&self.computing).acquire_owned().await;
        Ok(Turn {
            _computing: computing.map_err(|_| Problem::unavailable(busy))?,
            _place: place,
        })
    }
}

impl Turn {
    /// Computes on a thread where nothing waits. The turn lasts until it is done, also where nobody waits any more.
    pub(super) async fn spend<T: Send + 'static>(
        self,
        compute: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Problem> {
        let computing = tokio::task::spawn_blocking(move || {
            let _turn = self;
            compute()
        });
        let broken = |error| Problem::unavailable(format!("computing it broke down: {error}"));
        computing.await.map_err(broken)
    }
}

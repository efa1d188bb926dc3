//! What a simulated run replaces in its own thread, so that its seed repeats it exactly: the wall clock, fresh ids and
//! helper threads. Everywhere else these are the system's.

use games::rng::Rng;
use std::cell::RefCell;
use tokio::task::JoinError;
use tokio::time::Instant;
use ulid::Ulid;

/// The stream of a seed that ids are drawn from.
const STREAM: u64 = 0x1d5;

struct Run {
    rng: Rng,
    began: Instant,
    began_us: i64,
}

thread_local! {
    static RUN: RefCell<Option<Run>> = const { RefCell::new(None) };
}

/// From now on this thread's wall clock follows Tokio's, from `began_us` (microseconds since 1970-01-01 UTC), and its
/// ids come from `seed`. To be called on the run's runtime, whose clock is paused.
pub fn begin(seed: u64, began_us: i64) {
    let run = Run {
        rng: Rng::new(seed, STREAM),
        began: Instant::now(),
        began_us,
    };
    RUN.set(Some(run));
}

/// The run of this thread is over.
pub fn end() {
    RUN.set(None);
}

/// Microseconds since 1970-01-01 UTC in a simulated run.
pub(crate) fn now_us() -> Option<i64> {
    RUN.with_borrow(|run| {
        let run = run.as_ref()?;
        let since = i64::try_from(run.began.elapsed().as_micros()).ok()?;
        run.began_us.checked_add(since)
    })
}

/// A fresh id: sorts by time.
pub(crate) fn ulid() -> Ulid {
    let at_ms = now_us().and_then(|now_us| u64::try_from(now_us / 1_000).ok());
    let drawn = at_ms.and_then(|at_ms| {
        RUN.with_borrow_mut(|run| {
            let rng = &mut run.as_mut()?.rng;
            let random = u128::from(rng.bits()) << 64 | u128::from(rng.bits());
            Some(Ulid::from_parts(at_ms, random))
        })
    });
    drawn.unwrap_or_else(Ulid::generate)
}

/// Does work that takes long on a thread that may block; in a simulated run at once.
pub(crate) async fn apart<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, JoinError> {
    if RUN.with_borrow(Option::is_some) {
        return Ok(work());
    }
    tokio::task::spawn_blocking(work).await
}

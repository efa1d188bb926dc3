//! The pool: its threads, its queue, and its watchdog for threads that are not given back.

use super::job::{Job, Pending, Published};
use super::queue::{Queue, Waiting};
use super::shared::{Shared, Watch};
use super::worker;
use crate::config::{Config, Thinking};
use parking_lot::{Condvar, Mutex};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// The priority of a thread that yields to all others.
const NICEST: i32 = 19;
/// Searches recurse deeply: they need more stack than a thread's default.
const STACK_BYTES: usize = 8 << 20;

/// How the pool works.
#[derive(Clone, Debug)]
pub struct PoolOptions {
    /// Threads; 0: one fewer than there are cores, at least one.
    pub threads: usize,
    /// How long a job thinks before the next most urgent one may run.
    pub slice: Duration,
    /// Whether the threads run at the lowest priority (nice 19): everything else on the machine
    /// then goes first, and a loaded host can starve them.
    pub idle_priority: bool,
}

impl From<&Thinking> for PoolOptions {
    fn from(thinking: &Thinking) -> Self {
        Self {
            threads: thinking.threads,
            slice: Duration::from_millis(2),
            idle_priority: thinking.idle_priority,
        }
    }
}

impl Default for PoolOptions {
    /// Those of the configuration's defaults.
    fn default() -> Self {
        Self::from(&Config::default().thinking)
    }
}

/// Why the pool could not be started.
#[derive(Debug, thiserror::Error)]
#[error("cannot start a thinking thread: {0}; lower thinking.threads or raise the process limit")]
pub struct PoolError(#[from] std::io::Error);

/// The thinking threads. Cheap to clone; they end when [`Pool::close`] is called or the last clone is dropped.
#[derive(Clone)]
pub struct Pool {
    shared: Arc<Shared>,
    _closer: Arc<Closer>,
    /// Set where the caller thinks: how long that is to have taken.
    takes: Option<Arc<dyn Fn() -> Duration + Send + Sync>>,
}

struct Closer(Arc<Shared>);

impl Drop for Closer {
    fn drop(&mut self) {
        self.0.close();
    }
}

impl Pool {
    /// Starts the threads.
    ///
    /// # Errors
    /// [`PoolError`] if the system refuses a thread.
    pub fn start(options: &PoolOptions) -> Result<Self, PoolError> {
        let threads = match options.threads {
            0 => std::thread::available_parallelism()
                .map_or(1, |cores| cores.get() - 1)
                .max(1),
            threads => threads,
        };
        let pool = Self::with_threads(options, threads, None);
        for number in 0..threads {
            spawn(&pool.shared, number)?;
        }
        Ok(pool)
    }

    fn with_threads(
        options: &PoolOptions,
        threads: usize,
        takes: Option<Arc<dyn Fn() -> Duration + Send + Sync>>,
    ) -> Self {
        let shared = Arc::new(Shared {
            queue: Mutex::new(Queue::default()),
            arrived: Condvar::new(),
            threads,
            idle_priority: options.idle_priority,
            slice: options.slice.max(worker::FLOOR),
            watch: Mutex::new(Watch::default()),
            unstarted: AtomicUsize::new(0),
            decisions: AtomicU64::new(0),
            used_us: AtomicU64::new(0),
        });
        let closer = Arc::new(Closer(Arc::clone(&shared)));
        Self {
            shared,
            _closer: closer,
            takes,
        }
    }

    /// A pool without threads: the caller that submits a decision thinks, bounded by nodes alone, and has it after the time
    /// that `takes` says. For runs that must repeat exactly.
    pub fn on_caller(takes: impl Fn() -> Duration + Send + Sync + 'static) -> Self {
        Self::with_threads(&PoolOptions::default(), 1, Some(Arc::new(takes)))
    }

    /// Submits a decision.
    pub fn submit(&self, job: Job) -> Pending {
        let (sender, done) = oneshot::channel();
        let published = Arc::new(Published::default());
        if let Some(takes) = &self.takes {
            let pending = Pending {
                done,
                published: Arc::clone(&published),
            };
            let give_back = worker::think(Waiting::new(job, published, sender, 0));
            let takes = takes();
            tokio::spawn(async move {
                tokio::time::sleep(takes).await;
                give_back();
            });
            return pending;
        }
        let mut queue = self.shared.queue.lock();
        if !queue.closed {
            queue.arrive(job, Arc::clone(&published), sender);
        }
        drop(queue);
        self.shared.arrived.notify_one();
        Pending { done, published }
    }

    /// How many threads think.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.shared.threads
    }

    /// How many threads can take up a decision: excluding those that a bot does not give back and that could
    /// not be replaced. At 0 no decision is computed any more.
    #[must_use]
    pub fn threads_free(&self) -> usize {
        self.threads_free_at(Instant::now())
    }

    pub(super) fn threads_free_at(&self, now: Instant) -> usize {
        self.shared.threads_free(now)
    }

    /// How many decisions are being computed or are waiting.
    #[must_use]
    pub fn jobs(&self) -> usize {
        self.shared.queue.lock().present
    }

    /// How many decisions were computed so far, and the total time spent.
    #[must_use]
    pub fn used(&self) -> (u64, Duration) {
        let decisions = self.shared.decisions.load(Ordering::Relaxed);
        (
            decisions,
            Duration::from_micros(self.shared.used_us.load(Ordering::Relaxed)),
        )
    }

    /// How long a job that arrives now may have to wait for its first slice.
    #[must_use]
    pub fn delay(&self) -> Duration {
        match self.threads_free() {
            0 => Duration::MAX,
            _ => worker::FLOOR * (self.jobs() / self.shared.threads.max(1)) as u32,
        }
    }

    /// Called by a caller that gave up waiting: a thread that a bot does not give back is replaced, so that
    /// no other job lacks it.
    pub fn replace_stuck(&self) {
        let lost = self.shared.mark_stuck(Instant::now());
        for number in 0..lost {
            tracing::warn!("a bot does not give its thinking thread back: another one is started");
            if let Err(error) = spawn(&self.shared, self.shared.threads + number) {
                tracing::error!(%error, "no thread in place of a stuck one");
                self.shared.unstarted.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    /// Ends the threads after the running slices; waiting jobs are dropped.
    pub fn close(&self) {
        self.shared.close();
    }
}

fn spawn(shared: &Arc<Shared>, number: usize) -> Result<(), PoolError> {
    let shared = Arc::clone(shared);
    std::thread::Builder::new()
        .name(format!("think-{number}"))
        .stack_size(STACK_BYTES)
        .spawn(move || {
            if shared.idle_priority {
                step_back(NICEST);
            }
            worker::work(&shared);
        })?;
    Ok(())
}

/// Gives the calling thread a lower priority, from 1 to the lowest, 19. On Linux it is the thread's own, not the
/// process's.
pub fn step_back(nice: i32) {
    let own = rustix::thread::gettid();
    if let Err(error) = rustix::process::setpriority_process(Some(own), nice) {
        tracing::warn!(%error, "a thread keeps its priority");
    }
}

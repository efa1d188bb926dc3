//! Syncs the log on a thread of its own, so that the next batch is written while one is being synced: an
//! answer leaves once what it rests on is on the disk. Only readers may see it a moment earlier.

use super::batch::Answers;
use super::fault;
use crate::store::error::StoreError;
use crate::store::files;
use crate::store::health::Gauges;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;
use tokio::runtime::Handle;
use tokio::sync::mpsc;

/// Batches that may wait while others are being synced; one sync then serves them all.
const WAITING_MAX: usize = 16;

/// The writer's side of the thread.
#[derive(Debug)]
pub(in crate::store) struct Syncing {
    queue: mpsc::Sender<Answers>,
    callers: Handle,
    thread: JoinHandle<()>,
}

impl Syncing {
    /// Starts it for an open database. Must be called on the callers' runtime.
    pub(in crate::store) fn start(path: &Path, gauges: Arc<Gauges>) -> Result<Self, StoreError> {
        let cannot = |error: std::io::Error| StoreError::Open {
            path: path.to_path_buf(),
            why: format!("its log cannot be synced: {error}"),
        };
        // The file stays the same for as long as the database is open.
        let log = File::options()
            .write(true)
            .open(files::companion(path, "-wal"))
            .map_err(cannot)?;
        let callers = Handle::current();
        let (queue, batches) = mpsc::channel(WAITING_MAX);
        let runtime = callers.clone();
        let sync = move || run(&log, batches, &runtime, &gauges);
        let thread = std::thread::Builder::new().name("store-sync".into());
        let thread = thread.spawn(sync).map_err(cannot)?;
        Ok(Self {
            queue,
            callers,
            thread,
        })
    }

    /// Answers a batch's callers once the log is synced.
    pub(super) async fn answer_synced(&self, answers: Answers) {
        // Without the thread the process is ending.
        drop(self.queue.send(answers).await);
    }

    /// Answers a batch's callers at once.
    pub(super) fn answer(&self, answers: Answers) {
        deliver(&self.callers, answers);
    }

    /// Waits until everything is answered.
    pub(super) fn stop(self) {
        drop(self.queue);
        if self.thread.join().is_err() {
            tracing::warn!("the thread that syncs the log failed");
        }
    }
}

fn run(log: &File, mut batches: mpsc::Receiver<Answers>, callers: &Handle, gauges: &Gauges) {
    let mut written = Vec::with_capacity(WAITING_MAX);
    while batches.blocking_recv_many(&mut written, WAITING_MAX) > 0 {
        if let Err(error) = log.sync_data() {
            fault::end(&sqlx::Error::Io(error));
        }
        gauges.synced();
        for answers in written.drain(..) {
            deliver(callers, answers);
        }
    }
}

/// From a thread of the callers' own runtime a wake-up costs a fraction of one from elsewhere.
fn deliver(callers: &Handle, answers: Answers) {
    callers.spawn(async move { answers.send() });
}

//! Read what comes after a mark, then wait. What follows on a mark is read once for all who ask for it, and kept for a
//! while: of many who follow the same, one reads what is new. A slow one reads from the store again.

use crate::store::{Bell, StoreError};
use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tokio::time::Instant;

/// How long commits are gathered: one read serves them all.
const GATHER: Duration = Duration::from_millis(25);
/// Followers go on one after the other, this far apart, so that a thousand of them do not keep everybody else waiting.
const APART: Duration = Duration::from_micros(200);
/// After this many the next one goes on with the first.
const APART_MAX: u32 = 256;
/// How long after a read that failed the next one may be.
const RETRY: Duration = Duration::from_secs(1);
/// How many parts are kept.
const PARTS_MAX: usize = 8;

/// Something that is followed.
pub(super) trait Source: Send + Sync + 'static {
    /// A place in it.
    type Mark: Copy + PartialEq + fmt::Display + Send + Sync;
    /// Some of its rows.
    type Rows: Send + Sync;

    /// What a log calls it.
    fn name(&self) -> &str;

    /// Reads what comes after a place.
    fn read(
        &self,
        after: Self::Mark,
        bell: &Bell,
    ) -> impl Future<Output = Result<Part<Self>, StoreError>> + Send;
}

/// What comes after a place.
pub(super) struct Part<S: Source + ?Sized> {
    pub(super) rows: S::Rows,
    /// The place after them.
    pub(super) upto: S::Mark,
    /// Whether the store has more.
    pub(super) more: bool,
}

/// Something with all who follow it.
pub(super) struct Shared<S: Source> {
    source: S,
    bell: Bell,
    kept: tokio::sync::Mutex<Kept<S>>,
}

struct Kept<S: Source> {
    parts: VecDeque<KeptPart<S>>,
    /// How often it had changed who may see what, before they were read.
    revealed: u64,
    /// When a read failed last.
    failed: Option<Instant>,
}

struct KeptPart<S: Source> {
    after: S::Mark,
    part: Arc<Part<S>>,
    /// How many commits there were before it was read.
    commits: u64,
}

impl<S: Source> Shared<S> {
    pub(super) fn new(source: S, bell: Bell) -> Arc<Self> {
        let kept = Kept {
            parts: VecDeque::new(),
            revealed: 0,
            failed: None,
        };
        Arc::new(Self {
            source,
            bell,
            kept: tokio::sync::Mutex::new(kept),
        })
    }

    /// Begins to follow it after a place.
    pub(super) fn follow(self: &Arc<Self>, after: S::Mark) -> Follower<S> {
        Follower {
            shared: Arc::clone(self),
            waiting: Waiting::new(self.bell.clone()),
            at: after,
            behind: true,
        }
    }

    /// What comes after a place, and whether there is more by now.
    async fn after(
        &self,
        after: S::Mark,
        bell: &mut Bell,
    ) -> Result<(Arc<Part<S>>, bool), StoreError> {
        // One reads at a time, for all.
        let mut kept = self.kept.lock().await;
        let (commits, revealed) = {
            let committed = bell.borrow_and_update();
            (committed.commits, committed.revealed)
        };
        if std::mem::replace(&mut kept.revealed, revealed) != revealed {
            kept.parts.clear();
        }
        // Rows that followed on a place always do; where there were none, there may be some now.
        let known = kept.parts.iter().find(|known| {
            known.after == after && (known.part.upto != after || known.commits == commits)
        });
        if let Some(known) = known {
            let behind = known.part.more || known.commits < commits;
            return Ok((Arc::clone(&known.part), behind));
        }
        if let Some(failed) = kept.failed {
            tokio::time::sleep_until(failed + RETRY).await;
        }
        let part = match self.source.read(after, bell).await {
            // No fault of the store: those who are further on can read.
            Err(error @ StoreError::Forgotten) => return Err(error),
            part => part,
        };
        kept.failed = part.is_err().then(Instant::now);
        let part = part.inspect_err(|error| {
            let what = self.source.name();
            tracing::warn!(what, %error, "what is followed cannot be read");
        });
        let part = Arc::new(part?);
        kept.parts.retain(|known| known.after != after);
        kept.parts.truncate(PARTS_MAX - 1);
        kept.parts.push_front(KeptPart {
            after,
            part: Arc::clone(&part),
            commits,
        });
        let more = part.more;
        Ok((part, more))
    }
}

/// Somebody who follows something.
pub(super) struct Follower<S: Source> {
    shared: Arc<Shared<S>>,
    waiting: Waiting,
    at: S::Mark,
    behind: bool,
}

impl<S: Source> Follower<S> {
    /// The next rows, perhaps none. Does not wait.
    pub(super) async fn read(&mut self) -> Result<Arc<Part<S>>, StoreError> {
        let read = self.shared.after(self.at, &mut self.waiting.bell);
        let (part, behind) = read.await?;
        (self.at, self.behind) = (part.upto, behind);
        Ok(part)
    }

    /// Whether the last part was not all there is.
    pub(super) fn is_behind(&self) -> bool {
        self.behind
    }

    /// Waits until there may be more. It may be dropped and called again.
    pub(super) async fn wait(&mut self) {
        if !self.behind {
            self.waiting.wait().await;
        }
    }
}

/// Waits for commits.
pub(in crate::api) struct Waiting {
    bell: Bell,
    pause: Duration,
    /// Whether the bell has rung and the pause is not over.
    rung: bool,
}

impl Waiting {
    pub(in crate::api) fn new(bell: Bell) -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed) % APART_MAX;
        Self {
            bell,
            pause: GATHER + APART * number,
            rung: false,
        }
    }

    /// Waits until something was committed since it last returned. It may be dropped and called again.
    pub(in crate::api) async fn wait(&mut self) {
        if !self.rung {
            // The store holds the sender, so that this is no error.
            let _ = self.bell.changed().await;
            self.rung = true;
        }
        tokio::time::sleep(self.pause).await;
        self.rung = false;
    }
}

//! One thinking thread.

use super::guarded;
use super::job::Thought;
use super::queue::Waiting;
use super::shared::Shared;
use super::slice::Slice;
use games::{Budget, Progress};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// No job gets less thinking than this, however many are present.
pub(super) const FLOOR: Duration = Duration::from_millis(1);

/// More time than nodes take.
const UNBOUNDED: Duration = Duration::from_secs(3_600);

/// Thinks until the pool is closed or this thread has become surplus.
pub(super) fn work(shared: &Shared) {
    while let Some(waiting) = next(shared) {
        let begun = Instant::now();
        let end = slice_end(shared, &waiting, begun);
        let number = shared.note_begin(end);
        let outcome = slice(waiting, begun, end);
        let surplus = shared.note_end(number);
        match outcome {
            Outcome::More(waiting) => shared.queue.lock().put_back(waiting),
            Outcome::Over(over) => {
                shared.queue.lock().present -= 1;
                let (thought, done) = *over;
                shared.note_decision(thought.used);
                // The caller may have given up and rebuilt the dialogue.
                drop(done.send(thought));
            }
        }
        if surplus {
            // The job it put back is for another thread, which may be asleep.
            shared.arrived.notify_one();
            return;
        }
    }
}

/// Thinks on the calling thread until the nodes are used up, and returns how to hand the outcome over.
pub(super) fn think(mut waiting: Waiting) -> impl FnOnce() + Send {
    let begun = Instant::now();
    waiting.job.deadline = begun + UNBOUNDED;
    let over = loop {
        match slice(waiting, begun, begun + UNBOUNDED) {
            Outcome::More(more) => waiting = more,
            Outcome::Over(over) => break over,
        }
    };
    move || {
        let (thought, done) = *over;
        // The caller may have given up and rebuilt the dialogue.
        drop(done.send(thought));
    }
}

enum Outcome {
    More(Waiting),
    Over(Box<(Thought, oneshot::Sender<Thought>)>),
}

fn next(shared: &Shared) -> Option<Waiting> {
    let mut queue = shared.queue.lock();
    loop {
        if queue.closed {
            return None;
        }
        if let Some(waiting) = queue.take(shared.threads, FLOOR, Instant::now()) {
            return Some(waiting);
        }
        shared.arrived.wait(&mut queue);
    }
}

/// Bots that count nodes are bounded only by those and by the deadline.
fn slice_end(shared: &Shared, waiting: &Waiting, begun: Instant) -> Instant {
    let length = if waiting.counted() {
        shared.slice
    } else {
        waiting
            .share
            .unwrap_or(FLOOR)
            .saturating_sub(waiting.used)
            .min(shared.slice)
    };
    (begun + length).min(waiting.job.deadline)
}

/// Runs one slice.
fn slice(mut waiting: Waiting, begun: Instant, end: Instant) -> Outcome {
    if waiting.done.is_closed() {
        return over(waiting, None);
    }
    let published = std::sync::Arc::clone(&waiting.published);
    let stop = || published.cancelled() || Instant::now() >= end;
    let budget = Budget {
        nodes: waiting.job.nodes,
        stop: &stop,
    };
    let mut best = waiting.best.clone();
    published.runs(Some(Slice::begin(end)));
    let thinking = guarded(|| waiting.job.dialogue.think(budget, &mut best));
    published.runs(None);
    let now = Instant::now();
    waiting.used += now.saturating_duration_since(begun);
    let progress = match thinking {
        Ok(progress) => progress,
        Err(panic) => return over(waiting, Some(panic.0)),
    };
    waiting.best = best;
    waiting.slices += 1;
    waiting.published.publish(&waiting.best);
    let ended = progress == Progress::Done
        || now >= waiting.job.deadline
        || !waiting.counted()
            && (waiting.used >= waiting.share.unwrap_or(FLOOR) || now >= waiting.stop())
        || published.cancelled();
    if ended {
        over(waiting, None)
    } else {
        Outcome::More(waiting)
    }
}

fn over(waiting: Waiting, panic: Option<String>) -> Outcome {
    let thought = Thought {
        dialogue: match panic {
            Some(_) => discard(waiting.job.dialogue),
            None => Some(waiting.job.dialogue),
        },
        best: waiting.best,
        thought: waiting.slices > 0,
        panic,
        used: waiting.used,
    };
    Outcome::Over(Box::new((thought, waiting.done)))
}

/// Drops a dialogue whose state cannot be trusted; its own drop may panic as well.
fn discard(dialogue: Box<dyn games::Dialogue>) -> Option<Box<dyn games::Dialogue>> {
    if let Err(panic) = guarded(|| drop(dialogue)) {
        tracing::warn!(%panic, "dropping a bot that panicked panicked as well");
    }
    None
}

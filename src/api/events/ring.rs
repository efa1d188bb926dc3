//! What has happened lately, kept for all who watch it: a reader that falls behind misses some, and is told so.
//! Readers take turns, so that a thousand of them never wake at once and keep everybody else waiting.

use parking_lot::Mutex;
use std::array;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::watch;

/// The most items that are kept.
const ITEMS_MAX: usize = 1_024;
/// The most bytes that are kept, as each item gives its own; the newest is kept in any case.
const BYTES_MAX: usize = 8 << 20;
/// Readers of a group wake at once.
const GROUPS: usize = 64;
/// How long a reader's turn takes, and all turns together at most.
const TURN: Duration = Duration::from_micros(200);
const ROUND_MAX: Duration = Duration::from_millis(250);
/// Shorter pauses between turns are put together.
const PAUSE_MIN: Duration = Duration::from_millis(2);

/// A ring with its readers.
#[derive(Debug)]
pub(super) struct Ring<T> {
    kept: Mutex<Kept<T>>,
    /// How many items there were.
    count: watch::Sender<u64>,
    /// How many of them each group of readers was told of.
    groups: [watch::Sender<u64>; GROUPS],
    /// How many readers there were.
    readers: AtomicUsize,
}

/// Somebody who reads a ring.
#[derive(Debug)]
pub(super) struct Reader {
    /// How many items it has read.
    read: u64,
    told: watch::Receiver<u64>,
}

#[derive(Debug)]
struct Kept<T> {
    items: VecDeque<(Arc<T>, usize)>,
    bytes: usize,
}

/// Somebody missed what is no longer kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Missed;

impl<T> Default for Ring<T> {
    fn default() -> Self {
        let kept = Kept {
            items: VecDeque::new(),
            bytes: 0,
        };
        Self {
            kept: Mutex::new(kept),
            count: watch::Sender::new(0),
            groups: array::from_fn(|_| watch::Sender::new(0)),
            readers: AtomicUsize::new(0),
        }
    }
}

impl<T> Ring<T> {
    /// Adds an item of about so many bytes.
    pub(super) fn push(&self, item: T, bytes: usize) {
        let mut kept = self.kept.lock();
        kept.items.push_back((Arc::new(item), bytes));
        kept.bytes += bytes;
        while kept.items.len() > ITEMS_MAX || kept.bytes > BYTES_MAX && kept.items.len() > 1 {
            if let Some((_, bytes)) = kept.items.pop_front() {
                kept.bytes -= bytes;
            }
        }
        // Under the lock: readers find as many items as are counted.
        self.count.send_modify(|count| *count += 1);
    }

    /// Lets readers read what comes, one group after the other, for ever.
    pub(super) async fn take_turns(&self) {
        let mut count = self.count.subscribe();
        loop {
            let readers: usize = self.groups.iter().map(watch::Sender::receiver_count).sum();
            let turn = TURN.min(ROUND_MAX / readers.max(1) as u32);
            let mut pause = Duration::ZERO;
            for group in &self.groups {
                let now = *count.borrow_and_update();
                group.send_if_modified(|told| std::mem::replace(told, now) != now);
                pause += turn * group.receiver_count() as u32;
                if pause >= PAUSE_MIN {
                    tokio::time::sleep(std::mem::take(&mut pause)).await;
                }
            }
            let first = self.groups.first().map(|group| *group.borrow());
            // The ring holds the sender, so that this is no error.
            let _ = count.wait_for(|count| Some(*count) != first).await;
        }
    }

    /// A reader of what comes from now on.
    pub(super) fn reader(&self) -> Reader {
        let number = self.readers.fetch_add(1, Ordering::Relaxed);
        Reader {
            read: *self.count.borrow(),
            told: self.groups[number % GROUPS].subscribe(),
        }
    }

    /// What a reader has not read yet; waits until there is something and it is its turn.
    pub(super) async fn next(&self, reader: &mut Reader) -> Result<Vec<Arc<T>>, Missed> {
        let read = reader.read;
        // The ring outlives its readers' use of it, so that this is no error.
        let _ = reader.told.wait_for(|told| *told > read).await;
        let kept = self.kept.lock();
        let count = *self.count.borrow();
        let behind = usize::try_from(count - read).unwrap_or(usize::MAX);
        let first = kept.items.len().checked_sub(behind).ok_or(Missed)?;
        reader.read = count;
        let items = kept.items.iter().skip(first);
        Ok(items.map(|(item, _)| Arc::clone(item)).collect())
    }
}

impl Reader {
    /// How many items it has read.
    pub(super) fn read(&self) -> u64 {
        self.read
    }
}

#[cfg(test)]
mod tests {
    use super::{BYTES_MAX, GROUPS, ITEMS_MAX, Missed, ROUND_MAX, Ring};
    use futures_util::future::join_all;
    use tokio::time::Instant;

    fn read(items: Vec<std::sync::Arc<u32>>) -> Vec<u32> {
        items.into_iter().map(|item| *item).collect()
    }

    /// Does this while readers take turns.
    async fn with<T>(ring: &Ring<u32>, what: impl Future<Output = T>) -> T {
        tokio::select! {
            done = what => done,
            () = ring.take_turns() => unreachable!("turns never end"),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn readers_get_what_came_after_them_once() {
        let ring = Ring::default();
        ring.push(1, 1);
        let (mut early, mut waiting) = (ring.reader(), ring.reader());
        with(&ring, async {
            let waits = async { read(ring.next(&mut waiting).await.unwrap()) };
            let pushes = async {
                ring.push(2, 1);
                ring.push(3, 1);
            };
            assert_eq!(tokio::join!(waits, pushes).0, [2, 3]);
            ring.push(4, 1);
            assert_eq!(read(ring.next(&mut waiting).await.unwrap()), [4]);
            assert_eq!(read(ring.next(&mut early).await.unwrap()), [2, 3, 4]);
        })
        .await;
    }

    #[tokio::test(start_paused = true)]
    async fn many_readers_take_turns() {
        let ring = Ring::default();
        let mut readers: Vec<_> = (0..1_000).map(|_| ring.reader()).collect();
        let begun = Instant::now();
        let reading = readers.iter_mut().map(|reader| async {
            let mut seen = Vec::new();
            while seen.len() < 2 {
                seen.extend(read(ring.next(reader).await.unwrap()));
            }
            (seen, begun.elapsed())
        });
        let pushes = async {
            ring.push(1, 1);
            tokio::time::sleep(ROUND_MAX / 2).await;
            ring.push(2, 1);
        };
        let (all, ()) = with(&ring, async { tokio::join!(join_all(reading), pushes) }).await;
        assert!(all.iter().all(|(seen, _)| *seen == [1, 2]));
        let mut woken: Vec<_> = all.iter().map(|(_, at)| *at).collect();
        woken.sort();
        // A reader whose turn comes after both gets them at once; the last one gets the second in a second round.
        assert!(woken[0] >= ROUND_MAX / 2, "{:?}", woken[0]);
        assert!(woken[999] <= ROUND_MAX * 2, "{:?}", woken[999]);
        woken.dedup();
        assert!(woken.len() >= GROUPS / 2, "{}", woken.len());
    }

    #[tokio::test(start_paused = true)]
    async fn who_falls_behind_is_told() {
        let ring = Ring::default();
        with(&ring, async {
            let mut slow = ring.reader();
            (0..ITEMS_MAX as u32).for_each(|item| ring.push(item, 1));
            assert_eq!(ring.next(&mut slow).await.unwrap().len(), ITEMS_MAX);
            (0..=ITEMS_MAX as u32).for_each(|item| ring.push(item, 1));
            assert_eq!(ring.next(&mut slow).await, Err(Missed));
            // By bytes too; the newest is kept however long it is.
            let mut slow = ring.reader();
            ring.push(1, BYTES_MAX);
            ring.push(2, BYTES_MAX + 1);
            assert_eq!(ring.next(&mut slow).await, Err(Missed));
            let mut late = ring.reader();
            ring.push(3, BYTES_MAX + 1);
            assert_eq!(read(ring.next(&mut late).await.unwrap()), [3]);
        })
        .await;
    }
}

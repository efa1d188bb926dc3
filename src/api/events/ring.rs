//! What has happened lately, kept for all who watch it: a reader that falls behind misses some, and is told so.

use parking_lot::Mutex;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tokio::sync::watch;

/// The most items that are kept.
const ITEMS_MAX: usize = 1_024;
/// The most bytes that are kept, as each item gives its own; the newest is kept in any case.
const BYTES_MAX: usize = 8 << 20;
/// What each reader beyond the first adds to the time over which a piece of news is spread, and its bound: a
/// thousand readers that all wake at once would keep everybody else waiting.
const SPREAD: Duration = Duration::from_micros(200);
const SPREAD_MAX: Duration = Duration::from_millis(250);
/// Its multiples, without their whole parts, lie evenly between 0 and 1.
const GOLDEN: f64 = 0.618_033_988_749_895;

/// A ring with its readers.
#[derive(Debug)]
pub(super) struct Ring<T> {
    kept: Mutex<Kept<T>>,
    /// How many items there were.
    count: watch::Sender<u64>,
    /// How many readers there were.
    readers: AtomicU32,
}

/// Somebody who reads a ring.
#[derive(Debug)]
pub(super) struct Reader {
    /// How many items it has read.
    read: u64,
    count: watch::Receiver<u64>,
    /// When its turn is, as a share of the time over which news is spread.
    share: f64,
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
            readers: AtomicU32::new(0),
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

    /// A reader of what comes from now on.
    pub(super) fn reader(&self) -> Reader {
        let read = *self.count.borrow();
        self.reader_at(read)
    }

    fn reader_at(&self, read: u64) -> Reader {
        let number = self.readers.fetch_add(1, Ordering::Relaxed);
        Reader {
            read,
            count: self.count.subscribe(),
            share: (f64::from(number) * GOLDEN).fract(),
        }
    }

    /// What a reader has not read yet; waits until there is something.
    pub(super) async fn next(&self, reader: &mut Reader) -> Result<Vec<Arc<T>>, Missed> {
        let read = reader.read;
        if *reader.count.borrow() == read {
            // The ring outlives its readers' use of it, so that this is no error.
            let _ = reader.count.wait_for(|count| *count > read).await;
            let others = self.count.receiver_count().saturating_sub(1) as u32;
            let spread = SPREAD_MAX.min(SPREAD * others);
            tokio::time::sleep(spread.mul_f64(reader.share)).await;
        }
        let kept = self.kept.lock();
        let count = *reader.count.borrow_and_update();
        let behind = usize::try_from(count - read).unwrap_or(usize::MAX);
        let first = kept.items.len().checked_sub(behind).ok_or(Missed)?;
        reader.read = count;
        let items = kept.items.iter().skip(first);
        Ok(items.map(|(item, _)| Arc::clone(item)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::{BYTES_MAX, ITEMS_MAX, Missed, Ring};

    fn read(items: Vec<std::sync::Arc<u32>>) -> Vec<u32> {
        items.into_iter().map(|item| *item).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn readers_get_what_came_after_them_once() {
        let ring = Ring::default();
        ring.push(1, 1);
        let (mut early, mut waiting) = (ring.reader(), ring.reader());
        let waits = async { read(ring.next(&mut waiting).await.unwrap()) };
        let pushes = async {
            ring.push(2, 1);
            ring.push(3, 1);
        };
        assert_eq!(tokio::join!(waits, pushes).0, [2, 3]);
        ring.push(4, 1);
        assert_eq!(read(ring.next(&mut early).await.unwrap()), [2, 3, 4]);
        assert_eq!(read(ring.next(&mut waiting).await.unwrap()), [4]);
    }

    #[tokio::test(start_paused = true)]
    async fn who_falls_behind_is_told() {
        let ring = Ring::default();
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
    }
}

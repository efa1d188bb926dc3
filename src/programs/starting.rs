//! Programs take turns in starting. Many matches begin at once, and when the daemon starts again all of them go on at
//! once: without turns each program would be ready as late as the last one.

use parking_lot::{Condvar, Mutex};
use std::collections::VecDeque;
use std::num::NonZero;
use std::sync::{Arc, Weak};
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

/// Programs that are being started at once at most, for each core.
const PER_CORE: usize = 2;
/// How long a program that is not ready yet keeps others from starting.
const WITHIN: Duration = Duration::from_secs(1);

/// The turns. Its clones are the same ones.
#[derive(Clone)]
pub(super) struct Starts(Arc<Mutex<Line>>);

/// Who starts, and who waits for that.
struct Line {
    free: usize,
    /// Those that were dropped meanwhile are skipped.
    waiting: VecDeque<Weak<Turn>>,
}

/// A place in the line.
struct Turn {
    starting: Mutex<Option<Starting>>,
    came: Condvar,
    wake: Box<dyn Fn() + Send + Sync>,
}

/// Someone who waits for its turn; without it, it loses its place.
pub(super) struct InLine(Arc<Turn>);

/// Whose turn it is. The next one's comes when this is dropped.
pub(super) struct Starting {
    starts: Starts,
    /// When it should be dropped at the latest, whether the program is ready or not.
    pub(super) until: Instant,
}

impl Default for Starts {
    fn default() -> Self {
        let cores = available_parallelism().map_or(1, NonZero::get);
        Self::at_once(cores * PER_CORE)
    }
}

impl Starts {
    /// This many at once.
    pub(super) fn at_once(free: usize) -> Self {
        Self(Arc::new(Mutex::new(Line {
            free,
            waiting: VecDeque::new(),
        })))
    }

    /// Queues up. `wake` is called when the turn comes, on the thread of the previous holder; it must not block.
    pub(super) fn line_up(&self, wake: impl Fn() + Send + Sync + 'static) -> InLine {
        let turn = Arc::new(Turn {
            starting: Mutex::new(None),
            came: Condvar::new(),
            wake: Box::new(wake),
        });
        let mut line = self.0.lock();
        if line.free > 0 {
            line.free -= 1;
            drop(line);
            *turn.starting.lock() = Some(self.starting());
        } else {
            line.waiting.push_back(Arc::downgrade(&turn));
        }
        InLine(turn)
    }

    fn starting(&self) -> Starting {
        Starting {
            starts: self.clone(),
            until: Instant::now() + WITHIN,
        }
    }
}

impl InLine {
    /// Waits for the turn, until then.
    pub(super) fn come(&self, until: Instant) -> Option<Starting> {
        let mut starting = self.0.starting.lock();
        if starting.is_none() {
            let none = |starting: &mut Option<Starting>| starting.is_none();
            let _ = self.0.came.wait_while_until(&mut starting, none, until);
        }
        starting.take()
    }
}

impl Drop for Starting {
    fn drop(&mut self) {
        let next = {
            let mut line = self.starts.0.lock();
            loop {
                match line.waiting.pop_front().map(|next| next.upgrade()) {
                    Some(Some(next)) => break next,
                    Some(None) => {}
                    None => {
                        line.free += 1;
                        return;
                    }
                }
            }
        };
        *next.starting.lock() = Some(self.starts.starting());
        next.came.notify_one();
        (next.wake)();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn who_came_first_starts_first_and_who_left_is_skipped() {
        let starts = Starts::at_once(1);
        let woken = Arc::new(AtomicUsize::new(0));
        let line_up = || {
            let woken = Arc::clone(&woken);
            starts.line_up(move || {
                woken.fetch_add(1, Ordering::Relaxed);
            })
        };
        let now = Instant::now;
        let (first, second, third) = (line_up(), line_up(), line_up());
        let starting = first.come(now()).expect("it is the first");
        assert!(first.come(now()).is_none(), "once");
        assert!(second.come(now()).is_none() && third.come(now()).is_none());
        drop(second);
        drop(starting);
        assert_eq!(woken.load(Ordering::Relaxed), 1);
        // One whose turn came and that left without taking it gives it on.
        let fourth = line_up();
        drop(third);
        drop(fourth.come(now()).expect("it is the last one's turn"));
        assert!(line_up().come(now()).is_some());
    }

    #[test]
    fn a_turn_is_waited_for() {
        let starts = Starts::at_once(2);
        let held: Vec<_> = (0..2).map(|_| starts.line_up(|| ())).collect();
        let held: Vec<_> = held.iter().map(|turn| turn.come(Instant::now())).collect();
        let last = starts.line_up(|| ());
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| last.come(Instant::now() + Duration::from_secs(60)));
            drop(held);
            assert!(waiting.join().unwrap().is_some());
        });
    }
}

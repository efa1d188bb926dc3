//! Reconnects to the daemon while the game goes on: tries again and again, and hands over what the daemon
//! missed, off the arbiter's clock.

use super::line::{Handed, Line, WITHIN};
use super::port::Port;
use super::transcript::ShimTranscript;
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;
use tokio::time::Instant;

/// The wait before the next attempt: at first, and at most.
const WAIT_FIRST: Duration = Duration::from_millis(20);
const WAIT_MOST: Duration = Duration::from_millis(500);
/// The thread's stack.
const STACK: usize = 256 << 10;

/// Looks for the daemon.
pub(super) struct Reconnector(Way);

enum Way {
    /// On a thread; without one the game goes on without the daemon.
    Thread {
        back: Arc<Mutex<Option<Line>>>,
        stop: Arc<AtomicBool>,
        thread: Option<JoinHandle<()>>,
    },
    /// Whenever it is asked for, not before this moment.
    Between(Search, Instant),
}

struct Search {
    daemon: Arc<dyn Port>,
    transcript: Arc<ShimTranscript>,
    wait: Duration,
}

impl Search {
    fn attempt(&self) -> Option<Line> {
        let until = Instant::now() + WITHIN;
        let called = Line::call(&*self.daemon, &self.transcript.hello);
        let back = called.and_then(|line| caught_up(line, &self.transcript, until));
        back.ok()
    }

    /// The wait before the next attempt.
    fn wait(&mut self) -> Duration {
        let longer = (self.wait * 2).min(WAIT_MOST);
        std::mem::replace(&mut self.wait, longer)
    }
}

impl Reconnector {
    /// Starts trying. `delay`: before the first attempt.
    pub(super) fn start(
        daemon: Arc<dyn Port>,
        transcript: Arc<ShimTranscript>,
        delay: Duration,
    ) -> Self {
        let threads = daemon.has_threads();
        let mut search = Search {
            daemon,
            transcript,
            wait: WAIT_FIRST,
        };
        if !threads {
            return Self(Way::Between(search, Instant::now() + delay));
        }
        let back = Arc::new(Mutex::new(None));
        let stop = Arc::new(AtomicBool::new(false));
        let (bring, stopped) = (Arc::clone(&back), Arc::clone(&stop));
        let calling = move || {
            std::thread::park_timeout(delay);
            while !stopped.load(Ordering::Relaxed) {
                if let Some(line) = search.attempt() {
                    *bring.lock() = Some(line);
                    return;
                }
                std::thread::park_timeout(search.wait());
            }
        };
        let thread = Builder::new()
            .name("reconnector".to_owned())
            .stack_size(STACK);
        Self(Way::Thread {
            back,
            stop,
            thread: thread.spawn(calling).ok(),
        })
    }

    /// The connection, if the daemon is back and has all but the last few messages.
    pub(super) fn back(&mut self) -> Option<Line> {
        match &mut self.0 {
            Way::Thread { back, .. } => back.lock().take(),
            Way::Between(search, due) => {
                if Instant::now() < *due {
                    return None;
                }
                let line = search.attempt();
                *due = Instant::now() + search.wait();
                line
            }
        }
    }

    /// Stops trying.
    pub(super) fn call_off(self) {
        if let Way::Thread { stop, thread, .. } = self.0 {
            stop.store(true, Ordering::Relaxed);
            if let Some(thread) = thread {
                // It may be in the middle of an attempt: it ends with the process.
                thread.thread().unpark();
            }
        }
    }
}

/// Hands over every message that the daemon does not have. What was handed over stays so if that takes too long.
pub(super) fn caught_up(
    mut line: Line,
    transcript: &ShimTranscript,
    until: Instant,
) -> std::io::Result<Line> {
    if let Some(count) = line.settle(until)? {
        transcript.has(count);
    }
    while let Some(message) = transcript.undelivered() {
        if Instant::now() >= until {
            return Err(std::io::ErrorKind::TimedOut.into());
        }
        match line.deliver(&message, until)? {
            Handed::Say { stored: true, .. } => transcript.has(message.n),
            Handed::Have(count) if count < message.n => transcript.has(count),
            Handed::Say { .. } | Handed::Have(_) => {
                return Err(std::io::ErrorKind::InvalidData.into());
            }
        }
    }
    Ok(line)
}

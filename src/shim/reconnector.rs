//! Reconnects to the daemon while the game goes on: tries again and again, and hands over what the daemon
//! missed, off the arbiter's clock.

use super::line::{Handed, Line, WITHIN};
use super::transcript::ShimTranscript;
use parking_lot::Mutex;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

/// The wait before the next attempt: at first, and at most.
const WAIT_FIRST: Duration = Duration::from_millis(20);
const WAIT_MOST: Duration = Duration::from_millis(500);
/// The thread's stack.
const STACK: usize = 256 << 10;

/// Connects to the daemon on a separate thread.
pub(super) struct Reconnector {
    back: Arc<Mutex<Option<Line>>>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Reconnector {
    /// Starts trying. If no thread can be started, the game goes on without the daemon. `delay`: before the
    /// first attempt.
    pub(super) fn start(socket: PathBuf, transcript: Arc<ShimTranscript>, delay: Duration) -> Self {
        let back = Arc::new(Mutex::new(None));
        let stop = Arc::new(AtomicBool::new(false));
        let (bring, stopped) = (Arc::clone(&back), Arc::clone(&stop));
        let calling = move || {
            let mut wait = WAIT_FIRST;
            std::thread::park_timeout(delay);
            while !stopped.load(Ordering::Relaxed) {
                let until = Instant::now() + WITHIN;
                let called = Line::call(&socket, &transcript.hello);
                if let Ok(line) = called.and_then(|line| caught_up(line, &transcript, until)) {
                    *bring.lock() = Some(line);
                    return;
                }
                std::thread::park_timeout(wait);
                wait = (wait * 2).min(WAIT_MOST);
            }
        };
        let thread = Builder::new()
            .name("reconnector".to_owned())
            .stack_size(STACK);
        Self {
            back,
            stop,
            thread: thread.spawn(calling).ok(),
        }
    }

    /// The connection, if the daemon is back and has all but the last few messages.
    pub(super) fn back(&self) -> Option<Line> {
        self.back.lock().take()
    }

    /// Stops trying.
    pub(super) fn call_off(mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // It may be in the middle of an attempt: it ends with the process.
            drop(thread);
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
    while let Some(heard) = transcript.undelivered() {
        if Instant::now() >= until {
            return Err(std::io::ErrorKind::TimedOut.into());
        }
        match line.deliver(&heard, until)? {
            Handed::Say { stored: true, .. } => transcript.has(heard.n),
            Handed::Have(count) if count < heard.n => transcript.has(count),
            Handed::Say { .. } | Handed::Have(_) => {
                return Err(std::io::ErrorKind::InvalidData.into());
            }
        }
    }
    Ok(line)
}

//! Where log lines go: through a bounded queue to a thread that writes them. Standard error that takes none
//! costs lines, which are counted, and never the time of the thread that logs.

use parking_lot::{Condvar, Mutex};
use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// Lines that wait to be written at most; further ones are dropped.
const LINES_MAX: usize = 8192;
/// Their bytes at most; a line that does not fit next to those that wait is dropped.
const BYTES_MAX: usize = 4 << 20;
/// How long an end waits for the last lines to be written.
const LAST_LINES: Duration = Duration::from_secs(1);

static QUEUE: Queue = Queue::new();
static STARTED: AtomicBool = AtomicBool::new(false);

struct Queue {
    state: Mutex<State>,
    /// There is a line.
    news: Condvar,
    /// All are written.
    idle: Condvar,
    dropped: AtomicU64,
}

struct State {
    lines: VecDeque<Vec<u8>>,
    /// Of all these lines.
    bytes: usize,
    writing: bool,
}

impl Queue {
    const fn new() -> Self {
        Self {
            state: Mutex::new(State {
                lines: VecDeque::new(),
                bytes: 0,
                writing: false,
            }),
            news: Condvar::new(),
            idle: Condvar::new(),
            dropped: AtomicU64::new(0),
        }
    }

    fn add(&self, line: &[u8]) {
        let mut state = self.state.lock();
        let bytes = state.bytes + line.len();
        if state.lines.len() < LINES_MAX && bytes <= BYTES_MAX {
            state.bytes = bytes;
            state.lines.push_back(line.to_vec());
            self.news.notify_one();
        } else {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Writes line after line, for ever.
    fn run(&self, out: &mut impl Write) -> ! {
        let mut state = self.state.lock();
        loop {
            state.writing = false;
            let Some(line) = state.lines.pop_front() else {
                self.idle.notify_all();
                self.news.wait(&mut state);
                continue;
            };
            state.bytes -= line.len();
            state.writing = true;
            drop(state);
            if out.write_all(&line).is_err() {
                self.dropped.fetch_add(1, Ordering::Relaxed);
            }
            state = self.state.lock();
        }
    }

    /// Waits until all lines are written, at most so long.
    fn flush(&self, within: Duration) {
        let waits = |state: &mut State| state.writing || !state.lines.is_empty();
        self.idle
            .wait_while_for(&mut self.state.lock(), waits, within);
    }
}

/// Takes whole lines for the log.
#[derive(Clone, Copy, Debug)]
pub struct Lines;

impl Write for Lines {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        QUEUE.add(line);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Starts the thread that writes. Call once.
///
/// # Errors
/// The system's, if there is no room for a thread.
pub fn start(mut out: impl Write + Send + 'static) -> io::Result<()> {
    let thread = std::thread::Builder::new().name("log".into());
    thread.spawn(move || QUEUE.run(&mut out))?;
    STARTED.store(true, Ordering::Relaxed);
    Ok(())
}

/// Whether the thread runs: what is said on standard error otherwise might wait behind it for ever.
#[must_use]
pub fn is_started() -> bool {
    STARTED.load(Ordering::Relaxed)
}

/// Lines that were not written: the queue was full, or writing failed.
#[must_use]
pub fn dropped() -> u64 {
    QUEUE.dropped.load(Ordering::Relaxed)
}

/// Waits until the lines so far are written, at most a second.
pub fn flush() {
    if is_started() {
        QUEUE.flush(LAST_LINES);
    }
}

/// Ends the process with this code, after the last lines.
pub fn exit(code: i32) -> ! {
    flush();
    std::process::exit(code)
}

#[cfg(test)]
mod tests {
    use super::{BYTES_MAX, LINES_MAX, Queue};
    use std::io::Read as _;
    use std::sync::atomic::Ordering;
    use std::time::Duration;

    #[test]
    fn lines_that_wait_are_bounded_by_their_bytes() {
        static FULL: Queue = Queue::new();
        let dropped = || FULL.dropped.load(Ordering::Relaxed);
        FULL.add(&vec![b'x'; BYTES_MAX + 1]);
        assert_eq!(dropped(), 1, "one alone that is longer");
        FULL.add(&vec![b'x'; BYTES_MAX - 2]);
        FULL.add(b"xyz");
        assert_eq!(dropped(), 2);
        FULL.add(b"y\n");
        assert_eq!(dropped(), 2);
        let (mut reader, mut writer) = std::io::pipe().unwrap();
        std::thread::spawn(move || FULL.run(&mut writer));
        let mut all = vec![0; BYTES_MAX];
        reader.read_exact(&mut all).unwrap();
        assert!(all.ends_with(b"xy\n"));
        FULL.flush(Duration::from_secs(60));
        FULL.add(&vec![b'x'; BYTES_MAX]);
        assert_eq!(dropped(), 2, "there is room again");
    }

    #[test]
    fn a_reader_that_stops_costs_lines_and_one_that_goes_on_gets_those_that_waited() {
        static STUCK: Queue = Queue::new();
        let (mut reader, mut writer) = std::io::pipe().unwrap();
        std::thread::spawn(move || STUCK.run(&mut writer));
        // More than a pipe holds at once: the thread is stuck in the middle of it.
        STUCK.add(&[b'x'; 1 << 21]);
        STUCK.flush(Duration::from_millis(1));
        while !STUCK.state.lock().writing {
            std::thread::yield_now();
        }
        for line in 0..LINES_MAX + 7 {
            STUCK.add(format!("{line}\n").as_bytes());
        }
        assert_eq!(STUCK.dropped.load(Ordering::Relaxed), 7);
        STUCK.flush(Duration::from_millis(1));
        assert_eq!(
            STUCK.state.lock().lines.len(),
            LINES_MAX,
            "it waits no longer"
        );

        let last = format!("\n{}\n", LINES_MAX - 1);
        let reading = std::thread::spawn(move || {
            let (mut all, mut part) = (Vec::new(), [0; 4096]);
            while !all.ends_with(last.as_bytes()) {
                let read = reader.read(&mut part).unwrap();
                all.extend_from_slice(&part[..read]);
            }
            // From here on nobody reads.
            drop(reader);
        });
        STUCK.flush(Duration::from_secs(60));
        assert!(STUCK.state.lock().lines.is_empty());
        reading.join().unwrap();
        STUCK.add(b"nobody\n");
        STUCK.flush(Duration::from_secs(60));
        assert_eq!(
            STUCK.dropped.load(Ordering::Relaxed),
            8,
            "lost, and no more"
        );
    }
}

//! A program's standard error: drained so that it never blocks, keeping the end of it.

use super::pipes::ready;
use parking_lot::Mutex;
use rustix::event::PollFlags;
use rustix::io::{Errno, read};
use std::collections::VecDeque;
use std::os::fd::AsFd as _;
use std::process::ChildStderr;
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

/// Bytes read at once.
const CHUNK: usize = 65_536;
/// How long to wait for the rest once the program has ended.
const REST_WITHIN: Duration = Duration::from_millis(200);
/// How many reads it takes at most to catch up with a program that goes on writing.
const READS_MAX: u32 = 4;
/// Marks that are kept, the last ones: what was written before them counts to the first one.
const MARKS_MAX: usize = 4_096;
/// How long the reading thread waits at once.
const WATCH: Duration = Duration::from_secs(3_600);
/// The reading thread's stack: it does next to nothing.
const STACK: usize = 128 << 10;

/// How much a program had written to standard error when it had answered a decision, or let its time pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StderrMark {
    /// The decision's number.
    pub number: u64,
    /// All bytes until then.
    pub total: u64,
}

/// The end of the output, its total length, and where marks are in it.
struct Ring {
    pipe: Arc<ChildStderr>,
    kept_max: usize,
    chunk: Vec<u8>,
    kept: VecDeque<u8>,
    total: u64,
    marks: VecDeque<StderrMark>,
}

impl Ring {
    /// Takes in what the pipe holds, if there is anything; false if nothing comes any more.
    fn fill(&mut self) -> bool {
        // Another thread may have taken it: reading must not block.
        match ready(&[(self.pipe.as_fd(), PollFlags::IN)], Instant::now()) {
            Ok(true) => {}
            Ok(false) => return true,
            Err(_) => return false,
        }
        let count = match read(&*self.pipe, self.chunk.as_mut_slice()) {
            Ok(count @ 1..) => count,
            Err(Errno::INTR) => return true,
            Ok(_) | Err(_) => return false,
        };
        self.total += count as u64;
        let fresh = self
            .chunk
            .get(count.saturating_sub(self.kept_max)..count)
            .unwrap_or_default();
        self.kept.extend(fresh);
        let more = self.kept.len().saturating_sub(self.kept_max);
        self.kept.drain(..more);
        true
    }
}

/// The thread that drains it.
pub(super) struct Stderr {
    ring: Arc<Mutex<Ring>>,
    /// Disconnected once everything is drained.
    drained: mpsc::Receiver<()>,
}

impl Stderr {
    /// Drains the pipe, keeping the last `kept_max` bytes.
    pub(super) fn drain(pipe: ChildStderr, kept_max: usize) -> std::io::Result<Self> {
        let pipe = Arc::new(pipe);
        let ring = Arc::new(Mutex::new(Ring {
            pipe: Arc::clone(&pipe),
            kept_max,
            chunk: vec![0; CHUNK],
            kept: VecDeque::new(),
            total: 0,
            marks: VecDeque::new(),
        }));
        let filled = Arc::clone(&ring);
        let (draining, drained) = mpsc::channel::<()>();
        let drain = move || {
            let _draining = draining;
            loop {
                let readable = ready(&[(pipe.as_fd(), PollFlags::IN)], Instant::now() + WATCH);
                match readable {
                    Ok(true) if !filled.lock().fill() => return,
                    Ok(_) => {}
                    Err(_) => return,
                }
            }
        };
        std::thread::Builder::new()
            .name("stderr".to_owned())
            .stack_size(STACK)
            .spawn(drain)?;
        Ok(Self { ring, drained })
    }

    /// The decision with this number is over: marks how much was written by then, if it was anything since the last mark.
    pub(super) fn mark(&self, number: u64) {
        let mut ring = self.ring.lock();
        // What was written before the answer is in the pipe.
        for _ in 0..READS_MAX {
            let before = ring.total;
            if !ring.fill() || ring.total == before {
                break;
            }
        }
        let total = ring.total;
        if ring.marks.back().map_or(0, |mark| mark.total) == total {
            return;
        }
        if ring.marks.len() == MARKS_MAX {
            ring.marks.pop_front();
        }
        ring.marks.push_back(StderrMark { number, total });
    }

    /// What was kept, how many bytes were written in all, and the marks. Waits a moment for the rest, but not for other
    /// processes that hold the pipe open.
    pub(super) fn end(self) -> (Vec<u8>, u64, Vec<StderrMark>) {
        let _ = self.drained.recv_timeout(REST_WITHIN);
        let mut ring = self.ring.lock();
        let (kept, marks) = (
            std::mem::take(&mut ring.kept),
            std::mem::take(&mut ring.marks),
        );
        (kept.into(), ring.total, marks.into())
    }
}

#[cfg(test)]
mod tests {
    use super::{Stderr, StderrMark};
    use std::io::{BufRead as _, BufReader, Write as _};
    use std::process::{Command, Stdio};

    #[test]
    fn what_stands_before_an_answer_is_marked_before_anything_later() {
        let script =
            "echo one >&2; echo; read -r go; echo two >&2; echo; read -r go; echo three >&2";
        let mut child = Command::new("sh")
            .args(["-c", script])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let stderr = Stderr::drain(child.stderr.take().unwrap(), 9).unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let mut answers = BufReader::new(child.stdout.take().unwrap()).lines();
        answers.next().unwrap().unwrap();
        stderr.mark(1);
        // It has written nothing since.
        stderr.mark(2);
        stdin.write_all(b"\n").unwrap();
        answers.next().unwrap().unwrap();
        stderr.mark(3);
        stdin.write_all(b"\n").unwrap();
        child.wait().unwrap();
        let (kept, total, marks) = stderr.end();
        assert_eq!((kept.as_slice(), total), (&b"wo\nthree\n"[..], 14));
        let mark = |number, total| StderrMark { number, total };
        assert_eq!(marks, [mark(1, 4), mark(3, 8)]);
    }
}

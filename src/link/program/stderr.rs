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
/// How long the reading thread waits at once.
const WATCH: Duration = Duration::from_secs(3_600);
/// The reading thread's stack: it does next to nothing.
const STACK: usize = 128 << 10;

/// The end of the output, and its total length.
#[derive(Default)]
struct Ring {
    kept: VecDeque<u8>,
    total: u64,
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
        let ring = Arc::new(Mutex::new(Ring::default()));
        let filled = Arc::clone(&ring);
        let (draining, drained) = mpsc::channel::<()>();
        let drain = move || {
            let _draining = draining;
            let mut chunk = vec![0; CHUNK];
            loop {
                let readable = ready(&[(pipe.as_fd(), PollFlags::IN)], Instant::now() + WATCH);
                match readable {
                    Ok(true) => {}
                    Ok(false) => continue,
                    Err(_) => return,
                }
                let mut ring = filled.lock();
                let count = match read(&pipe, chunk.as_mut_slice()) {
                    Ok(count @ 1..) => count,
                    Err(Errno::INTR) => continue,
                    Ok(_) | Err(_) => return,
                };
                ring.total += count as u64;
                let fresh = chunk
                    .get(count.saturating_sub(kept_max)..count)
                    .unwrap_or_default();
                ring.kept.extend(fresh);
                let more = ring.kept.len().saturating_sub(kept_max);
                ring.kept.drain(..more);
            }
        };
        std::thread::Builder::new()
            .name("stderr".to_owned())
            .stack_size(STACK)
            .spawn(drain)?;
        Ok(Self { ring, drained })
    }

    /// What was kept, and how many bytes were written in all. Waits a moment for the rest, but not for other
    /// processes that hold the pipe open.
    pub(super) fn end(self) -> (Vec<u8>, u64) {
        let _ = self.drained.recv_timeout(REST_WITHIN);
        let mut ring = self.ring.lock();
        (std::mem::take(&mut ring.kept).into(), ring.total)
    }
}

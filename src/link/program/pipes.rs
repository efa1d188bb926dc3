//! Waiting for pipes.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use std::os::fd::BorrowedFd;
use std::time::{Duration, Instant};

/// Why a program sent no whole line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineFault {
    /// Not in time.
    Late,
    /// It has ended, or closed its output.
    Gone,
    /// It has ended, or closed its input.
    Deaf,
    /// The line is too long; its beginning.
    TooLong(Vec<u8>),
}

/// Waits until one of the pipes is ready; false if none is by the deadline.
///
/// # Errors
/// [`LineFault::Gone`] if they cannot be waited for.
pub fn ready(pipes: &[(BorrowedFd<'_>, PollFlags)], deadline: Instant) -> Result<bool, LineFault> {
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let mut polled: Vec<PollFd<'_>> = pipes
            .iter()
            .map(|(pipe, flags)| PollFd::from_borrowed_fd(*pipe, *flags))
            .collect();
        match poll(&mut polled, Some(&timespec(left))) {
            Ok(0) => return Ok(false),
            Ok(_) => return Ok(true),
            Err(Errno::INTR) => {}
            Err(_) => return Err(LineFault::Gone),
        }
    }
}

fn timespec(span: Duration) -> Timespec {
    Timespec {
        tv_sec: i64::try_from(span.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: i64::from(span.subsec_nanos()),
    }
}

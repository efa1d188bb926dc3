//! Waiting for a program on the async runtime.

use super::Program;
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::task::{Context, Poll};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// What the runtime watches of one program, by handles of its own. To be dropped before the program closes a pipe or is
/// ended: a pipe is closed when no handle is left.
pub struct Waking {
    output: AsyncFd<OwnedFd>,
    /// Ready once it has ended.
    exit: Option<AsyncFd<OwnedFd>>,
    /// Watched from when its pipe does not accept something.
    input: Option<AsyncFd<OwnedFd>>,
}

#[expect(
    deprecated,
    reason = "its successor is unsafe, which is forbidden here, and asks for what holds: the handle stays open and the same"
)]
fn watch(fd: BorrowedFd<'_>, interest: Interest) -> io::Result<AsyncFd<OwnedFd>> {
    let own = fd.try_clone_to_owned()?;
    AsyncFd::with_interest(own, interest)
}

impl Waking {
    /// Watches a program.
    ///
    /// # Errors
    /// If the system watches no more.
    pub fn new(program: &Program) -> io::Result<Self> {
        let exit = program.exit.as_ref();
        let exit = exit.map(|exit| watch(exit.as_fd(), Interest::READABLE));
        Ok(Self {
            output: watch(program.output(), Interest::READABLE)?,
            exit: exit.transpose()?,
            input: None,
        })
    }

    /// Ready once something of it was read, it has ended or closed a pipe, or its pipe has accepted more of `rest`.
    ///
    /// # Errors
    /// If the system watches no more.
    pub fn poll(
        &mut self,
        program: &mut Program,
        rest: &mut Vec<u8>,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<()>> {
        while let Poll::Ready(ready) = self.output.poll_read_ready(context) {
            let mut ready = ready?;
            if program.read() > 0 || program.gone {
                return Poll::Ready(Ok(()));
            }
            ready.clear_ready();
        }
        if let Some(exit) = &self.exit
            && exit.poll_read_ready(context)?.is_ready()
        {
            program.notice_exit();
            return Poll::Ready(Ok(()));
        }
        if rest.is_empty() {
            return Poll::Pending;
        }
        if self.input.is_none() {
            let input = program
                .input()
                .map(|input| watch(input, Interest::WRITABLE));
            self.input = input.transpose()?;
        }
        let Some(input) = &self.input else {
            return Poll::Pending;
        };
        while let Poll::Ready(ready) = input.poll_write_ready(context) {
            let mut ready = ready?;
            let before = rest.len();
            if program.push(rest).is_err() || rest.len() < before {
                return Poll::Ready(Ok(()));
            }
            ready.clear_ready();
        }
        Poll::Pending
    }
}

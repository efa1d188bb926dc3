//! Talking to a program line by line.

use super::super::pipes::{LineFault, ready};
use super::Program;
use games::text::unmarked;
use rustix::event::PollFlags;
use std::io::{ErrorKind, Read as _, Write as _};
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Instant;

/// Bytes read at once.
const CHUNK: usize = 4_096;
/// How many reads it takes at most to discard a flood.
const DISCARDS_MAX: u32 = 64;

impl Program {
    /// Sends a frame, followed by a line end.
    ///
    /// # Errors
    /// [`LineFault::Late`] if its pipe does not accept it by the deadline, [`LineFault::Deaf`].
    pub fn say(&mut self, frame: &str, deadline: Instant) -> Result<(), LineFault> {
        let mut rest = format!(
            "{frame}
"
        )
        .into_bytes();
        loop {
            self.push(&mut rest)?;
            if rest.is_empty() {
                return Ok(());
            }
            let input: Vec<_> = self
                .input()
                .map(|input| (input, PollFlags::OUT))
                .into_iter()
                .collect();
            if !ready(&input, deadline)? {
                return Err(LineFault::Late);
            }
        }
    }

    /// Sends as much of this as its pipe accepts at once, and leaves the rest.
    ///
    /// # Errors
    /// [`LineFault::Deaf`].
    pub fn push(&mut self, rest: &mut Vec<u8>) -> Result<(), LineFault> {
        let Some(stdin) = &mut self.stdin else {
            return Err(LineFault::Deaf);
        };
        let mut said = 0;
        while said < rest.len() {
            match stdin.write(rest.get(said..).unwrap_or_default()) {
                Ok(taken) => said += taken,
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return Err(LineFault::Deaf),
            }
        }
        rest.drain(..said);
        Ok(())
    }

    /// Its input, to be polled together with [`Program::output`]; `None` once it was dismissed.
    #[must_use]
    pub fn input(&self) -> Option<BorrowedFd<'_>> {
        self.stdin.as_ref().map(AsFd::as_fd)
    }

    /// The next line without its end, waiting until the deadline.
    ///
    /// # Errors
    /// [`LineFault`].
    pub fn line(&mut self, deadline: Instant) -> Result<Vec<u8>, LineFault> {
        loop {
            if let Some(line) = self.next_line()? {
                return Ok(line);
            }
            match self.read() {
                0 if !self.gone => {
                    let exit = self.exit.as_ref().map(|exit| (exit.as_fd(), PollFlags::IN));
                    let output = (self.stdout.as_fd(), PollFlags::IN);
                    let both: Vec<_> = std::iter::once(output).chain(exit).collect();
                    if !ready(&both, deadline)? {
                        return Err(LineFault::Late);
                    }
                    if self.read() == 0 {
                        self.notice_exit();
                    }
                }
                _ => {}
            }
        }
    }

    /// Its output, to be polled together with that of others.
    #[must_use]
    pub fn output(&self) -> BorrowedFd<'_> {
        self.stdout.as_fd()
    }

    /// A whole line that has already been read, without its end and without a byte order mark.
    ///
    /// # Errors
    /// [`LineFault::TooLong`]; [`LineFault::Gone`] once it has ended and everything is taken.
    pub fn next_line(&mut self) -> Result<Option<Vec<u8>>, LineFault> {
        let fresh = self.said.get(self.searched..).unwrap_or_default();
        let end = fresh.iter().position(|byte| *byte == b'\n');
        let length = end.map_or(self.said.len(), |end| self.searched + end);
        if length > self.line_max {
            self.said.truncate(self.line_max + 1);
            self.searched = 0;
            return Err(LineFault::TooLong(std::mem::take(&mut self.said)));
        }
        if end.is_none() {
            self.searched = self.said.len();
            return if self.gone {
                Err(LineFault::Gone)
            } else {
                Ok(None)
            };
        }
        let mut line: Vec<u8> = self.said.drain(..=length).collect();
        line.pop();
        line.drain(..line.len() - unmarked(&line).len());
        self.searched = 0;
        Ok(Some(line))
    }

    /// What it has said and nobody has taken yet, as far as it has been read. A byte order mark alone is nothing.
    #[must_use]
    pub fn unended(&self) -> &[u8] {
        unmarked(&self.said)
    }

    /// Reads what is available; returns how many bytes. Whether it has ended shows in [`Program::next_line`].
    pub fn read(&mut self) -> usize {
        let mut chunk = [0; CHUNK];
        match self.stdout.read(&mut chunk) {
            Ok(count @ 1..) => {
                self.said
                    .extend_from_slice(chunk.get(..count).unwrap_or_default());
                count
            }
            Err(error)
                if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) =>
            {
                0
            }
            Ok(0) | Err(_) => {
                self.gone = true;
                0
            }
        }
    }

    /// Discards its unsolicited output, as far as it has arrived.
    pub fn discard(&mut self) {
        for _ in 0..DISCARDS_MAX {
            self.said.clear();
            self.searched = 0;
            if self.read() == 0 {
                return;
            }
        }
        self.said.clear();
    }

    /// Notices its exit, if it has ended, without waiting for other processes that hold its pipe open. To be
    /// called when there is nothing to read.
    pub fn notice_exit(&mut self) {
        let ended = self.has_ended();
        // Its last output may have arrived in between.
        if ended && self.read() == 0 {
            self.gone = true;
        }
    }

    /// Whether it has ended.
    pub(super) fn has_ended(&self) -> bool {
        self.exit.as_ref().is_some_and(|exit| {
            ready(&[(exit.as_fd(), PollFlags::IN)], Instant::now()).unwrap_or(true)
        })
    }

    /// Ready once it has ended, to be polled like [`Program::output`].
    #[must_use]
    pub fn exit(&self) -> Option<BorrowedFd<'_>> {
        self.exit.as_ref().map(AsFd::as_fd)
    }
}

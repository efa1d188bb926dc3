//! What a check says to a bot and receives from it, whatever carries that.

use crate::link::program::{Ended, LineFault};
use crate::programs::carrier::Carrier;
use crate::programs::posts::Lost;
use std::time::Instant;

/// The talk with a bot.
pub(super) struct Talk {
    pub(super) carrier: Carrier,
    /// What goes with the next POST.
    pub(super) unsaid: Vec<u8>,
}

/// Why there is no line.
pub(super) enum Silence {
    /// Of a program.
    Program(LineFault),
    /// Of a URL.
    Url(Lost),
}

impl Talk {
    pub(super) const fn new(carrier: Carrier) -> Self {
        let unsaid = Vec::new();
        Self { carrier, unsaid }
    }

    /// Another answer is wanted.
    pub(super) const fn asks(&mut self) {
        self.carrier.asks();
    }

    /// The next line, waiting until then; from a URL it is an answer to what was said so far.
    pub(super) fn line(&mut self, until: Instant) -> Result<Vec<u8>, Silence> {
        let posts = match &mut self.carrier {
            Carrier::Process(program) => return program.line(until).map_err(Silence::Program),
            Carrier::Url(posts) => posts,
        };
        loop {
            if let Some(line) = posts.next_line() {
                return Ok(line);
            }
            match posts.wait(&mut self.unsaid, true, until) {
                Ok(true) => {}
                Ok(false) => return Err(Silence::Program(LineFault::Late)),
                Err(why) => return Err(Silence::Url(why)),
            }
        }
    }

    /// Takes in what it has said: how many bytes. A URL says nothing unasked.
    pub(super) fn read(&mut self) -> usize {
        match &mut self.carrier {
            Carrier::Process(program) => program.read(),
            Carrier::Url(_) => 0,
        }
    }

    /// What it has said without an end of line.
    pub(super) fn unended(&self) -> &[u8] {
        match &self.carrier {
            Carrier::Process(program) => program.unended(),
            Carrier::Url(_) => &[],
        }
    }

    /// Posts the match's end; why that is not answered well.
    pub(super) fn posted_last(&mut self, until: Instant) -> Result<(), Lost> {
        let Carrier::Url(posts) = &mut self.carrier else {
            return Ok(());
        };
        posts.ends();
        match posts.wait(&mut self.unsaid, false, until) {
            Ok(true) => Ok(()),
            Ok(false) => Err(Lost::Late),
            Err(why) => Err(why),
        }
    }

    /// The end of a program; `None` if it is none.
    pub(super) fn end(self) -> Option<Ended> {
        match self.carrier {
            // Dismissed or not, as it was.
            Carrier::Process(program) => Some(program.end()),
            Carrier::Url(_) => None,
        }
    }
}

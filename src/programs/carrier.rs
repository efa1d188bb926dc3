//! What carries lines to a bot and back: the pipes of its process, or POSTs to its URL.

use super::launch::Launch;
use super::posts::{Lost, Posts};
use crate::link::program::{Ended, LineFault, Program, ProgramOptions, StartError, ready};
use rustix::event::PollFlags;
use std::time::Instant;

/// A bot that receives lines and sends lines.
pub(super) enum Carrier {
    /// A process.
    Process(Box<Program>),
    /// A URL.
    Url(Box<Posts>),
}

/// Why a bot cannot be begun with.
pub(super) struct NotStarted {
    /// The reason, a sentence.
    pub(super) why: String,
    /// Whether another attempt fails too.
    pub(super) lasts: bool,
}

impl From<StartError> for NotStarted {
    fn from(error: StartError) -> Self {
        Self {
            why: error.to_string(),
            lasts: error.lasts(),
        }
    }
}

impl Carrier {
    /// Starts its process so, or a conversation with its URL about a match with this id.
    pub(super) fn start(
        launch: &Launch,
        options: ProgramOptions,
        match_id: &str,
    ) -> Result<Self, NotStarted> {
        match &launch.url {
            None => {
                let program = Program::start(&options)?;
                Ok(Self::Process(Box::new(program)))
            }
            Some(target) => match Posts::new(target, match_id) {
                Ok(posts) => Ok(Self::Url(Box::new(posts))),
                Err(why) => Err(NotStarted {
                    why: format!("it cannot be called: {why}"),
                    lasts: false,
                }),
            },
        }
    }

    /// Whether it is sent its match at once, without having said that it is ready.
    pub(super) const fn is_ready_at_once(&self) -> bool {
        matches!(self, Self::Url(_))
    }

    /// A decision is asked for from now on.
    pub(super) const fn asks(&mut self) {
        if let Self::Url(posts) = self {
            posts.asks();
        }
    }

    /// Whether another POST of the same decision brings what it wanted to know first. A program receives that at once.
    pub(super) const fn asks_again(&mut self) -> bool {
        match self {
            Self::Process(_) => false,
            Self::Url(posts) => {
                posts.asks();
                true
            }
        }
    }

    /// Nothing more is expected for the decision that was asked. Whether all must be sent again: an answer that is not
    /// waited for any more leaves open what was received.
    pub(super) fn gives_up(&mut self) -> bool {
        match self {
            Self::Process(_) => false,
            Self::Url(posts) => {
                posts.begin_again();
                true
            }
        }
    }

    /// Sends as much of this as is taken at once, and leaves the rest; false if nothing is taken any more.
    pub(super) fn push(&mut self, unsaid: &mut Vec<u8>) -> bool {
        match self {
            Self::Process(program) => program.push(unsaid).is_ok(),
            // All goes with the next decision.
            Self::Url(_) => true,
        }
    }

    /// A whole line that it has said; an error says why there will be no more.
    pub(super) fn next_line(&mut self) -> Result<Option<Vec<u8>>, Lost> {
        match self {
            Self::Process(program) => program.next_line().map_err(|fault| match fault {
                LineFault::TooLong(beginning) => Lost::LongLine(beginning.len().saturating_sub(1)),
                _ => Lost::Ended,
            }),
            Self::Url(posts) => Ok(posts.next_line()),
        }
    }

    /// Whether its processes were ended because together they took more memory than they may.
    pub(super) fn is_over_memory(&self) -> bool {
        match self {
            Self::Process(program) => program.is_over_memory(),
            Self::Url(_) => false,
        }
    }

    /// Waits for more of what it says, while more of this is sent; false if there is none by then. `asked`: whether its
    /// answer to a decision is waited for. An error says why there will be none.
    pub(super) fn wait(
        &mut self,
        unsaid: &mut Vec<u8>,
        asked: bool,
        until: Instant,
    ) -> Result<bool, Lost> {
        let program = match self {
            Self::Process(program) => program,
            Self::Url(posts) => return posts.wait(unsaid, asked, until),
        };
        let output = (program.output(), PollFlags::IN);
        let input = program.input().filter(|_| !unsaid.is_empty());
        let input = input.map(|input| (input, PollFlags::OUT));
        let both: Vec<_> = std::iter::once(output).chain(input).collect();
        if !ready(&both, until).unwrap_or(false) {
            return Ok(false);
        }
        if program.read() == 0 {
            program.notice_exit();
        }
        Ok(Instant::now() < until)
    }

    /// The decision with this number is over.
    pub(super) fn decided(&self, number: u64) {
        if let Self::Process(program) = self {
            program.mark_stderr(number);
        }
    }

    /// Stops its process, if it is one, until [`Self::resume`].
    pub(super) fn pause(&self) {
        if let Self::Process(program) = self {
            program.pause();
        }
    }

    /// Lets it go on.
    pub(super) fn resume(&self) {
        if let Self::Process(program) = self {
            program.resume();
        }
    }

    /// What is left of this, and a word of farewell if its protocol has one, is the last that it receives.
    pub(super) fn say_last(&mut self, unsaid: &mut Vec<u8>, farewell: Option<&'static str>) {
        match self {
            Self::Process(program) => {
                let within = program.push(unsaid).is_ok();
                // A program that waits for its input's end gets it now.
                if within && unsaid.is_empty() {
                    program.dismiss(farewell);
                }
            }
            Self::Url(posts) => posts.ends(),
        }
    }

    /// Why it cannot play, as far as can be seen without a match.
    pub(super) fn dial(&mut self, until: Instant) -> Result<(), Lost> {
        match self {
            Self::Process(_) => Ok(()),
            Self::Url(posts) => posts.dial(until),
        }
    }

    /// Ends its process, if it is one. Blocks for up to two seconds.
    pub(super) fn end(self) -> Option<Ended> {
        match self {
            Self::Process(mut program) => {
                program.dismiss(None);
                Some(program.end())
            }
            Self::Url(_) => None,
        }
    }
}

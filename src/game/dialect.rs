//! [`Dialect`]: the text of a game's wire as far as it is read without a session.

use crate::game::{Illegal, Seat};
use crate::wire::WireError;
use std::time::Duration;

/// Why no line is part of a reply in games that are not played by programs on pipes.
pub const NO_REPLIES: &str = "the game is not played by programs that speak a protocol of its own";

/// The text of a game's wire, read without a session.
pub trait Dialect: Sync {
    /// Which session a frame belongs to.
    ///
    /// # Errors
    /// [`WireError`] names the field that keeps the frame from being routed.
    fn route(&self, frame: &[u8]) -> Result<Route, WireError>;
    /// Whether an answer to a message, not empty, is legal in form: whether the referee's own reader takes it,
    /// whatever the rules say.
    ///
    /// # Errors
    /// [`Illegal`] says what a reader would not take.
    fn in_form(&self, message: &[u8], answer: &str) -> Result<(), Illegal>;
    /// An answer to a message in the game's words, as what the player does: "bids 100". Players in it are
    /// [`crate::scene::Who`]. `None`: it cannot be read as one.
    fn in_words(&self, message: &[u8], answer: &str) -> Option<String> {
        let _ = (message, answer);
        None
    }
    /// What is answered to a frame when nothing better is known; empty: nothing.
    fn default_answer(&self, frame: &str) -> &'static str;
    /// Whether a line ends a frame, where the transport carries lines.
    fn completes(&self, line: &[u8]) -> bool {
        let _ = line;
        true
    }
    /// What this line is of a program's reply; `begun`: some of the reply came before it.
    ///
    /// # Errors
    /// [`Illegal`]: no reply has such a line, or the game is not played by programs on pipes.
    fn reply_line(&self, begun: bool, line: &[u8]) -> Result<ReplyLine, Illegal> {
        let _ = (begun, line);
        Err(Illegal(NO_REPLIES.to_owned()))
    }
}

/// Which session a first frame belongs to, read without a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// The referee's number of the match; 0 where the wire has none.
    pub market: u64,
    /// The referee's number of the player; 0 where the wire has none.
    pub id: u64,
    /// Whether the frame opens a new match for this key.
    pub begins: bool,
    /// The seat of the player that the frame is for, where the wire states it.
    pub seating: Option<Seating>,
}

impl Route {
    /// A frame of a wire without numbers: its connection says to whom it belongs.
    #[must_use]
    pub const fn unnumbered(begins: bool, seating: Option<Seating>) -> Self {
        Self {
            market: 0,
            id: 0,
            begins,
            seating,
        }
    }
}

/// A seat, as the wire states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seating {
    /// The seat.
    pub seat: Seat,
    /// How many there are.
    pub seats: u8,
    /// How long every player has for an answer.
    pub within: Duration,
}

/// What a line of a program is to its reply, in the game's own protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplyLine {
    /// Nothing: it may stand anywhere.
    Blank,
    /// A part of it, with more to come.
    More,
    /// Its last one.
    Last,
}

//! What a match wants done, and what is recorded of it.

use super::reply::RecordedReply;
use crate::game::Seat;
use crate::wire::Frame;
use std::time::Duration;

/// What a match wants done, in this order.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Add this to a seat's transcript.
    Record(Recorded),
    /// Send this to a seat. The time for its answer begins when the effect is taken ([`super::Match::next`]).
    Send(Message),
    /// Send this to a seat once the match's end is stored, and not at all if it cannot be.
    Hold {
        /// Whose message.
        seat: Seat,
        /// Its exact text.
        text: Frame,
    },
    /// The seat is not asked any more at present, and others do not think at the same time. `answered`: a reply is
    /// complete.
    Rest {
        /// Which seat.
        seat: Seat,
        /// Whether a reply of it is complete.
        answered: bool,
    },
    /// The seat is sent nothing more, once everything before is sent.
    End {
        /// Which seat.
        seat: Seat,
        /// What it did, where nobody else knows.
        why: Option<&'static str>,
    },
}

/// A message on its way to a seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// To whom.
    pub seat: Seat,
    /// Its exact text.
    pub text: Frame,
    /// How long the seat has for an answer, or to acknowledge it.
    pub within: Duration,
    /// Whether the match waits for the answer.
    pub wanted: bool,
    /// Whether the answer is a decision.
    pub decides: bool,
    /// Whether it is to be sent only if the seat has said nothing before ([`super::Match::early`]).
    pub quiet: bool,
}

/// One line of a seat's transcript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// Whose transcript.
    pub seat: Seat,
    /// When, in microseconds since 1970-01-01 UTC. These rise strictly within a match, in the order in which the table
    /// received the answers.
    pub at_us: i64,
    /// What.
    pub content: Content,
}

/// What a line of a transcript holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// A message to the seat.
    Call(Frame),
    /// What came back.
    Reply(Replied),
}

/// What came back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replied {
    /// The reply.
    pub reply: RecordedReply,
    /// How long it took.
    pub took: Duration,
    /// Whether the match waited for it.
    pub wanted: bool,
    /// What the log should note with it, such as a status other than 200.
    pub note: Option<String>,
    /// What it answers, where a message is answered before the next one goes out.
    pub call: Option<Called>,
}

/// A message that was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Called {
    /// Its exact text.
    pub text: Frame,
    /// Its stamp.
    pub at_us: i64,
}

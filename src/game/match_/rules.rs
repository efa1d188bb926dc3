//! How the matches of a wire are played: what differs between wires, as values.

use crate::card::Wire;
use std::time::Duration;

/// Lines that a player at a hub may say between two messages that ask it for a decision: far more than it has dogs.
pub const LINES_MAX: usize = 2_000;
/// Failures in a row after which a player is called no more, where the game does not say.
pub const FAILURES_MAX: u16 = 10;
/// The largest reply of a program to one message, in bytes.
const REPLY_BYTES_MAX: usize = 16 << 20;

/// How the matches of a wire are played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Whether a seat is sent a message only once it has answered the one before, whether that asked or not.
    pub one_at_a_time: bool,
    /// Whether a message that asks for nothing is answered, too.
    pub acknowledged: bool,
    /// Whether players say lines whenever they like, each of them an answer, which counts by the time at which it was read.
    /// Consecutive lines of one player are one entry of its transcript. Otherwise everything is in time that is there
    /// when the time is over.
    pub unasked: bool,
    /// Whether the match ends the time for an answer; otherwise who calls the player reports that it was late.
    pub timed: bool,
    /// Whether the table receives how long an answer took ([`crate::Table::spent`]).
    pub charged: bool,
    /// Whether messages that ask for nothing go out before the others, and those to bots in this process before those
    /// to programs, whose clocks do not run while the bots think.
    pub asks_last: bool,
    /// Whether the match says when a seat is not asked any more ([`super::Effect::Rest`]).
    pub rests: bool,
    /// Whether the match waits until a message is stored before it goes out, and until an answer is stored before it
    /// counts.
    pub durable: bool,
    /// Whether the messages that report the end are held back until that is stored.
    pub holds_end: bool,
    /// Whether a player's first fault ends its part. Otherwise the table says who is sent nothing more.
    pub one_fault: bool,
    /// Whether [`crate::Noted::late`] is how often a seat was late. Otherwise the match counts that.
    pub table_counts_late: bool,
    /// Failures in a row after which a player is not called any more.
    pub failures_max: u16,
    /// Lines of one player between two messages that ask it.
    pub lines_max: usize,
    /// Bytes of one reply.
    pub reply_bytes_max: usize,
    /// Messages of one match, far above the game's own bounds.
    pub calls_max: u64,
    /// Wait before each message that asks for an answer.
    pub pause: Duration,
    /// How long a player has to acknowledge a message that asks for nothing.
    pub acknowledged_within: Duration,
    /// Whether messages and answers are recorded.
    pub records: bool,
    /// What stands in place of the character that marks a missing answer in a transcript.
    pub replacement: char,
}

impl Rules {
    /// How this wire's matches are played, unless a match differs.
    #[must_use]
    pub const fn of_wire(wire: Wire) -> Self {
        let common = Self {
            one_at_a_time: false,
            acknowledged: true,
            unasked: false,
            timed: true,
            charged: false,
            asks_last: false,
            rests: false,
            durable: false,
            holds_end: false,
            one_fault: false,
            table_counts_late: false,
            failures_max: u16::MAX,
            lines_max: usize::MAX,
            reply_bytes_max: usize::MAX,
            calls_max: u64::MAX,
            pause: Duration::ZERO,
            acknowledged_within: Duration::ZERO,
            records: true,
            replacement: '?',
        };
        match wire {
            Wire::Callbacks => Self {
                one_at_a_time: true,
                timed: false,
                failures_max: FAILURES_MAX,
                calls_max: 1_000_000,
                ..common
            },
            Wire::Hub => Self {
                unasked: true,
                holds_end: true,
                one_fault: true,
                lines_max: LINES_MAX,
                replacement: '\u{fffd}',
                ..common
            },
            Wire::Stdio => Self {
                acknowledged: false,
                charged: true,
                asks_last: true,
                table_counts_late: true,
                reply_bytes_max: REPLY_BYTES_MAX,
                calls_max: 20_000_000,
                ..common
            },
        }
    }
}

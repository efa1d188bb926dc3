//! What a message gets back.

use super::mailbox::Session;
use super::meters::Meters;
use crate::store::Store;
use crate::store::types::LedgerRow;
use bytes::Bytes;
use games::{Cause, Kit};
use std::sync::Arc;
use std::time::Instant;

/// An answer, durable already.
#[derive(Debug)]
pub struct Answer {
    /// Its exact text; empty where there is nothing to say.
    pub text: Bytes,
    /// To be told once the answer is handed to the transport.
    pub sending: Option<Sending>,
    /// How the session came to its end, if it has.
    pub ended: Option<Ended>,
}

/// The end of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// Why.
    pub cause: Cause,
    /// The particulars, in a sentence.
    pub detail: String,
}

impl Answer {
    /// An answer without a word.
    pub(super) fn nothing() -> Self {
        Self {
            text: Bytes::new(),
            sending: None,
            ended: None,
        }
    }

    /// What the game's player says to this message when nothing better is known.
    pub(super) fn default_of_game(kit: &dyn Kit, message: &str) -> Self {
        Self {
            text: Bytes::from_static(kit.default_answer(message).as_bytes()),
            sending: None,
            ended: None,
        }
    }
}

/// Why a message was not taken, in a sentence for the referee's operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// As many sessions as may be are live.
    #[error("no room for another match at present: try again later")]
    Full,
    /// Few places are left, and the caller holds its share of them.
    #[error(
        "only few more matches can be played at present, and you have your share of them: try again when one has ended"
    )]
    Share,
    /// Something is scarce, and the caller has begun many sessions of late.
    #[error("too many matches were begun from your address just now: try again later")]
    Rate,
    /// More is being thought about than can be answered in time.
    #[error("too much to think about to accept another match at present: try again later")]
    Busy,
    /// The daemon is stopping.
    #[error("stopping: try again later")]
    Draining,
    /// A numbered message that cannot be decided or stored at present: its edge can do it alone.
    #[error("this session cannot be gone on with at present")]
    Unfit,
    /// A session that can never be gone on with by this version, or that ended before its game did.
    #[error("this session is over")]
    Over,
    /// An edge's messages before this one have not come yet.
    #[error("{0} messages have come, and this is a later one")]
    Gap(u64),
}

impl Refusal {
    pub(super) const fn word(self) -> &'static str {
        match self {
            Refusal::Full => "full",
            Refusal::Share => "share",
            Refusal::Rate => "rate",
            Refusal::Busy => "busy",
            Refusal::Draining => "draining",
            Refusal::Unfit => "unfit",
            Refusal::Over => "over",
            Refusal::Gap(_) => "gap",
        }
    }
}

/// An answer's way to the transport. Dropped without [`Sending::handed`], the answer counts as not
/// sent: the same message again is a repetition and gets the same answer.
#[must_use = "call handed() once the transport has the answer"]
#[derive(Debug)]
pub struct Sending {
    pub(super) session: Arc<Session>,
    /// The answered message's place in the transcript, plus one.
    pub(super) mark: u64,
    pub(super) ledger: Option<Box<Ledger>>,
}

/// A decision's timings, complete but for the last.
#[derive(Debug)]
pub(super) struct Ledger {
    pub(super) row: LedgerRow,
    pub(super) received: Instant,
    pub(super) store: Store,
    pub(super) meters: Arc<Meters>,
}

impl Sending {
    /// The transport has the answer.
    pub fn handed(self) {
        self.session.hand(self.mark);
        if let Some(mut ledger) = self.ledger {
            ledger.row.sent_us = micros(ledger.received.elapsed());
            ledger.meters.ledger(&ledger.row);
            ledger.store.note_ledger(ledger.row);
        }
    }
}

/// A time span as the ledger keeps it.
pub(super) fn micros(span: std::time::Duration) -> u32 {
    u32::try_from(span.as_micros()).unwrap_or(u32::MAX)
}

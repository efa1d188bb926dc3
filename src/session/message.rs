//! What a session receives and how it is refused or ends: the types that cross between its files.

use crate::cluster::Epoch;
use crate::link::{Peer, Share};
use crate::store::types::{NewEntry, SessionId};
use games::{Cause, Seating};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;
use tokio::sync::oneshot;

/// What a session that begins takes of what is bounded.
#[derive(Debug)]
pub(super) struct Place {
    /// Its place among all sessions.
    pub(super) slot: Share,
    /// A stranger's: its place among those of which nothing more was received.
    pub(super) begun: Option<Share>,
}

/// From whom a message came, as far as limits mind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// Whose share a session counts for that this message begins; `None`: nobody's.
    pub(super) peer: Option<Peer>,
    /// Whether connections are scarce where it came in.
    pub(super) short: bool,
}

impl Origin {
    /// A caller whom shares and rates bind, unless it is exempt as configured referees are. `short`:
    /// connections are scarce where it came in.
    #[must_use]
    pub fn new(address: IpAddr, exempt: bool, short: bool) -> Self {
        Self {
            peer: (!exempt).then(|| Peer::new(address)),
            short,
        }
    }
}

/// That this replica owns the session of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// Since when.
    pub epoch: Epoch,
    /// Set where the message may have been handled before, here or elsewhere: how long ago it arrived first.
    pub resent: Option<Duration>,
}

/// A message that an edge has numbered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Numbered {
    /// Its number in its session, from 1.
    pub number: u64,
    /// What the edge answered by itself while we were away.
    pub local: Option<Local>,
}

/// An answer that was given without us.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Local {
    /// Its exact text; may be empty.
    pub said: String,
    /// When, in microseconds since 1970-01-01 UTC.
    pub at_us: i64,
}

/// The other side's last word: no more messages will come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaving {
    /// How many messages it has sent; `None`: it does not say.
    pub messages: Option<u64>,
    /// Why, as a sentence.
    pub detail: String,
    /// Whether it has hung up, which on some wires is how a match ends.
    pub hung_up: bool,
}

/// What is known of a session that begins, besides its first message.
#[derive(Clone, Debug, Default)]
pub struct Opening {
    /// What was said before, oldest first.
    pub before: Vec<NewEntry>,
    /// What the dialogue's opening words were made of ([`games::DialogueSetup::opening`]).
    pub words: Value,
    /// The own seat and how many there are, where the wire says.
    pub seating: Option<Seating>,
    /// Our own end of the line, if it is one to a hub: our own hub knows it.
    pub line: Option<SocketAddr>,
}

/// An end, unless something came meanwhile: the last message must be older than this.
pub(super) struct Expiry {
    pub(super) idle_since_ms: i64,
    pub(super) cause: Cause,
    pub(super) detail: Cow<'static, str>,
    /// Whether the other side has hung up, which on some wires is the only word for the end.
    pub(super) hung_up: bool,
    /// How many messages must have come before it.
    pub(super) messages: Option<u64>,
    /// That its session is owned here, where its caller knows.
    pub(super) held: Option<Held>,
    /// Who waits until the end is stored; if it cannot be, the session goes on, so that it can be sent again.
    pub(super) stored: Option<oneshot::Sender<Result<(), Refusal>>>,
}

impl Expiry {
    /// An end whatever came last.
    pub(super) fn now(cause: Cause, detail: impl Into<Cow<'static, str>>) -> Self {
        Self {
            idle_since_ms: i64::MAX,
            cause,
            detail: detail.into(),
            hung_up: false,
            messages: None,
            held: None,
            stored: None,
        }
    }
}

/// The end of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// Why.
    pub cause: Cause,
    /// The particulars, in a sentence.
    pub detail: String,
}

/// The live session that took names in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TakenIn {
    /// Its number.
    pub session: SessionId,
    /// Whether the seats of its match are named, so that what the match teaches counts for the names. Where it is not
    /// known which seat the session has, they are not: the names advise its bot alone.
    pub seats_named: bool,
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
    /// A match for a user's program that is not here, or that does not play the game.
    #[error("no such bot is here, or it does not play this game: see drover bot list")]
    NoBot,
    /// A message that cannot be stored at present: the first of a match, or one while a database server is away.
    #[error("messages cannot be stored at present: try again later")]
    Unstored,
    /// Another replica has gone on with the session.
    #[error("another replica goes on with this session: send it again")]
    Fenced,
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
            Refusal::NoBot => "no_bot",
            Refusal::Unstored => "unstored",
            Refusal::Fenced => "fenced",
            Refusal::Unfit => "unfit",
            Refusal::Over => "over",
            Refusal::Gap(_) => "gap",
        }
    }
}

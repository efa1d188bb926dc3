//! The types of the store's interface. Types only.

pub use crate::config::Durability;

use crate::clock;
use games::{Bluff, Cause, Fact, Lesson, Participation, Seat};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;
use tokio::time::Instant;
use utoipa::ToSchema;

/// A session's number: its row in the store. Handed out by [`super::Store::next_session`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SessionId(pub i64);

/// An entry's number: its row in the log, rising in commit order over the whole store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EntryId(pub i64);

/// The direction of an entry's text, seen from the session's own side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Received.
    In,
    /// Sent.
    Out,
}

/// Whose transcript a session is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// Our bot's side of one seat.
    Player,
    /// Our referee's side of one seat: `Out` is the call, `In` the reply.
    Referee,
}

/// One line of a transcript, not yet stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewEntry {
    /// When it was received or decided, in microseconds since 1970-01-01 UTC.
    pub at_us: i64,
    /// Its direction.
    pub direction: Direction,
    /// Its exact text.
    pub text: String,
}

impl NewEntry {
    /// A line.
    #[must_use]
    pub fn new(at_us: i64, direction: Direction, text: impl Into<String>) -> Self {
        Self {
            at_us,
            direction,
            text: text.into(),
        }
    }
}

/// One line of a transcript.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// Its number in the log.
    pub id: EntryId,
    /// Its index in its session's transcript, from 0.
    pub seq: u64,
    /// Microseconds since 1970-01-01 UTC.
    pub at_us: i64,
    /// Its direction.
    pub direction: Direction,
    /// Its exact text.
    pub text: String,
}

/// A session's row, written with its first entry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NewSession {
    /// The match it belongs to. Its row must exist or come in [`Append::match_`].
    pub match_id: String,
    /// Whose transcript.
    pub side: Side,
    /// The game's name.
    pub game: String,
    /// The bot that plays, or for [`Side::Referee`] the seat's spec.
    pub bot: String,
    /// The referee: the name in the callback's path or the peer's address.
    pub referee: String,
    /// The referee's number for the match.
    pub market: u64,
    /// The referee's number for the player.
    pub player: u64,
    /// The absolute seat, where known.
    pub seat: Option<u8>,
    /// The bot's seed.
    pub seed: u64,
    /// What else the fold needs, as JSON.
    pub setup: Value,
    /// What this session's commits must survive.
    pub durability: Durability,
}

/// One seat of a match.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = Seat)]
pub struct SeatRow {
    /// 0 and up.
    pub seat: u8,
    /// `builtin:NAME`, `url:…`, `filler`, or empty when unknown.
    pub spec: String,
    /// The player's name, where known.
    pub name: Option<String>,
    /// The tournament's entrant, if the match belongs to one.
    pub entrant: Option<String>,
    /// The final score.
    pub score: Option<i64>,
    /// 1 for the only best score, 1/k for k best ones, else 0.
    pub win_share: Option<f64>,
    /// How it took part; `null` while that is not known.
    pub participation: Option<Participation>,
    /// Our bot that answers behind a command or an address, by its session in this match; only where it is read.
    #[serde(skip)]
    pub bot: Option<String>,
    /// Which of its tournament's entrants plays, from 0: its colour; only where it is read.
    #[serde(skip)]
    pub number: Option<usize>,
}

impl SeatRow {
    /// The entrant, else the player's name.
    #[must_use]
    pub fn known_as(&self) -> Option<&str> {
        self.entrant.as_deref().or(self.name.as_deref())
    }
}

/// The referee of matches that were read from files: nothing goes on with them, and their numbers are nobody's.
pub const IMPORTED: &str = "imported";

/// A match's row, written when it is first seen; what is known at its end only is empty until then.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct MatchRow {
    /// A ULID: sorts by time, so it serves as a cursor.
    pub id: String,
    /// The game's name.
    pub game: String,
    /// The referee: a name or an address.
    pub referee: String,
    /// The referee's number for it.
    pub market: u64,
    /// Whether our own referee runs it (it then knows every seat).
    pub ours: bool,
    /// Microseconds since 1970-01-01 UTC.
    #[serde(rename = "started", serialize_with = "clock::shown")]
    pub started_us: i64,
    /// Microseconds since 1970-01-01 UTC; `None` while it is running.
    #[serde(rename = "ended", serialize_with = "clock::shown_if_any")]
    pub ended_us: Option<i64>,
    /// Why it ended.
    pub cause: Option<Cause>,
    /// The seat at fault for the end.
    pub blame: Option<u8>,
    /// A sentence with details of the end, or empty.
    pub detail: String,
    /// Scores by seat.
    pub scores: Vec<i64>,
    /// All that our referee started it from ([`games::Table::setup`]); null for others' matches.
    pub setup: Value,
    /// The seats. For a match with a foreign referee they are relative to our first session: 0 is ours, then clockwise.
    pub seats: Vec<SeatRow>,
    /// Its place in a tournament, once it has ended in one.
    pub tournament: Option<Place>,
    /// When it was over for everyone, in others' matches for all our sessions, in microseconds since 1970-01-01 UTC.
    #[serde(skip)]
    pub over_us: Option<i64>,
}

/// Where in a tournament a match was played.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Place {
    /// The tournament's id.
    pub id: String,
    /// The tournament's name; empty in old files of matches.
    #[serde(default)]
    pub name: String,
    /// The round.
    pub round: u32,
    /// The table in the round, from 0.
    pub table: u32,
    /// The match's number in the whole tournament, from 0.
    pub number: u64,
}

/// The end of a session, stored in one transaction with its last entries, facts and lessons.
#[derive(Clone, Debug, PartialEq)]
pub struct Close {
    /// Microseconds since 1970-01-01 UTC.
    pub at_us: i64,
    /// Why it ended.
    pub cause: Cause,
    /// A sentence with details, or empty.
    pub detail: String,
    /// Scores, own seat first, then clockwise; empty if never received.
    pub scores: Vec<i64>,
    /// Shares of the win in the same order, where they were received and scores were not.
    pub wins: Vec<f64>,
    /// Its lessons. Merged into the models of named opponents (by the names on the match's seats) and of
    /// learnt types inside the same transaction, by the game's [`games::Models::merge`].
    pub lessons: Vec<Lesson>,
    /// The facts of its transcript, where it is folded only at its end.
    pub facts: Vec<FactAt>,
}

/// A fact with the entry that it follows from.
#[derive(Clone, Debug, PartialEq)]
pub struct FactAt {
    /// The entry.
    pub entry: EntryId,
    /// Its time, in microseconds since 1970-01-01 UTC.
    pub at_us: i64,
    /// The fact.
    pub fact: Fact,
    /// Its columns in the bluff history, where [`games::GameCard::bluff`] gave them.
    pub bluff: Option<Bluff>,
}

impl Close {
    /// An end of which no more is known.
    #[must_use]
    pub const fn new(at_us: i64, cause: Cause) -> Self {
        Self {
            at_us,
            cause,
            detail: String::new(),
            scores: Vec::new(),
            wins: Vec::new(),
            lessons: Vec::new(),
            facts: Vec::new(),
        }
    }
}

/// The end of a match that our referee ran.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchResult {
    /// Microseconds since 1970-01-01 UTC.
    pub at_us: i64,
    /// Why it ended.
    pub cause: Cause,
    /// The seat at fault, if there is one.
    pub blame: Option<u8>,
    /// A sentence with details, or empty.
    pub detail: String,
    /// Scores by seat.
    pub scores: Vec<i64>,
    /// Its place in a tournament, stored in the same transaction: a place is filled once.
    pub slot: Option<Box<Slot>>,
    /// What a tournament keeps besides the scores, by seat; only stored with a slot.
    pub notes: Vec<SeatNotes>,
    /// How each seat took part, by seat; `None`: not known. May be shorter.
    pub participation: Vec<Option<Participation>>,
}

impl MatchResult {
    /// Whether a seat's result is not its own, so that it is last.
    #[must_use]
    pub fn is_last(&self, seat: Seat) -> bool {
        let notes = self.notes.get(seat.index());
        self.cause == Cause::NotPlayed && self.blame == Some(seat.0)
            || notes.is_some_and(|notes| notes.fault == Some(Cause::NotPlayed))
    }

    /// A result that is no seat's fault and has no details.
    #[must_use]
    pub const fn new(at_us: i64, cause: Cause, scores: Vec<i64>) -> Self {
        Self {
            at_us,
            cause,
            blame: None,
            detail: String::new(),
            scores,
            slot: None,
            notes: Vec::new(),
            participation: Vec::new(),
        }
    }
}

/// A tournament's row, written before its first round; what comes to it later is empty until then.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TournamentRow {
    /// A ULID: sorts by time, so it serves as a cursor.
    pub id: String,
    /// For people; need not be unique.
    pub name: String,
    /// The game's name.
    pub game: String,
    /// All that it was started with, as JSON.
    pub setup: Value,
    /// Microseconds since 1970-01-01 UTC.
    pub started_us: i64,
    /// Microseconds since 1970-01-01 UTC; `None` until it is over.
    pub ended_us: Option<i64>,
    /// Why it is over, or empty.
    pub ended_why: String,
    /// The entrants, in the order given; no two have the same name.
    pub entrants: Vec<NewEntrant>,
    /// How many rounds were decided.
    pub rounds: u32,
    /// How many matches have ended.
    pub matches: u64,
}

/// An entrant of a tournament.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = Entrant)]
pub struct NewEntrant {
    /// A name of its own within the tournament: up to 64 characters.
    pub name: String,
    /// How it plays: a seat's spec or `remote`.
    pub spec: String,
    /// Whether it only fills up groups.
    pub house: bool,
}

/// A round of a tournament, stored before its first match.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StoredRound {
    /// Its number.
    pub round: u32,
    /// Who meets whom over which deals, and why, as JSON.
    pub decision: Value,
    /// Microseconds since 1970-01-01 UTC.
    pub decided_us: i64,
}

/// A match's place in a tournament.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slot {
    /// The tournament's id.
    pub tournament: Arc<str>,
    /// The round. Its row must exist when the match ends.
    pub round: u32,
    /// The table in the round, from 0.
    pub table: u32,
    /// The match's number in the whole tournament, from 0.
    pub number: u64,
    /// The seed of the match's deck.
    pub seed: u64,
    /// The entrants' names, by seat.
    pub entrants: Vec<Arc<str>>,
    /// The claim by which a worker plays it: unless it is the last one of a match in the queue, the result is refused.
    pub claim: Option<i64>,
}

impl Slot {
    /// Names the entrants on the match's seats.
    pub fn seat(&self, row: &mut MatchRow) {
        for (seat, entrant) in row.seats.iter_mut().zip(&self.entrants) {
            seat.entrant = Some(entrant.as_ref().to_owned());
        }
    }
}

/// What a tournament keeps of a seat in a match besides its score.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SeatNotes {
    /// The fault with which it ended the match or its own part in it.
    pub fault: Option<Cause>,
    /// Acts that the rules rejected.
    pub refused: u32,
    /// Answers that were late or missing.
    pub missed: u32,
    /// How many decisions took how long, where measured: a histogram's buckets and their counts.
    pub took: Vec<(u32, u64)>,
}

/// The session that its key had before: if that is not so, another replica has begun one meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Follows(pub Option<SessionId>);

/// By what a referee's messages find their session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionKey {
    /// The game's name.
    pub game: &'static str,
    /// [`NewSession::referee`].
    pub referee: Box<str>,
    /// [`NewSession::market`].
    pub market: u64,
    /// [`NewSession::player`].
    pub player: u64,
    /// The bot's name, without a version.
    pub called: Box<str>,
}

/// What is stored of a key.
#[derive(Clone, Debug, Default)]
pub struct Newest {
    /// Its newest session.
    pub session: Option<NewestSession>,
    /// The match that its referee plays under its market, if a session of that is live.
    pub match_id: Option<String>,
}

/// The newest session of a key.
#[derive(Clone, Debug)]
pub enum NewestSession {
    /// It is live.
    Live(Box<LiveSession>),
    /// It has ended.
    Ended(Box<SessionRow>),
}

/// Everything that one callback, line or reply adds to a session: committed completely or not at all.
#[derive(Debug)]
pub struct Append {
    /// The session.
    pub session: SessionId,
    /// Its previous entry, `None` for the first. The actor ensures the order.
    pub previous: Option<EntryId>,
    /// How many entries it had before.
    pub seq: u64,
    /// Present with the first entry.
    pub open: Option<Box<NewSession>>,
    /// Present with it where another replica may begin a session of the same key.
    pub follows: Option<Follows>,
    /// Present if the match's row may not exist yet (ignored if it does).
    pub match_: Option<Box<MatchRow>>,
    /// New entries in order; at most a few.
    pub entries: Vec<NewEntry>,
    /// Facts learnt from them, with the bluff columns where [`games::GameCard::bluff`] gave them.
    pub facts: Vec<(Fact, Option<Bluff>)>,
    /// Present with the last entry.
    pub close: Option<Box<Close>>,
}

impl Append {
    /// Nothing yet, after this entry of a session that has this number of them.
    #[must_use]
    pub const fn after(session: SessionId, previous: Option<EntryId>, seq: u64) -> Self {
        Self {
            session,
            previous,
            seq,
            open: None,
            follows: None,
            match_: None,
            entries: Vec::new(),
            facts: Vec::new(),
            close: None,
        }
    }
}

/// Proof that an [`Append`] is durable.
#[derive(Clone, Copy, Debug)]
pub struct Receipt {
    /// The last entry of the append (or the previous one, if it had none).
    pub last: Option<EntryId>,
    /// When the commit returned.
    pub committed: Instant,
}

/// One decision's timings for the deadline ledger, in microseconds from receipt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct LedgerRow {
    /// The session.
    pub session: SessionId,
    /// The entry that asked.
    pub entry: EntryId,
    /// When it was received, in microseconds since 1970-01-01 UTC.
    pub at_us: i64,
    /// Waiting in the session's mailbox ended.
    pub queued_us: u32,
    /// Thinking ended.
    pub thought_us: u32,
    /// The commit returned.
    pub committed_us: u32,
    /// The answer was handed to the transport.
    pub sent_us: u32,
    /// What the wire allowed.
    pub limit_us: u32,
    /// Whether the fallback was sent.
    pub fallback: bool,
}

/// A session that has not ended, as start-up finds it: enough to route to it and to fold it later.
#[derive(Clone, Debug, PartialEq)]
pub struct LiveSession {
    /// Its number.
    pub id: SessionId,
    /// Its row.
    pub opened: NewSession,
    /// Its last entry.
    pub head: Option<EntryId>,
    /// How many entries it has.
    pub seq: u64,
    /// Microseconds since 1970-01-01 UTC: the latest time among its entries.
    pub last_us: i64,
}

/// Who owns what a session knows, and since when it is no longer secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Secrecy {
    /// Whose transcript.
    pub side: Side,
    /// The bot that plays, or for [`Side::Referee`] the seat's spec.
    pub bot: String,
    /// The tournament's entrant on the session's seat, else the player's name, where known.
    pub entrant: Option<String>,
    /// When the match was over for everyone, in microseconds since 1970-01-01 UTC; `None` while it runs.
    pub over_us: Option<i64>,
}

/// A stored session.
#[derive(Clone, Debug, Serialize)]
pub struct SessionRow {
    /// Its number.
    pub id: SessionId,
    /// Its row as it was opened.
    pub opened: NewSession,
    /// Microseconds since 1970-01-01 UTC.
    #[serde(rename = "started", serialize_with = "clock::shown")]
    pub opened_us: i64,
    /// Its last entry, once it has ended.
    pub last_entry: Option<EntryId>,
    /// How many entries it has, once it has ended.
    pub entries: Option<u64>,
    /// Microseconds since 1970-01-01 UTC; `None` while it lives.
    #[serde(rename = "ended", serialize_with = "clock::shown_if_any")]
    pub ended_us: Option<i64>,
    /// Why it ended.
    pub cause: Option<Cause>,
    /// A sentence with details of the end, or empty.
    pub detail: String,
    /// Scores as the session received them, own seat first.
    pub scores: Vec<i64>,
    /// Whether its transcript and facts were given up.
    pub pruned: bool,
    /// Who may see it.
    #[serde(skip)]
    pub secrecy: Secrecy,
}

impl SessionRow {
    /// Why it ended, and its own score, as far as that is known.
    #[must_use]
    pub fn end(&self) -> (Option<Cause>, Option<i64>) {
        (self.cause, self.scores.first().copied())
    }
}

/// The kind of opponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum OpponentKind {
    /// An opponent known by name.
    Named,
    /// A learnt type of player.
    Type,
}

impl OpponentKind {
    /// The word stored and shown.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            OpponentKind::Named => "named",
            OpponentKind::Type => "type",
        }
    }
}

/// An opponent model as stored.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StoredModel {
    /// Its number, or that of one of its versions.
    pub id: i64,
    /// The game's name.
    pub game: String,
    /// A named opponent's or a learnt type's.
    pub kind: OpponentKind,
    /// The opponent's or type's name.
    pub name: String,
    /// Counts in the game's own schema; [`games::Models::show`] makes them readable.
    pub model: Value,
    /// Raised by every lesson that is added to it; a match may have several.
    pub version: i64,
    /// Microseconds since 1970-01-01 UTC of the last change.
    pub updated_us: i64,
    /// The match that changed it last.
    pub last_match: String,
}

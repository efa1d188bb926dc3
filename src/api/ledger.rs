//! The deadline ledger: how long each decision of a match took, what it was allowed, and why it was late.

use super::contents::{Seen, Wanted};
use super::lists::Rows;
use super::query::Params;
use super::reader::Reader;
use super::shapes::{Paged, time};
use super::sight::Sight;
use crate::history::{self, LedgerLine};
use crate::store::{EntryId, SessionId};
use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

/// One decision's times, in milliseconds from the receipt of what asked for it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Decision)]
pub(super) struct DecisionShown {
    /// Its number in the ledger.
    pub id: i64,
    /// The session.
    #[schema(value_type = i64)]
    pub session: SessionId,
    /// The session's seat, where known.
    pub seat: Option<u8>,
    /// The session's bot, or for a referee's transcript the seat's spec.
    #[schema(example = "champion")]
    pub bot: String,
    /// The entry that asked.
    #[schema(value_type = i64)]
    pub entry: EntryId,
    /// When that was received.
    pub at: Timestamp,
    /// The wait for the session ended.
    #[schema(example = 0.05)]
    pub queued_ms: f64,
    /// Thinking ended.
    #[schema(example = 41.2)]
    pub thought_ms: f64,
    /// The answer was committed. A sync of the log, where there is one, counts towards what follows.
    #[schema(example = 43.0)]
    pub committed_ms: f64,
    /// The answer was handed to the transport.
    #[schema(example = 43.1)]
    pub sent_ms: f64,
    /// What the wire allowed.
    #[schema(example = 5000.0)]
    pub limit_ms: f64,
    /// Whether a fallback answered instead.
    pub fallback: bool,
    /// Whether it was late: its answer left after the wire's limit, or its program or bot gave none in time, so that a
    /// fallback answered.
    pub late: bool,
    /// Why it was late or a fallback's. `program_late`, `program_gone` and `program_illegal`: its program did not answer in
    /// time, was not running, or answered what is not legal; `late`: no thinking was done in time; `panic`, `quarantined`,
    /// `pool_closed`: its bot failed; `fallback`: that is not stored. Without a fallback, the step that took longest:
    /// `queued`, `thought`, `committed` or `sent`. `null` if it was neither.
    #[schema(example = "program_late")]
    pub reason: Option<String>,
}

/// A match's decisions, oldest first.
pub(super) struct Ledger;

impl Rows for Ledger {
    type Item = DecisionShown;
    type Filters = Wanted;
    const FILTERS: &'static [&'static str] = &["seat", "session"];
    const TAGGED: bool = true;
    const REFUSES: &'static [u16] = &[410];

    async fn page(reader: &Reader, params: &Params<Wanted>) -> Paged<DecisionShown> {
        let (seen, at) = (Seen::read(reader, params).await?, params.page_or_all()?);
        let sessions = seen.contents.sessions.iter().map(|row| row.id);
        let sessions: Vec<SessionId> = sessions.collect();
        let lines = history::ledger_page(reader.state.store.reader(), &sessions, &at).await?;
        Ok(seen.listed(reader, lines, |line| shown(&reader.sight, line)))
    }
}

/// A time in milliseconds.
pub(super) fn ms(us: u32) -> f64 {
    f64::from(us) / 1000.0
}

fn shown(sight: &Sight, line: LedgerLine) -> DecisionShown {
    let row = line.row;
    DecisionShown {
        id: line.id,
        session: row.session,
        seat: line.seat,
        bot: sight.spec(&line.bot, line.called.as_deref()).to_owned(),
        entry: row.entry,
        at: time(row.at_us),
        queued_ms: ms(row.queued_us),
        thought_ms: ms(row.thought_us),
        committed_ms: ms(row.committed_us),
        sent_ms: ms(row.sent_us),
        limit_ms: ms(row.limit_us),
        fallback: row.fallback,
        late: line.is_late(),
        reason: line.reason().map(str::to_owned),
    }
}

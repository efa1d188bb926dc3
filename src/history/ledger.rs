//! Reading the deadline ledger: how long decisions took, and why some were late or a fallback's.

use super::pages::{cut, number_after};
use super::records::{Page, PageAt, Times};
use crate::store::rows;
use crate::store::sql::{Row, query, query_as};
use crate::store::types::{EntryId, LedgerRow, SessionId};
use crate::store::{Reader, StoreError};
use games::seat::Fallback;
use games::stats::quantile;
use serde_json::json;
use std::collections::HashMap;

const LINES: &str = "SELECT l.*, s.game, s.match_id, s.seat, s.bot,
        (SELECT coalesce(n.entrant, n.name) FROM seats n WHERE n.match_id = s.match_id AND n.seat = s.seat) AS called
    FROM ledger l JOIN sessions s ON s.id = l.session";

/// Why fallbacks took decisions of the sessions in a JSON list.
const CAUSES: &str = "SELECT session, entry, data ->> 'cause' FROM facts
    WHERE session IN (SELECT CAST(value AS BIGINT) FROM json_each($1)) AND kind = 'fallback' AND entry IS NOT NULL
    ORDER BY session, entry";

/// A row of the deadline ledger, with whose it is.
#[derive(Clone, Debug, PartialEq)]
pub struct LedgerLine {
    /// Its number.
    pub id: i64,
    /// The game's name.
    pub game: String,
    /// The match.
    pub match_id: String,
    /// The session's seat, where known.
    pub seat: Option<u8>,
    /// The session's bot, or for a referee's session the seat's spec.
    pub bot: String,
    /// The entrant on the seat, else the player's name, where known.
    pub called: Option<String>,
    /// The row.
    pub row: LedgerRow,
    /// Why a fallback took it, where that is stored.
    pub cause: Option<String>,
}

impl LedgerLine {
    /// Whether it was late: its answer left after the wire's limit, or who was to decide gave none in time.
    #[must_use]
    pub fn is_late(&self) -> bool {
        let (row, cause) = (self.row, self.cause.as_deref());
        is_late(row.sent_us, row.limit_us, cause)
    }

    /// Why it was late or a fallback's: the fallback's cause, or else the step that took longest. `None` if it was neither.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        if self.row.fallback {
            return Some(self.cause.as_deref().unwrap_or("fallback"));
        }
        let LedgerRow {
            queued_us,
            thought_us,
            committed_us,
            sent_us,
            ..
        } = self.row;
        let steps = [
            ("queued", queued_us),
            ("thought", thought_us.saturating_sub(queued_us)),
            ("committed", committed_us.saturating_sub(thought_us)),
            ("sent", sent_us.saturating_sub(committed_us)),
        ];
        let longest = steps.into_iter().max_by_key(|(_, took_us)| *took_us);
        longest.filter(|_| self.is_late()).map(|(step, _)| step)
    }
}

/// The ledger of these sessions, oldest first. Its cursor is a row's number.
///
/// # Errors
/// [`StoreError::Read`], [`StoreError::Unknown`] for a bad cursor.
pub async fn ledger_page(
    reader: &Reader,
    sessions: &[SessionId],
    at: &PageAt,
) -> Result<Page<LedgerLine>, StoreError> {
    let found = query(format!(
        "{LINES} WHERE l.session IN (SELECT CAST(value AS BIGINT) FROM json_each($1)) AND l.id > $2 ORDER BY l.id LIMIT $3"
    ))
    .bind(json!(sessions).to_string())
    .bind(number_after(at)?)
    .bind(i64::from(at.limit) + 1);
    let lines = explained(reader, found.fetch_all(reader.pool()).await?).await?;
    Ok(cut(lines, at, |line| line.id.to_string()))
}

/// The number of a match's last row; 0 if it has none.
///
/// # Errors
/// [`StoreError::Read`].
pub async fn last_decision(reader: &Reader, match_id: &str) -> Result<i64, StoreError> {
    let last = query_as(
        "SELECT coalesce(max(l.id), 0) FROM ledger l JOIN sessions s ON s.id = l.session WHERE s.match_id = $1",
    );
    Ok(last
        .bind(match_id.to_owned())
        .fetch_one(reader.pool())
        .await?)
}

/// The newest rows of these sessions, newest first.
///
/// # Errors
/// [`StoreError::Read`].
pub async fn ledger_newest_of(
    reader: &Reader,
    sessions: &[SessionId],
    limit: u32,
) -> Result<Vec<LedgerLine>, StoreError> {
    let found = query(format!(
        "{LINES} WHERE l.session IN (SELECT CAST(value AS BIGINT) FROM json_each($1)) ORDER BY l.id DESC LIMIT $2"
    ))
    .bind(json!(sessions).to_string())
    .bind(i64::from(limit));
    explained(reader, found.fetch_all(reader.pool()).await?).await
}

/// The ledger's newest rows, newest first. Rows wait up to a second before they are written.
///
/// # Errors
/// [`StoreError::Read`].
pub async fn ledger_newest(reader: &Reader, limit: u32) -> Result<Vec<LedgerLine>, StoreError> {
    let found = query(format!("{LINES} ORDER BY l.id DESC LIMIT $1")).bind(i64::from(limit));
    explained(reader, found.fetch_all(reader.pool()).await?).await
}

/// A seat of a match.
pub(super) type SeatOf = (String, u8);

/// What is counted of a decision.
#[derive(Clone, Copy, Debug)]
pub(super) struct Took {
    sent_us: u32,
    late: bool,
    fallback: bool,
}

/// The decisions of each seat of these matches (a JSON list), where the seat is known.
///
/// # Errors
/// [`StoreError::Read`].
pub(super) async fn took_by_seat(
    reader: &Reader,
    matches: &str,
) -> Result<HashMap<SeatOf, Vec<Took>>, StoreError> {
    let found = query(
        "SELECT s.match_id, s.seat, l.session, l.entry, l.sent_us, l.limit_us, l.fallback
         FROM json_each($1) w CROSS JOIN sessions s ON s.match_id = w.value
         CROSS JOIN ledger l ON l.session = s.id WHERE s.seat IS NOT NULL",
    )
    .bind(matches.to_owned())
    .fetch_all(reader.pool())
    .await?;
    let mut fallbacks = Vec::new();
    for row in &found {
        if row.try_get(6)? {
            fallbacks.push(row.try_get(2)?);
        }
    }
    let causes = Causes::read(reader, fallbacks).await?;
    let mut took: HashMap<SeatOf, Vec<Took>> = HashMap::new();
    for row in &found {
        let (sent_us, fallback) = (row.try_get(4)?, row.try_get(6)?);
        let cause = match fallback {
            true => causes.after(row.try_get(2)?, row.try_get(3)?),
            false => None,
        };
        let seat = (row.try_get(0)?, row.try_get(1)?);
        took.entry(seat).or_default().push(Took {
            sent_us,
            late: is_late(sent_us, row.try_get(5)?, cause),
            fallback,
        });
    }
    Ok(took)
}

/// How long the decisions of each seat of these matches took, where that is recorded and the seat is known.
///
/// # Errors
/// [`StoreError::Read`].
pub async fn times_by_seat(
    reader: &Reader,
    matches: &[&str],
) -> Result<HashMap<(String, u8), Times>, StoreError> {
    let took = took_by_seat(reader, &json!(matches).to_string()).await?;
    let took = took.into_iter();
    Ok(took.map(|(seat, took)| (seat, times(took))).collect())
}

/// These decisions summed up.
pub(super) fn times(mut decisions: Vec<Took>) -> Times {
    decisions.sort_unstable_by_key(|took| took.sent_us);
    let sent_ms = decisions.iter().map(|took| f64::from(took.sent_us) / 1e3);
    let sent_ms: Vec<f64> = sent_ms.collect();
    let count = |is: fn(&&Took) -> bool| decisions.iter().filter(is).count() as u64;
    Times {
        decisions: decisions.len() as u64,
        fallbacks: count(|took| took.fallback),
        late: count(|took| took.late),
        sent_ms_p50: quantile(&sent_ms, 0.5),
        sent_ms_p99: quantile(&sent_ms, 0.99),
        sent_ms_max: sent_ms.last().copied(),
    }
}

/// Whether a decision was late: its answer left after the wire's limit, or who was to decide gave none in time.
fn is_late(sent_us: u32, limit_us: u32, cause: Option<&str>) -> bool {
    let late = [Fallback::Late, Fallback::ProgramLate].map(Fallback::word);
    sent_us > limit_us || cause.is_some_and(|cause| late.contains(&cause))
}

/// Why fallbacks took decisions: the entries at which they answered, by session and in order.
struct Causes(HashMap<i64, Vec<(i64, Option<String>)>>);

impl Causes {
    /// Those of these sessions.
    async fn read(reader: &Reader, mut sessions: Vec<i64>) -> Result<Self, StoreError> {
        sessions.sort_unstable();
        sessions.dedup();
        let mut answers: HashMap<i64, Vec<(i64, Option<String>)>> = HashMap::new();
        if sessions.is_empty() {
            return Ok(Self(answers));
        }
        let found: Vec<(i64, i64, Option<String>)> = query_as(CAUSES)
            .bind(json!(sessions).to_string())
            .fetch_all(reader.pool())
            .await?;
        for (session, entry, cause) in found {
            answers.entry(session).or_default().push((entry, cause));
        }
        Ok(Self(answers))
    }

    /// Why a fallback took the decision that this entry asked for: that of its first answer from there on. Each has one,
    /// stored with the answer.
    fn after(&self, session: i64, asked: i64) -> Option<&str> {
        let answers = self.0.get(&session)?;
        let first = answers.partition_point(|(entry, _)| *entry < asked);
        answers.get(first)?.1.as_deref()
    }
}

/// The lines of these rows, with why fallbacks took some.
async fn explained(reader: &Reader, found: Vec<Row>) -> Result<Vec<LedgerLine>, StoreError> {
    let lines: Result<Vec<LedgerLine>, StoreError> = found.iter().map(line).collect();
    let mut lines = lines?;
    let taken = lines.iter().filter(|line| line.row.fallback);
    let taken = taken.map(|line| line.row.session.0).collect();
    let causes = Causes::read(reader, taken).await?;
    for line in lines.iter_mut().filter(|line| line.row.fallback) {
        let cause = causes.after(line.row.session.0, line.row.entry.0);
        line.cause = cause.map(str::to_owned);
    }
    Ok(lines)
}

fn line(found: &Row) -> Result<LedgerLine, StoreError> {
    Ok(LedgerLine {
        id: found.try_get("id")?,
        game: found.try_get("game")?,
        match_id: found.try_get("match_id")?,
        seat: rows::seat(found.try_get("seat")?)?,
        bot: found.try_get("bot")?,
        called: found.try_get("called")?,
        cause: None,
        row: LedgerRow {
            session: SessionId(found.try_get("session")?),
            entry: EntryId(found.try_get("entry")?),
            at_us: found.try_get("at_us")?,
            queued_us: found.try_get("queued_us")?,
            thought_us: found.try_get("thought_us")?,
            committed_us: found.try_get("committed_us")?,
            sent_us: found.try_get("sent_us")?,
            limit_us: found.try_get("limit_us")?,
            fallback: found.try_get("fallback")?,
        },
    })
}

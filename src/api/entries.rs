//! A match's transcripts.

use super::asked::Asked;
use super::matches;
use super::params::{PAGE, Params};
use super::problem::Problem;
use super::reader::Reader;
use super::response;
use super::shapes::{Listed, time};
use super::sight::{Sight, WITHHELD};
use crate::store::{Direction, EntryId, MatchEntry, SessionId, Side};
use axum::extract::Path;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

/// The filters of the list.
pub(super) const FILTERS: &[&str] = &["seat", "session"];
const NDJSON: &str = "application/x-ndjson";

/// One line of a transcript.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Entry)]
pub(super) struct EntryShown {
    /// Its number in the log: rises in the order in which entries were stored.
    #[schema(value_type = i64)]
    pub id: EntryId,
    /// Its session.
    #[schema(value_type = i64)]
    pub session: SessionId,
    /// Whose transcript.
    pub side: Side,
    /// The session's seat, where known.
    pub seat: Option<u8>,
    /// The session's bot, or the seat's spec for a referee's transcript.
    #[schema(example = "champion")]
    pub bot: String,
    /// Its index in its session's transcript, from 0.
    pub seq: u64,
    /// When it was received or decided.
    #[serde(rename = "time")]
    pub at: Timestamp,
    /// Seen from the session's own side.
    pub direction: Direction,
    /// Its exact text.
    pub text: String,
}

/// `GET /api/v1/matches/{id}/entries`: a page of JSON, or all of it as ndjson if `Accept` says so.
pub(super) async fn list(path: Path<String>, asked: Asked) -> Result<Response, Problem> {
    let accept = asked.headers.get_all(header::ACCEPT).iter();
    let wants = accept
        .filter_map(|value| value.to_str().ok())
        .any(|value| value.contains("ndjson"));
    if wants {
        return lines(path, asked).await;
    }
    let params = asked.params(&[FILTERS, PAGE])?;
    let (listed, open) = page(&asked, &path, &params).await?;
    Ok(response::tagged_json(&asked.headers, open, &listed))
}

/// `GET /api/v1/matches/{id}/entries.ndjson`
pub(super) async fn lines(Path(id): Path<String>, asked: Asked) -> Result<Response, Problem> {
    let params = asked.params(&[FILTERS])?;
    let read = Read::of(&asked, &id, &params).await?;
    let mut body = String::new();
    for entry in &read.entries {
        body.push_str(&response::text(&shown(&asked.sight, entry))?);
        body.push('\n');
    }
    let mut response = response::tagged(&asked.headers, read.open, NDJSON, body);
    if read.withheld {
        response
            .headers_mut()
            .insert("drover-withheld", HeaderValue::from_static(WITHHELD));
    }
    Ok(response)
}

/// A page of a match's entries, oldest first, and whether all of them are public and final.
pub(super) async fn page(
    reader: &Reader,
    id: &str,
    params: &Params,
) -> Result<(Listed<EntryShown>, bool), Problem> {
    let at = params.page()?;
    let after = at
        .after
        .as_deref()
        .and_then(|cursor| cursor.parse().ok())
        .unwrap_or(0);
    let read = Read::of(reader, id, params).await?;
    let begin = read.entries.partition_point(|entry| entry.id.0 <= after);
    let rest = read.entries.get(begin..).unwrap_or_default();
    let cut = rest.get(..at.limit as usize);
    let items = cut.unwrap_or(rest).iter();
    let items = items.map(|entry| shown(&reader.sight, entry)).collect();
    let last = cut
        .filter(|cut| cut.len() < rest.len())
        .and_then(<[_]>::last);
    let listed = Listed {
        items,
        next: last.map(|entry| entry.id.0.to_string()),
        withheld: read.withheld.then_some(WITHHELD),
    };
    Ok((listed, read.open))
}

/// What the caller may read of a match.
struct Read {
    /// Whether it is complete and final.
    open: bool,
    entries: Vec<MatchEntry>,
    withheld: bool,
}

impl Read {
    async fn of(reader: &Reader, id: &str, params: &Params) -> Result<Self, Problem> {
        let (row, sessions, withheld) = matches::seen(reader, id, params).await?;
        let entries = reader.state.store.entries(&sessions).await?;
        Ok(Self {
            open: reader.sight.is_open(&row),
            entries,
            withheld,
        })
    }
}

fn shown(sight: &Sight, entry: &MatchEntry) -> EntryShown {
    EntryShown {
        id: entry.id,
        session: entry.session,
        side: entry.side,
        seat: entry.seat,
        bot: sight.spec(&entry.bot).into_owned(),
        seq: entry.seq,
        at: time(entry.at_us),
        direction: entry.direction,
        text: entry.text.clone(),
    }
}

//! A match's transcripts.

use super::matches;
use super::params::{PAGE, Params};
use super::problem::Problem;
use super::response::{self, time};
use super::state::ApiState;
use crate::store::{MatchEntry, MatchRow, SessionRow, Side};
use axum::extract::{Path, RawQuery, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use serde_json::{Value, json};

const FILTERS: &[&str] = &["seat", "session"];
const NDJSON: &str = "application/x-ndjson";
const WITHHELD: &str =
    "the referee's transcripts show every hand; they can be read when the match has ended";

/// `GET /api/v1/matches/{id}/entries`: a page of JSON, or all of it as ndjson if `Accept` says so.
pub(super) async fn list(
    state: State<ApiState>,
    path: Path<String>,
    query: RawQuery,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let accept = headers.get_all(header::ACCEPT).iter();
    let wants = accept
        .filter_map(|value| value.to_str().ok())
        .any(|value| value.contains("ndjson"));
    if wants {
        lines(state, path, query, headers).await
    } else {
        page(state, path, query, headers).await
    }
}

/// `GET /api/v1/matches/{id}/entries.ndjson`
pub(super) async fn lines(
    State(state): State<ApiState>,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let params = Params::read(query.as_deref(), &[FILTERS])?;
    let read = Read::of(&state, &id, &params).await?;
    let mut body = String::new();
    for entry in &read.entries {
        body.push_str(&shown(entry).to_string());
        body.push('\n');
    }
    let mut response = response::tagged(&headers, read.row.ended_us.is_some(), NDJSON, body);
    if read.withheld {
        response
            .headers_mut()
            .insert("drover-withheld", HeaderValue::from_static(WITHHELD));
    }
    Ok(response)
}

async fn page(
    State(state): State<ApiState>,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let params = Params::read(query.as_deref(), &[FILTERS, PAGE])?;
    let at = params.page()?;
    let after = at
        .after
        .as_deref()
        .and_then(|cursor| cursor.parse().ok())
        .unwrap_or(0);
    let read = Read::of(&state, &id, &params).await?;
    let begin = read.entries.partition_point(|entry| entry.id.0 <= after);
    let rest = read.entries.get(begin..).unwrap_or_default();
    let cut = rest.get(..at.limit as usize);
    let items: Vec<Value> = cut.unwrap_or(rest).iter().map(shown).collect();
    let last = cut
        .filter(|cut| cut.len() < rest.len())
        .and_then(<[_]>::last);
    let mut value = json!({ "items": items, "next": last.map(|entry| entry.id.0.to_string()) });
    if read.withheld {
        value["withheld"] = WITHHELD.into();
    }
    Ok(response::tagged_json(
        &headers,
        read.row.ended_us.is_some(),
        &value,
    ))
}

/// What may be read of a match.
struct Read {
    row: MatchRow,
    entries: Vec<MatchEntry>,
    withheld: bool,
}

impl Read {
    async fn of(state: &ApiState, id: &str, params: &Params) -> Result<Self, Problem> {
        let row = matches::find(state, id).await?;
        let seat = params.number::<u8>("seat")?;
        let session = params.number::<i64>("session")?;
        let mut sessions = state.store.sessions_of(id).await?;
        sessions.retain(|row| seat.is_none_or(|seat| row.opened.seat == Some(seat)));
        sessions.retain(|row| session.is_none_or(|session| row.id.0 == session));
        let referees = |row: &SessionRow| row.opened.side == Side::Referee;
        let withheld = row.ended_us.is_none() && sessions.iter().any(referees);
        if withheld {
            sessions.retain(|row| !referees(row));
        }
        let entries = state.store.entries(&sessions).await?;
        Ok(Self {
            row,
            entries,
            withheld,
        })
    }
}

fn shown(entry: &MatchEntry) -> Value {
    json!({
        "id": entry.id,
        "session": entry.session,
        "side": entry.side,
        "seat": entry.seat,
        "bot": entry.bot,
        "seq": entry.seq,
        "time": time(entry.at_us),
        "direction": entry.direction,
        "text": entry.text,
    })
}

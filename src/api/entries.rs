//! A match's transcripts.

use super::asked::Asked;
use super::matches;
use super::params::{PAGE, Params};
use super::problem::Problem;
use super::response::{self, time};
use super::sight::{Sight, WITHHELD};
use crate::store::MatchEntry;
use axum::extract::Path;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use serde_json::{Value, json};

const FILTERS: &[&str] = &["seat", "session"];
const NDJSON: &str = "application/x-ndjson";

/// `GET /api/v1/matches/{id}/entries`: a page of JSON, or all of it as ndjson if `Accept` says so.
pub(super) async fn list(path: Path<String>, asked: Asked) -> Result<Response, Problem> {
    let accept = asked.headers.get_all(header::ACCEPT).iter();
    let wants = accept
        .filter_map(|value| value.to_str().ok())
        .any(|value| value.contains("ndjson"));
    if wants {
        lines(path, asked).await
    } else {
        page(path, asked).await
    }
}

/// `GET /api/v1/matches/{id}/entries.ndjson`
pub(super) async fn lines(Path(id): Path<String>, asked: Asked) -> Result<Response, Problem> {
    let params = asked.params(&[FILTERS])?;
    let read = Read::of(&asked, &id, &params).await?;
    let mut body = String::new();
    for entry in &read.entries {
        body.push_str(&shown(&asked.sight, entry).to_string());
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

async fn page(Path(id): Path<String>, asked: Asked) -> Result<Response, Problem> {
    let params = asked.params(&[FILTERS, PAGE])?;
    let at = params.page()?;
    let after = at
        .after
        .as_deref()
        .and_then(|cursor| cursor.parse().ok())
        .unwrap_or(0);
    let read = Read::of(&asked, &id, &params).await?;
    let begin = read.entries.partition_point(|entry| entry.id.0 <= after);
    let rest = read.entries.get(begin..).unwrap_or_default();
    let cut = rest.get(..at.limit as usize);
    let items: Vec<Value> = cut
        .unwrap_or(rest)
        .iter()
        .map(|entry| shown(&asked.sight, entry))
        .collect();
    let last = cut
        .filter(|cut| cut.len() < rest.len())
        .and_then(<[_]>::last);
    let mut value = json!({ "items": items, "next": last.map(|entry| entry.id.0.to_string()) });
    if read.withheld {
        value["withheld"] = WITHHELD.into();
    }
    Ok(response::tagged_json(&asked.headers, read.open, &value))
}

/// What the caller may read of a match.
struct Read {
    /// Whether it is complete and final.
    open: bool,
    entries: Vec<MatchEntry>,
    withheld: bool,
}

impl Read {
    async fn of(asked: &Asked, id: &str, params: &Params) -> Result<Self, Problem> {
        let (row, sessions, withheld) = matches::seen(asked, id, params).await?;
        let entries = asked.state.store.entries(&sessions).await?;
        Ok(Self {
            open: asked.sight.is_open(&row),
            entries,
            withheld,
        })
    }
}

pub(super) fn shown(sight: &Sight, entry: &MatchEntry) -> Value {
    json!({
        "id": entry.id,
        "session": entry.session,
        "side": entry.side,
        "seat": entry.seat,
        "bot": sight.spec(&entry.bot),
        "seq": entry.seq,
        "time": time(entry.at_us),
        "direction": entry.direction,
        "text": entry.text,
    })
}

//! The facts from a match's transcripts.

use super::matches;
use super::params::Params;
use super::problem::Problem;
use super::response;
use super::sight::{Sight, WITHHELD};
use super::state::ApiState;
use crate::store::FactRow;
use axum::Extension;
use axum::extract::{Path, RawQuery, State};
use axum::http::HeaderMap;
use axum::response::Response;
use serde_json::{Value, json};
use std::collections::HashSet;

/// `GET /api/v1/matches/{id}/facts`
pub(super) async fn list(
    State(state): State<ApiState>,
    Extension(sight): Extension<Sight>,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let params = Params::read(query.as_deref(), &[&["seat", "session", "kind"]])?;
    let (seat, session) = (
        params.number::<u8>("seat")?,
        params.number::<i64>("session")?,
    );
    let kind = params.text("kind");
    let row = matches::find(&state, &id).await?;
    let mut sessions = state.store.sessions_of(&id).await?;
    sessions.retain(|row| seat.is_none_or(|seat| row.opened.seat == Some(seat)));
    sessions.retain(|row| session.is_none_or(|session| row.id.0 == session));
    let withheld = sight.keep(&mut sessions);
    let seen: HashSet<_> = sessions.iter().map(|row| row.id).collect();
    let mut facts = state.store.facts(&id).await?;
    facts.retain(|fact| seen.contains(&fact.session));
    facts.retain(|fact| kind.as_ref().is_none_or(|kind| fact.kind == *kind));
    let items: Vec<Value> = facts.iter().map(|fact| shown(&sight, fact)).collect();
    let mut value = json!({ "items": items, "next": Value::Null });
    if withheld {
        value["withheld"] = WITHHELD.into();
    }
    Ok(response::tagged_json(&headers, sight.is_open(&row), &value))
}

fn shown(sight: &Sight, fact: &FactRow) -> Value {
    json!({
        "id": fact.id,
        "session": fact.session,
        "seat": fact.seat,
        "bot": sight.spec(&fact.bot),
        "entry": fact.entry,
        "kind": fact.kind,
        "data": fact.data,
    })
}

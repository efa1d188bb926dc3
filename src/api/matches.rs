//! Matches.

use super::params::{PAGE, Params};
use super::problem::Problem;
use super::response::{self, time};
use super::sessions;
use super::sight::Sight;
use super::state::ApiState;
use crate::store::{MatchRow, SeatRow};
use axum::Extension;
use axum::extract::{Path, RawQuery, State};
use axum::http::HeaderMap;
use axum::response::Response;
use serde_json::{Value, json};

const FILTERS: &[&str] = &[
    "game", "bot", "opponent", "outcome", "cause", "since", "until",
];

/// `GET /api/v1/matches`
pub(super) async fn list(
    State(state): State<ApiState>,
    Extension(sight): Extension<Sight>,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    let params = Params::read(query.as_deref(), &[FILTERS, PAGE])?;
    let page = state
        .store
        .matches(&params.filter()?, &params.page_of_matches()?)
        .await?;
    Ok(response::json(&response::page(page, |row| {
        shown(&sight, &row)
    })))
}

/// `GET /api/v1/matches/{id}`
pub(super) async fn one(
    State(state): State<ApiState>,
    Extension(sight): Extension<Sight>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let row = find(&state, &id).await?;
    let value = whole(&state, &sight, &row).await?;
    Ok(response::tagged_json(&headers, sight.is_open(&row), &value))
}

/// A match with its sessions.
pub(super) async fn whole(
    state: &ApiState,
    sight: &Sight,
    row: &MatchRow,
) -> Result<Value, Problem> {
    let mut value = shown(sight, row);
    let sessions = state.store.sessions_of(&row.id).await?;
    value["sessions"] = sessions
        .iter()
        .map(|row| sessions::shown(sight, row))
        .collect();
    Ok(value)
}

/// The match with this id, or the problem that there is none.
pub(super) async fn find(state: &ApiState, id: &str) -> Result<MatchRow, Problem> {
    let row = state.store.match_row(id).await?;
    row.ok_or_else(|| Problem::not_found(format!("there is no match {id}")))
}

/// A match as shown to callers.
fn shown(sight: &Sight, row: &MatchRow) -> Value {
    json!({
        "id": row.id,
        "game": row.game,
        "referee": row.referee,
        "market": sight.sees_market(row).then_some(row.market),
        "ours": row.ours,
        "live": row.ended_us.is_none(),
        "started": time(row.started_us),
        "ended": row.ended_us.map(time),
        "cause": row.cause,
        "blame": row.blame,
        "detail": row.detail,
        "scores": row.scores,
        "seats": row.seats.iter().map(|seat| seated(sight, seat)).collect::<Vec<_>>(),
    })
}

fn seated(sight: &Sight, row: &SeatRow) -> SeatRow {
    SeatRow {
        spec: sight.spec(&row.spec).into_owned(),
        ..row.clone()
    }
}

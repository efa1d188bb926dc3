//! Matches.

use super::asked::Asked;
use super::params::{PAGE, Params};
use super::problem::Problem;
use super::response::{self, time};
use super::sessions;
use super::sight::Sight;
use super::state::ApiState;
use crate::store::{MatchRow, SeatRow, SessionRow};
use axum::extract::Path;
use axum::response::Response;
use serde_json::{Value, json};

const FILTERS: &[&str] = &[
    "game",
    "bot",
    "opponent",
    "tournament",
    "entrant",
    "referee",
    "market",
    "side",
    "outcome",
    "cause",
    "since",
    "until",
];

/// `GET /api/v1/matches`
pub(super) async fn list(asked: Asked) -> Result<Response, Problem> {
    let params = asked.params(&[FILTERS, PAGE])?;
    let page = asked
        .state
        .store
        .matches(&params.filter()?, &params.page_of_matches()?)
        .await?;
    Ok(response::json(&response::page(page, |row| {
        shown(&asked.sight, &row)
    })))
}

/// `GET /api/v1/matches/{id}`
pub(super) async fn one(Path(id): Path<String>, asked: Asked) -> Result<Response, Problem> {
    let row = find(&asked.state, &id).await?;
    let value = whole(&asked.state, &asked.sight, &row).await?;
    Ok(response::tagged_json(
        &asked.headers,
        asked.sight.is_open(&row),
        &value,
    ))
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

/// A match, those of its sessions that the caller sees and the parameters `seat` and `session` name, and
/// whether there are others.
pub(super) async fn seen(
    asked: &Asked,
    id: &str,
    params: &Params,
) -> Result<(MatchRow, Vec<SessionRow>, bool), Problem> {
    let row = find(&asked.state, id).await?;
    let seat = params.number::<u8>("seat")?;
    let session = params.number::<i64>("session")?;
    let mut sessions = asked.state.store.sessions_of(id).await?;
    sessions.retain(|row| seat.is_none_or(|seat| row.opened.seat == Some(seat)));
    sessions.retain(|row| session.is_none_or(|session| row.id.0 == session));
    let withheld = asked.sight.keep(&mut sessions);
    Ok((row, sessions, withheld))
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
        "tournament": row.tournament,
        "seats": row.seats.iter().map(|seat| seated(sight, seat)).collect::<Vec<_>>(),
    })
}

fn seated(sight: &Sight, row: &SeatRow) -> SeatRow {
    SeatRow {
        spec: sight.spec(&row.spec).into_owned(),
        ..row.clone()
    }
}

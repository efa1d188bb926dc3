//! Sessions: our side of one seat, or our referee's.

use super::asked::Asked;
use super::params::PAGE;
use super::problem::Problem;
use super::response::{self, time};
use super::sight::{Sight, WITHHELD};
use crate::store::{SessionId, SessionRow};
use axum::extract::Path;
use axum::response::Response;
use serde_json::{Value, json};

const FILTERS: &[&str] = &[
    "game", "bot", "opponent", "outcome", "cause", "since", "until", "match", "live",
];

/// The fact that a session's bot hung and is no longer asked.
const QUARANTINED: &str = "quarantined";

/// `GET /api/v1/sessions`
pub(super) async fn list(asked: Asked) -> Result<Response, Problem> {
    let params = asked.params(&[FILTERS, PAGE])?;
    let page = asked
        .state
        .store
        .sessions(&params.filter()?, &params.page()?)
        .await?;
    Ok(response::json(&response::page(page, |row| {
        shown(&asked.sight, &row)
    })))
}

/// `GET /api/v1/sessions/{id}`
pub(super) async fn one(Path(id): Path<String>, asked: Asked) -> Result<Response, Problem> {
    let unknown = || Problem::not_found(format!("there is no session {id}"));
    let number = id.parse().map_err(|_| unknown())?;
    let row = asked
        .state
        .store
        .session(SessionId(number))
        .await?
        .ok_or_else(unknown)?;
    let mut value = shown(&asked.sight, &row);
    if !asked.sight.sees(&row.secrecy) {
        return Ok(response::json(&value));
    }
    if let Some((_, count)) = asked.state.store.head(&row).await? {
        value["entries"] = count.into();
    }
    let hung = asked.state.store.has_fact(row.id, QUARANTINED).await?;
    value["quarantined"] = hung.into();
    let kit = asked.state.store.kit(&row.opened.game);
    let team = match kit.and_then(|kit| kit.team_fact()) {
        Some(fact) => asked.state.store.team_of(row.id, &fact).await?,
        None => Vec::new(),
    };
    let mates = team
        .into_iter()
        .map(|(session, player)| json!({"session": session, "player": player}));
    value["team"] = mates.collect();
    Ok(response::json(&value))
}

/// A session as shown to callers. Seed and setup stay private: they reveal what a bot will do. The numbers
/// under which it is called, and its transcript and facts, are part of what the seat knows.
pub(super) fn shown(sight: &Sight, row: &SessionRow) -> Value {
    let opened = &row.opened;
    let mut value = json!({
        "id": row.id,
        "match": opened.match_id,
        "side": opened.side,
        "game": opened.game,
        "bot": sight.spec(&opened.bot),
        "referee": opened.referee,
        "market": opened.market,
        "player": opened.player,
        "seat": opened.seat,
        "durability": opened.durability,
        "live": row.ended_us.is_none(),
        "opened": time(row.opened_us),
        "ended": row.ended_us.map(time),
        "cause": row.cause,
        "detail": row.detail,
        "scores": row.scores,
        "entries": row.entries,
    });
    if row.pruned {
        value["pruned"] = true.into();
    }
    if !sight.sees(&row.secrecy) {
        for known in ["market", "player", "detail", "scores", "entries"] {
            value[known] = Value::Null;
        }
        value["withheld"] = WITHHELD.into();
    }
    value
}

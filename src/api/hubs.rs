//! Connections to hubs that we dial.

use super::asked::Asked;
use super::params::PAGE;
use super::problem::Problem;
use super::response::{self, time};
use crate::gateway::hubs::HubStatus;
use axum::response::Response;
use serde_json::{Value, json};

/// `GET /api/v1/hubs`
pub(super) async fn list(asked: Asked) -> Result<Response, Problem> {
    let wanted = asked.params(&[&["game"], PAGE])?.game()?;
    let hubs = asked.state.hubs.list();
    let items: Vec<Value> = hubs
        .iter()
        .filter(|hub| wanted.as_deref().is_none_or(|game| game == hub.game))
        .map(shown)
        .collect();
    Ok(response::json(
        &json!({ "items": items, "next": Value::Null }),
    ))
}

fn shown(hub: &HubStatus) -> Value {
    json!({
        "game": hub.game,
        "address": hub.address,
        "hub": hub.hub,
        "name": hub.name,
        "bot": hub.bot,
        "connection": hub.connection,
        "state": hub.phase,
        "since": time(hub.since_us),
        "next_retry": hub.next_retry_us.map(time),
        "games": hub.games,
        "ended": hub.ended,
        "failures_in_a_row": hub.failures,
        "connects": hub.connects,
        "last_error": hub.last_error,
        "last_error_at": hub.last_error_us.map(time),
        "back_after_ms": hub.back_after_ms,
    })
}

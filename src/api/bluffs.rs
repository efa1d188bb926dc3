//! The bluff history.

use super::params::{PAGE, Params};
use super::problem::Problem;
use super::response::{self, time};
use super::state::ApiState;
use crate::store::BluffRow;
use axum::extract::{RawQuery, State};
use axum::response::Response;
use serde_json::{Value, json};

const FILTERS: &[&str] = &[
    "game", "match", "opponent", "by", "bot", "caught", "since", "until",
];

/// `GET /api/v1/bluffs`
pub(super) async fn list(
    State(state): State<ApiState>,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    let params = Params::read(query.as_deref(), &[FILTERS, PAGE])?;
    let page = state
        .store
        .bluffs(&params.filter()?, &params.page()?)
        .await?;
    Ok(response::json(&response::page(page, shown)))
}

fn shown(row: BluffRow) -> Value {
    json!({
        "id": row.id,
        "match": row.match_id,
        "game": row.game,
        "session": row.session,
        "bot": row.bot,
        "entry": row.entry,
        "time": time(row.at_us),
        "by": row.by,
        "seat": row.seat,
        "opponent": row.opponent,
        "bid": row.bid,
        "held": row.held,
        "caught": row.caught,
    })
}

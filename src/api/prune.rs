//! Giving up what old matches hold besides their results.

use super::asked::{Asked, Json};
use super::problem::Problem;
use super::response;
use crate::clock::now_us;
use crate::history;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use std::time::Duration;
use utoipa::ToSchema;

/// How long one request prunes.
const WITHIN: Duration = Duration::from_secs(10);

/// What is to be pruned.
#[derive(Deserialize, ToSchema)]
#[schema(as = WantedPruning)]
#[serde(deny_unknown_fields)]
pub(super) struct Wanted {
    /// Matches that ended this many seconds ago or earlier.
    #[schema(example = 2_592_000)]
    older_than_s: u64,
    /// Only say what would go.
    #[serde(default)]
    dry_run: bool,
}

/// What was pruned.
#[derive(Serialize, ToSchema)]
pub(super) struct Pruning {
    /// Transcripts.
    sessions: u64,
    /// Their entries.
    entries: u64,
    /// Whether there is more: ask again.
    more: bool,
}

/// Gives up what matches that ended long ago hold besides their results.
#[utoipa::path(post, path = "/api/v1/prune", request_body = Wanted, responses((status = 200, body = Pruning)))]
pub(super) async fn begin(asked: Asked, Json(wanted): Json<Wanted>) -> Result<Response, Problem> {
    let age_s = i64::try_from(wanted.older_than_s);
    let age_s = age_s.map_err(|_| Problem::body("older_than_s is longer than any time"))?;
    let before_us = now_us().saturating_sub(age_s.saturating_mul(1_000_000));
    let store = &asked.state.store;
    let pruned = match wanted.dry_run {
        true => history::prunable(store.reader(), before_us).await?,
        false => history::prune(store, before_us, WITHIN).await?,
    };
    Ok(response::json(&Pruning {
        sessions: pruned.sessions,
        entries: pruned.entries,
        more: pruned.more,
    }))
}

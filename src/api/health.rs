//! Whether the daemon is alive, whether it can work, and its figures.

use super::asked::Asked;
use super::problem::Problem;
use super::response;
use super::state::{ApiState, Room};
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;

/// The content type of Prometheus text.
pub(super) const METRICS: &str = "text/plain; version=0.0.4; charset=utf-8";

/// How the daemon is.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(super) struct Status {
    /// One word.
    #[schema(value_type = String, example = "alive")]
    status: &'static str,
    /// What is scarce, each a sentence; not there if nothing is.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    scarce: Vec<String>,
}

impl Status {
    pub(super) const fn new(status: &'static str) -> Self {
        let scarce = Vec::new();
        Self { status, scarce }
    }
}

/// Whether the daemon is alive.
#[utoipa::path(get, path = "/healthz", responses((status = 200, body = Status)))]
pub(super) async fn alive() -> Response {
    response::json(&Status::new("alive"))
}

/// Whether new matches are taken and can be stored.
#[utoipa::path(get, path = "/readyz", responses((status = 200, body = Status)))]
pub(super) async fn ready(State(state): State<ApiState>) -> Result<Response, Problem> {
    let scarce = readiness(&state)?;
    let ready = Status::new("ready");
    Ok(response::json(&Status { scarce, ..ready }))
}

/// What is scarce, each a sentence, or why nothing new is accepted.
pub(super) fn readiness(state: &ApiState) -> Result<Vec<String>, Problem> {
    if let Some(why) = state.readiness.refusal() {
        return Err(Problem::unavailable(why));
    }
    if let Some(replica) = state.sessions.replica()
        && !replica.is_ready()
    {
        let why = "this replica's lease is not sure: the database is away, or it has just started";
        return Err(Problem::unavailable(why));
    }
    let health = state.store.health();
    if let Some(why) = health.failing {
        return Err(Problem::unavailable(format!(
            "the store cannot write: {why}"
        )));
    }
    if let Some(why) = health.damaged {
        return Err(Problem::unavailable(format!(
            "the database is damaged ({why}): stop the daemon; `drover db verify` lists what is whole, \
             `drover db salvage OUT` saves it"
        )));
    }
    if state.pool.threads_free() == 0 {
        return Err(Problem::unavailable(
            "no thinking thread is free: bots hold all of them and do not give them back; restart \
             the daemon, and report the matches whose sessions it shows as quarantined",
        ));
    }
    let Room { refusal, scarce } = (state.room)();
    if let Some(why) = refusal {
        return Err(Problem::unavailable(why));
    }
    Ok(scarce)
}

/// The daemon's figures, for Prometheus.
#[utoipa::path(get, path = "/metrics", responses((status = 200, body = String, content_type = METRICS)))]
pub(super) async fn metrics(asked: Asked) -> Result<Response, Problem> {
    asked.sight.needs_token()?;
    let metrics = (asked.state.metrics)();
    Ok(([(CONTENT_TYPE, METRICS)], metrics).into_response())
}

//! Connections to hubs that we dial.

use super::asked::Asked;
use super::params::{PAGE, Params};
use super::problem::Problem;
use super::reader::Reader;
use super::response;
use super::shapes::{Listed, time};
use crate::gateway::hubs::{HubStatus, Phase};
use axum::response::Response;
use jiff::Timestamp;
use serde::Serialize;
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// A connection to a hub.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Hub)]
pub(super) struct HubShown {
    /// The game.
    #[schema(example = "smartdog")]
    pub game: String,
    /// Where the hub listens.
    #[schema(example = "hub.example.org:7654")]
    pub address: String,
    /// Which hub at that address.
    pub hub: String,
    /// Our name there.
    pub name: String,
    /// The bot that plays.
    pub bot: String,
    /// Which of the entry's connections, from 1.
    pub connection: usize,
    /// What it is doing.
    pub state: Phase,
    /// Since when.
    pub since: Timestamp,
    /// When it dials again, if it waits for that.
    pub next_retry: Option<Timestamp>,
    /// Games that began.
    pub games: u64,
    /// How they ended: causes and how many games each.
    #[schema(value_type = BTreeMap<String, u64>)]
    pub ended: BTreeMap<&'static str, u64>,
    /// Consecutive attempts that led to no game.
    pub failures_in_a_row: u32,
    /// Connections made.
    pub connects: u64,
    /// The last error since it last played.
    pub last_error: Option<String>,
    /// When it occurred.
    pub last_error_at: Option<Timestamp>,
    /// Times from the loss of a line to the next game, in milliseconds, the last few.
    pub back_after_ms: Vec<u64>,
}

/// `GET /api/v1/hubs`
pub(super) async fn list(asked: Asked) -> Result<Response, Problem> {
    let params = asked.params(&[&["game"], PAGE])?;
    Ok(response::json(&page(&asked, &params)?))
}

/// All connections, or those of one game.
pub(super) fn page(reader: &Reader, params: &Params) -> Result<Listed<HubShown>, Problem> {
    let wanted = params.game()?;
    let hubs = reader.state.hubs.list().into_iter();
    let hubs = hubs.filter(|hub| wanted.as_deref().is_none_or(|game| game == hub.game));
    Ok(Listed::all(hubs.map(shown).collect()))
}

fn shown(hub: HubStatus) -> HubShown {
    HubShown {
        game: hub.game,
        address: hub.address,
        hub: hub.hub,
        name: hub.name,
        bot: hub.bot,
        connection: hub.connection,
        state: hub.phase,
        since: time(hub.since_us),
        next_retry: hub.next_retry_us.map(time),
        games: hub.games,
        ended: hub.ended,
        failures_in_a_row: hub.failures,
        connects: hub.connects,
        last_error: hub.last_error,
        last_error_at: hub.last_error_us.map(time),
        back_after_ms: hub.back_after_ms,
    }
}

//! The status of each connection, for all who ask.

use crate::clock;
use serde::Serialize;
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// What a connection is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Default, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// It waits before it dials again.
    #[default]
    Waiting,
    /// It dials.
    Connecting,
    /// It has asked to join, and waits for a game.
    Queued,
    /// It plays.
    Playing,
    /// Another replica keeps it.
    Elsewhere,
    /// It has ended: the daemon stops.
    Stopped,
}

/// A connection to a hub.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, ToSchema)]
#[schema(as = Hub)]
pub struct HubStatus {
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
    #[serde(rename = "state")]
    pub phase: Phase,
    /// Since when.
    #[serde(rename = "since", serialize_with = "clock::shown")]
    #[schema(value_type = Timestamp)]
    pub since_us: i64,
    /// When it dials again, if it waits for that.
    #[serde(rename = "next_retry_at", serialize_with = "clock::shown_if_any")]
    #[schema(value_type = Option<Timestamp>)]
    pub next_retry_us: Option<i64>,
    /// Games that began.
    pub games: u64,
    /// How they ended: causes and how many games each.
    #[schema(value_type = BTreeMap<String, u64>)]
    pub ended: BTreeMap<&'static str, u64>,
    /// Consecutive attempts that led to no game.
    #[serde(rename = "failures_in_a_row")]
    pub failures: u32,
    /// Connections made.
    pub connects: u64,
    /// The last error since it last played, as a sentence.
    pub last_error: Option<String>,
    /// When it occurred.
    #[serde(rename = "last_error_at", serialize_with = "clock::shown_if_any")]
    #[schema(value_type = Option<Timestamp>)]
    pub last_error_us: Option<i64>,
    /// Times from the loss of a line to the next game, in milliseconds, the last few.
    pub back_after_ms: Vec<u64>,
}

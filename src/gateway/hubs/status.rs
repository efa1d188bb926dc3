//! The status of each connection, for whoever asks.

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
    /// It has ended: the daemon stops.
    Stopped,
}

/// One connection.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct HubStatus {
    /// Where the hub listens.
    pub address: String,
    /// The game.
    pub game: String,
    /// Which hub at that address.
    pub hub: String,
    /// Our name there.
    pub name: String,
    /// The bot that plays.
    pub bot: String,
    /// Which of the entry's connections, from 1.
    pub connection: usize,
    /// What it is doing.
    pub phase: Phase,
    /// Since when, in microseconds since 1970-01-01 UTC.
    pub since_us: i64,
    /// When it dials again, if it waits for that, in microseconds since 1970-01-01 UTC.
    pub next_retry_us: Option<i64>,
    /// Games that began.
    pub games: u64,
    /// How they ended, by cause.
    pub ended: BTreeMap<&'static str, u64>,
    /// Consecutive attempts that led to no game.
    pub failures: u32,
    /// Connections made.
    pub connects: u64,
    /// The last error since it last played, as a sentence.
    pub last_error: Option<String>,
    /// When it occurred, in microseconds since 1970-01-01 UTC.
    pub last_error_us: Option<i64>,
    /// Times from the loss of a line to the next game, in milliseconds, the last few.
    pub back_after_ms: Vec<u64>,
}

//! The referee: driving matches over HTTP, its server, its records and play in process.

mod demo;
mod driving;
mod entrants;
mod koehandel;
mod play;
mod players;
mod recording;
mod server;

use drover::link::HttpOptions;
use drover::referee::{Ending, Host, HostSettings, HostedMatch, MatchRequest, Recording, SeatSpec};
use players::{Manner, Player};
use serde_json::Value;
use std::sync::Arc;

/// Fails at once instead of trying again.
const IMPATIENT: HttpOptions = HttpOptions {
    reconnects_max: 0,
    resend: false,
    reach: drover::link::Reach::Any,
    body_max: drover::link::http_out::BODY_LEN_MAX,
};

async fn host(settings: HostSettings) -> Arc<Host> {
    kept_host(settings, Recording::none()).await
}

async fn kept_host(settings: HostSettings, recording: Recording) -> Arc<Host> {
    Host::new(&drover_toy::KIT, settings, recording)
}

async fn players<const N: usize>(manners: [Manner; N]) -> Vec<Player> {
    let mut players = Vec::new();
    for manner in manners {
        players.push(Player::start(manner).await);
    }
    players
}

fn request(players: &[Player], options: Value) -> MatchRequest {
    let seats = players.iter().map(|player| url(&player.url)).collect();
    MatchRequest {
        seats,
        options,
        seed: Some(8),
        ..MatchRequest::default()
    }
}

/// Begins a match.
async fn begun(host: &Arc<Host>, wanted: MatchRequest) -> Ending {
    host.start(wanted).await.unwrap().begin()
}

/// Plays a match.
async fn played(host: &Arc<Host>, wanted: MatchRequest) -> Arc<HostedMatch> {
    begun(host, wanted).await.wait().await
}

fn url(url: &str) -> SeatSpec {
    format!("url:{url}").parse().unwrap()
}

fn scores(hosted: &HostedMatch) -> Vec<i64> {
    let end = hosted.end.get().unwrap();
    end.outcome.as_ref().unwrap().scores.values().to_vec()
}

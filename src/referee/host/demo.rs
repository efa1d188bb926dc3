//! Keeps a few matches running among built-in bots, so that a new user sees something at once.

use super::match_info::MatchRequest;
use super::matches::Host;
use crate::referee::seat::seat_spec::SeatSpec;
use games::rng::Rng;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// Settings of the demonstration.
#[derive(Clone, Debug)]
pub struct DemoSettings {
    /// Concurrent matches.
    pub matches: usize,
    /// The players to draw from: a name and an address.
    pub players: Vec<(String, SeatSpec)>,
    /// Wait before each message that asks for an answer, so that a match can be watched.
    pub pause: Duration,
    /// Wait between two matches at the same table.
    pub between: Duration,
    /// Draws the players.
    pub seed: u64,
}

impl DemoSettings {
    /// Two tables of the given players at a watchable speed.
    #[must_use]
    pub fn new(players: Vec<(String, SeatSpec)>) -> Self {
        Self {
            matches: 2,
            players,
            pause: Duration::from_millis(50),
            between: Duration::from_secs(2),
            seed: 1,
        }
    }
}

/// Plays until `stop` is cancelled. Matches under way are left to the host.
pub async fn demo(host: Arc<Host>, settings: DemoSettings, stop: CancellationToken) {
    let mut tables = JoinSet::new();
    for number in 0..settings.matches as u64 {
        tables.spawn(table(Arc::clone(&host), settings.clone(), number));
    }
    stop.cancelled().await;
}

async fn table(host: Arc<Host>, settings: DemoSettings, number: u64) {
    let mut rng = Rng::new(settings.seed, number);
    loop {
        match host.start(drawn(&settings, host.seats(), &mut rng)).await {
            Ok(started) => {
                started.begin().wait().await;
            }
            Err(error) => tracing::debug!(%error, "a demonstration match does not start"),
        }
        tokio::time::sleep(settings.between).await;
    }
}

/// A match of players drawn at random, repeated only if there are too few.
fn drawn(settings: &DemoSettings, seats: usize, rng: &mut Rng) -> MatchRequest {
    let mut line = settings.players.clone();
    rng.shuffle(&mut line);
    let line = line
        .iter()
        .cycle()
        .take(if line.is_empty() { 0 } else { seats });
    let (names, seats) = line.cloned().map(|(name, spec)| (Some(name), spec)).unzip();
    MatchRequest {
        seats,
        names,
        pause: settings.pause,
        ..MatchRequest::default()
    }
}

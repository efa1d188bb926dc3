//! What a worker does: it looks for matches that it may play, and plays them, one round of one tournament after the other.

use super::pace::Pace;
use super::shift::Shift;
use super::task::Task;
use super::worker::{ATTEMPTS_MAX, Worker};
use crate::referee::Stop;
use crate::store::{Offer, Queue};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// For how long a tournament is left to others that cannot be played here: twice as long each time, up to a limit.
const LEFT_FOR: Duration = Duration::from_secs(10);
const LEFT_MAX: Duration = Duration::from_secs(600);

/// Works until it is stopped, or idle for too long; how many matches it has played to their end. What it has not ended
/// when it is stopped it gives back.
pub async fn work(worker: &Worker, stop: &CancellationToken) -> u64 {
    let (mut left, mut failures) = (HashMap::new(), HashMap::new());
    let (mut played, mut pace, mut idle_since) = (0, Pace::new(), Instant::now());
    while !stop.is_cancelled() {
        left.retain(|_, until| *until > Instant::now());
        let Some(offer) = offer(worker, &left).await else {
            if worker
                .until_idle
                .is_some_and(|idle| idle_since.elapsed() >= idle)
            {
                break;
            }
            tokio::select! {
                () = stop.cancelled() => {}
                () = tokio::time::sleep(pace.wait()) => {}
            }
            continue;
        };
        let (tournament, round) = (offer.tournament.clone(), offer.round);
        tracing::info!(tournament, round = round + 1, "playing");
        let shift = Shift {
            worker,
            stop: Arc::new(Stop::on(stop)),
        };
        let mut ended = 0;
        if let Err(error) = play(&shift, offer, &mut ended).await {
            tracing::warn!(
                tournament,
                error = format!("{error:#}"),
                "a tournament is left to others for a while"
            );
            let pause = failures.entry(tournament.clone()).or_insert(LEFT_FOR);
            left.insert(tournament.clone(), Instant::now() + *pause);
            *pause = LEFT_MAX.min(2 * *pause);
        } else {
            failures.remove(&tournament);
        }
        tracing::info!(tournament, round = round + 1, matches = ended, "played");
        played += ended;
        (pace, idle_since) = (Pace::new(), Instant::now());
    }
    played
}

async fn play(shift: &Shift<'_>, offer: Offer, ended: &mut u64) -> anyhow::Result<()> {
    let task = Task::read(offer.task)?;
    let (tournament, round) = (offer.tournament.as_str(), offer.round);
    shift.play(tournament, round, task.terms, ended).await
}

/// The round that waits longest, of those that were not left to others.
async fn offer(worker: &Worker, left: &HashMap<String, Instant>) -> Option<Offer> {
    let offers = Queue::new(worker.store.clone())
        .offers(worker.cmd, ATTEMPTS_MAX)
        .await;
    let offers = offers.unwrap_or_else(|error| {
        tracing::warn!(%error, "the queue cannot be read");
        Vec::new()
    });
    let mut offers = offers.into_iter();
    offers.find(|offer| !left.contains_key(&offer.tournament))
}

//! Many matches over the wire, through the host.

use super::host::Host;
use super::log::LogLine;
use super::match_info::{HostedMatch, MatchRequest};
use super::numbers::Draw;
use super::schedule::{Deck, Schedule};
use super::seat_spec::SeatSpec;
use super::spans::Spans;
use super::started::StartError;
use super::tally::{Counted, Tally};
use super::watch::{KeptMatch, Watch};
use futures_util::StreamExt as _;
use futures_util::future::join_all;
use futures_util::stream;
use games::{Exchange, Kit, Seat};
use serde_json::Value;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

/// What is played over the wire.
pub struct WiredPlan {
    /// Who enters.
    pub seats: Vec<SeatSpec>,
    /// Who meets whom.
    pub schedule: Schedule,
    /// Matches at once. The host must have room for them.
    pub concurrency: NonZeroUsize,
    /// Rule options.
    pub options: Value,
    /// Whether transcripts are handed to [`Watch::played`].
    pub record: bool,
}

/// Why many matches came to nothing, as a sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WiredError {
    /// A match did not start.
    #[error(transparent)]
    Start(#[from] StartError),
    /// A match has no result.
    #[error("match {market} has no result: {why}")]
    NoResult {
        /// Its number on the wire.
        market: u64,
        /// What it ended with.
        why: String,
    },
}

/// Plays the plan until it is done or `stop` is cancelled; matches cut by that are not counted.
///
/// # Errors
/// [`WiredError`] of the first match that fails.
pub async fn play(
    host: &Arc<Host>,
    plan: &WiredPlan,
    watch: &mut dyn Watch,
    stop: &CancellationToken,
) -> Result<Tally, WiredError> {
    let places = Semaphore::new(plan.concurrency.get());
    let mut tally = Tally::new(plan.seats.len());
    let decks = stream::iter(0..plan.schedule.decks())
        .take_while(|_| std::future::ready(!stop.is_cancelled()))
        .map(|number| deck(host, plan, plan.schedule.deck(number), &places))
        .buffer_unordered(plan.concurrency.get());
    let mut decks = std::pin::pin!(decks);
    loop {
        let played = tokio::select! {
            played = decks.next() => played,
            // Dropping the rest leaves its matches to the host, which is stopped by its owner.
            () = stop.cancelled() => return Ok(tally),
        };
        let Some(played) = played else {
            return Ok(tally);
        };
        let (counted, kept): (Vec<_>, Vec<_>) = played?.into_iter().unzip();
        tally.add(&counted);
        kept.into_iter()
            .flatten()
            .for_each(|played| watch.played(played));
        watch.done(tally.games);
    }
}

type MatchPlayed = (Counted, Option<KeptMatch>);

async fn deck(
    host: &Arc<Host>,
    plan: &WiredPlan,
    deck: Deck,
    places: &Semaphore,
) -> Result<Vec<MatchPlayed>, WiredError> {
    let matches = deck.tables.iter().enumerate().map(|(turn, table)| {
        one(
            host,
            plan,
            table,
            deck.seed,
            deck.first + turn as u64,
            places,
        )
    });
    join_all(matches).await.into_iter().collect()
}

async fn one(
    host: &Arc<Host>,
    plan: &WiredPlan,
    table: &[usize],
    seed: u64,
    number: u64,
    places: &Semaphore,
) -> Result<MatchPlayed, WiredError> {
    // The semaphore is never closed.
    let _place = places.acquire().await;
    let request = MatchRequest {
        seats: table
            .iter()
            .filter_map(|entrant| plan.seats.get(*entrant).cloned())
            .collect(),
        seed: Some(seed),
        numbers: Some(Draw::seed(seed, number)),
        options: plan.options.clone(),
        names: Vec::new(),
        pause: Duration::ZERO,
        reach: None,
    };
    let hosted = host.start(request).await?.begin().wait().await;
    let Some(outcome) = hosted.end.get().and_then(|end| end.outcome.clone()) else {
        let why = hosted
            .end
            .get()
            .map_or("it was cut", |end| end.detail.as_str());
        return Err(WiredError::NoResult {
            market: hosted.info.market,
            why: why.to_owned(),
        });
    };
    let lines: Vec<Vec<LogLine>> = (0..table.len())
        .map(|seat| hosted.log.lines(Seat(seat as u8)))
        .collect();
    let kept = plan.record.then(|| KeptMatch {
        number,
        seed,
        started_us: hosted.info.started_us,
        seats: hosted.info.seats.clone(),
        outcome: outcome.clone(),
        transcript: transcript(&lines),
        blames: Vec::new(),
        stderr: Vec::new(),
    });
    Ok((counted(host.kit(), &hosted, table, outcome, &lines), kept))
}

fn counted(
    kit: &dyn Kit,
    hosted: &HostedMatch,
    table: &[usize],
    outcome: games::Outcome,
    lines: &[Vec<LogLine>],
) -> Counted {
    let filler = |seat: usize| {
        hosted
            .info
            .seats
            .get(seat)
            .is_some_and(|spec| spec == "filler")
    };
    let mut took = Vec::with_capacity(lines.len());
    for (seat, lines) in lines.iter().enumerate() {
        let mut spans = Spans::default();
        for line in lines.iter().filter(|line| line.wanted && !filler(seat)) {
            spans.add(Duration::from_micros(
                u64::try_from(line.took_us).unwrap_or_default(),
            ));
        }
        took.push(spans);
    }
    let missed = |lines: &Vec<LogLine>| lines.iter().filter(|line| line.missed).count() as u32;
    Counted {
        table: table.to_vec(),
        shares: kit.win_shares(&outcome),
        duels: kit.duels(&outcome),
        faults: Vec::new(),
        outcome,
        refused: Vec::new(),
        missed: lines.iter().map(missed).collect(),
        took,
    }
}

/// All seats' lines in the order in which they were sent.
fn transcript(lines: &[Vec<LogLine>]) -> Vec<Exchange> {
    let seats = lines.iter().enumerate();
    let mut all: Vec<(i64, Exchange)> = seats
        .flat_map(|(seat, lines)| lines.iter().map(move |line| (seat, line)))
        .map(|(seat, line)| {
            let (call, reply) = (line.query.clone(), Some(line.reply.clone()));
            (
                line.at_us,
                Exchange {
                    seat: Seat(seat as u8),
                    call,
                    reply,
                    took: None,
                },
            )
        })
        .collect();
    all.sort_by_key(|(at_us, _)| *at_us);
    all.into_iter().map(|(_, heard)| heard).collect()
}

//! `bench shim-crash`: kills the daemon again and again while games run over shims. No game may
//! be lost by that, and what the arbiter received is what is stored.

use crate::pipes::Table;
use crate::process::{Daemon, Running};
use crate::site::Folder;
use crate::stats::report;
use crate::stored::{self, Exchanges, exchanges};
use anyhow::ensure;
use drover::history::GameRules;
use drover::referee::budget::ThinkBudget;
use drover::store::{Direction, Side, Store};
use drover::tournament::{MatchSink, PlayedMatch};
use futures_util::future::BoxFuture;
use games::rng::Rng;
use games::{Cause, Seat};
use serde_json::Value;
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Seats of a game, each a shim.
const SEATS: usize = 4;
/// How long the daemon may take to fold what the shims have left behind.
const COLLECT_WITHIN: Duration = Duration::from_secs(60);

/// Kills the daemon while games run over shims.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ShimCrashArgs {
    /// How many games.
    #[arg(long, default_value_t = 50, value_name = "N")]
    games: u64,
    /// Games at once.
    #[arg(long, default_value = "4", value_name = "N")]
    concurrency: NonZeroUsize,
    /// The bot that plays.
    #[arg(long, default_value = "rules", value_name = "NAME")]
    bot: String,
    /// The longest life between two kills, in milliseconds.
    #[arg(long, default_value_t = 1000, value_name = "MS")]
    life_ms_max: u32,
    /// The longest time without a daemon after a kill, in milliseconds.
    #[arg(long, default_value_t = 300, value_name = "MS")]
    away_ms_max: u32,
    /// Seeds the moments of the kills, and the cards.
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
    /// Where the database lives.
    #[arg(long, default_value = ".", value_name = "DIR")]
    folder: PathBuf,
}

/// What every seat received and said, and how its game ended.
#[derive(Default)]
struct Received {
    seats: Vec<Exchanges>,
    forfeits: Vec<String>,
}

impl MatchSink for Received {
    fn played(&mut self, played: PlayedMatch) -> BoxFuture<'_, ()> {
        for blame in &played.blames {
            let cause = blame.cause.word();
            self.forfeits
                .push(format!("game {}: {cause}: {}", played.number, blame.detail));
        }
        for seat in 0..SEATS as u8 {
            let own = played
                .transcript
                .iter()
                .filter(|received| received.seat == Seat(seat));
            let own = own.map(|received| (received.call.clone(), received.reply.clone()));
            self.seats.push(answered(own.collect()));
        }
        Box::pin(std::future::ready(()))
    }
}

/// Runs it and prints what came of it.
pub(crate) async fn run(args: ShimCrashArgs) -> anyhow::Result<()> {
    let begun = Instant::now();
    let folder = Folder::new(&args.folder)?;
    let daemon = Daemon::new(folder.path())?;
    let running = daemon.start().await?;
    let table = Table::with("planowanie", SEATS, daemon.shim("planowanie", &args.bot)?)?;
    let mut games = table.games(args.games, Value::Null);
    (games.schedule.seed, games.schedule.rotate) = (args.seed, true);
    let programs = games.programs();
    programs.budget = ThinkBudget::Time(table.kit.card().limits.budget);
    programs.models = true;
    (games.plan().concurrency, games.plan().record) = (args.concurrency, true);
    let over = Arc::new(AtomicBool::new(false));
    let ended = Arc::clone(&over);
    let playing = tokio::spawn(async move {
        let mut received = Received::default();
        let tally = games.play(&mut received).await;
        ended.store(true, Ordering::Relaxed);
        tally.map(|tally| (tally.games, received))
    });
    let (kills, last) = kill(&args, &daemon, running, &over).await?;
    let (games, received) = playing.await??;
    let left = collected(folder.path()).await;
    last.terminate().await?;
    let stored = stored(&daemon, received.seats).await?;
    let figures = [
        ("games", games),
        ("kills", kills),
        ("forfeits", received.forfeits.len() as u64),
        ("sessions stored", stored.sessions),
        ("ended normally, with scores", stored.normal),
        ("answers stored", stored.answers),
        ("given by a shim alone", stored.local),
        (
            "stored otherwise than received",
            stored.differing.len() as u64,
        ),
        ("differences in db verify", stored.differences),
        ("journals left", left),
    ];
    let wrong = [&received.forfeits[..], &stored.differing].concat();
    report(&figures, begun, &wrong);
    let whole = games == args.games && stored.normal == games * SEATS as u64;
    let clean = wrong.is_empty() && stored.differences == 0 && left == 0;
    ensure!(whole && clean, "a promise was broken");
    Ok(())
}

/// Kills and starts the daemon until the games are over; the last one lives.
async fn kill(
    args: &ShimCrashArgs,
    daemon: &Daemon,
    mut running: Running,
    over: &AtomicBool,
) -> anyhow::Result<(u64, Running)> {
    let mut rng = Rng::new(args.seed, 0);
    let mut within = |most: u32| {
        let ms = rng.below(most.saturating_add(1));
        tokio::time::sleep(Duration::from_millis(ms.into()))
    };
    let mut kills = 0;
    while !over.load(Ordering::Relaxed) {
        within(args.life_ms_max).await;
        running.kill().await?;
        kills += 1;
        within(args.away_ms_max).await;
        running = daemon.start().await?;
    }
    Ok((kills, running))
}

/// Waits until the daemon has folded every journal; how many are left.
async fn collected(folder: &Path) -> u64 {
    let until = Instant::now() + COLLECT_WITHIN;
    loop {
        let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let journal = |file: &std::fs::DirEntry| {
            let path = file.path();
            path.extension()
                .is_some_and(|end| end == drover::shim::JOURNAL_EXTENSION)
        };
        let left = files.filter(journal).count() as u64;
        if left == 0 || Instant::now() >= until {
            return left;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

#[derive(Default)]
struct Stored {
    sessions: u64,
    normal: u64,
    answers: u64,
    local: u64,
    differing: Vec<String>,
    differences: u64,
}

/// Compares what is stored with what the arbiter received, and the store with itself.
async fn stored(daemon: &Daemon, received: Vec<Exchanges>) -> anyhow::Result<Stored> {
    let mut missing: BTreeMap<Exchanges, u32> = BTreeMap::new();
    for seat in received {
        *missing.entry(seat).or_default() += 1;
    }
    let store = Store::open_readonly(daemon.data.join("drover.db"), GameRules::all()).await?;
    let mut found = Stored {
        local: stored::facts(&store, "local").await? as u64,
        differences: stored::differences(&store).await?,
        ..Stored::default()
    };
    for (session, entries) in stored::sessions(&store).await? {
        ensure!(session.opened.side == Side::Player, "only shims play here");
        found.sessions += 1;
        let whole = session.cause == Some(Cause::Normal) && session.scores.len() == SEATS;
        found.normal += u64::from(whole);
        let exchanges = answered(exchanges(entries, Direction::In));
        found.answers += exchanges.len() as u64;
        match missing.get_mut(&exchanges) {
            Some(count @ 1..) => *count -= 1,
            _ => {
                let id = session.id.0;
                let what = format!("session {id} is not what any seat received");
                found.differing.push(what);
            }
        }
    }
    let unseen: u32 = missing.values().sum();
    if unseen > 0 {
        let what = format!("{unseen} seats are not stored as they received");
        found.differing.push(what);
    }
    store.close().await;
    Ok(found)
}

/// The same where no answer is an empty one.
fn answered(mut exchanges: Exchanges) -> Exchanges {
    for (_, answer) in &mut exchanges {
        answer.get_or_insert_default();
    }
    exchanges
}

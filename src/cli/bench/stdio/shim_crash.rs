//! `drover bench shim-crash`: kills the daemon again and again while games run over shims. No game may
//! be lost by that, and what the arbiter heard is what is stored.

use super::shim::{own, words};
use crate::cli::bench::child::{Daemon, Running};
use crate::cli::bench::site::Folder;
use crate::referee::arbiter::{self, ArbiterPlan, ProgramRules};
use crate::referee::budget::ThinkBudget;
use crate::referee::schedule::Schedule;
use crate::referee::watch::{KeptMatch, Watch};
use crate::store::types::Side;
use crate::store::{Direction, Filter, PageAt, Store};
use anyhow::{Context as _, ensure};
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
/// Matches read at a time when the store is looked through.
const PAGE: u32 = 100;
/// Lines printed of what is wrong.
const SHOWN_MAX: usize = 10;
/// How long the daemon may take to fold what the shims have left behind.
const COLLECT_WITHIN: Duration = Duration::from_secs(60);

/// Kills the daemon while games run over shims.
#[derive(Clone, Debug, clap::Args)]
pub struct ShimCrashArgs {
    /// How many games.
    #[arg(long, default_value_t = 50, value_name = "N")]
    pub games: u64,
    /// Games at once.
    #[arg(long, default_value = "4", value_name = "N")]
    pub concurrency: NonZeroUsize,
    /// The bot that plays.
    #[arg(long, default_value = "rules", value_name = "NAME")]
    pub bot: String,
    /// The longest life between two kills, in milliseconds.
    #[arg(long, default_value_t = 1000, value_name = "MS")]
    pub life_ms_max: u32,
    /// The longest time without a daemon after a kill, in milliseconds.
    #[arg(long, default_value_t = 300, value_name = "MS")]
    pub away_ms_max: u32,
    /// Seeds the moments of the kills, and the cards.
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub seed: u64,
    /// Where the database lives.
    #[arg(long, default_value = ".", value_name = "DIR")]
    pub folder: PathBuf,
}

/// What every seat heard and said, and how its game ended.
#[derive(Default)]
struct Heard {
    seats: Vec<Vec<(String, String)>>,
    forfeits: Vec<String>,
}

impl Watch for Heard {
    fn done(&mut self, _: u64) {}

    fn played(&mut self, played: KeptMatch) {
        for blame in &played.blames {
            let cause = blame.cause.word();
            self.forfeits
                .push(format!("game {}: {cause}: {}", played.number, blame.detail));
        }
        for seat in 0..SEATS as u8 {
            let own = played
                .transcript
                .iter()
                .filter(|heard| heard.seat == Seat(seat));
            let exchange = |heard: &games::Exchange| {
                (heard.call.clone(), heard.reply.clone().unwrap_or_default())
            };
            self.seats.push(own.map(exchange).collect());
        }
    }
}

/// Runs it and prints what came of it.
///
/// # Errors
/// What kept it from running, or that a promise was broken.
pub async fn run(args: ShimCrashArgs) -> anyhow::Result<()> {
    let begun = Instant::now();
    let kit = games::find("planowanie").context("this build has no Planowanie")?;
    let folder = Folder::new(&args.folder)?;
    let daemon = Daemon::new(folder.path())?;
    let mut running = daemon.spawn()?;
    running.ready().await?;
    let words = words("planowanie", &args.bot, &folder.path().join("drover.sock"))?;
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let seat = crate::referee::SeatSpec::Program(own(&words)?);
    let plan = ArbiterPlan {
        kit,
        seats: vec![seat; SEATS],
        schedule: Schedule {
            entrants: SEATS,
            seats: SEATS,
            pool: false,
            rotate: true,
            games: args.games,
            seed: args.seed,
        },
        budget: ThinkBudget::Time(kit.usual_budget()),
        concurrency: args.concurrency,
        options: Value::Null,
        models: true,
        record: true,
        programs: ProgramRules::default(),
    };
    let over = Arc::new(AtomicBool::new(false));
    let ended = Arc::clone(&over);
    let playing = tokio::task::spawn_blocking(move || {
        let mut heard = Heard::default();
        let tally = arbiter::play(&plan, &AtomicBool::new(false), &mut heard);
        ended.store(true, Ordering::Relaxed);
        tally.map(|tally| (tally.games, heard))
    });
    let (kills, last) = kill(&args, &daemon, running, &over).await?;
    let (games, heard) = playing.await??;
    let left = collected(folder.path()).await;
    last.terminate().await?;
    let stored = stored(&daemon, heard.seats).await?;
    println!("games                      {games:>9}");
    println!("kills                      {kills:>9}");
    println!("forfeits                   {:>9}", heard.forfeits.len());
    println!("sessions stored            {:>9}", stored.sessions);
    println!("ended normally             {:>9}", stored.normal);
    println!("answers stored             {:>9}", stored.answers);
    println!("given by a shim alone      {:>9}", stored.local);
    println!("stored otherwise than heard{:>9}", stored.differing.len());
    println!("differences in db verify   {:>9}", stored.differences);
    println!("journals left              {left:>9}");
    println!(
        "seconds                    {:>9.1}",
        begun.elapsed().as_secs_f64()
    );
    for line in heard
        .forfeits
        .iter()
        .chain(&stored.differing)
        .take(SHOWN_MAX)
    {
        println!("  {line}");
    }
    let whole = games == args.games && stored.normal == games * SEATS as u64;
    let clean = heard.forfeits.is_empty()
        && stored.differing.is_empty()
        && stored.differences == 0
        && left == 0;
    ensure!(whole && clean, "a promise was broken");
    Ok(())
}

/// Kills and starts the daemon until the games are over; the last one lives.
async fn kill(
    args: &ShimCrashArgs,
    daemon: &Daemon,
    mut running: Running,
    over: &AtomicBool,
) -> anyhow::Result<(u32, Running)> {
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
        running = daemon.spawn()?;
        running.ready().await?;
    }
    Ok((kills, running))
}

/// Waits until the daemon has folded every journal; how many are left.
async fn collected(folder: &Path) -> usize {
    let until = Instant::now() + COLLECT_WITHIN;
    loop {
        let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let journal = |file: &std::fs::DirEntry| {
            let path = file.path();
            path.extension()
                .is_some_and(|end| end == crate::shim::JOURNAL_EXTENSION)
        };
        let left = files.filter(journal).count();
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

/// Compares what is stored with what the arbiter heard, and the store with itself.
async fn stored(daemon: &Daemon, heard: Vec<Vec<(String, String)>>) -> anyhow::Result<Stored> {
    let mut missing: BTreeMap<Vec<(String, String)>, u32> = BTreeMap::new();
    for seat in heard {
        *missing.entry(seat).or_default() += 1;
    }
    let store = Store::open_readonly(daemon.data.join("drover.db")).await?;
    let mut found = Stored::default();
    let mut at = PageAt {
        after: None,
        limit: PAGE,
    };
    loop {
        let page = store.matches(&Filter::default(), &at).await?;
        for row in page.items {
            let facts = store.facts(&row.id).await?;
            found.local += facts.iter().filter(|fact| fact.kind == "local").count() as u64;
            for session in store.sessions_of(&row.id).await? {
                ensure!(session.opened.side == Side::Player, "only shims play here");
                found.sessions += 1;
                found.normal += u64::from(session.cause == Some(Cause::Normal));
                let entries = match store.head(&session).await? {
                    Some((head, _)) => store.transcript(session.id, head).await?,
                    None => Vec::new(),
                };
                let mut told: Vec<(String, String)> = Vec::new();
                for entry in entries {
                    match (entry.direction, told.last_mut()) {
                        (Direction::In, _) => told.push((entry.text, String::new())),
                        // The last of several is the one that was given.
                        (Direction::Out, Some(last)) => last.1 = entry.text,
                        (Direction::Out, None) => {}
                    }
                }
                found.answers += told.len() as u64;
                match missing.get_mut(&told) {
                    Some(count @ 1..) => *count -= 1,
                    _ => found.differing.push(format!(
                        "session {} is not what any seat heard",
                        session.id.0
                    )),
                }
            }
        }
        match page.next {
            Some(next) => at.after = Some(next),
            None => break,
        }
    }
    let unseen: u32 = missing.values().sum();
    if unseen > 0 {
        found
            .differing
            .push(format!("{unseen} seats are not stored as they heard"));
    }
    let summary = store.verify(None, |_| {}).await?;
    found.differences = summary.differences + summary.integrity.len() as u64;
    store.close().await;
    Ok(found)
}

//! `bench matches`: many matches at once over real HTTP, every seat hosted here.

use crate::site::{self, Folder, seats};
use crate::stats::{Latencies, shown};
use crate::stored;
use anyhow::{Context as _, ensure};
use drover::daemon::Site;
use drover::link::HttpOptions;
use drover::referee::{Host, HostSettings, MatchRequest, Recording};
use drover::store::{Durability, LedgerRow, Store};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// Ledger rows read at a time.
const PAGE: u32 = 10_000;
/// Rows of the ledger are written within a second.
const LEDGER_WAIT: Duration = Duration::from_secs(10);

/// Many matches at once over real HTTP: late, illegal and fallback answers, and where the time went.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct MatchesArgs {
    /// Matches at once.
    #[arg(long, default_value_t = 200, value_name = "N")]
    matches: usize,
    /// The ceiling of a decision's thinking.
    #[arg(long, default_value = "200ms", value_parser = humantime::parse_duration, value_name = "SPAN")]
    budget: Duration,
    /// Threads that do nothing but burn the processor meanwhile.
    #[arg(long, default_value_t = 0, value_name = "N")]
    hogs: usize,
    /// The bots that play, one a seat; the last one sits on all further seats.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "champion",
        value_name = "NAMES"
    )]
    bots: Vec<String>,
    /// What a commit survives.
    #[arg(long, default_value = "power", value_parser = ["power", "process"])]
    durability: String,
    /// Where the database lives.
    #[arg(long, default_value = ".", value_name = "DIR")]
    folder: PathBuf,
}

/// Plays and prints.
pub(crate) async fn run(args: MatchesArgs) -> anyhow::Result<()> {
    let durability = match args.durability.as_str() {
        "power" => Durability::Power,
        _ => Durability::Process,
    };
    let folder = Folder::new(&args.folder)?;
    let site = site::start(&folder, Some(durability), true, args.budget).await?;
    let hogs = Hogs::start(args.hogs);
    let begun = Instant::now();
    let (finished, missed) = play(&args, &site).await?;
    let took = begun.elapsed();
    drop(hogs);
    let (thoughts, used) = site.pool.used();
    let rows = ledger(&site.store, thoughts).await?;
    // Answers that the bots' own guard refused before they left.
    let refused = stored::facts(&site.store, "refused").await?;
    site.stop().await?;
    let late = rows.iter().filter(|row| row.sent_us > row.limit_us).count();
    let fallbacks = rows.iter().filter(|row| row.fallback).count();
    println!(
        "{} matches at once, ceiling {} ms, {} hogs: {finished} finished in {:.1} s, {} decisions",
        args.matches,
        args.budget.as_millis(),
        args.hogs,
        took.as_secs_f64(),
        rows.len()
    );
    println!(
        "late {late}   missed by the referee {missed}   illegal {refused}   fallbacks {fallbacks}"
    );
    let mean = used
        .checked_div(u32::try_from(thoughts).unwrap_or(u32::MAX))
        .unwrap_or_default();
    println!(
        "budget really used: mean {} a decision of {thoughts} that think",
        shown(mean)
    );
    steps(&rows);
    let all = finished == args.matches;
    ensure!(
        all && late + fallbacks == 0 && missed == 0 && refused == 0,
        "a promise was broken"
    );
    Ok(())
}

/// Gives how many matches finished and how many answers the referee missed.
async fn play(args: &MatchesArgs, site: &Site) -> anyhow::Result<(usize, u64)> {
    let kit = crate::kit("koehandel")?;
    let last = args.bots.last().context("no bot is named")?;
    let seats = seats(
        kit,
        site.address,
        args.bots.iter().chain(std::iter::repeat(last)),
    )?;
    let settings = HostSettings {
        referee: "bench".to_owned(),
        matches_max: args.matches,
        ended_kept: args.matches,
        http: HttpOptions::default(),
        ..HostSettings::default()
    };
    let host = Host::new(kit, settings, Recording::none());
    let mut playing = JoinSet::new();
    for number in 0..args.matches {
        let request = MatchRequest {
            seats: seats.clone(),
            seed: Some(number as u64 + 1),
            ..MatchRequest::default()
        };
        let started = host.start(request).await?;
        playing.spawn(async move { started.begin().wait().await });
    }
    let (mut finished, mut missed) = (0, 0);
    while let Some(ended) = playing.join_next().await {
        let hosted = ended?;
        finished += usize::from(hosted.end.get().is_some_and(|end| end.outcome.is_some()));
        for seat in 0..seats.len() {
            let lines = hosted.log.lines(games::Seat(u8::try_from(seat)?));
            missed += lines.iter().filter(|line| line.missed).count() as u64;
        }
    }
    host.stop().await;
    Ok((finished, missed))
}

/// All rows, once as many are written as decisions were thought about.
async fn ledger(store: &Store, least: u64) -> anyhow::Result<Vec<LedgerRow>> {
    let mut rows = Vec::new();
    let begun = Instant::now();
    loop {
        let more = store.ledger(rows.len() as u64, PAGE).await?;
        let none = more.is_empty();
        rows.extend(more);
        let dropped = store.health().ledger_dropped;
        if none && (rows.len() as u64 + dropped >= least || begun.elapsed() > LEDGER_WAIT) {
            ensure!(dropped == 0, "{dropped} rows of the ledger were dropped");
            return Ok(rows);
        }
        if none {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}

fn steps(rows: &[LedgerRow]) {
    let step = |name: &str, of: fn(&LedgerRow) -> (u32, u32)| {
        let mut spans = Latencies::default();
        for row in rows {
            let (from, to) = of(row);
            spans.add(Duration::from_micros(to.saturating_sub(from).into()));
        }
        let [p50, p99, most] = spans.quantiles([0.5, 0.99, 1.0]).map(shown);
        println!("{name:<10} {p50:>9} {p99:>9} {most:>9}");
    };
    println!("{:<10} {:>9} {:>9} {:>9}", "step", "p50", "p99", "most");
    step("queued", |row| (0, row.queued_us));
    step("thought", |row| (row.queued_us, row.thought_us));
    step("committed", |row| (row.thought_us, row.committed_us));
    step("sent", |row| (row.committed_us, row.sent_us));
    step("in all", |row| (0, row.sent_us));
}

/// Threads that burn the processor until dropped.
struct Hogs(Arc<AtomicBool>);

impl Hogs {
    fn start(count: usize) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        for _ in 0..count {
            let stop = Arc::clone(&stop);
            std::thread::spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        Self(stop)
    }
}

impl Drop for Hogs {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

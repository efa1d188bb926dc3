//! `bench soak`: keeps many lines to hubs that are killed, stalled, cut and fed garbage, and
//! looks whether every game is accounted for and nothing leaks.

use super::proxy::{Fault, Proxy};
use super::sample::{self, Sample};
use crate::process::{Daemon, Hub};
use crate::site::Folder;
use crate::{stats, stored};
use anyhow::{Context as _, ensure};
use drover::history::GameRules;
use drover::store::Store;
use games::rng::Rng;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// Rooms of the hubs, in turn.
const ROOMS: [&str; 6] = ["duet", "solo", "default", "quartet", "#duet", "trio"];
/// How long a turn may last at the hub: short, so that stalls are noticed.
const WAIT_FOR_TURN: &str = "waitForTurn=3000";
/// How long a stall lasts: longer than the client bears silence.
const STALL: Duration = Duration::from_secs(45);
/// How long connections have to come back when all is well again.
const CALM: Duration = Duration::from_secs(150);
/// How long the daemon has to end its games.
const DRAIN_S: u32 = 60;
/// Growth from the middle of the run to its end that counts as a leak: file descriptors and tasks.
const GROWTH_MAX: u64 = 24;
/// The same of resident memory, as a share.
const MEMORY_GROWTH_MAX: f64 = 0.25;

/// Keeps lines to hubs that break in every way, and checks that nothing is lost and nothing leaks.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct SoakArgs {
    /// How long, in seconds.
    #[arg(long, default_value_t = 1_800, value_name = "S")]
    seconds: u64,
    /// Hubs.
    #[arg(long, default_value_t = 6, value_name = "N")]
    hubs: usize,
    /// Connections to each.
    #[arg(long, default_value_t = 4, value_name = "N")]
    seats: usize,
    /// The mean time between two faults, in seconds.
    #[arg(long, default_value_t = 8, value_name = "S")]
    fault_every: u64,
    /// The bot that plays.
    #[arg(long, default_value = "shipped", value_name = "NAME")]
    bot: String,
    /// Seeds the faults.
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
    /// Where the database lives.
    #[arg(long, default_value = ".", value_name = "DIR")]
    folder: PathBuf,
}

/// What came of it.
#[derive(Default)]
struct SoakReport {
    /// Faults, by kind.
    faults: BTreeMap<&'static str, u64>,
    /// Games of our connections that ended, by cause.
    games: BTreeMap<&'static str, u64>,
    /// Games without an end.
    open: u64,
    /// Connections that did not come back when all was well again.
    lost: Vec<String>,
    /// From the loss of a line to the next game, in milliseconds, by connection.
    back_after_ms: Vec<(String, Vec<u64>)>,
    /// What the store finds wrong with itself.
    differences: u64,
    /// The daemon over time.
    samples: Vec<Sample>,
}

impl SoakReport {
    /// What was broken, as sentences.
    fn broken(&self) -> Vec<String> {
        let mut broken = self.lost.clone();
        if self.open > 0 {
            broken.push(format!("{} games have no end", self.open));
        }
        if self.differences > 0 {
            broken.push(format!("db verify finds {} differences", self.differences));
        }
        broken.extend(sample::leaks(&self.samples, GROWTH_MAX, MEMORY_GROWTH_MAX));
        broken
    }
}

/// Runs the test and prints what came of it.
pub(crate) async fn run(args: SoakArgs) -> anyhow::Result<()> {
    let report = soak(&args).await?;
    let counts = |counts: &BTreeMap<&str, u64>| {
        let words: Vec<String> = counts
            .iter()
            .map(|(word, n)| format!("{word} {n}"))
            .collect();
        words.join(", ")
    };
    println!("faults               {}", counts(&report.faults));
    println!("games by cause       {}", counts(&report.games));
    println!("games without an end {}", report.open);
    println!("db verify            {} differences", report.differences);
    println!("{}", sample::table(&report.samples));
    let mut all = stats::Latencies::default();
    for (connection, times) in &report.back_after_ms {
        let shown: Vec<String> = times
            .iter()
            .map(|ms| format!("{:.1}", *ms as f64 / 1000.0))
            .collect();
        println!("{connection:<28} back after (s): {}", shown.join(" "));
        for ms in times {
            all.add(Duration::from_millis(*ms));
        }
    }
    let [median, p90, longest] = all
        .quantiles([0.5, 0.9, 1.0])
        .map(|time| time.as_secs_f64());
    println!(
        "back in a game: {} times, median {median:.1} s, p90 {p90:.1} s, longest {longest:.1} s",
        all.count()
    );
    let broken = report.broken();
    ensure!(broken.is_empty(), "{}", broken.join("; "));
    Ok(())
}

async fn soak(args: &SoakArgs) -> anyhow::Result<SoakReport> {
    let folder = Folder::new(&args.folder)?;
    let mut hub = Hub::start(vec![WAIT_FOR_TURN.to_owned()]).await?;
    let stop = CancellationToken::new();
    let _stop = stop.clone().drop_guard();
    let mut proxies = Vec::with_capacity(args.hubs);
    let mut config = String::new();
    for (number, room) in (0..args.hubs).zip(ROOMS.iter().cycle()) {
        let proxy = Proxy::start(hub.address, stop.clone()).await?;
        let (address, bot, seats) = (proxy.address, &args.bot, args.seats);
        // Writing to a string does not fail.
        let _ = write!(
            config,
            "[[hub]]\naddress = \"{address}\"\nhub = \"{room}\"\nname = \"soak{number}\"\nbot = \"{bot}\"\nseats = {seats}\n"
        );
        proxies.push(proxy);
    }
    let mut daemon = Daemon::new(folder.path())?;
    daemon.configure(&config)?;
    daemon.set("DRAIN__LIMIT_S", DRAIN_S);
    daemon.set("LOG__LEVEL", "warn");
    daemon.set("THINKING__BUDGET_MS_SMARTDOG", 5);
    let (running, api) = daemon.start_with_api().await?;
    let mut report = SoakReport::default();
    let mut rng = Rng::new(args.seed, 0);
    let begun = Instant::now();
    let length = Duration::from_secs(args.seconds);
    let every = (length / 60).max(Duration::from_secs(1));
    let mut sampled = begun;
    while begun.elapsed() < length {
        let wait = rng.between(0.0, 2.0) * args.fault_every as f64;
        tokio::time::sleep(Duration::from_secs_f64(wait).min(length)).await;
        let fault = Fault::ALL[rng.below(Fault::ALL.len() as u32) as usize];
        let at = rng.below(proxies.len() as u32) as usize;
        if fault == Fault::Kill {
            hub.kill_and_start(Duration::from_secs_f64(rng.between(0.0, 5.0)))
                .await?;
        } else if let Some(proxy) = proxies.get(at) {
            proxy.breaks(fault, STALL, rng.bits());
        }
        *report.faults.entry(fault.word()).or_default() += 1;
        if sampled.elapsed() >= every {
            sampled = Instant::now();
            report
                .samples
                .push(Sample::take(begun, &running, api).await?);
        }
    }
    calm(api, &mut report).await?;
    report
        .samples
        .push(Sample::take(begun, &running, api).await?);
    running.terminate().await?;
    hub.running.kill().await?;
    check(&daemon, &mut report).await?;
    Ok(report)
}

/// Waits until every connection plays or waits for players, and reads how they came back.
async fn calm(api: std::net::SocketAddr, report: &mut SoakReport) -> anyhow::Result<()> {
    let begun = Instant::now();
    loop {
        let hubs = sample::get(api, "/api/v1/hubs").await?;
        let hubs: Value = serde_json::from_str(&hubs).context("/api/v1/hubs is no JSON")?;
        let items = hubs["items"].as_array().cloned().unwrap_or_default();
        let away: Vec<&Value> = items
            .iter()
            .filter(|hub| !matches!(hub["state"].as_str(), Some("playing" | "queued")))
            // Between two games of a healthy line.
            .filter(|hub| hub["failures_in_a_row"] != 0)
            .collect();
        if away.is_empty() || begun.elapsed() > CALM {
            report.lost = away.iter().map(|hub| format!("not back: {hub}")).collect();
            report.back_after_ms = items.iter().map(returns).collect();
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
}

fn returns(hub: &Value) -> (String, Vec<u64>) {
    let text = |key: &str| hub[key].as_str().unwrap_or_default().to_owned();
    let times = hub["back_after_ms"].as_array().cloned().unwrap_or_default();
    (
        format!("{} {} {}", text("name"), text("hub"), hub["connection"]),
        times.iter().filter_map(Value::as_u64).collect(),
    )
}

/// Looks whether every game has its end, and whether the store is in order.
async fn check(daemon: &Daemon, report: &mut SoakReport) -> anyhow::Result<()> {
    let store = Store::open_readonly(daemon.data.join("drover.db"), GameRules::all()).await?;
    for row in stored::matches(&store)
        .await?
        .iter()
        .filter(|row| !row.ours)
    {
        match row.cause {
            Some(cause) => *report.games.entry(cause.word()).or_default() += 1,
            None => report.open += 1,
        }
    }
    report.differences = stored::differences(&store).await?;
    store.close().await;
    Ok(())
}

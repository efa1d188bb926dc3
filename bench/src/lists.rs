//! `bench lists`: how long a daemon over a large database takes for each page, first cold, then warm, and what memory
//! it takes to stream all of it.

use crate::get::get;
use crate::process::{Daemon, Running};
use crate::stats::{Latencies, shown};
use anyhow::{Context as _, ensure};
use serde_json::Value;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;

#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ListsArgs {
    /// The folder that `bench fill` filled.
    folder: PathBuf,
    /// How often each page is asked for.
    #[arg(long, default_value_t = 100)]
    times: u32,
    /// What a page may take.
    #[arg(long, default_value = "50ms", value_parser = humantime::parse_duration)]
    within: Duration,
}

/// The usual requests; `{…}` is taken from the newest match.
const USUAL: [&str; 12] = [
    "matches",
    "matches?limit=250",
    "matches?cursor={id}",
    "matches/{id}",
    "matches/{id}/entries?limit=50",
    "matches/{id}/facts",
    "sessions",
    "sessions/{session}",
    "bluffs",
    "opponents",
    "tournaments",
    "bots",
];

/// What is looked at in a browser.
const PAGES: [&str; 10] = [
    "/",
    "/dashboard",
    "/matches",
    "/matches?bot=champion&outcome=lost",
    "/matches?bot=nobody",
    "/matches/{id}",
    "/bots/planowanie/champion",
    "/opponents",
    "/tournaments",
    "/tournaments/{tournament}",
];

/// All of a list.
const STREAM: &str = "/api/v1/matches.ndjson";
/// Rows of it between two looks at the daemon's memory.
const SAMPLE_EVERY: u64 = 1_000;

/// Values of filters, those that nothing has last.
const FILTERS: [(&str, &[&str]); 12] = [
    ("game", &["planowanie", "koehandel"]),
    ("bot", &["champion", "nobody"]),
    (
        "opponent",
        &["player-000", "player-500", "greedy", "nobody"],
    ),
    (
        "tournament",
        &["{tournament}", "01AAAAAAAAAAAAAAAAAAAAAAAA"],
    ),
    ("entrant", &["entrant 1", "nobody"]),
    ("outcome", &["won", "tied", "live"]),
    ("cause", &["normal", "adjudication"]),
    ("referee", &["referee-3", "nobody"]),
    ("side", &["player", "referee"]),
    ("market", &["{market}", "17"]),
    ("since", &["2025-03-01T00:00:00Z", "2099-01-01T00:00:00Z"]),
    ("until", &["2025-03-01T00:00:00Z", "1999-01-01T00:00:00Z"]),
];

pub(crate) async fn run(args: ListsArgs) -> anyhow::Result<()> {
    let daemon = Daemon::new(&args.folder)?;
    let begun = Instant::now();
    let (running, api) = daemon.start_with_api().await?;
    println!("{:<70} {:>9}", "start", shown(begun.elapsed()));
    let targets = targets(api).await?;
    let mut slow = Vec::new();
    println!(
        "{:<70} {:>5} {:>9} {:>9} {:>9}",
        "page", "rows", "first", "p50", "p99"
    );
    for target in targets {
        let mut latencies = Latencies::default();
        let (mut first, mut rows) = (None, String::new());
        for _ in 0..args.times.max(1) {
            let begun = Instant::now();
            let (status, body) = get(api, &target).await?;
            let took = begun.elapsed();
            // A name that is known nowhere is refused: that takes its time, too.
            ensure!(matches!(status, 200 | 400), "{target}: {status} {body}");
            if first.is_none() {
                first = Some(took);
                // A page for browsers has no rows to be counted.
                let page = serde_json::from_str(&body).unwrap_or_default();
                rows = if status == 400 {
                    "none".to_owned()
                } else {
                    found(&page)
                };
            } else {
                latencies.add(took);
            }
        }
        let [p50, p99] = latencies.quantiles([0.5, 0.99]);
        let first = first.unwrap_or_default();
        println!(
            "{target:<70} {rows:>5} {:>9} {:>9} {:>9}",
            shown(first),
            shown(p50),
            shown(p99)
        );
        if p99 > args.within {
            slow.push(target);
        }
    }
    stream(api, &running).await?;
    running.terminate().await?;
    ensure!(
        slow.is_empty(),
        "slower than {}: {slow:?}",
        shown(args.within)
    );
    Ok(())
}

/// Reads all matches as one stream, and prints what memory the daemon had meanwhile.
async fn stream(api: SocketAddr, running: &Running) -> anyhow::Result<()> {
    let (before, begun) = (running.resident()?, Instant::now());
    let mut connection = TcpStream::connect(api).await?;
    let asked = format!("GET {STREAM} HTTP/1.0\r\n\r\n");
    connection.write_all(asked.as_bytes()).await?;
    let mut answer = BufReader::with_capacity(1 << 20, connection).lines();
    // The head ends with an empty line.
    while answer
        .next_line()
        .await?
        .is_some_and(|line| !line.is_empty())
    {}
    let (mut most, mut bytes, mut rows) = (before, 0, 0_u64);
    while let Some(row) = answer.next_line().await? {
        bytes += row.len() + 1;
        rows += 1;
        if rows.is_multiple_of(SAMPLE_EVERY) {
            most = most.max(running.resident()?);
        }
    }
    let took = shown(begun.elapsed());
    let [before, most, after] = [before, most, running.resident()?].map(|bytes| bytes >> 20);
    println!("{STREAM}: {rows} rows, {} MiB in {took}", bytes >> 20);
    println!("memory of the daemon: {before} MiB before it, at most {most}, {after} after it");
    Ok(())
}

/// How many rows a page has; `+` where there are more.
fn found(page: &Value) -> String {
    match page["items"].as_array() {
        Some(items) => {
            let more = if page["next"].is_null() { "" } else { "+" };
            format!("{}{more}", items.len())
        }
        None => String::new(),
    }
}

/// Usual requests, each filter alone and every two together, of matches and of sessions.
async fn targets(api: SocketAddr) -> anyhow::Result<Vec<String>> {
    let (_, newest) = get(api, "/api/v1/matches?limit=1").await?;
    let newest: Value = serde_json::from_str(&newest)?;
    let id = newest["items"][0]["id"]
        .as_str()
        .context("there is no match")?;
    let market = newest["items"][0]["market"].to_string();
    let (_, one) = get(api, &format!("/api/v1/matches/{id}")).await?;
    let one: Value = serde_json::from_str(&one)?;
    let session = one["sessions"][0]["id"].to_string();
    let (_, tournaments) = get(api, "/api/v1/tournaments?limit=1").await?;
    let tournaments: Value = serde_json::from_str(&tournaments)?;
    let tournament = tournaments["items"][0]["id"].as_str().unwrap_or("none");
    let mut targets: Vec<String> = USUAL.map(str::to_owned).to_vec();
    for (at, (name, values)) in FILTERS.iter().enumerate() {
        for value in *values {
            targets.push(format!("matches?{name}={value}"));
            for (other, others) in FILTERS.iter().skip(at + 1) {
                let ends = [others.first(), others.last()];
                targets.extend(
                    ends.into_iter()
                        .flatten()
                        .map(|second| format!("matches?{name}={value}&{other}={second}")),
                );
            }
        }
    }
    let of_sessions = [
        "game", "bot", "opponent", "outcome", "cause", "since", "until",
    ];
    for (name, values) in FILTERS
        .iter()
        .filter(|(name, _)| of_sessions.contains(name))
    {
        targets.extend(
            values
                .iter()
                .map(|value| format!("sessions?{name}={value}")),
        );
    }
    let targets = targets
        .into_iter()
        .map(|target| format!("/api/v1/{target}"));
    let pages = PAGES.map(str::to_owned);
    let filled = targets.chain(pages).map(|target| {
        let target = target.replace("{id}", id).replace("{market}", &market);
        let target = target.replace("{session}", &session);
        target
            .replace("{tournament}", tournament)
            .replace(' ', "%20")
    });
    Ok(filled.collect())
}

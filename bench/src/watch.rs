//! `bench watch`: what many watchers of one match cost the match itself, and whether each of them gets every entry
//! once, also when the daemon is killed meanwhile.

use crate::get::get;
use crate::load;
use crate::messages::Script;
use crate::process::Daemon;
use crate::site::Folder;
use crate::stats::{Latencies, shown};
use anyhow::{Context as _, bail, ensure};
use drover::clock::now_us;
use drover::thinking::step_back;
use serde::Deserialize;
use serde_json::Value;
use std::io;
use std::net::SocketAddr;
use std::ops::RangeBounds;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Handle};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};

/// The bot; it answers at once, so that not the bot is measured.
const PATH: &str = "/koehandel/face";
/// How long a watcher or the referee may be without the daemon.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long matches may go on once the daemon is asked to end, in seconds.
const DRAIN_S: u64 = 1;
/// The priority of the watchers: elsewhere they are other machines' load.
const NICE: i32 = 19;
/// How long either waits before it tries again.
const RETRY: Duration = Duration::from_millis(100);

/// What many watchers of one match cost the match itself, and whether each gets every entry once.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct WatchArgs {
    /// Watchers of the match; one of them reads nothing.
    #[arg(long, default_value_t = 1_000, value_name = "N")]
    watchers: usize,
    /// Between two messages of the match, in milliseconds.
    #[arg(long, default_value_t = 25, value_name = "MS")]
    pace_ms: u64,
    /// How often a match is played without and with watchers, in turn.
    #[arg(long, default_value_t = 3, value_name = "N")]
    rounds: usize,
    /// How often the daemon is killed in the middle of a match that is watched.
    #[arg(long, default_value_t = 2, value_name = "N")]
    kills: usize,
    /// Where the database lives.
    #[arg(long, default_value = ".", value_name = "DIR")]
    folder: PathBuf,
}

/// Measures and prints. The watchers run on a thread of their own.
pub(crate) async fn run(args: WatchArgs) -> anyhow::Result<()> {
    let apart = Builder::new_multi_thread()
        .worker_threads(1)
        .on_thread_start(|| step_back(NICE))
        .enable_all()
        .build()
        .context("the watchers' thread does not start")?;
    let measured = measure(args, apart.handle()).await;
    apart.shutdown_background();
    measured
}

async fn measure(args: WatchArgs, apart: &Handle) -> anyhow::Result<()> {
    let script = Script::record(crate::kits::kit("koehandel")?)?;
    let folder = Folder::new(&args.folder)?;
    let mut daemon = Daemon::new(folder.path())?;
    daemon.set("API__CONNECTIONS_MAX", 2 * args.watchers + 64);
    // The match that is left when it is asked to end does not go on.
    daemon.set("DRAIN__LIMIT_S", DRAIN_S);
    let (mut running, api) = daemon.start_with_api().await?;
    let api = watch::Sender::new(api);
    let mut referee = Referee {
        script,
        callbacks: daemon.listen,
        api: api.subscribe(),
        pace: Duration::from_millis(args.pace_ms),
        matches: 0,
        stream: None,
    };
    let (mut alone, mut joined, mut watched, mut late) = Default::default();
    let mut entries = 0;
    for _ in 0..args.rounds {
        referee.open().await?;
        referee.play(1.., &mut alone).await?;
        let watchers = Watchers::of(&referee.open().await?, &api, args.watchers, apart);
        let mut step = 1;
        while step < referee.script.len() && !watchers.are_there() {
            referee.play(step..=step, &mut joined).await?;
            step += 1;
        }
        referee.play(step.., &mut watched).await?;
        entries += watchers.check(&mut late).await?;
    }
    println!("{:<26} {:>9} {:>9} {:>9}", "", "p50", "p99", "most");
    for (name, latencies) in [
        ("callbacks, unwatched", &mut alone),
        ("callbacks, watchers come", &mut joined),
        ("callbacks, watched", &mut watched),
        ("from entry to watcher", &mut late),
    ] {
        let [p50, p99, most] = latencies.quantiles([0.5, 0.99, 1.0]).map(shown);
        println!("{name:<26} {p50:>9} {p99:>9} {most:>9}");
    }
    let others = args.watchers - 1;
    println!("{entries} entries to each of {others} watchers, each once");
    for _ in 0..args.kills {
        let half = referee.script.len() / 2;
        let watchers = Watchers::of(&referee.open().await?, &api, args.watchers, apart);
        referee.play(1..half, &mut Latencies::default()).await?;
        running.kill().await?;
        let (again, address) = daemon.start_with_api().await?;
        running = again;
        api.send_replace(address);
        referee.play(half.., &mut Latencies::default()).await?;
        let entries = watchers.check(&mut Latencies::default()).await?;
        println!("killed in the middle: {entries} entries to each watcher, each once");
    }
    let _watchers = Watchers::of(&referee.open().await?, &api, args.watchers, apart);
    referee.play(1..40, &mut Latencies::default()).await?;
    let begun = Instant::now();
    running.terminate().await?;
    let took = shown(begun.elapsed());
    println!(
        "asked to end within {DRAIN_S} s with {} watchers, it ended after {took}",
        args.watchers
    );
    Ok(())
}

/// Another referee: it plays one seat's match after match.
struct Referee {
    script: Script,
    callbacks: SocketAddr,
    api: watch::Receiver<SocketAddr>,
    pace: Duration,
    matches: usize,
    stream: Option<TcpStream>,
}

impl Referee {
    /// Begins the next match; gives its id.
    async fn open(&mut self) -> anyhow::Result<String> {
        self.matches += 1;
        self.play(0..1, &mut Latencies::default()).await?;
        let api = *self.api.borrow();
        let (status, body) = get(api, "/api/v1/matches?limit=1").await?;
        ensure!(status == 200, "matches cannot be listed: {body}");
        let listed: Value = serde_json::from_str(&body)?;
        let id = listed["items"][0]["id"].as_str();
        Ok(id.context("there is no match")?.to_owned())
    }

    /// Sends these messages of it, and notes how long each answer took.
    async fn play(
        &mut self,
        messages: impl RangeBounds<usize>,
        latencies: &mut Latencies,
    ) -> anyhow::Result<()> {
        let steps = 0..self.script.len();
        for step in steps.filter(|step| messages.contains(step)) {
            let number = (self.matches - 1) * self.script.len() + step;
            let mut request = String::new();
            self.script.request(PATH, 0, number, &mut request);
            let patience = Instant::now() + PATIENCE;
            loop {
                let sent = Instant::now();
                match self.exchange(&request).await {
                    Ok(()) => {
                        latencies.add(sent.elapsed());
                        break;
                    }
                    Err(error) if Instant::now() > patience => return Err(error),
                    Err(_) => self.stream = None,
                }
                tokio::time::sleep(RETRY).await;
            }
            tokio::time::sleep(self.pace).await;
        }
        Ok(())
    }

    async fn exchange(&mut self, request: &str) -> anyhow::Result<()> {
        let stream = match &mut self.stream {
            Some(stream) => stream,
            unconnected => {
                let stream = TcpStream::connect(self.callbacks).await?;
                stream.set_nodelay(true)?;
                unconnected.insert(stream)
            }
        };
        stream.write_all(request.as_bytes()).await?;
        load::response(stream, &mut [0; 4096]).await
    }
}

/// All who watch a match.
struct Watchers {
    match_id: String,
    api: watch::Receiver<SocketAddr>,
    tasks: JoinSet<anyhow::Result<Seen>>,
    there: Arc<AtomicUsize>,
    /// It reads nothing until the others have seen the end.
    stalled: JoinHandle<io::Result<TcpStream>>,
}

/// What one of them has seen.
#[derive(Default)]
struct Seen {
    entries: Vec<i64>,
    late: Latencies,
}

impl Watchers {
    fn of(match_id: &str, api: &watch::Sender<SocketAddr>, count: usize, apart: &Handle) -> Self {
        let (mut tasks, there) = (JoinSet::new(), Arc::<AtomicUsize>::default());
        for _ in 1..count {
            let (id, api, there) = (match_id.to_owned(), api.subscribe(), Arc::clone(&there));
            tasks.spawn_on(follow(id, api, there), apart);
        }
        let (id, address) = (match_id.to_owned(), *api.borrow());
        let stalled = apart.spawn(async move { connect(address, &id, "0-0").await });
        Self {
            match_id: match_id.to_owned(),
            api: api.subscribe(),
            tasks,
            there,
            stalled,
        }
    }

    /// Whether each of those that read has read something.
    fn are_there(&self) -> bool {
        self.there.load(Ordering::Relaxed) >= self.tasks.len()
    }

    /// Waits until all have seen the end, and checks that each got every entry once; gives how many there are.
    async fn check(mut self, late: &mut Latencies) -> anyhow::Result<usize> {
        let path = format!("/api/v1/matches/{}/entries.ndjson", self.match_id);
        let api = *self.api.borrow();
        let (status, body) = get(api, &path).await?;
        ensure!(status == 200, "entries cannot be listed: {body}");
        let number = |line: &str| {
            let entry: Value = serde_json::from_str(line)?;
            entry["id"].as_i64().context("an entry without a number")
        };
        let all: Vec<i64> = body.lines().map(number).collect::<anyhow::Result<_>>()?;
        while let Some(seen) = self.tasks.join_next().await {
            let seen = seen??;
            ensure!(
                seen.entries == all,
                "a watcher got {:?} instead of {all:?}",
                seen.entries
            );
            late.merge(&seen.late);
        }
        let (mut last, mut seen) = (String::new(), Seen::default());
        let stalled = self.stalled.await??;
        let ended = read(stalled, &mut last, &mut seen, &mut None).await?;
        println!(
            "the stalled one finds {} of {} entries when it reads at last, its stream {}",
            seen.entries.len(),
            all.len(),
            if ended { "whole" } else { "broken off" }
        );
        Ok(all.len())
    }
}

/// An entry, as far as it matters.
#[derive(Deserialize)]
struct Entry {
    id: i64,
    at: jiff::Timestamp,
}

/// Follows a match to its end, however often the daemon goes away.
async fn follow(
    match_id: String,
    api: watch::Receiver<SocketAddr>,
    there: Arc<AtomicUsize>,
) -> anyhow::Result<Seen> {
    let (mut seen, mut last) = (Seen::default(), "0-0".to_owned());
    let mut there = Some(there);
    let mut patience = Instant::now() + PATIENCE;
    while Instant::now() < patience {
        let (before, address) = (seen.entries.len(), *api.borrow());
        // A stream that breaks off is taken up where it was left.
        if let Ok(stream) = connect(address, &match_id, &last).await
            && read(stream, &mut last, &mut seen, &mut there).await?
        {
            return Ok(seen);
        }
        if seen.entries.len() > before {
            patience = Instant::now() + PATIENCE;
        }
        tokio::time::sleep(RETRY).await;
    }
    bail!("a watcher saw no end after {} entries", seen.entries.len())
}

async fn connect(api: SocketAddr, match_id: &str, last: &str) -> io::Result<TcpStream> {
    let mut stream = TcpStream::connect(api).await?;
    let asked = format!(
        "GET /api/v1/matches/{match_id}/events HTTP/1.0\r\nHost: {api}\r\nLast-Event-ID: {last}\r\n\r\n"
    );
    stream.write_all(asked.as_bytes()).await?;
    Ok(stream)
}

/// Reads a stream; whether it came to the match's end. Its first event counts for `there`.
async fn read(
    stream: TcpStream,
    last: &mut String,
    seen: &mut Seen,
    there: &mut Option<Arc<AtomicUsize>>,
) -> anyhow::Result<bool> {
    let mut lines = BufReader::new(stream).lines();
    let (mut kind, mut id) = (String::new(), String::new());
    while let Ok(Some(line)) = lines.next_line().await {
        if let Some(word) = line.strip_prefix("event: ") {
            kind = word.to_owned();
        } else if let Some(word) = line.strip_prefix("id: ") {
            id = word.to_owned();
        } else if let Some(data) = line.strip_prefix("data: ") {
            if let Some(there) = there.take() {
                there.fetch_add(1, Ordering::Relaxed);
            }
            if kind == "entry" {
                // What the daemon's end cut off comes again.
                let Ok(entry) = serde_json::from_str::<Entry>(data) else {
                    return Ok(false);
                };
                seen.entries.push(entry.id);
                let late_us = now_us() - entry.at.as_microsecond();
                seen.late.add(Duration::from_micros(late_us.unsigned_abs()));
            }
            if kind == "close" {
                return Ok(false);
            }
            last.clone_from(&id);
            if kind == "end" {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

//! `bench idle`: what sessions cost that wait for their next message, and how soon a daemon
//! that finds many of them answers again.

use crate::messages::Script;
use crate::process::{Daemon, Running};
use crate::site::Folder;
use crate::stats::{Latencies, shown};
use anyhow::ensure;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio::task::JoinSet;

/// Connections over which sessions are opened.
const CONNECTIONS: usize = 64;
/// The bot; it answers at once.
const PATH: &str = "/koehandel/guide";
/// How long memory must not have fallen to count as at rest.
const REST: Duration = Duration::from_secs(3);
/// A restarted daemon that has not answered by then never will.
const START_MAX: Duration = Duration::from_secs(30);

/// Memory of idle sessions, and the time from start-up to the first durable reply.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct IdleArgs {
    /// Live sessions; several figures, separated by commas.
    #[arg(long, value_delimiter = ',', default_values_t = [10_000, 100_000], value_name = "N")]
    sessions: Vec<usize>,
    /// Messages that each session has received.
    #[arg(long, default_value_t = 20, value_name = "N")]
    messages: usize,
    /// After how long without a message a session is put to sleep, in seconds.
    #[arg(long, default_value_t = 5, value_name = "S")]
    hibernate_after_s: u64,
    /// How often the daemon is killed and started again.
    #[arg(long, default_value_t = 5, value_name = "N")]
    restarts: usize,
    /// Where the database lives.
    #[arg(long, default_value = ".", value_name = "DIR")]
    folder: PathBuf,
}

/// Measures and prints.
pub(crate) async fn run(args: IdleArgs) -> anyhow::Result<()> {
    let script = Arc::new(Script::record(crate::kits::kit("koehandel")?)?);
    ensure!(
        args.messages < script.len(),
        "a match has only {} messages",
        script.len()
    );
    println!(
        "{:>9} {:>10} {:>11} {:>11} {:>11} {:>9}  start to first durable reply",
        "sessions", "entries", "started", "all awake", "at rest", "a session"
    );
    for sessions in &args.sessions {
        measure(&args, *sessions, &script).await?;
    }
    Ok(())
}

async fn measure(args: &IdleArgs, sessions: usize, script: &Arc<Script>) -> anyhow::Result<()> {
    let folder = Folder::new(&args.folder)?;
    let mut daemon = Daemon::new(folder.path())?;
    daemon.set("CALLBACKS__HIBERNATE_AFTER_S", args.hibernate_after_s);
    daemon.set("CALLBACKS__IDLE_LIMIT_S", 24 * 3600);
    daemon.set("STORE__DURABILITY", "process");
    let running = daemon.start().await?;
    let empty = running.resident()?;
    fill(&daemon, sessions, args.messages, script).await?;
    let awake = running.resident()?;
    let rest = at_rest(&running, Duration::from_secs(args.hibernate_after_s)).await?;
    running.kill().await?;
    daemon.set("STORE__DURABILITY", "power");
    let mut times = Vec::new();
    let mut sorted = Latencies::default();
    for round in 0..args.restarts {
        let begun = Instant::now();
        let running = daemon.spawn()?;
        first_reply(&daemon, sessions, args.messages, round, script).await?;
        sorted.add(begun.elapsed());
        times.push(shown(begun.elapsed()));
        running.kill().await?;
    }
    let [median] = sorted.quantiles([0.5]);
    let mib = |bytes: u64| format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20));
    println!(
        "{sessions:>9} {:>10} {:>11} {:>11} {:>11} {:>7} B  median {}, {}",
        sessions * args.messages,
        mib(empty),
        mib(awake),
        mib(rest),
        rest.saturating_sub(empty) / sessions.max(1) as u64,
        shown(median),
        times.join(" "),
    );
    Ok(())
}

/// Opens the sessions and sends each its messages.
async fn fill(
    daemon: &Daemon,
    sessions: usize,
    messages: usize,
    script: &Arc<Script>,
) -> anyhow::Result<()> {
    let mut workers = JoinSet::new();
    for first in 0..CONNECTIONS {
        let (listen, script) = (daemon.listen, Arc::clone(script));
        workers.spawn(async move {
            let mut stream = TcpStream::connect(listen).await?;
            let mut request = String::new();
            for session in (first..sessions).step_by(CONNECTIONS) {
                for number in 0..messages {
                    script.request(PATH, session, number, &mut request);
                    exchange(&mut stream, &request).await?;
                }
            }
            anyhow::Ok(())
        });
    }
    while let Some(done) = workers.join_next().await {
        done??;
    }
    Ok(())
}

async fn exchange(stream: &mut TcpStream, request: &str) -> anyhow::Result<()> {
    stream.write_all(request.as_bytes()).await?;
    let mut buffer = [0; 4096];
    crate::load::response(stream, &mut buffer).await
}

/// Waits until the sweep has put all to sleep and memory falls no more.
async fn at_rest(running: &Running, hibernate_after: Duration) -> anyhow::Result<u64> {
    tokio::time::sleep(hibernate_after * 2).await;
    let (mut least, mut since) = (running.resident()?, Instant::now());
    while since.elapsed() < REST {
        tokio::time::sleep(Duration::from_millis(200)).await;
        let now = running.resident()?;
        if now < least {
            (least, since) = (now, Instant::now());
        }
    }
    Ok(least)
}

/// Sends one session its next message until a daemon answers.
async fn first_reply(
    daemon: &Daemon,
    sessions: usize,
    messages: usize,
    round: usize,
    script: &Script,
) -> anyhow::Result<()> {
    let mut request = String::new();
    let session = (sessions / 2 + round * 7) % sessions.max(1);
    script.request(PATH, session, messages, &mut request);
    let begun = Instant::now();
    while begun.elapsed() < START_MAX {
        if let Ok(mut stream) = TcpStream::connect(daemon.listen).await
            && exchange(&mut stream, &request).await.is_ok()
        {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    anyhow::bail!("the daemon did not answer within {} s", START_MAX.as_secs())
}

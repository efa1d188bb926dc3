//! What a process holds, over time.

use crate::process::Running;
use anyhow::{Context as _, ensure};
use std::fmt::Write as _;
use std::net::SocketAddr;
use std::time::Instant;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// One look at a daemon.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    /// Seconds since the start.
    at_s: u64,
    /// Resident memory in bytes.
    resident: u64,
    /// Open file descriptors, sockets among them.
    descriptors: u64,
    /// Threads.
    threads: u64,
    /// Tasks of its runtime.
    tasks: u64,
    /// Sessions that have not ended.
    sessions: u64,
}

impl Sample {
    pub(super) async fn take(
        begun: Instant,
        running: &Running,
        api: SocketAddr,
    ) -> anyhow::Result<Self> {
        let descriptors = std::fs::read_dir(running.proc("fd")?)?.count() as u64;
        let metrics = get(api, "/metrics").await?;
        let gauge = |name: &str| {
            let line = metrics.lines().find_map(|line| line.strip_prefix(name))?;
            line.trim().parse::<f64>().ok().map(|value| value as u64)
        };
        Ok(Self {
            at_s: begun.elapsed().as_secs(),
            resident: running.resident()?,
            descriptors,
            threads: running.status("Threads:")?,
            tasks: gauge("drover_tasks ").context("no drover_tasks")?,
            sessions: gauge("drover_sessions_live ").context("no drover_sessions_live")?,
        })
    }
}

/// What a GET gives.
pub(crate) async fn get(api: SocketAddr, path: &str) -> anyhow::Result<String> {
    let mut stream = TcpStream::connect(api).await?;
    let request = format!("GET {path} HTTP/1.0\r\nHost: {api}\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    let (head, body) = answer.split_once("\r\n\r\n").context("no HTTP answer")?;
    ensure!(head.contains(" 200 "), "{path}: {head}");
    Ok(body.to_owned())
}

/// Samples as a table, a dozen of them.
pub(super) fn table(samples: &[Sample]) -> String {
    let mut text = "   second    resident  descriptors  threads  tasks  sessions".to_owned();
    let step = samples.len().div_ceil(12).max(1);
    let last = samples.len().saturating_sub(1);
    for (at, sample) in samples.iter().enumerate() {
        if at % step == 0 || at == last {
            let mib = sample.resident as f64 / f64::from(1 << 20);
            // Writing to a string does not fail.
            let _ = write!(
                text,
                "\n{:>9} {mib:>7.1} MiB {:>12} {:>8} {:>6} {:>9}",
                sample.at_s, sample.descriptors, sample.threads, sample.tasks, sample.sessions
            );
        }
    }
    text
}

/// What grew from the middle of the run to its end, as sentences: the least of each third is compared,
/// for games come and go.
pub(super) fn leaks(samples: &[Sample], growth_max: u64, memory_max: f64) -> Vec<String> {
    let third = samples.len() / 3;
    if third < 3 {
        return Vec::new();
    }
    let (middle, end) = (&samples[third..2 * third], &samples[2 * third..]);
    let least = |part: &[Sample], of: fn(&Sample) -> u64| part.iter().map(of).min().unwrap_or(0);
    let mut found = Vec::new();
    for (what, of) in [
        (
            "file descriptors",
            (|sample| sample.descriptors) as fn(&Sample) -> u64,
        ),
        ("threads", |sample| sample.threads),
        ("tasks", |sample| sample.tasks),
    ] {
        let (before, after) = (least(middle, of), least(end, of));
        if after > before + growth_max {
            found.push(format!("{what} grew from {before} to {after}"));
        }
    }
    let resident: fn(&Sample) -> u64 = |sample| sample.resident;
    let (before, after) = (least(middle, resident), least(end, resident));
    if after as f64 > before as f64 * (1.0 + memory_max) {
        found.push(format!("memory grew from {before} to {after} bytes"));
    }
    found
}

//! The load generator: raw keep-alive connections on one thread of its own, one request at a time on
//! each.

use crate::messages::Script;
use crate::stats::Latencies;
use anyhow::{Context as _, bail};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// A response is not longer than this.
const RESPONSE_BYTES_MAX: usize = 4096;

/// What to send, where and for how long.
#[derive(Clone)]
pub(crate) struct Load {
    pub(crate) address: SocketAddr,
    pub(crate) path: &'static str,
    pub(crate) connections: usize,
    pub(crate) warm_up: Duration,
    pub(crate) measured: Duration,
    pub(crate) script: Arc<Script>,
}

/// What came of it.
pub(crate) struct Loaded {
    pub(crate) answered: u64,
    pub(crate) took: Duration,
    pub(crate) latencies: Latencies,
}

/// Runs the load on a thread of its own.
pub(crate) async fn run(load: Load) -> anyhow::Result<Loaded> {
    tokio::task::spawn_blocking(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        runtime.block_on(drive(load))
    })
    .await
    .context("the load generator broke down")?
}

async fn drive(load: Load) -> anyhow::Result<Loaded> {
    let begin = Instant::now() + load.warm_up;
    let end = begin + load.measured;
    let tasks = tokio::task::LocalSet::new();
    let mut connections = Vec::new();
    for number in 0..load.connections {
        let load = load.clone();
        connections.push(tasks.spawn_local(one(load, number, begin, end)));
    }
    let mut latencies = Latencies::default();
    tasks
        .run_until(async {
            for connection in connections {
                latencies.merge(&connection.await??);
            }
            anyhow::Ok(())
        })
        .await?;
    Ok(Loaded {
        answered: latencies.count(),
        took: load.measured,
        latencies,
    })
}

/// One connection. Answers that come between `begin` and `end` count.
async fn one(load: Load, number: usize, begin: Instant, end: Instant) -> anyhow::Result<Latencies> {
    let mut stream = TcpStream::connect(load.address)
        .await
        .context("cannot connect")?;
    stream.set_nodelay(true)?;
    let mut latencies = Latencies::default();
    let (mut request, mut buffer) = (String::new(), vec![0; RESPONSE_BYTES_MAX]);
    for step in 0.. {
        load.script.request(load.path, number, step, &mut request);
        let sent = Instant::now();
        stream.write_all(request.as_bytes()).await?;
        response(&mut stream, &mut buffer).await?;
        let now = Instant::now();
        if now >= end {
            break;
        }
        if now >= begin {
            latencies.add(now - sent);
        }
    }
    Ok(latencies)
}

/// Reads one whole response; anything but a success is an error.
pub(crate) async fn response(stream: &mut TcpStream, buffer: &mut [u8]) -> anyhow::Result<()> {
    let mut filled = 0;
    loop {
        let room = buffer.get_mut(filled..).unwrap_or_default();
        let read = stream.read(room).await?;
        if read == 0 {
            bail!("the server closed a connection after {filled} bytes");
        }
        filled += read;
        let text = buffer.get(..filled).unwrap_or_default();
        if let Some(length) = whole(text)?
            && length == filled
        {
            return Ok(());
        }
    }
}

/// The length of the response whose head is here, if it is.
fn whole(text: &[u8]) -> anyhow::Result<Option<usize>> {
    const LENGTH: &[u8] = b"content-length: ";
    let Some(head) = text.windows(4).position(|part| part == b"\r\n\r\n") else {
        return Ok(None);
    };
    if !text.starts_with(b"HTTP/1.1 200") {
        bail!("not a success: {}", String::from_utf8_lossy(text));
    }
    let at = text
        .windows(LENGTH.len())
        .position(|part| part == LENGTH)
        .context("no length")?;
    let digits = text.get(at + LENGTH.len()..).unwrap_or_default();
    let body = digits
        .iter()
        .take_while(|digit| digit.is_ascii_digit())
        .fold(0, |sum, digit| sum * 10 + usize::from(digit - b'0'));
    Ok(Some(head + 4 + body))
}

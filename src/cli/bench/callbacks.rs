//! `drover bench callbacks`: durable callbacks a second, as shares of what bare hyper does on the
//! same machine in the same run.

use super::bare;
use super::load::{self, Load, Loaded};
use super::messages::Script;
use super::site::{Folder, Site, SiteOptions};
use super::stats::shown;
use crate::store::{BATCH_BOUNDS, Durability, Health};
use anyhow::Context as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// The measured bot: it answers at once, so that not the bot is measured.
const PATH: &str = "/koehandel/face/bench";
/// The measured bot does not use it.
const BUDGET: Duration = Duration::from_millis(100);

/// Durable callbacks a second against bare hyper and against the same route without the store.
#[derive(Clone, Debug, clap::Args)]
pub struct CallbacksArgs {
    /// Connections at once; several figures, separated by commas.
    #[arg(long, value_delimiter = ',', default_values_t = [64, 256, 1024], value_name = "N")]
    pub connections: Vec<usize>,
    /// How long each server is measured, in seconds.
    #[arg(long, default_value_t = 5, value_name = "N")]
    pub seconds: u64,
    /// How often all is measured; the median of the ratios counts.
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub rounds: usize,
    /// Where the measured databases live: their disk is what is measured.
    #[arg(long, default_value = ".", value_name = "DIR")]
    pub folder: PathBuf,
}

/// What is measured.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Server {
    Bare,
    Unstored,
    Process,
    Power,
}

impl Server {
    const ALL: [Server; 4] = [
        Server::Bare,
        Server::Unstored,
        Server::Process,
        Server::Power,
    ];

    const fn name(self) -> &'static str {
        match self {
            Server::Bare => "bare hyper",
            Server::Unstored => "without store",
            Server::Process => "durable, process",
            Server::Power => "durable, power",
        }
    }
}

/// One measurement.
struct Measured {
    loaded: Loaded,
    before: Health,
    after: Health,
}

/// Measures and prints.
///
/// # Errors
/// What kept it from measuring.
pub async fn run(args: CallbacksArgs) -> anyhow::Result<()> {
    let kit = games::find("koehandel").context("this build has no Koehandel")?;
    let script = Arc::new(Script::record(kit)?);
    let most = args.connections.iter().max().copied().unwrap_or_default();
    raise_open_files(most)?;
    println!(
        "one seat's {} messages of a recorded match on every connection, {} s each, {} cores shared with the load",
        script.len(),
        args.seconds,
        std::thread::available_parallelism().map_or(0, usize::from),
    );
    println!(
        "{:>11}  {:<17} {:>11} {:>7} {:>9} {:>9} {:>9}  appends a commit",
        "connections", "server", "callbacks/s", "ratio", "p50", "p99", "p99.9"
    );
    for connections in &args.connections {
        for _ in 0..args.rounds.max(1) {
            round(&args, *connections, &script).await?;
        }
    }
    Ok(())
}

async fn round(
    args: &CallbacksArgs,
    connections: usize,
    script: &Arc<Script>,
) -> anyhow::Result<()> {
    let mut bare_rate = 0.0;
    for server in Server::ALL {
        let measured = measure(args, server, connections, script).await?;
        let rate = measured.loaded.answered as f64 / measured.loaded.took.as_secs_f64();
        if server == Server::Bare {
            bare_rate = rate;
        }
        line(connections, server, rate, rate / bare_rate, measured);
    }
    Ok(())
}

async fn measure(
    args: &CallbacksArgs,
    server: Server,
    connections: usize,
    script: &Arc<Script>,
) -> anyhow::Result<Measured> {
    let load = |address| Load {
        address,
        path: PATH,
        connections,
        warm_up: Duration::from_secs(1),
        measured: Duration::from_secs(args.seconds.max(1)),
        script: Arc::clone(script),
    };
    let durability = match server {
        Server::Bare => {
            let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
            let address = listener.local_addr()?;
            let stop = CancellationToken::new();
            let serving = tokio::spawn(bare::serve(listener, stop.clone()));
            let loaded = load::run(load(address)).await?;
            stop.cancel();
            serving.await?;
            return Ok(Measured {
                loaded,
                before: Health::default(),
                after: Health::default(),
            });
        }
        Server::Unstored => None,
        Server::Process => Some(Durability::Process),
        Server::Power => Some(Durability::Power),
    };
    let site = Site::start(
        Folder::new(&args.folder)?,
        SiteOptions {
            durability,
            budget: BUDGET,
        },
    )
    .await?;
    let before = site.store.health();
    let loaded = load::run(load(site.address)).await?;
    let after = site.store.health();
    site.stop().await;
    Ok(Measured {
        loaded,
        before,
        after,
    })
}

fn line(connections: usize, server: Server, rate: f64, ratio: f64, mut measured: Measured) {
    let [p50, p99, p999] = measured
        .loaded
        .latencies
        .quantiles([0.5, 0.99, 0.999])
        .map(shown);
    let share = format!("{:.0} %", ratio * 100.0);
    let batches = batches(&measured.before, &measured.after);
    println!(
        "{connections:>11}  {:<17} {rate:>11.0} {share:>7} {p50:>9} {p99:>9} {p999:>9}  {batches}",
        server.name()
    );
}

/// The mean batch, and what share of commits held how many appends.
fn batches(before: &Health, after: &Health) -> String {
    let commits = after.commits - before.commits;
    if commits == 0 {
        return String::new();
    }
    let mean = (after.appends - before.appends) as f64 / commits as f64;
    let mut text = format!("mean {mean:.1};");
    let bounds = BATCH_BOUNDS
        .iter()
        .map(|bound| format!("≤{bound}"))
        .chain(["more".to_owned()]);
    for ((count, old), bound) in after.batches.iter().zip(before.batches).zip(bounds) {
        let share = (count - old) as f64 / commits as f64;
        if share >= 0.005 {
            text.push_str(&format!(" {bound} {:.0} %", share * 100.0));
        }
    }
    text
}

/// Both ends of every connection are in this process.
pub(super) fn raise_open_files(connections: usize) -> anyhow::Result<()> {
    use nix::sys::resource::{Resource, getrlimit, setrlimit};
    let wanted = connections as u64 * 2 + 256;
    let (soft, hard) = getrlimit(Resource::RLIMIT_NOFILE)?;
    if soft < wanted {
        setrlimit(Resource::RLIMIT_NOFILE, wanted.min(hard), hard)
            .with_context(|| format!("{wanted} open files are needed; raise `ulimit -n`"))?;
    }
    Ok(())
}

//! `bench callbacks`: durable callbacks a second, as shares of what bare hyper does on the
//! same machine in the same run.

use crate::bare;
use crate::load::{self, Load, Loaded};
use crate::messages::Script;
use crate::site::{self, Folder};
use crate::stats::{Latencies, Spread, shown};
use anyhow::Context as _;
use drover::config::Location;
use drover::store::{BATCH_BOUNDS, Durability, Health};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// The measured bot: it answers at once, so that not the bot is measured.
const PATH: &str = "/koehandel/face";
/// The measured bot does not use it.
const BUDGET: Duration = Duration::from_millis(100);

/// Durable callbacks a second against bare hyper and against the same route without the store.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct CallbacksArgs {
    /// Connections at once; several figures, separated by commas.
    #[arg(long, value_delimiter = ',', default_values_t = [64, 256, 1024], value_name = "N")]
    connections: Vec<usize>,
    /// How long each server is measured in a round, in seconds.
    #[arg(long, default_value_t = 2, value_name = "N")]
    seconds: u64,
    /// How often all servers are measured, in turn; a server's rate and ratio are medians of rounds.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000), value_name = "N")]
    rounds: u32,
    /// Where the measured databases live: their disk is what is measured.
    #[arg(long, default_value = ".", value_name = "DIR")]
    folder: PathBuf,
    /// Also measure this database of a PostgreSQL server, such as postgres://USER@HOST/DATABASE.
    #[arg(long, value_name = "URL", value_parser = parse_location)]
    server: Option<Location>,
}

fn parse_location(text: &str) -> anyhow::Result<Location> {
    Location::read(text).context("neither a file nor postgres://USER@HOST/DATABASE")
}

/// What is measured.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Server {
    Bare,
    Unstored,
    Process,
    Power,
    /// Besides the packing of sessions that have ended.
    Packing,
    /// On PostgreSQL.
    RemoteProcess,
    RemotePower,
}

impl Server {
    const ALL: [Server; 7] = [
        Server::Bare,
        Server::Unstored,
        Server::Process,
        Server::Power,
        Server::Packing,
        Server::RemoteProcess,
        Server::RemotePower,
    ];

    /// Whether it is on PostgreSQL.
    const fn is_remote(self) -> bool {
        matches!(self, Server::RemoteProcess | Server::RemotePower)
    }

    const fn name(self) -> &'static str {
        match self {
            Server::Bare => "bare hyper",
            Server::Unstored => "without store",
            Server::Process => "durable, process",
            Server::Power => "durable, power",
            Server::Packing => "power, packing",
            Server::RemoteProcess => "server, process",
            Server::RemotePower => "server, power",
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
pub(crate) async fn run(args: CallbacksArgs) -> anyhow::Result<()> {
    let script = Arc::new(Script::record(crate::kits::kit("koehandel")?)?);
    println!(
        "one seat's {} messages of a recorded match on every connection, {} rounds of {} s each, {} cores shared with the load",
        script.len(),
        args.rounds,
        args.seconds,
        std::thread::available_parallelism().map_or(0, usize::from),
    );
    println!("rates and ratios: medians (least to greatest); latencies and commits: of all rounds");
    println!(
        "{:>11}  {:<17} {:>11} {:>16} {:>9} {:>9} {:>9}  appends a commit",
        "connections", "server", "callbacks/s", "ratio", "p50", "p99", "p99.9"
    );
    let servers = Server::ALL.into_iter();
    let servers = servers.filter(|server| !server.is_remote() || args.server.is_some());
    let servers: Vec<Server> = servers.collect();
    for connections in &args.connections {
        let mut rounds = Vec::new();
        for _ in 0..args.rounds {
            let mut round = Vec::new();
            for server in &servers {
                round.push(measure(&args, *server, *connections, &script).await?);
            }
            rounds.push(round);
        }
        for (at, server) in servers.iter().enumerate() {
            line(*connections, *server, at, &rounds);
        }
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
        Server::Process | Server::RemoteProcess => Some(Durability::Process),
        Server::Power | Server::Packing | Server::RemotePower => Some(Durability::Power),
    };
    let folder = Folder::new(&args.folder)?;
    let packs = server == Server::Packing;
    let file = Location::from(folder.path().join("drover.db"));
    let location = args.server.clone().filter(|_| server.is_remote());
    let site = site::start(location.unwrap_or(file), durability, packs, BUDGET).await?;
    let before = site.store.health();
    let loaded = load::run(load(site.address)).await?;
    let after = site.store.health();
    site.stop().await?;
    Ok(Measured {
        loaded,
        before,
        after,
    })
}

/// Prints what all rounds say of one server.
fn line(connections: usize, server: Server, at: usize, rounds: &[Vec<Measured>]) {
    let (mut rates, mut ratios) = (Vec::new(), Vec::new());
    let mut latencies = Latencies::default();
    let mut batches = Batches::default();
    for round in rounds {
        if let (Some(bare), Some(measured)) = (round.first(), round.get(at)) {
            rates.push(measured.rate());
            ratios.push(measured.rate() / bare.rate() * 100.0);
            latencies.merge(&measured.loaded.latencies);
            batches.add(measured);
        }
    }
    let rate = Spread::from_numbers(rates).median;
    let Spread {
        least,
        median,
        most,
    } = Spread::from_numbers(ratios);
    let share = format!("{median:.0} % ({least:.0}–{most:.0})");
    let [p50, p99, p999] = latencies.quantiles([0.5, 0.99, 0.999]).map(shown);
    println!(
        "{connections:>11}  {:<17} {rate:>11.0} {share:>16} {p50:>9} {p99:>9} {p999:>9}  {batches}",
        server.name()
    );
}

impl Measured {
    /// Callbacks a second.
    fn rate(&self) -> f64 {
        self.loaded.answered as f64 / self.loaded.took.as_secs_f64()
    }
}

/// How many appends the commits held.
#[derive(Default)]
struct Batches {
    commits: u64,
    appends: u64,
    counts: [u64; BATCH_BOUNDS.len() + 1],
}

impl Batches {
    fn add(&mut self, Measured { before, after, .. }: &Measured) {
        self.commits += after.commits - before.commits;
        self.appends += after.appends - before.appends;
        let counts = after.batches.iter().zip(before.batches);
        for (sum, (after, before)) in self.counts.iter_mut().zip(counts) {
            *sum += after - before;
        }
    }
}

impl fmt::Display for Batches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.appends == 0 {
            return Ok(());
        }
        let commits = self.commits as f64;
        write!(f, "mean {:.1};", self.appends as f64 / commits)?;
        let bounds = BATCH_BOUNDS
            .iter()
            .map(|bound| format!("≤{bound}"))
            .chain(["more".to_owned()]);
        for (count, bound) in self.counts.iter().zip(bounds) {
            let share = *count as f64 / commits;
            if share >= 0.005 {
                write!(f, " {bound} {:.0} %", share * 100.0)?;
            }
        }
        Ok(())
    }
}

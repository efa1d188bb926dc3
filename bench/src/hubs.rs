//! `bench hubs`: games at once on our hub, and how long it takes from a turn's last `end` to the
//! next turn.

use crate::process::Hub;
use crate::stats::{Latencies, shown};
use anyhow::{Context as _, bail, ensure};
use drover::cli::notify;
use drover::link::{AnyLine, keep_alive};
use futures_util::StreamExt as _;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio_util::codec::FramedRead;

/// Bytes of a line at most.
const LINE_BYTES_MAX: usize = 1 << 20;
/// How long games run before they are measured.
const WARM_UP: Duration = Duration::from_secs(2);
/// The smallest pause between two joins, so that the hub's queue of connections is not the measure.
const JOIN_PAUSE: Duration = Duration::from_micros(500);

/// Holds many games at once on a hub and measures its turns.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct HubsArgs {
    /// Games at once, one run each.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "100,500,1000",
        value_name = "N"
    )]
    games: Vec<usize>,
    /// Players of a game: 1 to 4.
    #[arg(long, default_value_t = 2, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=4))]
    players: u8,
    /// How long each player takes for a turn, in milliseconds.
    #[arg(long, default_value_t = 50, value_name = "MS")]
    think_ms: u64,
    /// The hub's limit for a turn, in milliseconds.
    #[arg(long, default_value_t = 1_000, value_name = "MS")]
    wait_for_turn_ms: u64,
    /// How long each run is measured, in seconds.
    #[arg(long, default_value_t = 10, value_name = "S")]
    seconds: u64,
    /// The map.
    #[arg(long, default_value = "market", value_name = "NAME")]
    map: String,
}

/// Runs it and prints a line for each number of games.
pub(crate) async fn run(args: HubsArgs) -> anyhow::Result<()> {
    println!(
        "{:>6} {:>8} {:>9} {:>10} {:>10} {:>10} {:>6} {:>12}  hub's processor",
        "games", "players", "turns/s", "p50", "p99", "longest", "late", "games lost"
    );
    let mut lost = 0;
    for games in &args.games {
        lost += measure(&args, *games).await?;
    }
    ensure!(lost == 0, "{lost} games were lost");
    Ok(())
}

/// What all players of one run share.
struct Run {
    hub: SocketAddr,
    room: &'static str,
    think: Duration,
    late: Duration,
    measuring: AtomicBool,
    stop: AtomicBool,
    turns: AtomicU64,
    late_turns: AtomicU64,
    lost: AtomicU64,
}

async fn measure(args: &HubsArgs, games: usize) -> anyhow::Result<u64> {
    let hub = Hub::start(vec![
        format!("waitForTurn={}", args.wait_for_turn_ms),
        format!("map={}", args.map),
        "turnsLimit=100000".to_owned(),
    ])
    .await?;
    let room = match args.players {
        1 => "solo",
        2 => "duet",
        3 => "trio",
        _ => "quartet",
    };
    let run = Arc::new(Run {
        hub: hub.address,
        room,
        think: Duration::from_millis(args.think_ms),
        late: Duration::from_millis(args.wait_for_turn_ms),
        measuring: AtomicBool::new(false),
        stop: AtomicBool::new(false),
        turns: AtomicU64::new(0),
        late_turns: AtomicU64::new(0),
        lost: AtomicU64::new(0),
    });
    let mut players = JoinSet::new();
    for number in 0..games * usize::from(args.players) {
        players.spawn(Arc::clone(&run).play(number));
        tokio::time::sleep(JOIN_PAUSE).await;
    }
    tokio::time::sleep(WARM_UP).await;
    let used_before = hub.running.processor_seconds()?;
    run.measuring.store(true, Ordering::Relaxed);
    let begun = Instant::now();
    tokio::time::sleep(Duration::from_secs(args.seconds)).await;
    run.measuring.store(false, Ordering::Relaxed);
    let (lasted, used) = (
        begun.elapsed(),
        hub.running.processor_seconds()? - used_before,
    );
    run.stop.store(true, Ordering::Relaxed);
    let mut latencies = Latencies::default();
    while let Some(played) = players.join_next().await {
        match played? {
            Ok(measured) => latencies.merge(&measured),
            Err(error) => {
                run.lost.fetch_add(1, Ordering::Relaxed);
                notify(&format!("a player's game was lost: {error:#}"));
            }
        }
    }
    hub.running.kill().await?;
    let [p50, p99, longest] = latencies.quantiles([0.5, 0.99, 1.0]);
    let turns = run.turns.load(Ordering::Relaxed) as f64 / f64::from(args.players);
    let lost = run.lost.load(Ordering::Relaxed);
    println!(
        "{games:>6} {:>8} {:>9.0} {:>10} {:>10} {:>10} {:>6} {lost:>12}  {:.2} cores",
        args.players,
        turns / lasted.as_secs_f64(),
        shown(p50),
        shown(p99),
        shown(longest),
        run.late_turns.load(Ordering::Relaxed),
        used / lasted.as_secs_f64()
    );
    Ok(lost)
}

impl Run {
    /// Plays until it is stopped: a dog goes to and fro. Gives how long the hub took after each `end`.
    async fn play(self: Arc<Self>, number: usize) -> anyhow::Result<Latencies> {
        let stream = TcpStream::connect(self.hub).await?;
        keep_alive(&stream);
        let (read, mut write) = stream.into_split();
        let mut lines = FramedRead::new(read, AnyLine::new(LINE_BYTES_MAX));
        let join = format!("join player{number} {}\n", self.room);
        write.write_all(join.as_bytes()).await?;
        let mut latencies = Latencies::default();
        let (mut dog, mut ended) = (None, None::<Instant>);
        let mut directions = ["left", "right"].into_iter().cycle();
        while let Some(line) = lines.next().await {
            let line = line?;
            let text = std::str::from_utf8(&line)?;
            if text.starts_with("finished") {
                bail!("the hub ended the game: {text}");
            }
            if text.starts_with("state") {
                if let Some(ended) = ended.filter(|_| self.measuring.load(Ordering::Relaxed)) {
                    latencies.add(ended.elapsed());
                    let late = u64::from(ended.elapsed() > self.late);
                    self.late_turns.fetch_add(late, Ordering::Relaxed);
                    self.turns.fetch_add(1, Ordering::Relaxed);
                }
            } else if let Some(rest) = text.strip_prefix("obj  \"id\":") {
                dog = dog.or_else(|| rest.split(',').next().map(str::to_owned));
            } else if text == "turn" {
                if self.stop.load(Ordering::Relaxed) {
                    return Ok(latencies);
                }
                tokio::time::sleep(self.think).await;
                let dog = dog.as_deref().context("there is no dog")?;
                let direction = directions.next().unwrap_or_default();
                let orders = format!("do {dog} move {direction}\nend\n");
                write.write_all(orders.as_bytes()).await?;
                ended = Some(Instant::now());
            }
        }
        // The others of the game have gone because the run is over, or the hub has.
        ensure!(
            self.stop.load(Ordering::Relaxed),
            "the hub closed the connection"
        );
        Ok(latencies)
    }
}

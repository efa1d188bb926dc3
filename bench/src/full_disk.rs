//! `bench full-disk`: fills and frees a small disk again and again while our own referee runs matches. Each must
//! go on or be cancelled, and nothing that a player received may be contradicted.

use crate::connect::connect;
use crate::get::get;
use crate::process::Daemon;
use crate::stats::report;
use crate::stored::{self, exchanges};
use crate::teller::{Account, Tellers};
use anyhow::{Context as _, bail, ensure};
use drover::history::GameRules;
use drover::store::{Direction, MatchRow, Side, Store};
use games::Cause;
use games::rng::Rng;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _};
use std::collections::BTreeMap;
use std::io::Write as _;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// Every n fills, the daemon is killed while the disk is full.
const KILL_EVERY: u32 = 5;
/// So long the disk stays full at most until a write fails.
const FELT_WITHIN: Duration = Duration::from_secs(2);
/// Makes a disk of `$1` at `$2` that nobody else sees, and goes on with the rest.
const SMALL_DISK: &str = "mount -t tmpfs -o size=\"$1\" tmpfs \"$2\" && folder=$2 && shift 2 && exec \"$@\" --disk \"$folder\"";

/// Fills and frees a small disk while our own referee runs matches: nothing announced may be contradicted.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct FullDiskArgs {
    /// How often the disk is filled and freed.
    #[arg(long, default_value_t = 50, value_name = "N")]
    fills: u32,
    /// Matches that are begun before each.
    #[arg(long, default_value_t = 6, value_name = "N")]
    matches: u32,
    /// The longest time between two, and the longest that the disk stays full, in milliseconds.
    #[arg(long, default_value_t = 700, value_name = "MS")]
    within_ms: u32,
    /// The ceiling of each decision's thinking, in milliseconds.
    #[arg(long, default_value_t = 20, value_name = "MS")]
    budget_ms: u32,
    /// The size of the disk, as `mount` knows it.
    #[arg(long, default_value = "128m", value_name = "SIZE")]
    size: String,
    /// Seeds the seats and the moments.
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
    /// The small disk, made already.
    #[arg(long, hide = true)]
    disk: Option<PathBuf>,
}

/// Runs it and prints what came of it.
pub(crate) async fn run(args: FullDiskArgs) -> anyhow::Result<()> {
    match &args.disk {
        Some(disk) => on(disk, &args).await,
        None => on_a_small_disk(&args.size),
    }
}

/// Starts this bench again, on a small disk of its own.
fn on_a_small_disk(size: &str) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let again = |spaces: &[&str], program: &[&str]| {
        let mut unshare = Command::new("unshare");
        unshare
            .args(spaces)
            .args(["--mount", "sh", "-c", SMALL_DISK]);
        unshare.args(["sh", size]).arg(folder.path()).args(program);
        unshare
    };
    let spaces: [&[&str]; 2] = [&["--user", "--map-root-user"], &[]];
    let may = spaces.into_iter().find(|spaces| {
        again(spaces, &["true"])
            .output()
            .is_ok_and(|out| out.status.success())
    });
    let Some(spaces) = may else {
        bail!(
            "NOT MEASURED: a small disk cannot be made here: `unshare --user --map-root-user --mount` or root is needed"
        );
    };
    let words: Vec<String> = std::env::args().collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let ended = again(spaces, &words).status()?;
    ensure!(ended.success(), "it failed on its small disk");
    Ok(())
}

/// What came of it.
#[derive(Default)]
struct Counts {
    begun: u64,
    refused: u64,
    felt: u64,
    kills: u64,
}

async fn on(disk: &Path, args: &FullDiskArgs) -> anyhow::Result<()> {
    let begun = Instant::now();
    let mut daemon = Daemon::new(disk)?;
    let referee = crate::process::free_address()?;
    daemon.set("REFEREE__KOEHANDEL__LISTEN", referee);
    daemon.set("THINKING__BUDGET_MS_KOEHANDEL", args.budget_ms);
    let tellers = Tellers::start(crate::kits::kit("koehandel")?).await?;
    let mut rng = Rng::new(args.seed, 0);
    let mut counts = Counts::default();
    let (mut running, mut api) = daemon.start_with_api().await?;
    for fill in 1..=args.fills {
        for _ in 0..args.matches {
            begin(referee, tellers.address, &mut rng, &mut counts).await?;
        }
        let mut moment =
            || Duration::from_millis(rng.below(args.within_ms.saturating_add(1)).into());
        tokio::time::sleep(moment()).await;
        let (full, freed) = (moment(), disk.join("filler"));
        empty_log(&disk.join("drover.db")).await?;
        fill_up(&freed)?;
        let (felt, refused) = (is_felt(api).await?, counts.refused);
        tokio::time::sleep(full).await;
        begin(referee, tellers.address, &mut rng, &mut counts).await?;
        counts.felt += u64::from(felt || counts.refused > refused);
        let killed = fill % KILL_EVERY == 0;
        if killed {
            running.kill().await?;
            counts.kills += 1;
            std::fs::remove_file(&freed)?;
            (running, api) = daemon.start_with_api().await?;
        } else {
            std::fs::remove_file(&freed)?;
        }
    }
    let matches = stored::ended(&daemon).await?;
    let wrong = contradictions(&daemon, &matches, &tellers.accounts(), api, referee).await?;
    running.terminate().await?;
    let store = Store::open_readonly(disk.join("drover.db"), GameRules::all()).await?;
    let differences = stored::differences(&store).await?;
    store.close().await;
    let count = |is: fn(&MatchRow) -> bool| matches.iter().filter(|row| is(row)).count() as u64;
    let normal = count(stored::is_by_rules);
    let cancelled = count(|row| row.cause == Some(Cause::Cancelled));
    let figures = [
        ("fills", args.fills.into()),
        ("fills that stopped a write", counts.felt),
        ("kills on a full disk", counts.kills),
        ("connects refused", counts.refused),
        ("matches begun", counts.begun),
        ("matches by the rules", normal),
        ("matches cancelled", cancelled),
        ("contradictions", wrong.len() as u64),
        ("differences in db verify", differences),
    ];
    report(&figures, begun, &wrong);
    ensure!(counts.felt > 0, "the disk was never full");
    let all = matches.len() as u64 == normal + cancelled && matches.len() as u64 == counts.begun;
    ensure!(
        all && wrong.is_empty() && differences == 0,
        "a promise was broken"
    );
    Ok(())
}

/// Moves the log into the database, so that the next write needs room: a log uses its pages again.
async fn empty_log(database: &Path) -> anyhow::Result<()> {
    let options = SqliteConnectOptions::new().filename(database);
    let mut connection = options.connect().await?;
    sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)")
        .execute(&mut connection)
        .await?;
    Ok(connection.close().await?)
}

/// Waits until a write has failed.
async fn is_felt(api: SocketAddr) -> anyhow::Result<bool> {
    let begun = Instant::now();
    while begun.elapsed() < FELT_WITHIN {
        if get(api, "/readyz").await?.0 != 200 {
            return Ok(true);
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    Ok(false)
}

/// Writes until there is no room at all.
fn fill_up(path: &Path) -> anyhow::Result<()> {
    let mut file = std::fs::File::create(path)?;
    let mut block = vec![0; 1 << 20];
    while !block.is_empty() {
        if file.write_all(&block).is_err() {
            block.truncate(block.len() / 2);
        }
    }
    Ok(())
}

/// Asks for a match of two built-in bots and our two players. It may be refused.
async fn begin(
    referee: SocketAddr,
    players: SocketAddr,
    rng: &mut Rng,
    counts: &mut Counts,
) -> anyhow::Result<()> {
    match connect(referee, Some(players), rng).await?.0 {
        200 => counts.begun += 1,
        503 => counts.refused += 1,
        status => bail!("the referee answers {status}"),
    }
    Ok(())
}

/// What players received against what is stored, what REST says and what the log shows; as sentences.
async fn contradictions(
    daemon: &Daemon,
    matches: &[MatchRow],
    accounts: &BTreeMap<(u64, u64), Account>,
    api: SocketAddr,
    referee: SocketAddr,
) -> anyhow::Result<Vec<String>> {
    let mut wrong = Vec::new();
    let mut unseen: BTreeMap<_, _> = accounts.iter().collect();
    let store = Store::open_readonly(daemon.data.join("drover.db"), GameRules::all()).await?;
    for (session, entries) in stored::sessions(&store).await? {
        if session.opened.side != Side::Referee {
            continue;
        }
        let key = (session.opened.market, session.opened.player);
        let Some(accounts) = unseen.remove(&key) else {
            continue;
        };
        let row = matches.iter().find(|row| row.id == session.opened.match_id);
        let row = row.context("a session without its match")?;
        let name = format!("player {} of match {}", key.1, row.id);
        let received = exchanges(entries, Direction::Out);
        let log = get(referee, &format!("/?log={}", key.1)).await?.1;
        let logged = log
            .lines()
            .skip(1)
            .filter_map(|line| line.split('\t').nth(1));
        let stored = || received.iter().map(|(text, _)| text.as_str());
        // Of a match that was cancelled, the last message may never have left.
        let most = match stored::is_by_rules(row) {
            true => usize::MAX,
            false => accounts.texts().count(),
        };
        if !stored().take(most).eq(accounts.texts()) {
            wrong.push(format!("{name} received other texts than is stored"));
        }
        if !logged.take(most).eq(accounts.texts()) {
            wrong.push(format!("{name} received other texts than its log shows"));
        }
        let said = received.iter().zip(accounts.answers());
        let mut kept = said.filter_map(|((_, kept), said)| Some((kept.as_deref()?, said)));
        if kept.any(|(kept, said)| kept != said) {
            wrong.push(format!("{name} has answered other than is stored"));
        }
        let (status, body) = get(api, &format!("/api/v1/matches/{}", row.id)).await?;
        let shown: serde_json::Value = serde_json::from_str(&body)?;
        let (cause, scores) = (&shown["cause"], serde_json::json!(row.scores));
        let same = status == 200 && *cause == row.cause.map_or("", Cause::word);
        if !same || shown["scores"] != scores {
            wrong.push(format!("{name}: REST shows {shown}"));
        }
        let seat = usize::from(session.opened.seat.unwrap_or_default());
        let mut own = row.scores.clone();
        let turn = seat.min(own.len());
        own.rotate_left(turn);
        match &accounts.ending {
            Some(scores) if !stored::is_by_rules(row) || own != *scores => {
                wrong.push(format!(
                    "{name} received {scores:?}, and {:?} is stored",
                    row.scores
                ));
            }
            None if stored::is_by_rules(row) => {
                wrong.push(format!("{name} did not receive the end"));
            }
            _ => {}
        }
    }
    store.close().await;
    let never = unseen
        .keys()
        .map(|(market, id)| format!("player {id} of market {market} is not stored"));
    wrong.extend(never);
    Ok(wrong)
}

//! `bench resume`: kills our own referee again and again while built-in bots play its matches: every match goes
//! on after the restart and ends by the rules.

use crate::connect::connect;
use crate::process::Daemon;
use crate::site::Folder;
use crate::stats::report;
use crate::stored;
use anyhow::ensure;
use drover::history::GameRules;
use drover::store::{MatchRow, Store};
use games::rng::Rng;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Kills our own referee while built-in bots play its matches: all must go on.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ResumeArgs {
    /// How often the daemon is killed.
    #[arg(long, default_value_t = 100, value_name = "N")]
    kills: u32,
    /// Matches that are begun in each life.
    #[arg(long, default_value_t = 2, value_name = "N")]
    matches: u32,
    /// The longest life between two kills, in milliseconds; the shortest is 0.
    #[arg(long, default_value_t = 1500, value_name = "MS")]
    life_ms_max: u32,
    /// The ceiling of each decision's thinking, in milliseconds.
    #[arg(long, default_value_t = 10, value_name = "MS")]
    budget_ms: u32,
    /// Seeds the seats and the moments of the kills.
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
    /// Where the database lives.
    #[arg(long, default_value = ".", value_name = "DIR")]
    folder: PathBuf,
}

/// Runs the test and prints what came of it.
pub(crate) async fn run(args: ResumeArgs) -> anyhow::Result<()> {
    let begun = Instant::now();
    let folder = Folder::new(&args.folder)?;
    let mut daemon = Daemon::new(folder.path())?;
    let referee = crate::process::free_address()?;
    daemon.set("REFEREE__KOEHANDEL__LISTEN", referee);
    daemon.set("THINKING__BUDGET_MS_KOEHANDEL", args.budget_ms);
    let mut rng = Rng::new(args.seed, 0);
    let mut kills = Vec::new();
    let mut running = daemon.start().await?;
    for _ in 0..args.kills {
        for _ in 0..args.matches {
            let (status, answer) = connect(referee, None, &mut rng).await?;
            ensure!(status == 200, "{answer}");
        }
        let life = Duration::from_millis(rng.below(args.life_ms_max.saturating_add(1)).into());
        tokio::time::sleep(life).await;
        running.kill().await?;
        kills.push(drover::clock::now_us());
        running = daemon.start().await?;
    }
    let matches = stored::ended(&daemon).await?;
    running.terminate().await?;
    let store = Store::open_readonly(daemon.data.join("drover.db"), GameRules::all()).await?;
    let differences = stored::differences(&store).await?;
    store.close().await;
    let by_rules = |row: &&MatchRow| stored::is_by_rules(row) && row.scores.len() == 4;
    let normal = matches.iter().filter(by_rules).count() as u64;
    let survived = |row: &&MatchRow| {
        kills
            .iter()
            .any(|kill| row.started_us < *kill && row.ended_us.is_some_and(|ended| *kill < ended))
    };
    let figures = [
        ("kills", args.kills.into()),
        ("matches begun", (args.kills * args.matches).into()),
        ("matches ended by the rules", normal),
        (
            "of them, killed in between",
            matches.iter().filter(survived).count() as u64,
        ),
        ("differences in db verify", differences),
    ];
    report(&figures, begun, &[]);
    let whole = normal == u64::from(args.kills * args.matches) && differences == 0;
    let other = matches.iter().find(|row| !by_rules(row));
    ensure!(whole, "a match did not go on: {other:?}");
    Ok(())
}

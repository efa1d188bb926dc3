//! `bench crash`: kills a daemon again and again while matches run, and looks whether anything
//! that was acknowledged is missing.

use super::child::{Daemon, Running};
use super::remembered::{Exchanges, Remembered};
use super::site::Folder;
use anyhow::{Context as _, ensure};
use drover::link::HttpOptions;
use drover::referee::{Host, HostSettings, MatchRequest, SeatSpec};
use drover::store::{Direction, Filter, PageAt, Store};
use games::Kit;
use games::rng::Rng;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// How our referee calls itself.
const REFEREE: &str = "crash";
/// Matches read at a time when the store is looked through.
const PAGE: u32 = 100;
/// Differences printed.
const SHOWN_MAX: usize = 10;

/// Kills a daemon while matches run, and checks that nothing acknowledged is lost.
#[derive(Clone, Debug, clap::Args)]
pub struct CrashArgs {
    /// How often the daemon is killed.
    #[arg(long, default_value_t = 100, value_name = "N")]
    pub kills: u32,
    /// Matches that run at once.
    #[arg(long, default_value_t = 50, value_name = "N")]
    pub matches: usize,
    /// The longest life between two kills, in milliseconds; the shortest is 0.
    #[arg(long, default_value_t = 1500, value_name = "MS")]
    pub life_ms_max: u32,
    /// The bots that play.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "champion,tuned,face,guide",
        value_name = "NAMES"
    )]
    pub bots: Vec<String>,
    /// The ceiling of each decision's thinking, in milliseconds.
    #[arg(long, default_value_t = 10, value_name = "MS")]
    pub budget_ms: u32,
    /// Seeds the moments of the kills.
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub seed: u64,
    /// Where the database lives.
    #[arg(long, default_value = ".", value_name = "DIR")]
    pub folder: PathBuf,
}

/// What came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CrashReport {
    /// How often the daemon was killed.
    pub kills: u32,
    /// Matches that ran to their end.
    pub finished: u64,
    /// Matches that did not.
    pub unfinished: u64,
    /// Messages that were answered.
    pub acknowledged: u64,
    /// Messages that got no answer in time.
    pub unanswered: u64,
    /// What is not in the store as it was acknowledged, as sentences.
    pub missing: Vec<String>,
    /// What the store finds wrong with itself.
    pub differences: u64,
}

impl CrashReport {
    /// Whether every promise was kept.
    #[must_use]
    pub fn clean(&self) -> bool {
        self.unfinished == 0
            && self.unanswered == 0
            && self.missing.is_empty()
            && self.differences == 0
    }
}

/// Runs the test and prints what came of it.
///
/// # Errors
/// What kept it from running, or that a promise was broken.
pub async fn run(args: CrashArgs) -> anyhow::Result<()> {
    let begun = Instant::now();
    let report = crash(&args).await?;
    println!("kills                      {:>9}", report.kills);
    println!("matches finished           {:>9}", report.finished);
    println!("matches not finished       {:>9}", report.unfinished);
    println!("callbacks acknowledged     {:>9}", report.acknowledged);
    println!("callbacks unanswered       {:>9}", report.unanswered);
    println!("acknowledged but missing   {:>9}", report.missing.len());
    println!("differences in db verify   {:>9}", report.differences);
    println!(
        "seconds                    {:>9.1}",
        begun.elapsed().as_secs_f64()
    );
    for line in report.missing.iter().take(SHOWN_MAX) {
        println!("  {line}");
    }
    ensure!(report.clean(), "a promise was broken");
    Ok(())
}

/// Runs the test.
///
/// # Errors
/// What kept it from running.
pub async fn crash(args: &CrashArgs) -> anyhow::Result<CrashReport> {
    let kit = games::find("koehandel").context("this build has no Koehandel")?;
    let folder = Folder::new(&args.folder)?;
    let mut daemon = Daemon::new(folder.path())?;
    daemon.set("THINKING__BUDGET_MS_KOEHANDEL", args.budget_ms);
    let remembered = Remembered::default();
    let settings = HostSettings {
        referee: REFEREE.to_owned(),
        matches_max: args.matches,
        http: HttpOptions {
            retry_connect: true,
            resend: true,
            ..HttpOptions::default()
        },
        ..HostSettings::default()
    };
    let host = Host::new(kit, settings, Arc::new(remembered.clone()));
    let enough = CancellationToken::new();
    let counts = Arc::new(Counts::default());
    let mut playing = JoinSet::new();
    for lane in 0..args.matches {
        let lane = Lane {
            host: Arc::clone(&host),
            seats: seats(kit, args, &daemon, lane)?,
            enough: enough.clone(),
            counts: Arc::clone(&counts),
        };
        playing.spawn(lane.play());
    }
    let last = kill_again_and_again(args, &daemon).await?;
    enough.cancel();
    while let Some(ended) = playing.join_next().await {
        ended??;
    }
    host.stop().await;
    last.kill().await?;
    let mut report = CrashReport {
        kills: args.kills,
        finished: counts.finished.load(Ordering::Relaxed),
        unfinished: counts.unfinished.load(Ordering::Relaxed),
        ..CrashReport::default()
    };
    check(&daemon, remembered.take(), &mut report).await?;
    Ok(report)
}

#[derive(Default)]
struct Counts {
    finished: AtomicU64,
    unfinished: AtomicU64,
}

/// One match after the other, until enough were begun.
struct Lane {
    host: Arc<Host>,
    seats: Vec<SeatSpec>,
    enough: CancellationToken,
    counts: Arc<Counts>,
}

impl Lane {
    async fn play(self) -> anyhow::Result<()> {
        while !self.enough.is_cancelled() {
            let request = MatchRequest {
                seats: self.seats.clone(),
                ..MatchRequest::default()
            };
            let hosted = self.host.start(request).await?.begin().wait().await;
            let whole = hosted.end.get().is_some_and(|end| end.outcome.is_some());
            let count = if whole {
                &self.counts.finished
            } else {
                &self.counts.unfinished
            };
            count.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    }
}

fn seats(
    kit: &dyn Kit,
    args: &CrashArgs,
    daemon: &Daemon,
    lane: usize,
) -> anyhow::Result<Vec<SeatSpec>> {
    let seat = |place: usize| {
        let bot = args
            .bots
            .get((lane + place) % args.bots.len().max(1))
            .context("no bot is named")?;
        let url = format!("url:http://{}/{}/{bot}", daemon.listen, kit.game());
        Ok(url.parse()?)
    };
    (0..*kit.seats().end()).map(seat).collect()
}

/// Gives the daemon that was started after the last kill.
async fn kill_again_and_again(args: &CrashArgs, daemon: &Daemon) -> anyhow::Result<Running> {
    let mut rng = Rng::new(args.seed, 0);
    let mut running = daemon.spawn()?;
    running.ready().await?;
    for _ in 0..args.kills {
        let life = Duration::from_millis(rng.below(args.life_ms_max.saturating_add(1)).into());
        tokio::time::sleep(life).await;
        running.kill().await?;
        running = daemon.spawn()?;
    }
    running.ready().await?;
    Ok(running)
}

/// Compares what was acknowledged with what is stored, and the store with itself.
async fn check(
    daemon: &Daemon,
    mut heard: BTreeMap<(u64, u64), Exchanges>,
    report: &mut CrashReport,
) -> anyhow::Result<()> {
    let store = Store::open_readonly(daemon.data.join("drover.db")).await?;
    let mut at = PageAt {
        after: None,
        limit: PAGE,
    };
    loop {
        let page = store.matches(&Filter::default(), &at).await?;
        for row in page.items {
            for session in store.sessions_of(&row.id).await? {
                let opened = &session.opened;
                let stored = match store.head(&session).await? {
                    Some((head, _)) => store.transcript(session.id, head).await?,
                    None => Vec::new(),
                };
                let mut entries = stored.into_iter().peekable();
                let mut kept = Exchanges::new();
                while let Some(entry) = entries.next() {
                    let said = entries.next_if(|next| next.direction == Direction::Out);
                    kept.push((
                        entry.text,
                        Some(said.map_or_else(String::new, |said| said.text)),
                    ));
                }
                let key = (opened.market, opened.player);
                let Some(heard) = heard.remove(&key) else {
                    report
                        .missing
                        .push(format!("session {} was never played", session.id.0));
                    continue;
                };
                compare(key, &heard, &kept, report);
            }
        }
        match page.next {
            Some(next) => at.after = Some(next),
            None => break,
        }
    }
    for (key, exchanges) in heard {
        compare(key, &exchanges, &Exchanges::new(), report);
    }
    let summary = store.verify(None, |checked| {
        for difference in checked.differences.iter().take(SHOWN_MAX) {
            tracing::error!(match_id = checked.match_id, "{}", difference.what);
        }
    });
    let summary = summary.await?;
    report.differences = summary.differences + summary.integrity.len() as u64;
    store.close().await;
    Ok(())
}

fn compare(
    (market, id): (u64, u64),
    heard: &Exchanges,
    kept: &Exchanges,
    report: &mut CrashReport,
) {
    let mut kept = kept.iter();
    for (at, (text, answer)) in heard.iter().enumerate() {
        if answer.is_none() {
            report.unanswered += 1;
            continue;
        }
        report.acknowledged += 1;
        // Messages that were taken in but not acknowledged may stand in between.
        if !kept.any(|(stored, said)| stored == text && said == answer) {
            report.missing.push(format!(
                "market {market}, player {id}: message {at} ({text}) was answered {answer:?}, but is not stored so"
            ));
            return;
        }
    }
    if let Some((text, _)) = kept.next() {
        report.missing.push(format!(
            "market {market}, player {id}: {text} is stored once too often"
        ));
    }
}

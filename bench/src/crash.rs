//! `bench crash`: kills a daemon again and again while matches run, and looks whether anything
//! that was acknowledged is missing.

use crate::added::{Added, left_behind};
use crate::process::{Daemon, Running};
use crate::site::{Folder, seats};
use crate::stats::report;
use crate::stored::{self, Exchanges, exchanges};
use anyhow::ensure;
use drover::clock::now_us;
use drover::history::GameRules;
use drover::link::HttpOptions;
use drover::referee::{Host, HostSettings, MatchRequest, Recording, SeatSpec};
use drover::store::{Direction, Durability, Entry, Settings, Store};
use games::rng::Rng;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// How our referee calls itself.
const REFEREE: &str = "crash";
/// How long after a kill the programs of users' bots may live on.
const GONE_WITHIN: Duration = Duration::from_secs(1);
/// How long Koehandel's referee waits for an answer.
const ANSWER_WITHIN_US: i64 = 5_000_000;
/// A daemon that has listened so long on end had time to answer whatever it was asked.
const TIME_TO_SPARE_US: i64 = 1_000_000;
/// Where the referee keeps what it sent and what was acknowledged to it, next to the daemon's database.
const RECORD: &str = "referee.db";

/// Kills a daemon while matches run, and checks that nothing acknowledged is lost.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct CrashArgs {
    /// How often the daemon is killed.
    #[arg(long, default_value_t = 100, value_name = "N")]
    kills: u32,
    /// Matches that run at once.
    #[arg(long, default_value_t = 50, value_name = "N")]
    matches: usize,
    /// The longest life between two kills, in milliseconds; the shortest is 0.
    #[arg(long, default_value_t = 1500, value_name = "MS")]
    life_ms_max: u32,
    /// The bots that play.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "champion,tuned,face,guide",
        value_name = "NAMES"
    )]
    bots: Vec<String>,
    /// The ceiling of each decision's thinking, in milliseconds.
    #[arg(long, default_value_t = 10, value_name = "MS")]
    budget_ms: u32,
    /// Seeds the moments of the kills.
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
    /// Where the database lives.
    #[arg(long, default_value = ".", value_name = "DIR")]
    folder: PathBuf,
    #[command(flatten)]
    added: Added,
}

/// What is stored of what was acknowledged.
#[derive(Default)]
struct Compared {
    /// Messages that were answered.
    acknowledged: u64,
    /// Messages that got no answer in time.
    unanswered: Unanswered,
    /// What is not in the store as it was acknowledged, as sentences.
    missing: Vec<String>,
}

/// Messages without an answer, by what the daemon could do about them.
#[derive(Default)]
struct Unanswered {
    /// No daemon listened while the referee waited.
    dead: u64,
    /// One did, but never for [`TIME_TO_SPARE_US`] on end.
    briefly: u64,
    /// One had time to spare.
    to_spare: u64,
}

impl Unanswered {
    const fn all(&self) -> u64 {
        self.dead + self.briefly + self.to_spare
    }

    /// A message that was sent at this time.
    fn add(&mut self, sent_us: i64, lives: &Lives) {
        match lives.longest(sent_us, sent_us + ANSWER_WITHIN_US) {
            0 => self.dead += 1,
            listened if listened < TIME_TO_SPARE_US => self.briefly += 1,
            _ => self.to_spare += 1,
        }
    }
}

/// When daemons listened: from when to when, in microseconds since 1970-01-01 UTC.
#[derive(Default)]
struct Lives(Vec<(i64, i64)>);

impl Lives {
    /// How long one of them listened at most within this time, in microseconds.
    fn longest(&self, from_us: i64, to_us: i64) -> i64 {
        let within = |(begun, killed): &(i64, i64)| killed.min(&to_us) - begun.max(&from_us);
        self.0.iter().map(within).max().unwrap_or(0).max(0)
    }
}

/// Runs the test and prints what came of it.
pub(crate) async fn run(args: CrashArgs) -> anyhow::Result<()> {
    let begun = Instant::now();
    let kit = crate::kits::kit("koehandel")?;
    let folder = Folder::new(&args.folder)?;
    let mut daemon = Daemon::new(folder.path())?;
    daemon.set("THINKING__BUDGET_MS_KOEHANDEL", args.budget_ms);
    args.added.to(&daemon).await?;
    let settings = HostSettings {
        referee: REFEREE.to_owned(),
        matches_max: args.matches,
        http: HttpOptions {
            resend: true,
            ..HttpOptions::default()
        },
        ..HostSettings::default()
    };
    let record = Store::open(&Settings::at(folder.path().join(RECORD), GameRules::all())).await?;
    let recording = Recording::new(record.clone(), Durability::Process);
    let host = Host::new(kit, settings, recording);
    let enough = CancellationToken::new();
    let mut playing = JoinSet::new();
    for lane in 0..args.matches {
        let lane = Lane {
            host: Arc::clone(&host),
            seats: seats(kit, daemon.listen, args.bots.iter().cycle().skip(lane))?,
            enough: enough.clone(),
        };
        playing.spawn(lane.play());
    }
    let (last, mut lives, left) = kill_again_and_again(&args, &daemon).await?;
    let listening = now_us();
    enough.cancel();
    let (mut finished, mut unfinished) = (0, 0);
    while let Some(ended) = playing.join_next().await {
        let (whole, cut) = ended??;
        finished += whole;
        unfinished += cut;
    }
    host.stop().await;
    last.kill().await?;
    lives.0.push((listening, now_us()));
    let store = Store::open_readonly(daemon.data.join("drover.db"), GameRules::all()).await?;
    let compared = compare((&record, &lives), &store).await?;
    let differences = stored::differences(&store).await?;
    let figures = [
        ("kills", args.kills.into()),
        ("matches finished", finished),
        ("matches not finished", unfinished),
        ("callbacks acknowledged", compared.acknowledged),
        ("callbacks unanswered", compared.unanswered.all()),
        ("  while no daemon listened", compared.unanswered.dead),
        ("  listening below 1 s on end", compared.unanswered.briefly),
        ("  with time to spare", compared.unanswered.to_spare),
        ("acknowledged but missing", compared.missing.len() as u64),
        ("differences in db verify", differences),
        ("programs left behind", left),
    ];
    report(&figures, begun, &compared.missing);
    store.close().await;
    record.close().await;
    let broken = unfinished + compared.unanswered.all() + differences + left;
    ensure!(
        broken == 0 && compared.missing.is_empty(),
        "a promise was broken"
    );
    Ok(())
}

/// One match after the other, until enough were begun.
struct Lane {
    host: Arc<Host>,
    seats: Vec<SeatSpec>,
    enough: CancellationToken,
}

impl Lane {
    /// Gives how many were finished, and how many were not.
    async fn play(self) -> anyhow::Result<(u64, u64)> {
        let (mut finished, mut unfinished) = (0, 0);
        while !self.enough.is_cancelled() {
            let request = MatchRequest {
                seats: self.seats.clone(),
                ..MatchRequest::default()
            };
            let hosted = self.host.start(request).await?.begin().wait().await;
            match hosted.end.get().is_some_and(|end| end.outcome.is_some()) {
                true => finished += 1,
                false => unfinished += 1,
            }
        }
        Ok((finished, unfinished))
    }
}

/// Gives the daemon that was started after the last kill, when those before it listened, and how many programs
/// outlived a kill.
async fn kill_again_and_again(
    args: &CrashArgs,
    daemon: &Daemon,
) -> anyhow::Result<(Running, Lives, u64)> {
    let mut left = 0;
    let mut lives = Lives::default();
    let mut rng = Rng::new(args.seed, 0);
    let mut running = daemon.spawn()?;
    // The first life begins when it listens.
    running.ready().await?;
    let mut listening = Some(now_us());
    for _ in 0..args.kills {
        let life = Duration::from_millis(rng.below(args.life_ms_max.saturating_add(1)).into());
        let end = tokio::time::Instant::now() + life;
        if listening.is_none()
            && let Ok(ready) = tokio::time::timeout_at(end, running.ready()).await
        {
            ready?;
            listening = Some(now_us());
        }
        tokio::time::sleep_until(end).await;
        running.kill().await?;
        lives
            .0
            .extend(listening.take().map(|begun| (begun, now_us())));
        if args.added.any() {
            left += outliving(&daemon.data).await?;
        }
        running = daemon.spawn()?;
    }
    running.ready().await?;
    Ok((running, lives, left))
}

/// How many programs of a killed daemon outlive it.
async fn outliving(folder: &Path) -> anyhow::Result<u64> {
    let killed = Instant::now();
    loop {
        let left = left_behind(folder)?;
        if left == 0 || killed.elapsed() > GONE_WITHIN {
            return Ok(left);
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Compares what the referee was acknowledged with what the daemon has stored.
async fn compare((record, lives): (&Store, &Lives), store: &Store) -> anyhow::Result<Compared> {
    let mut compared = Compared::default();
    let mut kept = BTreeMap::new();
    for (session, entries) in stored::sessions(store).await? {
        let key = (session.opened.market, session.opened.player);
        let mut exchanges = exchanges(entries, Direction::In);
        for (_, answer) in &mut exchanges {
            answer.get_or_insert_default();
        }
        if kept.insert(key, exchanges).is_some() {
            let what = format!("session {} is a second one of its seat", session.id.0);
            compared.missing.push(what);
        }
    }
    for (session, entries) in stored::sessions(record).await? {
        let key = (session.opened.market, session.opened.player);
        let kept = kept.remove(&key).unwrap_or_default();
        let asked = |entry: &&Entry| entry.direction == Direction::Out;
        let sent: Vec<i64> = entries
            .iter()
            .filter(asked)
            .map(|entry| entry.at_us)
            .collect();
        let received = exchanges(entries, Direction::Out);
        for (sent_us, _) in sent
            .into_iter()
            .zip(&received)
            .filter(|(_, received)| received.1.is_none())
        {
            compared.unanswered.add(sent_us, lives);
        }
        compared.seat(key, received, &kept);
    }
    let never = kept.keys().map(|(market, player)| {
        format!("market {market}, player {player} is stored and was never played")
    });
    compared.missing.extend(never);
    Ok(compared)
}

impl Compared {
    fn seat(&mut self, (market, id): (u64, u64), received: Exchanges, kept: &Exchanges) {
        let mut kept = kept.iter();
        for (at, (text, answer)) in received.iter().enumerate() {
            if answer.is_none() {
                continue;
            }
            self.acknowledged += 1;
            // Messages that were taken in but not acknowledged may stand in between.
            if !kept.any(|(stored, said)| stored == text && said == answer) {
                self.missing.push(format!(
                    "market {market}, player {id}: message {at} ({text}) was answered {answer:?}, but is not stored so"
                ));
                return;
            }
        }
        if let Some((text, _)) = kept.next() {
            self.missing.push(format!(
                "market {market}, player {id}: {text} is stored once too often"
            ));
        }
    }
}

//! One round of one tournament at one worker: claims its matches, has them played, stores the results, and keeps the claims
//! alive meanwhile.

use super::pace::{LONGEST, Pace};
use super::stored_cup::stored_cup;
use super::task::{Task, Terms};
use super::worker::{ATTEMPTS_MAX, Engagement, Hired, Worker};
use crate::history;
use crate::referee::Stop;
use crate::store::{Claimed, Held, Queue, StoreError, Wanted};
use crate::tournament::cup::{Cup, Models};
use crate::tournament::keep::{Extent, Kept, keep, recording};
use crate::tournament::knowledge::Knowledge;
use crate::tournament::player::Plan;
use crate::tournament::round::{MATCHES_WAITING_MAX, taken};
use crate::tournament::runner::{Running, start_fed};
use crate::tournament::schedule::PlannedMatch;
use anyhow::Context as _;
use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{Instant, MissedTickBehavior};

/// How long a claim stands without being extended: so much later the matches of a worker that died are played elsewhere.
const LEASE: Duration = Duration::from_secs(10);
/// How often claims are extended.
const BEAT: Duration = Duration::from_secs(2);
/// For how long matches are claimed ahead, where they last less than that.
const AHEAD: Duration = Duration::from_millis(250);
/// Matches that are claimed ahead at most.
const AHEAD_MAX: usize = 256;
/// From this attempt on, counted from 0, a match is played alone: one that kills its worker takes no others with it.
const ALONE_FROM: u32 = 2;
/// When a match that could not be played is tried again.
const AGAIN: Duration = Duration::from_secs(1);
/// Claims of matches that are being stored are extended, too; no more can wait for that.
const STORING_MAX: usize = 2 * MATCHES_WAITING_MAX;

/// One round at one worker.
pub(super) struct Shift<'a> {
    pub(super) worker: &'a Worker,
    pub(super) stop: Arc<Stop>,
}

impl Shift<'_> {
    /// Plays what there is to claim of a round; counts in `ended` what came to its end.
    pub(super) async fn play(
        &self,
        tournament: &str,
        round: u32,
        terms: Terms,
        ended: &mut u64,
    ) -> anyhow::Result<()> {
        let reader = self.worker.store.reader();
        let row = history::tournament(reader, tournament).await?;
        let row = row.with_context(|| format!("there is no tournament {tournament}"))?;
        let recording = recording(&self.worker.store, terms.extent);
        let engagement = Engagement {
            cup: stored_cup(&row)?,
            terms: terms.clone(),
            tournament: tournament.to_owned(),
            recording: recording.clone(),
            concurrency: self.worker.concurrency,
        };
        let Hired { cup, player, end } = self.worker.players.hire(engagement).await?;
        let played = async {
            let knowledge = self.knowledge(&cup, tournament, round).await?;
            let plan = self.plan(&cup, terms.extent, knowledge);
            let (sender, kept) = mpsc::channel(MATCHES_WAITING_MAX);
            let keeping = keep(cup.kit, cup.options.clone(), recording, kept);
            let stop = Arc::clone(&self.stop);
            // What cannot be stored need not be played.
            let keeping = tokio::spawn(async move { keeping.await.inspect_err(|_| stop.set()) });
            let (feed, fed) = mpsc::channel(AHEAD_MAX + self.worker.concurrency.get());
            let is_stored = player.records();
            let running = start_fed(plan, fed, player, Arc::clone(&self.stop));
            let mut desk = Desk::new(self, tournament, round, feed);
            let ran = desk.attend(running, &sender, is_stored).await;
            *ended = desk.ended;
            drop(sender);
            let kept = keeping.await.context("storing the matches failed");
            let kept = kept.and_then(|kept| kept);
            if kept.is_err() {
                desk.give_back_stored().await;
            }
            kept.and(ran)
        };
        let played = played.await;
        end.await;
        played
    }

    /// What the rounds before have taught, if bots learn.
    async fn knowledge(
        &self,
        cup: &Cup,
        tournament: &str,
        round: u32,
    ) -> anyhow::Result<Option<Arc<Knowledge>>> {
        if cup.models != Models::Learn {
            return Ok(None);
        }
        let mut knowledge = Knowledge::default();
        for before in 0..round {
            let reader = self.worker.store.reader();
            let lessons = history::tournament_lessons(reader, tournament, before).await;
            let lessons = lessons.context("what a round taught cannot be read")?;
            knowledge.add(cup.kit, lessons);
        }
        Ok(Some(Arc::new(knowledge)))
    }

    fn plan(&self, cup: &Cup, extent: Extent, knowledge: Option<Arc<Knowledge>>) -> Arc<Plan> {
        let concurrency = self.worker.concurrency;
        Arc::new(cup.plan(knowledge, concurrency, extent == Extent::Full))
    }
}

/// What one round at one worker knows of its claims.
struct Desk<'a> {
    worker: &'a Worker,
    stop: Arc<Stop>,
    queue: Queue,
    tournament: &'a str,
    round: u32,
    /// Where claimed matches go; gone once no more are claimed.
    feed: Option<mpsc::Sender<PlannedMatch>>,
    /// The claims of matches that have not ended, by number.
    open: BTreeMap<u64, i64>,
    /// Those of matches that may not be stored yet.
    storing: VecDeque<Held>,
    /// Whether one is played alone.
    alone: bool,
    ended: u64,
    /// Since the last claim.
    ended_since: u64,
    claimed_at: Instant,
    /// When to claim again, though nothing has ended.
    next_at: Instant,
    pace: Pace,
}

impl<'a> Desk<'a> {
    fn new(
        shift: &Shift<'a>,
        tournament: &'a str,
        round: u32,
        feed: mpsc::Sender<PlannedMatch>,
    ) -> Self {
        Self {
            worker: shift.worker,
            stop: Arc::clone(&shift.stop),
            queue: Queue::new(shift.worker.store.clone()),
            tournament,
            round,
            feed: Some(feed),
            open: BTreeMap::new(),
            storing: VecDeque::new(),
            alone: false,
            ended: 0,
            ended_since: 0,
            claimed_at: Instant::now(),
            next_at: Instant::now(),
            pace: Pace::new(),
        }
    }

    /// Feeds a runner with claimed matches and passes on what has ended, until there is nothing to claim any more.
    async fn attend(
        &mut self,
        mut running: Running,
        sender: &mpsc::Sender<Kept>,
        is_stored: bool,
    ) -> anyhow::Result<()> {
        let mut beat = tokio::time::interval(BEAT);
        beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                biased;
                _ = beat.tick() => self.extend().await,
                finished = running.next() => {
                    let Some(finished) = finished else { break };
                    self.end(finished.planned.number);
                    for kept in taken(finished, is_stored).1 {
                        // The receiver reports why it stopped.
                        let _ = sender.send(kept).await;
                    }
                    if 2 * self.open.len() <= self.target() + self.worker.concurrency.get() {
                        self.claim().await;
                    }
                }
                () = tokio::time::sleep_until(self.next_at), if self.claims() => self.claim().await,
            }
        }
        let failed = running.failed();
        let is_known = failed.is_some();
        // What is unfinished is given back before anything else is waited for.
        self.give_back(failed).await;
        let ran = running.end().await;
        match is_known {
            // That match alone is tried again later, here or elsewhere.
            true => Ok(()),
            false => Ok(ran?),
        }
    }

    fn claims(&self) -> bool {
        self.feed.is_some() && !self.alone && !self.stop.is_set()
    }

    fn end(&mut self, number: u64) {
        tracing::debug!(tournament = self.tournament, number, "a match has ended");
        if let Some(claim) = self.open.remove(&number) {
            self.storing.push_back(Held { number, claim });
        }
        let stored = self.storing.len().saturating_sub(STORING_MAX);
        self.storing.drain(..stored);
        self.alone &= !self.open.is_empty();
        self.ended += 1;
        self.ended_since += 1;
    }

    /// How many matches are held at most: those that are played, and those that will begin soon.
    fn target(&self) -> usize {
        let since = self.claimed_at.elapsed().max(Duration::from_millis(1));
        let ahead = AHEAD.as_secs_f64() / since.as_secs_f64() * self.ended_since as f64;
        self.worker.concurrency.get() + AHEAD_MAX.min(ahead as usize)
    }

    /// Claims more, if there is room. Without anything left to do, no more is claimed.
    async fn claim(&mut self) {
        self.next_at = Instant::now() + LONGEST;
        let room = self.target().saturating_sub(self.open.len());
        if room == 0 || !self.claims() {
            return;
        }
        let claimed = match self.some(room).await {
            Ok(claimed) => claimed,
            Err(error) => {
                tracing::warn!(%error, "nothing can be claimed");
                return;
            }
        };
        (self.claimed_at, self.ended_since) = (Instant::now(), 0);
        if !claimed.is_empty() {
            self.pace = Pace::new();
        }
        self.next_at = Instant::now() + self.pace.wait();
        if claimed.is_empty() && self.open.is_empty() {
            self.feed = None;
        }
        for Claimed { held, task, .. } in claimed {
            let planned = match Task::read(task) {
                Ok(task) => task.claimed(held),
                Err(error) => {
                    self.fail(held, &error.to_string()).await;
                    continue;
                }
            };
            self.open.insert(held.number, held.claim);
            if let Some(feed) = &self.feed {
                // There is room for all that are held.
                let _ = feed.try_send(planned);
            }
        }
        // What could not be read is not played.
        self.alone &= !self.open.is_empty();
    }

    /// Claims as many as there is `room` for; where nothing else is left, one that is played alone.
    async fn some(&mut self, room: usize) -> Result<Vec<Claimed>, StoreError> {
        let claimed = self.claimed(0..ALONE_FROM, room).await?;
        if !claimed.is_empty() || !self.open.is_empty() {
            return Ok(claimed);
        }
        let claimed = self.claimed(ALONE_FROM..ATTEMPTS_MAX, 1).await?;
        self.alone = !claimed.is_empty();
        Ok(claimed)
    }

    async fn claimed(&self, attempts: Range<u32>, most: usize) -> Result<Vec<Claimed>, StoreError> {
        let wanted = Wanted {
            tournament: self.tournament,
            round: self.round,
            worker: &self.worker.name,
            cmd: self.worker.cmd,
            attempts,
            most,
            lease: LEASE,
        };
        self.queue.claim(&wanted).await
    }

    /// Extends the claims. One that has lapsed does not stop its match: only its result is refused.
    async fn extend(&mut self) {
        let held: Vec<Held> = self.held().chain(self.storing.iter().copied()).collect();
        if held.is_empty() {
            return;
        }
        match self.queue.extend(self.tournament, &held, LEASE).await {
            Ok(stand) => {
                self.storing.retain(|held| stand.contains(held));
                let lapsed = self.held().filter(|held| !stand.contains(held)).count();
                if lapsed > 0 {
                    tracing::warn!(
                        tournament = self.tournament,
                        lapsed,
                        "claims have lapsed: other workers play these matches"
                    );
                }
            }
            Err(error) => tracing::warn!(%error, "claims cannot be extended"),
        }
    }

    fn held(&self) -> impl Iterator<Item = Held> {
        let open = self.open.iter();
        open.map(|(number, claim)| Held {
            number: *number,
            claim: *claim,
        })
    }

    /// Gives back what has not ended; `failed`: which match could not be played here, and why.
    async fn give_back(&mut self, failed: Option<(u64, String)>) {
        if let Some((number, why)) = failed
            && let Some(claim) = self.open.remove(&number)
        {
            self.fail(Held { number, claim }, &why).await;
        }
        let held: Vec<Held> = self.held().collect();
        self.open.clear();
        if !held.is_empty() {
            tracing::info!(
                tournament = self.tournament,
                matches = held.len(),
                "given back"
            );
            reported(self.queue.give_back(self.tournament, &held).await);
        }
    }

    async fn fail(&self, held: Held, why: &str) {
        let (tournament, number) = (self.tournament, held.number);
        tracing::warn!(tournament, number, why, "a match cannot be played here");
        let why = format!("{}: {why}", self.worker.name);
        let fail = self.queue.fail(self.tournament, held, &why, AGAIN);
        reported(fail.await);
    }

    /// Gives back what could not be stored; what is stored is not in the queue any more.
    async fn give_back_stored(&mut self) {
        let held: Vec<Held> = self.storing.drain(..).collect();
        reported(self.queue.give_back(self.tournament, &held).await);
    }
}

/// What cannot be given back lapses by itself.
fn reported(given: Result<(), StoreError>) {
    if let Err(error) = given {
        tracing::warn!(%error, "matches cannot be given back: their claims will lapse");
    }
}

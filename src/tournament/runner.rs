//! The one runner for many matches: tasks, with a limit of how many play at once.

use super::played_match::PlayedMatch;
use super::player::{MatchPlayer, Plan};
use super::schedule::PlannedMatch;
use super::sides::Sides;
use super::sink::MatchSink;
use super::tally::{Counted, Tally};
use crate::referee::{MatchError, SeatSpec, Stop};
use crate::tournament::FinishedMatch;
use parking_lot::Mutex;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::runtime::Handle;
use tokio::sync::{Mutex as Turns, mpsc, oneshot};
use tokio::task::JoinSet;

/// Matches at once at most.
pub const CONCURRENCY_MAX: usize = 1_000;
/// Matches at once at most that take a thread each: others need threads, too.
const THREADS_MAX: usize = 256;
/// Lists of results that may wait to be taken.
const RESULTS_MAX: usize = 64;
/// Results of one list, where matches only compute: some take microseconds, and to pass on each alone would take a share
/// of that which shows.
const LIST_MAX: usize = 32;
/// From when on a result does not wait for others.
const LIST_WITHIN: Duration = Duration::from_millis(5);

/// Where matches come from.
enum Planned {
    List(Mutex<Box<dyn Iterator<Item = PlannedMatch> + Send>>),
    Fed(Turns<mpsc::Receiver<PlannedMatch>>),
}

impl Planned {
    /// Whether the next match may depend on the results so far.
    const fn waits_for_results(&self) -> bool {
        matches!(self, Self::Fed(_))
    }

    /// The next match; waits for it where more may come, until `stop`.
    async fn next(&self, stop: &Stop) -> Option<PlannedMatch> {
        match self {
            Self::List(planned) => planned.lock().next(),
            Self::Fed(fed) => {
                let fed = async { fed.lock().await.recv().await };
                tokio::select! {
                    biased;
                    () = stop.cancelled() => None,
                    next = fed => next,
                }
            }
        }
    }
}

/// A match that could not be played.
struct Unplayed {
    number: u64,
    error: MatchError,
}

/// What a worker passes on.
struct Passed {
    results: Result<Vec<FinishedMatch>, Unplayed>,
    /// Dropped once all of them were dealt with.
    dealing: oneshot::Sender<()>,
}

/// Matches that are being played.
pub struct Running {
    results: mpsc::Receiver<Passed>,
    /// Those that were taken and not passed on yet.
    taken: VecDeque<FinishedMatch>,
    /// Of the worker whose results were taken last.
    dealing: Option<oneshot::Sender<()>>,
    workers: JoinSet<()>,
    player: Arc<dyn MatchPlayer>,
    stop: Arc<Stop>,
    failure: Option<Unplayed>,
}

/// Begins to play every match in `planned`, `plan.concurrency` at once.
pub fn start(
    plan: Arc<Plan>,
    planned: impl Iterator<Item = PlannedMatch> + Send + 'static,
    player: Arc<dyn MatchPlayer>,
    stop: Arc<Stop>,
) -> Running {
    let most = planned.size_hint().1.unwrap_or(usize::MAX);
    let planned = Planned::List(Mutex::new(Box::new(planned.fuse())));
    begin(plan, planned, most, player, stop)
}

/// The same with matches that come one by one, until their sender is gone.
pub(super) fn start_fed(
    plan: Arc<Plan>,
    planned: mpsc::Receiver<PlannedMatch>,
    player: Arc<dyn MatchPlayer>,
    stop: Arc<Stop>,
) -> Running {
    let planned = Planned::Fed(Turns::new(planned));
    begin(plan, planned, usize::MAX, player, stop)
}

fn begin(
    plan: Arc<Plan>,
    planned: Planned,
    most: usize,
    player: Arc<dyn MatchPlayer>,
    stop: Arc<Stop>,
) -> Running {
    let at_once = match player.blocks() {
        true => THREADS_MAX,
        false => CONCURRENCY_MAX,
    };
    let planned = Arc::new(planned);
    let (sender, results) = mpsc::channel(RESULTS_MAX);
    let mut workers = JoinSet::new();
    for _ in 0..plan.concurrency.get().min(most).min(at_once) {
        let worker = Worker {
            plan: Arc::clone(&plan),
            planned: Arc::clone(&planned),
            player: Arc::clone(&player),
            stop: Arc::clone(&stop),
            results: sender.clone(),
        };
        match player.blocks() {
            true => {
                workers.spawn_blocking(move || Handle::current().block_on(worker.work()));
            }
            false => {
                workers.spawn(worker.work());
            }
        }
    }
    Running {
        results,
        taken: VecDeque::new(),
        dealing: None,
        workers,
        player,
        stop,
        failure: None,
    }
}

impl Running {
    /// The next match that ended, in any order; matches that were cut short are left out. `None` once nothing is played any
    /// more.
    pub async fn next(&mut self) -> Option<FinishedMatch> {
        loop {
            if let Some(finished) = self.taken.pop_front() {
                return Some(finished);
            }
            // The caller asks for more: it has dealt with the last one.
            self.dealing = None;
            let passed = self.results.recv().await?;
            self.dealing = Some(passed.dealing);
            match passed.results {
                Ok(finished) => self.taken.extend(finished),
                Err(unplayed) => {
                    self.stop.set();
                    self.failure.get_or_insert(unplayed);
                }
            }
        }
    }

    /// The number of the match that could not be played, and why, if that ended all.
    pub(super) fn failed(&self) -> Option<(u64, String)> {
        let failed = self.failure.as_ref();
        failed.map(|failed| (failed.number, failed.error.to_string()))
    }

    /// Waits for the end.
    ///
    /// # Errors
    /// The first of the player; the remaining matches are cut short.
    pub async fn end(mut self) -> Result<(), MatchError> {
        while self.next().await.is_some() {}
        while let Some(worked) = self.workers.join_next().await {
            if let Err(error) = worked
                && let Ok(panic) = error.try_into_panic()
            {
                std::panic::resume_unwind(panic);
            }
        }
        let player = self.player;
        // What is left of programs takes its time to end.
        let _ = tokio::task::spawn_blocking(move || player.finish()).await;
        self.failure.map_or(Ok(()), |failed| Err(failed.error))
    }
}

struct Worker {
    plan: Arc<Plan>,
    planned: Arc<Planned>,
    player: Arc<dyn MatchPlayer>,
    stop: Arc<Stop>,
    results: mpsc::Sender<Passed>,
}

impl Worker {
    async fn work(self) {
        let (mut list, mut since) = (Vec::new(), Instant::now());
        while !self.stop.is_set() {
            let next = self.planned.next(&self.stop).await;
            let Some(next) = next else { break };
            let number = next.number;
            match self.one(next).await {
                Ok(Some(finished)) => list.push(finished),
                Ok(None) => break,
                Err(error) => {
                    self.stop.set();
                    self.send(Ok(list)).await;
                    self.send(Err(Unplayed { number, error })).await;
                    return;
                }
            }
            let alone = !self.player.blocks()
                || self.planned.waits_for_results()
                || since.elapsed() >= LIST_WITHIN;
            if alone || list.len() == LIST_MAX {
                self.send(Ok(std::mem::take(&mut list))).await;
                since = Instant::now();
            }
        }
        self.send(Ok(list)).await;
    }

    /// Passes results on. Unless matches only compute, it returns when they were dealt with: what they lead to may be
    /// that no further match begins.
    async fn send(&self, results: Result<Vec<FinishedMatch>, Unplayed>) {
        let (dealing, dealt) = oneshot::channel();
        // The receiver of the results may have given up.
        if self
            .results
            .send(Passed { results, dealing })
            .await
            .is_err()
        {
            self.stop.set();
        } else if !self.player.blocks() {
            let _ = dealt.await;
        }
    }

    async fn one(&self, planned: PlannedMatch) -> Result<Option<FinishedMatch>, MatchError> {
        let plan = &*self.plan;
        let sides = Sides::new(plan.kit, &plan.options, &planned.table)?;
        let entrants = sides.entrants();
        let seats = entrants.filter_map(|entrant| plan.entrants.get(entrant).cloned());
        let seats: Vec<SeatSpec> = seats.collect();
        let mut played = self.played(&planned, seats).await?;
        // Where results are ranked, they belong to those who earned them.
        if let Some(played) = &mut played
            && planned.slot.is_some()
            && !self.player.records()
        {
            played.judge(sides.line_up());
        }
        Ok(played.map(|played| FinishedMatch {
            counted: sides.counted(plan.kit, &played),
            planned,
            played,
        }))
    }

    /// Plays it, and again while the machine made a program late.
    async fn played(
        &self,
        planned: &PlannedMatch,
        mut seats: Vec<SeatSpec>,
    ) -> Result<Option<PlayedMatch>, MatchError> {
        let machine = self.player.machine();
        let mut replaced: Vec<PlayedMatch> = Vec::new();
        loop {
            let seats = match machine {
                Some(_) => seats.clone(),
                None => std::mem::take(&mut seats),
            };
            let playing = self.player.play(&self.plan, planned, seats, &self.stop);
            let Some(mut refereed) = playing.await? else {
                return Ok(None);
            };
            let excuse = refereed.excuse.take();
            let mut played = PlayedMatch::new(planned.number, planned.seed, refereed);
            let again = machine.filter(|(_, most)| replaced.len() < *most as usize);
            let Some(((machine, _), why)) = again.zip(excuse) else {
                let ids = replaced.iter().filter_map(|one| one.match_id.clone());
                let before = ids.collect::<Vec<_>>().join(", ");
                if !before.is_empty() {
                    played.again =
                        format!("played in place of {before}, which the machine disturbed");
                }
                played.replaced = replaced;
                return Ok(Some(played));
            };
            machine.replays();
            let number = planned.number + 1;
            tracing::warn!("match {number} is played again: {why} while a program was late");
            played.again =
                format!("played again, and counts for nothing: {why} while a program was late");
            replaced.push(played);
        }
    }
}

/// Plays every match in `planned`, `plan.concurrency` at once, and passes each result to `each` as it ends, in any order.
///
/// # Errors
/// As [`Running::end`].
pub async fn run(
    plan: Arc<Plan>,
    planned: impl Iterator<Item = PlannedMatch> + Send + 'static,
    player: Arc<dyn MatchPlayer>,
    stop: Arc<Stop>,
    each: &mut (dyn FnMut(FinishedMatch) + Send),
) -> Result<(), MatchError> {
    let mut running = start(plan, planned, player, stop);
    while let Some(finished) = running.next().await {
        each(finished);
    }
    running.end().await
}

/// Like [`run`], but sums up. Each match goes to `sink` as it ends. Matches of one deck are counted as one
/// block, since they are not independent; if `stop` cut a deck short, those that were played are its block.
///
/// # Errors
/// As [`run`].
pub async fn play(
    plan: Arc<Plan>,
    planned: impl Iterator<Item = PlannedMatch> + Send + 'static,
    player: Arc<dyn MatchPlayer>,
    sink: &mut dyn MatchSink,
    stop: Arc<Stop>,
) -> Result<Tally, MatchError> {
    let mut tally = Tally::new(plan.entrants.len());
    let mut open: BTreeMap<u64, Vec<(u64, Counted)>> = BTreeMap::new();
    let mut games = 0;
    let record = plan.record;
    let mut running = start(plan, planned, player, stop);
    while let Some(finished) = running.next().await {
        sink.ended(&finished);
        let FinishedMatch {
            planned,
            counted,
            mut played,
        } = finished;
        games += 1;
        if record {
            for before in std::mem::take(&mut played.replaced) {
                sink.played(before).await;
            }
            sink.played(played).await;
        }
        let ended = open.entry(planned.deck).or_default();
        ended.push((planned.number, counted));
        if ended.len() == planned.of_deck {
            tally.add(&block(open.remove(&planned.deck).unwrap_or_default()));
        }
        sink.done(games);
    }
    running.end().await?;
    for ended in open.into_values() {
        tally.cut_short += ended.len() as u64;
        tally.add(&block(ended));
    }
    Ok(tally)
}

/// The matches over one deck, in order: sums depend on it.
fn block(mut ended: Vec<(u64, Counted)>) -> Vec<Counted> {
    ended.sort_by_key(|(number, _)| *number);
    ended.into_iter().map(|(_, counted)| counted).collect()
}

#[cfg(test)]
mod tests {
    use super::super::schedule::Schedule;
    use super::{Arc, FinishedMatch, MatchError, MatchPlayer, MatchSink, Plan, PlannedMatch, Stop};
    use super::{play, run};
    use crate::referee::{Refereed, SeatSpec, StartError};
    use crate::tournament::{PlayedMatch, Playing};
    use futures_util::future::BoxFuture;
    use games::{Cause, Outcome};
    use serde_json::Value;
    use std::num::NonZeroUsize;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use tokio_util::sync::CancellationToken;

    const SCHEDULE: Schedule = Schedule {
        entrants: 4,
        seats: 4,
        pool: false,
        rotate: true,
        games: 40,
        seed: 1,
    };

    fn plan() -> Plan {
        Plan {
            kit: games::find("koehandel").unwrap(),
            entrants: vec![SeatSpec::filler(); 4],
            names: Vec::new(),
            knowledge: None,
            options: Value::Null,
            concurrency: NonZeroUsize::new(3).unwrap(),
            record: true,
        }
    }

    /// Plays without a game: the first seat wins. One match number may stop the run, or fail.
    #[derive(Default)]
    struct Quick {
        stops_at: Option<u64>,
        fails_at: Option<u64>,
        running: AtomicUsize,
        most: AtomicUsize,
        finished: AtomicUsize,
    }

    impl MatchPlayer for Quick {
        fn play<'a>(
            &'a self,
            _: &'a Plan,
            planned: &'a PlannedMatch,
            seats: Vec<SeatSpec>,
            stop: &'a Stop,
        ) -> Playing<'a> {
            Box::pin(async move { self.one(planned, &seats, stop).await })
        }

        fn finish(&self) {
            self.finished.fetch_add(1, Ordering::SeqCst);
        }
    }

    impl Quick {
        async fn one(
            &self,
            planned: &PlannedMatch,
            seats: &[SeatSpec],
            stop: &Stop,
        ) -> Result<Option<Refereed>, MatchError> {
            let running = self.running.fetch_add(1, Ordering::SeqCst) + 1;
            self.most.fetch_max(running, Ordering::SeqCst);
            tokio::task::yield_now().await;
            self.running.fetch_sub(1, Ordering::SeqCst);
            if self.fails_at == Some(planned.number) {
                return Err(StartError::Stopping.into());
            }
            if self.stops_at == Some(planned.number) {
                stop.set();
                return Ok(None);
            }
            let outcome = Outcome {
                cause: Cause::Normal,
                scores: [9, 1, 1, 1].into_iter().collect(),
            };
            Ok(Some(Refereed {
                seats: seats.iter().map(ToString::to_string).collect(),
                ..Refereed::ended(outcome)
            }))
        }
    }

    #[tokio::test]
    async fn every_match_is_played_once_and_a_few_at_once() {
        let quick = Arc::new(Quick::default());
        let mut numbers = Vec::new();
        let mut each = |finished: FinishedMatch| numbers.push(finished.planned.number);
        let matches = SCHEDULE.matches();
        let stop = Arc::default();
        let ran = run(plan().into(), matches, quick.clone(), stop, &mut each);
        ran.await.unwrap();
        numbers.sort_unstable();
        assert_eq!(numbers, (0..40).collect::<Vec<_>>());
        assert!(quick.most.load(Ordering::SeqCst) <= 3);
        assert_eq!(quick.finished.load(Ordering::SeqCst), 1);
    }

    /// The numbers of what it receives.
    #[derive(Default)]
    struct Received(Vec<u64>);

    impl MatchSink for Received {
        fn played(&mut self, played: PlayedMatch) -> BoxFuture<'_, ()> {
            self.0.push(played.number);
            Box::pin(std::future::ready(()))
        }
    }

    #[tokio::test]
    async fn every_finished_match_is_counted_and_kept_when_a_run_is_stopped() {
        let quick = Quick {
            stops_at: Some(22),
            ..Quick::default()
        };
        let one = Plan {
            concurrency: NonZeroUsize::MIN,
            ..plan()
        };
        let mut received = Received::default();
        let (plan, quick, stop) = (one.into(), Arc::new(quick), Arc::default());
        let played = play(plan, SCHEDULE.matches(), quick, &mut received, stop);
        let tally = played.await.unwrap();
        assert_eq!(received.0, (0..22).collect::<Vec<_>>());
        assert_eq!((tally.games, tally.cut_short), (22, 2));
        let won: u64 = tally.entrants.iter().map(|entrant| entrant.wins).sum();
        assert_eq!(won, 22);
        for entrant in &tally.entrants {
            assert_eq!(entrant.games, 22);
            assert!((5..=6).contains(&entrant.wins), "each sat everywhere");
        }
    }

    #[tokio::test]
    async fn a_failure_ends_the_run_but_not_the_token_of_others() {
        let quick = Arc::new(Quick {
            fails_at: Some(9),
            ..Quick::default()
        });
        let token = CancellationToken::new();
        let stop = Arc::new(Stop::on(&token));
        let (matches, quick_too) = (SCHEDULE.matches(), quick.clone());
        let failed = play(plan().into(), matches, quick_too, &mut (), stop.clone()).await;
        assert!(matches!(failed, Err(MatchError::Start(_))), "{failed:?}");
        assert!(stop.is_set() && !token.is_cancelled());
        assert_eq!(quick.finished.load(Ordering::SeqCst), 1);

        let others = Stop::on(&token);
        assert!(!others.is_set());
        token.cancel();
        others.cancelled().await;
        while !others.is_set() {
            tokio::task::yield_now().await;
        }
    }
}

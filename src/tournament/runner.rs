//! The one runner for many matches, on its own threads.

use super::match_player::{MatchError, MatchPlayer, Plan};
use super::schedule::PlannedMatch;
use super::sides::Sides;
use super::sink::MatchSink;
use super::stop::Stop;
use super::tally::{Counted, Tally};
use crate::tournament::FinishedMatch;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::thread::Builder;

/// Matches at once at most.
pub const CONCURRENCY_MAX: usize = 1_000;

/// Plays every match in `planned`, `plan.concurrency` at once, and passes each result to `each` as it ends,
/// in any order, one at a time; matches cut short by `stop` are left out. Blocks the calling thread.
///
/// # Errors
/// The first of `player`; the remaining matches are cut short.
pub fn run(
    plan: &Plan,
    planned: impl Iterator<Item = PlannedMatch> + Send,
    player: &dyn MatchPlayer,
    stop: &Stop,
    each: &mut (dyn FnMut(FinishedMatch) + Send),
) -> Result<(), MatchError> {
    let most = planned.size_hint().1.unwrap_or(usize::MAX);
    let workers = plan.concurrency.get().min(most);
    let planned = Mutex::new(planned.fuse());
    let results = Mutex::new((each, None));
    let work = || {
        while !stop.is_set() {
            let next = planned.lock().next();
            let Some(next) = next else { return };
            let finished = one(plan, next, player, stop);
            let mut results = results.lock();
            match finished {
                Ok(Some(finished)) => (results.0)(finished),
                Ok(None) => return,
                Err(error) => {
                    stop.set();
                    results.1.get_or_insert(error);
                }
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..workers {
            // Where the system gives no more threads, those that there are play on.
            if Builder::new().spawn_scoped(scope, work).is_err() {
                break;
            }
        }
        work();
    });
    player.finish();
    let (_, failure) = results.into_inner();
    failure.map_or(Ok(()), Err)
}

fn one(
    plan: &Plan,
    planned: PlannedMatch,
    player: &dyn MatchPlayer,
    stop: &Stop,
) -> Result<Option<FinishedMatch>, MatchError> {
    let sides = Sides::new(plan.kit, &plan.options, &planned.table)?;
    let seats: Vec<_> = sides
        .entrants()
        .filter_map(|entrant| plan.entrants.get(entrant))
        .collect();
    let mut played = player.play(plan, &planned, &seats, stop)?;
    // Where results are ranked, they belong to those who earned them.
    if let Some(played) = &mut played
        && planned.slot.is_some()
        && !player.records()
    {
        played.judge(sides.line_up());
    }
    Ok(played.map(|played| FinishedMatch {
        counted: sides.counted(plan.kit, &played),
        planned,
        played,
    }))
}

/// Like [`run`], but sums up. Each match goes to `sink` as it ends. Matches of one deck are counted as one
/// block, since they are not independent; if `stop` cut a deck short, those that were played are its block.
///
/// # Errors
/// As [`run`].
pub fn play(
    plan: &Plan,
    planned: impl Iterator<Item = PlannedMatch> + Send,
    player: &dyn MatchPlayer,
    sink: &mut dyn MatchSink,
    stop: &Stop,
) -> Result<Tally, MatchError> {
    let mut tally = Tally::new(plan.entrants.len());
    let mut open: BTreeMap<u64, Vec<(u64, Counted)>> = BTreeMap::new();
    let mut games = 0;
    run(plan, planned, player, stop, &mut |finished| {
        sink.ended(&finished);
        let FinishedMatch {
            planned,
            counted,
            mut played,
        } = finished;
        games += 1;
        if plan.record {
            for before in std::mem::take(&mut played.replaced) {
                sink.played(before);
            }
            sink.played(played);
        }
        let ended = open.entry(planned.deck).or_default();
        ended.push((planned.number, counted));
        if ended.len() == planned.of_deck {
            tally.add(&block(open.remove(&planned.deck).unwrap_or_default()));
        }
        sink.done(games);
    })?;
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
    use super::{FinishedMatch, MatchError, MatchPlayer, MatchSink, Plan, PlannedMatch, Stop};
    use super::{play, run};
    use crate::referee::{SeatSpec, StartError};
    use crate::tournament::PlayedMatch;
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
        fn play(
            &self,
            _: &Plan,
            planned: &PlannedMatch,
            seats: &[&SeatSpec],
            stop: &Stop,
        ) -> Result<Option<PlayedMatch>, MatchError> {
            let running = self.running.fetch_add(1, Ordering::SeqCst) + 1;
            self.most.fetch_max(running, Ordering::SeqCst);
            std::thread::yield_now();
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
            Ok(Some(PlayedMatch {
                seats: seats.iter().map(ToString::to_string).collect(),
                refused: vec![0, 2, 0, 0],
                ..PlayedMatch::ended(planned.number, planned.seed, outcome)
            }))
        }

        fn finish(&self) {
            self.finished.fetch_add(1, Ordering::SeqCst);
        }
    }

    #[test]
    fn every_match_is_played_once_and_so_many_at_once() {
        let quick = Quick::default();
        let mut numbers = Vec::new();
        let mut each = |finished: FinishedMatch| numbers.push(finished.planned.number);
        let matches = SCHEDULE.matches();
        run(&plan(), matches, &quick, &Stop::default(), &mut each).unwrap();
        numbers.sort_unstable();
        assert_eq!(numbers, (0..40).collect::<Vec<_>>());
        assert!(quick.most.into_inner() <= 3);
        assert_eq!(quick.finished.into_inner(), 1);
    }

    /// The numbers of what it receives.
    #[derive(Default)]
    struct Received(Vec<u64>);

    impl MatchSink for Received {
        fn played(&mut self, played: PlayedMatch) {
            self.0.push(played.number);
        }
    }

    #[test]
    fn every_finished_match_is_counted_and_kept_when_a_run_is_stopped() {
        let quick = Quick {
            stops_at: Some(22),
            ..Quick::default()
        };
        let stop = Stop::default();
        let one = Plan {
            concurrency: NonZeroUsize::MIN,
            ..plan()
        };
        let mut received = Received::default();
        let tally = play(&one, SCHEDULE.matches(), &quick, &mut received, &stop).unwrap();
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
        let quick = Quick {
            fails_at: Some(9),
            ..Quick::default()
        };
        let token = CancellationToken::new();
        let stop = Stop::on(&token);
        let failed = play(&plan(), SCHEDULE.matches(), &quick, &mut (), &stop);
        assert!(matches!(failed, Err(MatchError::Start(_))), "{failed:?}");
        assert!(stop.is_set() && !token.is_cancelled());
        assert_eq!(quick.finished.into_inner(), 1);

        let others = Stop::on(&token);
        assert!(!others.is_set());
        token.cancel();
        others.cancelled().await;
        while !others.is_set() {
            tokio::task::yield_now().await;
        }
    }
}

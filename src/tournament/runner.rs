//! The one runner for many matches, on threads of their own.

use super::match_player::{MatchError, MatchPlayer, Plan, PlayedMatch};
use super::schedule::PlannedMatch;
use super::sides::Sides;
use super::sink::MatchSink;
use super::stop::Stop;
use super::tally::{Counted, Tally};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// A match that was played.
pub struct FinishedMatch {
    /// What was planned.
    pub planned: PlannedMatch,
    /// How it counts for those who entered.
    pub counted: Counted,
    /// What is kept of it, if the plan records.
    pub played: Option<PlayedMatch>,
}

/// Plays every match that `planned` gives, `plan.concurrency` at once, and hands each result to `each` as it ends,
/// in any order, one at a time; matches that `stop` cuts are left out. Blocks: call it on a thread that may.
///
/// # Errors
/// The first of `player`; the rest is cut.
pub fn run(
    plan: &Plan,
    planned: impl Iterator<Item = PlannedMatch> + Send,
    player: &dyn MatchPlayer,
    stop: &Stop,
    each: &mut (dyn FnMut(FinishedMatch) + Send),
) -> Result<(), MatchError> {
    let planned = Mutex::new(planned.fuse());
    let results = Mutex::new((each, None));
    // The scope ends with the panic of whoever poisoned a lock.
    let work = || {
        while !stop.is_set() {
            let next = planned
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .next();
            let Some(next) = next else { return };
            let finished = one(plan, next, player, stop);
            let mut results = results.lock().unwrap_or_else(PoisonError::into_inner);
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
        for _ in 0..plan.concurrency.get() {
            scope.spawn(work);
        }
    });
    player.finish();
    let (_, failure) = results.into_inner().unwrap_or_else(PoisonError::into_inner);
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
    let played = player.play(plan, &planned, &seats, stop)?;
    Ok(played.map(|played| FinishedMatch {
        counted: sides.counted(plan.kit, &played),
        planned,
        played: plan.record.then_some(played),
    }))
}

/// As [`run`], and sums up. Matches of one deck are counted together when all have ended, since they are not
/// independent; decks that `stop` cuts are not counted.
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
    let mut open: BTreeMap<u64, Vec<FinishedMatch>> = BTreeMap::new();
    run(plan, planned, player, stop, &mut |finished| {
        let (deck, of_deck) = (finished.planned.deck, finished.planned.of_deck);
        let ended = open.entry(deck).or_default();
        ended.push(finished);
        if ended.len() < of_deck {
            return;
        }
        let mut whole = open.remove(&deck).unwrap_or_default();
        whole.sort_by_key(|finished| finished.planned.number);
        let (counted, played): (Vec<_>, Vec<_>) = whole
            .into_iter()
            .map(|finished| (finished.counted, finished.played))
            .unzip();
        tally.add(&counted);
        played
            .into_iter()
            .flatten()
            .for_each(|played| sink.played(played));
        sink.done(tally.games);
    })?;
    Ok(tally)
}

//! The queue of planned matches: each is claimed by one, a claim that lapsed counts for nothing, and a result takes its match
//! out of the queue.

use super::fake::{
    TOURNAMENT, match_id, new_match, new_tournament, open, opened, round, settings, slot,
};
use crate::history;
use crate::store::sql::query;
use crate::store::{
    Claimed, Held, MatchResult, Queue, QueuedMatch, Store, StoreError, Waiting, Wanted,
};
use games::Cause;
use serde_json::json;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};
use tempfile::TempDir;

const LONG: Duration = Duration::from_secs(60);
const WANTED: Wanted<'static> = Wanted {
    tournament: TOURNAMENT,
    round: 1,
    worker: "ann",
    cmd: false,
    attempts: 0..9,
    most: 1,
    lease: LONG,
};

fn queue_of(store: &Store) -> Queue {
    Queue::new(store.clone())
}

fn queued(number: u64) -> QueuedMatch {
    QueuedMatch {
        number,
        task: json!({ "deck": number }),
        needs_cmd: false,
    }
}

/// A store with a tournament of which this number of matches is planned.
async fn planned(count: u64) -> (TempDir, Store) {
    let (folder, store) = opened().await;
    let tournament = new_tournament(TOURNAMENT);
    history::create_tournament(&store, tournament)
        .await
        .unwrap();
    history::add_round(&store, TOURNAMENT, round(1))
        .await
        .unwrap();
    let all: Vec<QueuedMatch> = (0..count).map(queued).collect();
    queue_of(&store).plan(TOURNAMENT, 1, &all).await.unwrap();
    (folder, store)
}

async fn claimed(store: &Store, wanted: Wanted<'_>) -> Vec<Claimed> {
    queue_of(store).claim(&wanted).await.unwrap()
}

/// The only match that can be claimed.
async fn one(store: &Store, lease: Duration) -> Claimed {
    let mut claimed = claimed(store, Wanted { lease, ..WANTED }).await;
    assert_eq!(claimed.len(), 1);
    claimed.remove(0)
}

async fn extended(store: &Store, held: Held) -> Vec<Held> {
    let queue = queue_of(store);
    queue.extend(TOURNAMENT, &[held], LONG).await.unwrap()
}

async fn waiting(store: &Store) -> Vec<Waiting> {
    queue_of(store).waiting(TOURNAMENT).await.unwrap()
}

/// Ends a match of the database in a match's place in the tournament, by a claim of it.
async fn end(store: &Store, match_: u64, held: Held) -> Result<(), StoreError> {
    let place = crate::store::Slot {
        claim: Some(held.claim),
        ..slot(1, held.number)
    };
    let mut row = new_match(match_, true);
    place.seat(&mut row);
    store.open_match(row).await.unwrap();
    let result = MatchResult {
        slot: Some(Box::new(place)),
        ..MatchResult::new(9, Cause::Normal, vec![1, 0])
    };
    store.close_match(&match_id(match_), result).await
}

async fn results(store: &Store) -> Vec<(u64, String)> {
    let all = history::tournament_matches(store.reader(), TOURNAMENT, 0..9);
    let all = all.await.unwrap().into_iter();
    all.map(|ended| (ended.number, ended.match_id)).collect()
}

#[tokio::test]
async fn a_match_is_claimed_once_in_the_order_of_the_plan() {
    let (_folder, store) = planned(5).await;
    let offers = queue_of(&store).offers(false, 9).await.unwrap();
    assert_eq!(offers.len(), 1);
    assert_eq!(
        (&*offers[0].tournament, offers[0].round, &offers[0].task),
        (TOURNAMENT, 1, &json!({ "deck": 0 }))
    );
    let numbers = |claimed: Vec<Claimed>| {
        let held = claimed.iter().map(|claimed| claimed.held.number);
        held.collect::<Vec<_>>()
    };
    let two = Wanted { most: 2, ..WANTED };
    assert_eq!(numbers(claimed(&store, two.clone()).await), [0, 1]);
    assert_eq!(numbers(claimed(&store, two).await), [2, 3]);
    let other_round = Wanted { round: 2, ..WANTED };
    assert!(claimed(&store, other_round).await.is_empty());
    let last = claimed(&store, WANTED).await;
    assert_eq!(last[0].task, json!({ "deck": 4 }));
    assert!(claimed(&store, WANTED).await.is_empty());
    assert!(queue_of(&store).offers(false, 9).await.unwrap().is_empty());
    assert!(waiting(&store).await.iter().all(|row| row.is_claimed));
}

#[tokio::test]
async fn what_needs_others_commands_is_claimed_by_those_that_run_them() {
    let (_folder, store) = planned(0).await;
    let needing = QueuedMatch {
        needs_cmd: true,
        ..queued(0)
    };
    queue_of(&store)
        .plan(TOURNAMENT, 1, &[needing])
        .await
        .unwrap();
    assert!(queue_of(&store).offers(false, 9).await.unwrap().is_empty());
    assert!(claimed(&store, WANTED).await.is_empty());
    assert_eq!(queue_of(&store).offers(true, 9).await.unwrap().len(), 1);
    let willing = Wanted {
        cmd: true,
        ..WANTED
    };
    assert_eq!(claimed(&store, willing).await.len(), 1);
}

#[tokio::test]
async fn a_result_takes_its_match_out_of_the_queue_and_stays_out() {
    let (_folder, store) = planned(1).await;
    let held = one(&store, LONG).await.held;
    end(&store, 7, held).await.unwrap();
    assert_eq!(results(&store).await, [(0, match_id(7))]);
    assert!(waiting(&store).await.is_empty());
    // Planned again, as a resumed run does, it stays out; nothing is left of its claim.
    queue_of(&store)
        .plan(TOURNAMENT, 1, &[queued(0)])
        .await
        .unwrap();
    assert!(waiting(&store).await.is_empty());
    let again = end(&store, 8, held).await.unwrap_err();
    assert!(matches!(again, StoreError::Lapsed { .. }), "{again}");
    assert_eq!(results(&store).await, [(0, match_id(7))]);
}

#[tokio::test]
async fn a_claim_that_lapsed_is_given_again_and_its_result_is_refused() {
    let (_folder, store) = planned(1).await;
    let first = one(&store, Duration::ZERO).await;
    let second = one(&store, LONG).await;
    assert_eq!((first.attempts, second.attempts), (0, 1));
    assert!(second.held.claim > first.held.claim);
    assert_eq!(extended(&store, first.held).await, []);
    queue_of(&store)
        .give_back(TOURNAMENT, &[first.held])
        .await
        .unwrap();
    let refused = end(&store, 1, first.held).await.unwrap_err();
    assert!(matches!(refused, StoreError::Lapsed { .. }), "{refused}");
    assert_eq!(results(&store).await, []);
    assert!(waiting(&store).await[0].is_claimed);
    end(&store, 2, second.held).await.unwrap();
    assert_eq!(results(&store).await, [(0, match_id(2))]);
    let late = end(&store, 1, first.held).await.unwrap_err();
    assert!(matches!(late, StoreError::Lapsed { .. }), "{late}");
    assert_eq!(results(&store).await, [(0, match_id(2))]);
}

#[tokio::test]
async fn an_extended_claim_stands_and_one_that_is_refused_does_not_stop_others() {
    let (_folder, store) = planned(2).await;
    let two = Wanted { most: 2, ..WANTED };
    let short = Wanted {
        lease: Duration::ZERO,
        ..two.clone()
    };
    let lapsed = claimed(&store, short).await;
    let [one, other] = [lapsed[0].held, lapsed[1].held];
    // Nobody else has claimed it yet.
    assert_eq!(extended(&store, one).await, [one]);
    let second = claimed(&store, two).await;
    assert_eq!(second.len(), 1);
    assert_eq!(second[0].held.number, other.number);
    let (stale, good, late) = tokio::join!(
        end(&store, 1, other),
        end(&store, 2, one),
        end(&store, 3, second[0].held)
    );
    assert!(matches!(stale, Err(StoreError::Lapsed { .. })), "{stale:?}");
    good.unwrap();
    late.unwrap();
    assert_eq!(results(&store).await, [(0, match_id(2)), (1, match_id(3))]);
}

#[tokio::test]
async fn what_is_given_back_counts_as_never_tried_and_what_failed_does_not() {
    let (_folder, store) = planned(1).await;
    let queue = queue_of(&store);
    let first = one(&store, LONG).await.held;
    queue.give_back(TOURNAMENT, &[first]).await.unwrap();
    let second = one(&store, LONG).await;
    assert_eq!((second.attempts, second.failure), (0, None));
    let failed = queue.fail(TOURNAMENT, second.held, "no room", Duration::ZERO);
    failed.await.unwrap();
    let third = one(&store, Duration::ZERO).await;
    assert_eq!(
        (third.attempts, third.failure.as_deref()),
        (1, Some("no room"))
    );
    // Tried too often.
    let few = Wanted {
        attempts: 0..2,
        ..WANTED
    };
    assert!(claimed(&store, few).await.is_empty());
    assert!(queue.offers(false, 2).await.unwrap().is_empty());
    let many = Wanted {
        attempts: 2..u32::MAX,
        ..WANTED
    };
    assert_eq!(claimed(&store, many).await.len(), 1);
}

#[tokio::test]
async fn what_was_taken_out_and_put_in_again_is_another_claim() {
    let (_folder, store) = planned(2).await;
    let before = one(&store, LONG).await.held;
    let queue = queue_of(&store);
    queue.withdraw(TOURNAMENT, false).await.unwrap();
    let left = waiting(&store).await;
    assert_eq!((left.len(), left[0].number), (1, before.number));
    queue.withdraw(TOURNAMENT, true).await.unwrap();
    assert!(waiting(&store).await.is_empty());
    queue.plan(TOURNAMENT, 1, &[queued(0)]).await.unwrap();
    let after = one(&store, LONG).await.held;
    assert!(after.claim > before.claim, "{after:?} {before:?}");
    let refused = end(&store, 1, before).await.unwrap_err();
    assert!(matches!(refused, StoreError::Lapsed { .. }), "{refused}");
    end(&store, 2, after).await.unwrap();
}

/// Claims everything, in parts; the numbers that it got.
async fn drained(store: Store, worker: usize) -> Vec<u64> {
    let (queue, worker) = (queue_of(&store), format!("worker {worker}"));
    let wanted = Wanted {
        worker: &worker,
        most: 4,
        ..WANTED
    };
    let mut numbers = Vec::new();
    loop {
        let claimed = queue.claim(&wanted).await.unwrap();
        if claimed.is_empty() {
            return numbers;
        }
        numbers.extend(claimed.iter().map(|claimed| claimed.held.number));
    }
}

/// Has these claim everything; how long that took.
async fn claim_all(stores: Vec<Store>, count: u64) -> Duration {
    let begun = Instant::now();
    let workers = stores.into_iter().enumerate();
    let workers = workers.map(|(at, store)| tokio::spawn(drained(store, at)));
    let mut all = Vec::new();
    for worker in workers.collect::<Vec<_>>() {
        all.append(&mut worker.await.unwrap());
    }
    let took = begun.elapsed();
    let once: BTreeSet<u64> = all.iter().copied().collect();
    assert_eq!((all.len() as u64, once.len() as u64), (count, count));
    took
}

#[tokio::test]
async fn fifty_claimers_of_one_process_get_each_match_once() {
    let (_folder, store) = planned(1_000).await;
    claim_all(vec![store; 50], 1_000).await;
}

#[tokio::test]
#[ignore = "needs a server: DROVER_TEST_SERVER"]
async fn fifty_claimers_with_connections_of_their_own_get_each_match_once() {
    const COUNT: u64 = 10_000;
    let (folder, store) = planned(COUNT).await;
    assert!(settings(folder.path()).location.file().is_none());
    let mut stores = Vec::new();
    for _ in 0..50 {
        stores.push(open(folder.path()).await);
    }
    let took = claim_all(stores, COUNT).await.as_secs_f64();
    println!(
        "{COUNT} matches, 50 claimers, 4 a claim: {took:.2} s, {:.0} matches a second, 0 claimed twice",
        COUNT as f64 / took
    );
    // Each has two claims, and one result.
    let stolen = query("UPDATE planned_matches SET free_us = 0 WHERE number < 20");
    stolen.execute(store.reader().pool()).await.unwrap();
    let other = open(folder.path()).await;
    let wanted = Wanted {
        most: 20,
        lease: Duration::ZERO,
        ..WANTED
    };
    let (old, new) = (
        claimed(&store, wanted.clone()).await,
        claimed(&other, wanted).await,
    );
    assert_eq!((old.len(), new.len()), (20, 20));
    let mut ends = Vec::new();
    for (at, (old, new)) in (1..).zip(old.into_iter().zip(new)) {
        let (one, two) = (store.clone(), other.clone());
        ends.push(tokio::spawn(async move {
            tokio::join!(end(&one, 2 * at, old.held), end(&two, 2 * at + 1, new.held))
        }));
    }
    for ended in ends {
        let (old, new) = ended.await.unwrap();
        assert!(matches!(old, Err(StoreError::Lapsed { .. })), "{old:?}");
        new.unwrap();
    }
    assert_eq!(results(&store).await.len(), 20);
}

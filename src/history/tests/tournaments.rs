//! Tournaments: a match's end and its place are stored together, once.

use crate::history;
use crate::history::GameRules;
use crate::history::tournaments::TOURNAMENTS;
use crate::history::{ALL_ROUNDS, Filter, PageAt};
use crate::store;
use crate::store::salvage;
use crate::store::sql::{query, query_as};
use crate::store::tests::fake::{
    TOURNAMENT as ID, match_id, new_match, new_tournament, opened, round, settings, slot,
};
use crate::store::tests::opening::reopened;
use crate::store::{MatchResult, Place, SeatNotes, Slot, Store, StoreError};
use futures_util::future::join_all;
use games::Cause;
use tempfile::TempDir;

const ENDED: &str = "SELECT count(*) FROM matches WHERE ended_us IS NOT NULL";
const PLACES: &str = "SELECT count(*) FROM tournament_matches";
/// Matches that ended without a place, or have one and have not ended.
const TORN: &str = "SELECT count(*) FROM matches m
    WHERE (m.ended_us IS NULL) = EXISTS (SELECT 1 FROM tournament_matches p WHERE p.match_id = m.id)";

async fn number(store: &Store, query: &'static str) -> i64 {
    let query = query_as(query).fetch_one(store.reader().pool());
    query.await.unwrap()
}

fn result(slot: Slot) -> MatchResult {
    let lost = SeatNotes {
        fault: Some(Cause::TimeForfeit),
        missed: 2,
        took: vec![(7, 3)],
        ..SeatNotes::default()
    };
    MatchResult {
        blame: Some(1),
        detail: "it was late".into(),
        slot: Some(Box::new(slot)),
        notes: vec![SeatNotes::default(), lost],
        ..MatchResult::new(9, Cause::TimeForfeit, vec![4, 1])
    }
}

/// A tournament with one round.
async fn begun() -> (TempDir, Store) {
    let (folder, store) = opened().await;
    history::create_tournament(&store, new_tournament(ID))
        .await
        .unwrap();
    history::add_round(&store, ID, round(1)).await.unwrap();
    (folder, store)
}

async fn open(store: &Store, number: u64) {
    let mut row = new_match(number, true);
    slot(1, number).seat(&mut row);
    store.open_match(row).await.unwrap();
}

async fn close(store: &Store, of: u64, slot: Slot) -> Result<(), StoreError> {
    store.close_match(&match_id(of), result(slot)).await
}

#[tokio::test]
async fn a_tournament_is_read_as_it_was_stored() {
    let (_folder, store) = begun().await;
    for (of, place) in [(1, 1), (2, 0)] {
        open(&store, of).await;
        close(&store, of, slot(1, place)).await.unwrap();
    }
    open(&store, 3).await;
    let row = history::tournament(store.reader(), ID)
        .await
        .unwrap()
        .unwrap();
    assert_eq!((row.rounds, row.matches), (1, 2));
    let new = new_tournament(ID);
    assert_eq!((&row.name, &row.setup), (&new.name, &new.setup));
    assert_eq!((row.entrants, row.ended_us), (new.entrants, None));
    assert_eq!(
        history::tournament_rounds(store.reader(), ID, ALL_ROUNDS)
            .await
            .unwrap(),
        [round(1)]
    );

    let matches = history::tournament_matches(store.reader(), ID, ALL_ROUNDS)
        .await
        .unwrap();
    let numbers: Vec<_> = matches.iter().map(|played| played.number).collect();
    assert_eq!(numbers, [0, 1]);
    let played = &matches[0];
    assert_eq!(played.match_id, match_id(2));
    assert_eq!(
        (played.round, played.table, played.seed),
        (1, 3, slot(1, 0).seed)
    );
    assert_eq!(played.entrants, ["ben", "anna"]);
    // Seats know their entrants' numbers: those in the order of the tournament.
    let row = history::match_numbered(store.reader(), &match_id(2)).await;
    let numbers = row.unwrap().unwrap().seats.into_iter();
    let numbers: Vec<_> = numbers.map(|seat| seat.number).collect();
    assert_eq!(numbers, [Some(1), Some(0)]);
    assert_eq!((played.cause, played.blame), (Cause::TimeForfeit, Some(1)));
    assert_eq!(played.scores, [4, 1]);
    assert_eq!(played.notes, result(slot(1, 0)).notes);
    assert_eq!((played.started_us, played.ended_us), (2_000_000, 9));
}

#[tokio::test]
async fn a_match_shows_its_place_and_entrants_and_is_found_by_them() {
    let (_folder, store) = begun().await;
    open(&store, 1).await;
    open(&store, 2).await;
    store.open_match(new_match(3, true)).await.unwrap();
    close(&store, 1, slot(1, 0)).await.unwrap();
    let row = history::match_row(store.reader(), &match_id(1))
        .await
        .unwrap()
        .unwrap();
    let place = Place {
        id: ID.into(),
        name: "spring".into(),
        round: 1,
        table: 3,
        number: 0,
    };
    assert_eq!(row.tournament, Some(place));
    let known: Vec<_> = row.seats.iter().map(|seat| seat.known_as()).collect();
    assert_eq!(known, [Some("ben"), Some("anna")]);

    let found = async |filter: Filter| {
        let page = history::matches(store.reader(), &filter, &PageAt::first(9))
            .await
            .unwrap();
        page.items.iter().map(|row| row.market).collect::<Vec<_>>()
    };
    let entrant = |name: &str| Filter {
        entrant: Some(name.into()),
        ..Filter::default()
    };
    assert_eq!(found(entrant("anna")).await, [2, 1]);
    assert_eq!(found(entrant("cleo")).await, [0; 0]);
    let tournament = |id: &str| Filter {
        tournament: Some(id.into()),
        ..Filter::default()
    };
    assert_eq!(found(tournament(ID)).await, [1]);
    assert_eq!(found(tournament("another")).await, [0; 0]);
}

#[tokio::test]
async fn a_place_is_filled_once_and_only_in_a_round_that_was_decided() {
    let (_folder, store) = begun().await;
    for of in 1..=4 {
        open(&store, of).await;
    }
    close(&store, 1, slot(1, 0)).await.unwrap();
    // Ended before: neither another end nor another place.
    close(&store, 1, slot(1, 5)).await.unwrap();
    let nowhere = Slot {
        tournament: "another".into(),
        ..slot(1, 9)
    };
    for slot in [slot(1, 0), slot(2, 9), nowhere] {
        let refused = close(&store, 2, slot).await.unwrap_err();
        assert!(matches!(refused, StoreError::Refused(_)), "{refused}");
        assert_eq!(number(&store, ENDED).await, 1);
    }
    // One that is refused does not stop others in its transaction.
    let together = [(2, 0), (3, 1), (4, 2)].map(|(of, place)| close(&store, of, slot(1, place)));
    let ended: Vec<bool> = join_all(together).await.iter().map(Result::is_ok).collect();
    assert_eq!(ended, [false, true, true]);
    assert_eq!(number(&store, PLACES).await, 3);
    assert_eq!(number(&store, TORN).await, 0);
}

#[tokio::test]
async fn a_cut_writer_leaves_a_match_with_its_end_and_place_or_with_neither() {
    const MATCHES: u64 = 40;
    let mut cut_short = 0;
    for turns in 0..30 {
        let (folder, store) = begun().await;
        for of in 0..MATCHES {
            open(&store, of).await;
        }
        let ends: Vec<_> = (0..MATCHES)
            .map(|of| {
                let store = store.clone();
                tokio::spawn(async move { close(&store, of, slot(1, of)).await.is_ok() })
            })
            .collect();
        for _ in 0..turns {
            tokio::task::yield_now().await;
        }
        store.cut();
        let ended = join_all(ends).await.into_iter();
        let acknowledged = ended.filter(|ended| *ended.as_ref().unwrap()).count() as i64;
        let store = reopened(folder.path()).await;
        assert_eq!(number(&store, TORN).await, 0);
        let places = number(&store, PLACES).await;
        assert!(places >= acknowledged, "{places} of {acknowledged}");
        cut_short += i64::from(places < MATCHES as i64);
        // What is missing is played again, under the numbers that are free.
        let played = history::tournament_matches(store.reader(), ID, ALL_ROUNDS)
            .await
            .unwrap();
        let played: Vec<u64> = played.iter().map(|played| played.number).collect();
        for number in (0..MATCHES).filter(|number| !played.contains(number)) {
            open(&store, MATCHES + number).await;
            close(&store, MATCHES + number, slot(1, number))
                .await
                .unwrap();
        }
        assert_eq!(number(&store, PLACES).await, MATCHES as i64);
    }
    assert!(cut_short > 0);
}

#[tokio::test]
async fn rounds_names_and_ends_are_stored_once() {
    let (_folder, store) = begun().await;
    let refused = |result: Result<(), StoreError>, part: &str| {
        let error = result.unwrap_err();
        assert!(matches!(error, StoreError::Refused(_)), "{error}");
        let said = error.to_string().to_lowercase();
        assert!(said.contains(part), "{error}");
    };
    refused(history::add_round(&store, ID, round(1)).await, "unique");
    refused(
        history::add_round(&store, "another", round(1)).await,
        "foreign key",
    );
    refused(
        history::create_tournament(&store, new_tournament(ID)).await,
        "unique",
    );
    for (name, part) in [
        ("anna", "two entrants"),
        ("", "0 characters"),
        (&"ä".repeat(65), "65 characters"),
    ] {
        let mut new = new_tournament("new");
        new.entrants[1].name = name.to_owned();
        refused(history::create_tournament(&store, new).await, part);
    }
    let unknown = history::end_tournament(&store, "another", 7, "done".into()).await;
    assert!(matches!(unknown, Err(StoreError::Unknown { .. })));
    for (at_us, why) in [(7, "all rounds were played"), (8, "again")] {
        history::end_tournament(&store, ID, at_us, why.into())
            .await
            .unwrap();
        let row = history::tournament(store.reader(), ID)
            .await
            .unwrap()
            .unwrap();
        assert_eq!(
            (row.ended_us, row.ended_why.as_str()),
            (Some(7), "all rounds were played")
        );
    }
}

#[tokio::test]
async fn tournaments_are_paged() {
    let (_folder, store) = opened().await;
    let id = |number| format!("01TOURNAMENT0000000000000{number}");
    for number in 1..=5 {
        history::create_tournament(&store, new_tournament(&id(number)))
            .await
            .unwrap();
    }
    let mut at = PageAt::first(2);
    let mut found = Vec::new();
    loop {
        let page = history::tournaments(store.reader(), Some("toy"), &at)
            .await
            .unwrap();
        found.extend(page.items.into_iter().map(|row| row.id));
        match page.next {
            Some(next) => at.after = Some(next),
            None => break,
        }
    }
    assert_eq!(found, [5, 4, 3, 2, 1].map(id));
    at.after = None;
    let other = history::tournaments(store.reader(), Some("koehandel"), &at)
        .await
        .unwrap();
    assert_eq!(other.items.len(), 0);
}

/// Not of a server.
mod file {
    use super::*;

    #[tokio::test]
    async fn an_end_that_finds_a_full_disk_leaves_no_place_and_may_come_again() {
        let (_folder, store) = begun().await;
        open(&store, 1).await;
        store.limit_pages(Some(1)).await;
        let long = || MatchResult {
            detail: "x".repeat(100_000),
            ..result(slot(1, 0))
        };
        let full = store.close_match(&match_id(1), long()).await.unwrap_err();
        assert!(matches!(full, StoreError::Unwritable(_)), "{full}");
        assert_eq!(number(&store, PLACES).await, 0);
        assert_eq!(number(&store, ENDED).await, 0);
        store.limit_pages(None).await;
        store.close_match(&match_id(1), long()).await.unwrap();
        assert_eq!(number(&store, PLACES).await, 1);
    }

    #[tokio::test]
    async fn copies_hold_tournaments_and_contradictions_are_reported() {
        let (folder, store) = begun().await;
        for of in 0..9 {
            open(&store, of).await;
            close(&store, of, slot(1, of)).await.unwrap();
        }
        history::add_round(&store, ID, round(2)).await.unwrap();
        let before = history::tournament_matches(store.reader(), ID, ALL_ROUNDS)
            .await
            .unwrap();
        assert_eq!(history::integrity(store.reader()).await, [""; 0]);
        let (copy, saved) = (folder.path().join("copy.db"), folder.path().join("out.db"));
        store::backup(store.reader(), &copy).await.unwrap();
        let salvaged = salvage(&copy, &saved).await.unwrap();
        assert_eq!(salvaged.lost, [""; 0]);
        for path in [&copy, &saved] {
            let copy = Store::open_readonly(path, GameRules::all()).await.unwrap();
            assert_eq!(
                history::tournament_matches(copy.reader(), ID, ALL_ROUNDS)
                    .await
                    .unwrap(),
                before
            );
            assert_eq!(
                history::tournament_rounds(copy.reader(), ID, ALL_ROUNDS)
                    .await
                    .unwrap()
                    .len(),
                2
            );
            assert_eq!(
                history::tournament(copy.reader(), ID).await.unwrap(),
                history::tournament(store.reader(), ID).await.unwrap()
            );
        }
        for step in [
            "PRAGMA foreign_keys = OFF",
            "UPDATE matches SET ended_us = NULL, scores = NULL WHERE market = 0",
            "DELETE FROM seats WHERE match_id = (SELECT id FROM matches WHERE market = 1)",
            "DELETE FROM matches WHERE market = 1",
            "UPDATE tournament_matches SET round = 7 WHERE number = 2",
            "UPDATE seats SET entrant = NULL WHERE match_id = (SELECT id FROM matches WHERE market = 3)",
            "UPDATE seats SET entrant = 'dora' WHERE seat = 0
             AND match_id = (SELECT id FROM matches WHERE market = 4)",
        ] {
            store.alter(step).await;
        }
        assert_eq!(
            history::integrity(store.reader()).await,
            [
                "3 matches of tournaments have not ended or belong to no round",
                "3 seats of tournaments' matches have no entrant of theirs"
            ]
        );
        let (copy, saved) = (
            folder.path().join("copy2.db"),
            folder.path().join("out2.db"),
        );
        store::backup(store.reader(), &copy).await.unwrap();
        let salvaged = salvage(&copy, &saved).await.unwrap();
        assert_eq!(
            salvaged.lost,
            ["3 rounds and matches of tournaments are to be played again"]
        );
        // What was lost can be played again under its number.
        let again = crate::store::Settings {
            location: saved.into(),
            ..settings(folder.path())
        };
        let again = Store::open(&again).await.unwrap();
        let left = history::tournament_matches(again.reader(), ID, ALL_ROUNDS)
            .await
            .unwrap();
        let row = history::tournament(again.reader(), ID)
            .await
            .unwrap()
            .unwrap();
        assert_eq!((left.len(), row.rounds, row.matches), (6, 2, 6));
        for number in 0..3 {
            open(&again, 100 + number).await;
            close(&again, 100 + number, slot(1, number)).await.unwrap();
        }
        let row = history::tournament(again.reader(), ID)
            .await
            .unwrap()
            .unwrap();
        assert_eq!((row.rounds, row.matches), (2, 9));
    }

    #[tokio::test]
    async fn showing_a_tournament_reads_none_of_its_matches() {
        let (_folder, store) = begun().await;
        for of in 0..3 {
            open(&store, of).await;
            close(&store, of, slot(1, of)).await.unwrap();
        }
        let plan = format!("EXPLAIN QUERY PLAN {TOURNAMENTS} ORDER BY t.id DESC LIMIT 2");
        let plan = query(plan).fetch_all(store.reader().pool());
        let steps: Vec<String> = plan
            .await
            .unwrap()
            .iter()
            .map(|row| row.try_get(3).unwrap())
            .collect();
        assert!(steps.len() == 2, "{steps:?}");
        assert!(
            steps
                .iter()
                .all(|step| !step.contains("SCAN") || step.contains("USING INDEX"))
        );
        store.alter("UPDATE tournament_sizes SET matches = 7").await;
        assert_eq!(
            history::integrity(store.reader()).await,
            ["1 tournaments have other numbers of rounds or matches than they say"]
        );
    }
}

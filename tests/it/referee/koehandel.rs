//! Whole matches of a real game under the referee.

use super::played;
use super::players::{Manner, Player};
use super::url;
use crate::app::{clean, folder};
use drover::history;
use drover::history::GameRules;
use drover::link::HttpOptions;
use drover::referee::budget::ThinkBudget;
use drover::referee::seat_builtin::Builtins;
use drover::referee::{Host, HostSettings, MatchRequest, Recording, SeatSpec};
use drover::store::types::{Durability, Side};
use drover::store::{Settings, Store};
use games::{Cause, Seat};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;

async fn host(store: &Store) -> Arc<Host> {
    let builtins = Builtins {
        budget: ThinkBudget::Nodes(100),
        models: false,
        permits: Arc::new(Semaphore::new(2)),
        programs: Default::default(),
    };
    let settings = HostSettings {
        builtins: Some(builtins),
        http: HttpOptions::default(),
        ..HostSettings::default()
    };
    let recording = Recording::new(store.clone(), Durability::Process);
    Host::new(games::find("koehandel").unwrap(), settings, recording)
}

fn builtin(name: &str) -> SeatSpec {
    format!("builtin:{name}").parse().unwrap()
}

/// Plays to the end and checks that the stored transcript gives the stored result.
async fn check(seats: Vec<SeatSpec>, options: Value) -> Vec<i64> {
    let folder = folder();
    let store = Store::open(&Settings::at(
        folder.path().join("matches.db"),
        GameRules::all(),
    ))
    .await
    .unwrap();
    let host = host(&store).await;
    let wanted = MatchRequest {
        seats,
        options,
        seed: Some(11),
        ..MatchRequest::default()
    };
    let hosted = played(&host, wanted).await;
    let row = history::match_row(store.reader(), &hosted.info.match_id)
        .await
        .unwrap()
        .unwrap();
    let sessions = history::sessions_of(store.reader(), &hosted.info.match_id)
        .await
        .unwrap();
    assert_eq!(sessions.len(), 4);
    for session in &sessions {
        assert_eq!(session.opened.side, Side::Referee);
        let seat = Seat(session.opened.seat.unwrap());
        let stored = hosted.log.lines(seat).len();
        assert_eq!(
            session.entries,
            Some(2 * stored as u64),
            "a call and a reply a line"
        );
    }
    clean(&store).await;
    store.close().await;
    row.scores
}

#[tokio::test]
async fn a_match_among_built_in_bots_replays_from_the_store() {
    let seats = ["tuned", "guide", "face", "trader"].map(builtin).to_vec();
    let scores = check(seats.clone(), Value::Null).await;
    assert!(scores.iter().any(|score| *score > 0), "{scores:?}");
    check(seats, json!({"trade_payment": "exchange"})).await;
}

#[tokio::test]
async fn players_who_talk_nonsense_do_not_hold_the_match_up() {
    let talks = Player::start(Manner::KeepAlive).await;
    let cuts = Player::start(Manner::Http10).await;
    let seats = vec![url(&talks.url), builtin("guide"), url(&cuts.url)];
    let scores = check(seats, json!({"failures_max": 2})).await;
    assert_eq!(scores[3], 0, "the filler");
    assert!(scores[1] > 0, "{scores:?}");
}

/// A kill before the first callback: the match that was begun is played after the start, by bots with the same
/// seeds.
#[tokio::test]
async fn built_in_bots_killed_before_their_first_line_keep_their_seeds() {
    let folder = folder();
    let settings = Settings::at(folder.path().join("matches.db"), GameRules::all());
    let wanted = || MatchRequest {
        seats: ["random", "guide", "random", "filler"]
            .map(builtin)
            .to_vec(),
        seed: Some(3),
        ..MatchRequest::default()
    };
    let store = Store::open(&settings).await.unwrap();
    let host = self::host(&store).await;
    let whole = host.start(wanted()).await.unwrap().begin().wait().await;
    let killed = host.start(wanted()).await.unwrap();
    let id = killed.hosted.info.match_id.clone();
    // It never begins.
    std::mem::forget(killed);
    store.close().await;

    let store = Store::open(&settings).await.unwrap();
    let host = self::host(&store).await;
    assert_eq!(host.resume().await.unwrap(), 1);
    host.drain(Duration::from_secs(60)).await;
    let row = history::match_row(store.reader(), &id)
        .await
        .unwrap()
        .unwrap();
    let end = whole.end.get().unwrap().outcome.clone().unwrap();
    assert_eq!(
        (row.cause, &row.scores[..]),
        (Some(Cause::Normal), end.scores.values())
    );
    let sessions = history::sessions_of(store.reader(), &id).await.unwrap();
    let seeds = sessions
        .iter()
        .map(|session| (session.opened.seat, session.opened.seed));
    let mut seeds: Vec<_> = seeds.collect();
    seeds.sort_unstable();
    assert_eq!(
        seeds,
        [(Some(0), 3), (Some(1), 4), (Some(2), 5), (Some(3), 0)]
    );
    clean(&store).await;
    store.close().await;
}

/// Stops the referee again and again while built-in bots play: the match goes on each time.
#[tokio::test]
async fn built_in_bots_go_on_after_a_stop() {
    let folder = folder();
    let settings = Settings::at(folder.path().join("matches.db"), GameRules::all());
    let wanted = MatchRequest {
        seats: ["tuned", "guide", "champion", "random"]
            .map(builtin)
            .to_vec(),
        seed: Some(3),
        pause: Duration::from_millis(5),
        ..MatchRequest::default()
    };
    let mut store = Store::open(&settings).await.unwrap();
    let mut host = self::host(&store).await;
    let started = host.start(wanted).await.unwrap();
    let id = started.hosted.info.match_id.clone();
    let mut hosted = Arc::clone(&started.hosted);
    let _ending = started.begin();
    for stop in 1..=4 {
        let lines = || hosted.log.lines(Seat(0)).len();
        while lines() < 10 * stop && hosted.end.get().is_none() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        host.stop().await;
        if stop > 1 && hosted.end.get().is_some() {
            break;
        }
        assert!(hosted.end.get().is_none(), "it was cut in mid-match");
        let before = lines();
        store.close().await;
        store = Store::open(&settings).await.unwrap();
        host = self::host(&store).await;
        assert_eq!(host.resume().await.unwrap(), 1);
        hosted = host.matches().pop().unwrap();
        assert!(hosted.log.lines(Seat(0)).len() >= before, "its log goes on");
    }
    host.drain(Duration::from_secs(60)).await;
    let row = history::match_row(store.reader(), &id)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(row.cause, Some(Cause::Normal), "{}", row.detail);
    let sessions = history::sessions_of(store.reader(), &id).await.unwrap();
    let seeds = sessions.iter().map(|session| session.opened.seed);
    assert_eq!(seeds.collect::<Vec<_>>(), [3, 4, 5, 6]);
    clean(&store).await;
    store.close().await;
}

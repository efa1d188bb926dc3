//! Matches in the store: kept whole, and taken up after a stop.

use super::players::{Manner, Player};
use super::{begun, kept_host, played, players, request, scores};
use crate::app::{clean, folder};
use drover::history;
use drover::history::GameRules;
use drover::referee::{HostSettings, Recording};
use drover::store::types::{Direction, Durability};
use drover::store::{Settings, Store};
use drover_toy::{KIT, WITHIN};
use games::{Cause, Kit as _, Seat};
use serde_json::json;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _};
use std::path::Path;
use std::sync::Arc;
use tokio::sync::Semaphore;

async fn store(path: &Path) -> Store {
    Store::open(&Settings::at(
        path,
        GameRules::found_by(|game| (game == KIT.card().name).then_some(&KIT)),
    ))
    .await
    .unwrap()
}

fn recording(store: &Store) -> Recording {
    Recording::new(store.clone(), Durability::Process)
}

#[tokio::test]
async fn a_match_is_kept_whole_and_numbers_go_on() {
    let folder = folder();
    let path = folder.path().join("matches.db");
    let players = players([Manner::KeepAlive, Manner::Garbage]).await;
    let wanted = || request(&players, json!({"all": true, "failures_max": 2}));
    let kept = store(&path).await;
    let host = kept_host(HostSettings::default(), recording(&kept)).await;
    let hosted = played(&host, wanted()).await;
    let row = history::match_row(kept.reader(), &hosted.info.match_id)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        (row.cause, row.scores.as_slice()),
        (Some(Cause::Normal), [20, 0, 0, 0].as_slice())
    );
    let lines = recording(&kept)
        .transcript("toy", hosted.info.market, Seat(0))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(lines.len(), 18);
    assert_eq!(
        (lines[3].direction, lines[3].text.as_str()),
        (Direction::In, "?n=5")
    );
    clean(&kept).await;
    host.stop().await;
    kept.close().await;

    let kept = store(&path).await;
    let host = kept_host(HostSettings::default(), recording(&kept)).await;
    // Logs of before are still there, from the store.
    let [first, second, ..] = hosted.info.ids[..] else {
        panic!("four seats");
    };
    assert_eq!(host.log(second).await.unwrap().unwrap().len(), 9);
    let unused = (1..).find(|id| !hosted.info.ids.contains(id)).unwrap();
    assert_eq!(host.log(unused).await.unwrap(), None);
    let next = played(&host, wanted()).await;
    assert_ne!(next.info.market, hosted.info.market);
    assert!(!next.info.ids.contains(&first));
    kept.close().await;
}

#[tokio::test]
async fn a_stopped_match_goes_on_where_it_was() {
    let folder = folder();
    let path = folder.path().join("matches.db");
    let permits = Arc::new(Semaphore::new(0));
    let held = Player::start(Manner::Held(Arc::clone(&permits))).await;
    let free = Player::start(Manner::KeepAlive).await;
    let players = [held, free];
    let kept = store(&path).await;
    let host = kept_host(HostSettings::default(), recording(&kept)).await;
    let wanted = request(&players, json!({"rounds": 8}));
    let started = host.start(wanted).await.unwrap();
    let id = started.hosted.info.match_id.clone();
    let _ending = started.begin();
    // A note and the first question are answered; the second note is on its way when it stops.
    permits.add_permits(2);
    players[0].has_received(3).await;
    players[1].has_received(3).await;
    host.stop().await;
    kept.close().await;
    let before = players[0].received();

    let kept = store(&path).await;
    let host = kept_host(HostSettings::default(), recording(&kept)).await;
    permits.add_permits(100);
    assert_eq!(host.resume().await.unwrap(), 1);
    host.drain(std::time::Duration::from_secs(20)).await;
    let row = history::match_row(kept.reader(), &id)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        (row.cause, row.scores.as_slice()),
        (Some(Cause::Normal), [10, 10, 0, 0].as_slice())
    );
    // What was cut is received again, word for word, and nothing before it.
    let received = players[0].received();
    assert_eq!(received[..before.len()], before[..]);
    assert_eq!(received[before.len()], before[before.len() - 1]);
    assert_eq!(
        received.len(),
        12,
        "eight notes, two questions, the end, and the one that was cut"
    );
    assert_eq!(host.matches().len(), 1);
    assert_eq!(scores(&host.matches()[0]), [10, 10, 0, 0]);
    clean(&kept).await;
    assert_eq!(host.resume().await.unwrap(), 0);
    kept.close().await;
}

#[tokio::test]
async fn nobody_is_called_before_that_is_kept() {
    let folder = folder();
    let kept = store(&folder.path().join("matches.db")).await;
    let host = kept_host(HostSettings::default(), recording(&kept)).await;
    let players = players([Manner::KeepAlive, Manner::KeepAlive]).await;
    let wanted = request(&players, json!({}));
    let started = host.start(wanted).await.unwrap();
    // Nothing is stored while another connection writes.
    let options = SqliteConnectOptions::new().filename(kept.location().file().unwrap());
    let mut other = options.connect().await.unwrap();
    sqlx::query("BEGIN IMMEDIATE")
        .execute(&mut other)
        .await
        .unwrap();
    let ending = started.begin();
    let called = tokio::time::timeout(WITHIN, players[0].has_received(1)).await;
    assert!(called.is_err(), "a call must not leave before it is kept");
    other.close().await.unwrap();
    let hosted = ending.wait().await;
    assert_eq!(scores(&hosted), [5, 5, 0, 0]);
}

#[tokio::test]
async fn only_the_referee_itself_takes_its_matches_up() {
    let folder = folder();
    let path = folder.path().join("matches.db");
    let held = [Player::start(Manner::Held(Arc::new(Semaphore::new(0)))).await];
    let kept = store(&path).await;
    let named = |name: &str| HostSettings {
        referee: name.to_owned(),
        ..HostSettings::default()
    };
    let host = kept_host(named("play"), recording(&kept)).await;
    let wanted = request(&held, json!({}));
    let _ending = begun(&host, wanted).await;
    held[0].has_received(1).await;
    host.stop().await;
    let other = kept_host(named("drover"), recording(&kept)).await;
    assert_eq!(other.resume().await.unwrap(), 0);
    let same = kept_host(named("play"), recording(&kept)).await;
    assert_eq!(same.resume().await.unwrap(), 1);
    same.stop().await;
    kept.close().await;
}

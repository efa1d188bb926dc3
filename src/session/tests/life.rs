//! Beginning, living, resting and ending.

use super::world::{World, key, key_at, options, until};
use crate::identities::KnownMatch;
use crate::session::{Refusal, SessionOptions};
use crate::store::tests::fake::named_match;
use crate::store::types::Direction;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

#[tokio::test]
async fn a_transcript_holds_what_came_and_what_was_said() {
    let (world, at) = World::begun(options()).await;
    let said = world.bot_answers(&at, "ask").await;
    assert_eq!(world.say(&at, "ask&how=pass").await, "");
    assert_eq!(world.say(&at, "nonsense").await, "");
    let expected = [
        (Direction::In, "market=1&id=1&type=begin".to_owned()),
        (Direction::In, "market=1&id=1&type=ask".to_owned()),
        (Direction::Out, said),
        (Direction::In, "market=1&id=1&type=ask&how=pass".to_owned()),
        (Direction::In, "market=1&id=1&type=nonsense".to_owned()),
    ];
    assert_eq!(world.transcript(&at).await, expected);
}

#[tokio::test]
async fn sessions_of_one_referees_market_share_a_match_and_those_of_two_do_not() {
    let world = World::new(options()).await;
    let keys = [
        key(1, 1),
        key(1, 2),
        key_at("quick", "r", 1, 3),
        key_at("champion", "s", 1, 1),
        key(2, 1),
    ];
    let mut answers = Vec::new();
    for at in &keys {
        world.say(at, "begin").await;
        answers.push(world.say(at, "ask").await);
    }
    let matches = |referee: &str, market| -> Vec<String> {
        let all = world.sessions.list(10).into_iter();
        let mut ids: Vec<_> = all
            .filter(|view| view.referee == referee && view.market == market)
            .map(|view| view.match_id)
            .collect();
        ids.dedup();
        ids
    };
    until(|| (world.sessions.list(10).len() == 5).then_some(())).await;
    let (first, second, third) = (matches("r", 1), matches("s", 1), matches("r", 2));
    assert_eq!((first.len(), second.len(), third.len()), (1, 1, 1));
    assert!(first != second && first != third && second != third);
    answers.sort();
    answers.dedup();
    assert_eq!(answers.len(), 5, "each has its own seed: {answers:?}");
}

#[tokio::test]
async fn a_second_begin_ends_the_session_and_opens_another() {
    let (world, at) = World::begun(options()).await;
    let first = world.only().await;
    world.say(&at, "info").await;
    world.say(&at, "begin").await;
    let second = world.only().await;
    assert_ne!(first.id, second.id);
    assert_ne!(first.match_id, second.match_id);
    assert_eq!(world.sessions.live(), 1);
    assert_eq!(world.transcript(&at).await.len(), 1);
    let live = world.restart().await.parts.store.live().await.unwrap();
    assert_eq!(
        live.iter().map(|live| live.id).collect::<Vec<_>>(),
        [second.id]
    );
}

#[tokio::test]
async fn after_its_end_a_session_answers_the_default_until_a_new_match_begins() {
    let (world, at) = World::begun(options()).await;
    assert_eq!(world.say(&at, "end").await, "");
    assert_eq!(world.sessions.live(), 0);
    assert_eq!(world.say(&at, "ask").await, "");
    assert_eq!(world.sessions.live(), 0);
    world.say(&at, "begin").await;
    assert_ne!(world.say(&at, "ask").await, "");
    assert_eq!(world.sessions.live(), 1);
    assert_eq!(world.transcript(&at).await.len(), 3);
}

#[tokio::test]
async fn who_joins_late_is_taken_in_and_marked() {
    let world = World::new(options()).await;
    assert_ne!(world.say(&key(1, 1), "ask").await, "");
    let live = world.restart().await.parts.store.live().await.unwrap();
    let setup = &live.first().unwrap().opened.setup;
    assert_eq!(
        setup.get("joined_late"),
        Some(&serde_json::Value::Bool(true))
    );
}

#[tokio::test]
async fn a_full_house_refuses_matches_and_keeps_those_it_has() {
    let world = World::new(SessionOptions {
        sessions_max: 2,
        ..options()
    })
    .await;
    world.say(&key(1, 1), "begin").await;
    world.say(&key(2, 1), "begin").await;
    assert_eq!(world.refusal(&key(3, 1), "begin").await, Refusal::Full);
    assert_ne!(world.say(&key(1, 1), "ask").await, "");
    world.say(&key(1, 1), "end").await;
    assert_eq!(world.say(&key(3, 1), "begin").await, "");
    assert_eq!(world.refusal(&key(1, 1), "begin").await, Refusal::Full);
    world.sessions.drain();
    assert_eq!(world.refusal(&key(4, 1), "begin").await, Refusal::Draining);
    assert_ne!(world.say(&key(3, 1), "ask").await, "");
}

#[tokio::test]
async fn a_stop_waits_only_for_sessions_that_received_something_lately() {
    let limits = |quiet_limit, begun_limit| SessionOptions {
        quiet_limit,
        begun_limit,
        ..options()
    };
    let (long, none) = (Duration::from_secs(3600), Duration::ZERO);
    for (quiet, begun, after_begin, after_more) in [
        (long, none, false, true),
        (none, long, true, false),
        (long, long, true, true),
    ] {
        let (world, at) = World::begun(limits(quiet, begun)).await;
        assert_eq!(world.sessions.in_play(), after_begin);
        world.say(&at, "info").await;
        assert_eq!(world.sessions.in_play(), after_more);
        world.say(&at, "end").await;
        assert!(!world.sessions.in_play());
    }
}

#[tokio::test]
async fn an_idle_session_sleeps_and_wakes_as_it_was() {
    let short = SessionOptions {
        hibernate_after: Duration::from_millis(50),
        ..options()
    };
    let (world, at) = World::begun(short).await;
    let asked = Instant::now();
    let first = world.say(&at, "ask").await;
    until(|| world.sessions.list(1).pop().filter(|view| !view.awake)).await;
    assert!(asked.elapsed() >= Duration::from_millis(50));
    let view = world.sessions.list(1).pop().unwrap();
    assert_eq!(view.entries, 3);
    let second = world.say(&at, "ask").await;
    assert_ne!(first, second, "what was said is part of the digest");
    assert_eq!(
        world.twin(&["begin", "ask", "ask"]).await,
        ["", &first, &second],
        "as one that never slept"
    );
}

#[tokio::test]
async fn a_session_that_nobody_ends_is_ended_by_a_bound() {
    let short = SessionOptions {
        idle_limit: Duration::from_millis(100),
        ..options()
    };
    let world = World::new(short).await;
    world.say(&key(1, 1), "begin").await;
    assert_eq!(world.sessions.live(), 1);
    until(|| (world.sessions.live() == 0).then_some(())).await;
    assert_eq!(world.restart().await.parts.store.live().await.unwrap(), []);
}

#[tokio::test]
async fn a_match_of_our_own_referee_is_joined_by_its_number_and_seat() {
    let world = World::new(options()).await;
    let row = named_match("01MATCH", 5, |seat| Some(format!("n{seat}")));
    let known = KnownMatch {
        row: Arc::new(row),
        ids: vec![21, 22, 23, 24],
    };
    world.parts.identities.register("r", 5, known);
    world.say(&key(5, 23), "begin").await;
    let view = world.only().await;
    assert_eq!((view.match_id.as_str(), view.seat), ("01MATCH", Some(2)));
    let live = world.restart().await.parts.store.live().await.unwrap();
    let named = serde_json::json!([["W", "n3"], ["N", "n0"], ["E", "n1"]]);
    assert_eq!(
        live.first().unwrap().opened.setup.get("named"),
        Some(&named)
    );
}

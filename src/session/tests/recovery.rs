//! The fold: restarts, repeated messages, lost connections.

use super::world::{World, key, options};
use crate::session::{BotAddress, Key, Origin, SessionOptions};
use crate::store::types::Direction;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// What is asked of both worlds.
const SCRIPT: [&str; 9] = [
    "begin",
    "info&x=1",
    "ask",
    "ask&how=pass",
    "info&x=2",
    "nonsense",
    "bluff",
    "ask&x=3",
    "ask&x=4",
];

#[tokio::test]
async fn a_recovered_session_goes_on_as_an_unbroken_one() {
    let unbroken = World::new(options()).await;
    let mut broken = World::new(options()).await;
    let at = key(1, 1);
    let mut answers = Vec::new();
    for text in SCRIPT {
        answers.push((unbroken.say(&at, text).await, broken.say(&at, text).await));
        broken = broken.restart().await;
    }
    // Their seeds differ, so each one's answers are compared with a fold of its own transcript.
    for (world, which) in [(&unbroken, 0), (&broken, 1)] {
        let said: Vec<_> = answers
            .iter()
            .map(|pair| if which == 0 { &pair.0 } else { &pair.1 })
            .collect();
        let mut twin = world.opened_twin().await;
        for (text, said) in SCRIPT.iter().zip(said) {
            let frame = format!("market=1&id=1&type={text}");
            if let Ok(games::Next::Think { mut fallback, .. }) = twin.receive(frame.as_bytes()) {
                twin.think(games::Budget::nodes(1), &mut fallback);
                assert_eq!(*said, fallback, "{text}");
                twin.said(said);
            }
        }
    }
}

#[tokio::test]
async fn a_message_again_gets_the_same_answer_until_it_is_known_to_have_arrived() {
    let (world, at) = World::begun(options()).await;
    let lost = world.send(&at, "ask").await.unwrap();
    let text = lost.text.clone();
    drop(lost);
    let again = world.send(&at, "ask").await.unwrap();
    assert_eq!(again.text, text);
    assert_eq!(world.transcript(&at).await.len(), 3);
    again.sending.unwrap().handed();
    let fresh = world.send(&at, "ask").await.unwrap();
    assert_ne!(fresh.text, text);
    assert_eq!(world.transcript(&at).await.len(), 5);
}

#[tokio::test]
async fn a_message_again_after_a_restart_gets_the_logged_answer() {
    let (world, at) = World::begun(options()).await;
    let text = world.say(&at, "ask").await;
    let world = world.restart().await;
    assert_eq!(world.say(&at, "ask").await, text);
    assert_eq!(world.transcript(&at).await.len(), 3);
    assert_ne!(world.say(&at, "ask").await, text);
}

#[tokio::test]
async fn the_last_message_again_after_a_restart_opens_no_other_session() {
    let (world, at) = World::begun(options()).await;
    drop(world.send(&at, "end").await.unwrap());
    let world = world.restart().await;
    assert_eq!(world.say(&at, "end").await, "");
    assert_eq!(world.sessions.live(), 0);
    world.say(&at, "begin").await;
    assert_eq!(world.sessions.live(), 1);
}

#[tokio::test]
async fn a_begin_again_whose_answer_was_lost_begins_nothing_new() {
    let world = World::new(options()).await;
    let at = key(1, 1);
    drop(world.send(&at, "begin").await.unwrap());
    let first = world.only().await;
    world.say(&at, "begin").await;
    let second = world.only().await;
    assert_eq!((first.id, second.entries), (second.id, 1));
}

/// A session whose caller went away while its message was thought about.
async fn hung_up() -> (World, Key) {
    let slow = SessionOptions {
        budget_default: Duration::from_millis(100),
        ..options()
    };
    let (world, at) = World::begun(slow).await;
    let hasty = world.send(&at, "ask&how=long");
    assert!(
        tokio::time::timeout(Duration::from_millis(10), hasty)
            .await
            .is_err()
    );
    (world, at)
}

#[tokio::test]
async fn a_caller_who_hangs_up_finds_the_answer_later() {
    let (world, at) = hung_up().await;
    let said = world.say(&at, "ask&how=long").await;
    assert!(said.starts_with("?n="), "{said}");
    let transcript = world.transcript(&at).await;
    assert_eq!(transcript.len(), 3);
    assert_eq!(transcript.last().unwrap(), &(Direction::Out, said));
}

#[tokio::test]
async fn closing_waits_for_the_message_of_a_caller_who_hung_up() {
    let (world, at) = hung_up().await;
    let live = world.sessions.list(1);
    assert!(live.is_empty(), "it is worked on: {live:?}");
    world.sessions.close().await;
    let transcript = world.transcript(&at).await;
    assert_eq!(transcript.len(), 3);
    assert_eq!(transcript.last().unwrap().0, Direction::Out);
}

#[tokio::test]
async fn where_messages_never_repeat_an_equal_one_is_answered_from_the_log() {
    let world = World::new(options()).await;
    let kit = games::find("koehandel").unwrap();
    let bot = Arc::new(BotAddress::new(kit, "filler", "r").unwrap());
    let at = Key {
        bot,
        market: 1,
        id: 1,
    };
    for (text, entries) in [("x=1", 1), ("x=1", 1), ("x=2", 2), ("x=1", 3)] {
        let (nobody, sent) = (Origin::default(), text.to_owned());
        let answered = world
            .sessions
            .callback(nobody, at.clone(), false, sent, Instant::now());
        let answer = answered.await.unwrap();
        answer.sending.unwrap().handed();
        assert_eq!(world.transcript(&at).await.len(), entries, "{text}");
    }
}

//! Bots that are late, stuck or panic; stores that cannot write; callers who flood.

use super::world::{World, key, key_at, options, until, within};
use crate::history;
use crate::session::{Origin, Refusal, SessionOptions};
use std::time::Duration;
use tokio::time::Instant;

#[tokio::test]
async fn a_bot_that_ignores_its_time_is_answered_for_in_time() {
    let (world, at) = World::begun(options()).await;
    let asked = Instant::now();
    assert_eq!(world.say(&at, "ask&stuck=1500").await, "?n=0");
    let took = asked.elapsed();
    assert!(
        took >= Duration::from_millis(190) && took < Duration::from_millis(1200),
        "{took:?}"
    );
    // Neither the session nor the only thread is lost to it.
    world.bot_answers(&at, "ask").await;
    within(1400, asked);
    assert_eq!(world.transcript(&at).await.len(), 5);
}

/// What the live session's facts say of how its answers came about.
async fn thought_facts(world: &World) -> Vec<String> {
    let match_id = world.sessions.list(1).pop().unwrap().match_id;
    let facts = history::facts(world.store().reader(), &match_id)
        .await
        .unwrap();
    let said = |fact: &crate::history::FactRow| match fact.data.get("cause") {
        Some(cause) => format!("{} {}", fact.kind, cause.as_str().unwrap_or_default()),
        None => fact.kind.clone(),
    };
    facts.iter().map(said).collect()
}

#[tokio::test]
async fn a_bot_that_hangs_is_not_asked_again_and_costs_nobody_else_a_thread() {
    // Time enough for an answer that only the bot is late on a busy machine, and too little to be seen
    // hanging at once.
    let patient = SessionOptions {
        margin: Duration::from_millis(4_400),
        ..options()
    };
    let world = World::new(patient).await;
    let (at, other) = (key(1, 1), key(1, 2));
    world.say(&at, "begin").await;
    // The first may be late; while it is out, the second is the last that the bot is asked.
    for number in 0..2 {
        let ask = format!("ask&spin=9000&x={number}");
        assert_eq!(world.say(&at, &ask).await, "?n=0");
    }
    let asked = Instant::now();
    for number in 2..20 {
        let ask = format!("ask&spin=9000&x={number}");
        assert_eq!(world.say(&at, &ask).await, "?n=0");
    }
    within(6000, asked);
    let mut expected = vec!["fallback late"; 2];
    expected.push("quarantined");
    expected.extend(["fallback quarantined"; 18]);
    assert_eq!(thought_facts(&world).await, expected);
    assert!(world.sessions.list(1).pop().unwrap().quarantined);
    world.say(&other, "begin").await;
    world.bot_answers(&other, "ask").await;
    // A restart does not give it another thread to hang on.
    let world = world.restart().await;
    assert_eq!(world.say(&at, "ask&spin=9000&x=20").await, "?n=0");
    assert_eq!(
        thought_facts(&world).await.pop().unwrap(),
        "fallback quarantined"
    );
    // A new match does.
    world.say(&at, "begin").await;
    world.bot_answers(&at, "ask").await;
}

#[tokio::test]
async fn thinking_that_computes_on_long_after_its_time_hangs() {
    let (world, at) = World::begun(options()).await;
    assert_eq!(world.say(&at, "ask&spin=15000").await, "?n=0");
    // Nothing more is asked before the thread has computed for longer than any slice may.
    until(|| world.sessions.list(1).pop().filter(|view| view.quarantined)).await;
    assert_eq!(world.say(&at, "ask").await, "?n=0");
    let facts = ["fallback late", "quarantined", "fallback quarantined"];
    assert_eq!(thought_facts(&world).await, facts);
}

#[tokio::test]
async fn a_decision_is_not_waited_for_much_longer_than_it_is_worth() {
    let options = SessionOptions {
        margin: Duration::from_millis(500),
        ..options()
    };
    let (world, at) = World::begun(options).await;
    let asked = Instant::now();
    assert_eq!(world.say(&at, "ask&stuck=3000&target=20").await, "?n=0");
    // The wire would allow 4,500 ms, and the bot is stuck for 3,000.
    within(2_500, asked);
}

#[tokio::test]
async fn a_bot_that_panics_while_thinking_is_answered_for() {
    let world = World::new(options()).await;
    for bot in ["champion", "quick"] {
        let at = key_at(bot, "r", 1, 1);
        world.say(&at, "begin").await;
        assert_eq!(world.say(&at, "ask&how=panic").await, "?n=0");
        world.bot_answers(&at, "ask").await;
    }
    let at = key(2, 1);
    world.say(&at, "begin").await;
    assert_eq!(
        world.say(&at, "ask&how=panic2").await,
        "?n=1",
        "the best so far counts"
    );
}

#[tokio::test]
async fn a_message_on_which_a_bot_panics_costs_its_own_session_only() {
    let world = World::new(options()).await;
    let (at, other) = (key(1, 1), key(1, 2));
    world.say(&at, "begin").await;
    world.say(&other, "begin").await;
    assert_eq!(world.say(&at, "boom").await, "");
    assert_eq!(world.say(&at, "ask").await, "", "the fold panics as well");
    assert_ne!(world.say(&other, "ask").await, "");
    assert_eq!(world.transcript(&at).await.len(), 3);
    world.say(&at, "begin").await;
    assert_ne!(world.say(&at, "ask").await, "");
}

#[tokio::test]
async fn long_thinking_ends_at_its_ceiling_and_is_no_fallback() {
    let (world, at) = World::begun(options()).await;
    let asked = Instant::now();
    let said = world.say(&at, "ask&how=long").await;
    assert!(said.starts_with("?n="), "{said}");
    assert!(
        asked.elapsed() >= Duration::from_millis(45),
        "{:?}",
        asked.elapsed()
    );
}

#[tokio::test]
async fn while_nothing_can_be_stored_the_default_is_answered() {
    let (world, at) = World::begun(options()).await;
    let store = world.store();
    let long = format!("info&x={}", "y".repeat(100_000));
    store.limit_pages(Some(1)).await;
    assert_eq!(world.say(&at, &long).await, "");
    assert!(store.health().failing.is_some(), "{:?}", store.health());
    assert_eq!(world.transcript(&at).await.len(), 1);
    store.limit_pages(None).await;
    let said = world.say(&at, "ask").await;
    assert_eq!(world.twin(&["begin", "ask"]).await, ["", &said]);
    assert_eq!(store.health().failing, None);
    assert_eq!(world.transcript(&at).await.len(), 3);
}

#[tokio::test]
async fn a_match_whose_beginning_cannot_be_stored_is_refused_and_may_begin_again() {
    let world = World::new(options()).await;
    let (store, at) = (world.store(), key(1, 1));
    store.alter("PRAGMA query_only = 1").await;
    assert_eq!(world.refusal(&at, "begin").await, Refusal::Unstored);
    assert_eq!(
        (world.sessions.live(), world.sessions.list(9).len()),
        (0, 0)
    );
    store.alter("PRAGMA query_only = 0").await;
    world.say(&at, "begin").await;
    world.bot_answers(&at, "ask").await;
    assert_eq!(world.transcript(&at).await.len(), 3);
    assert_eq!(store.live().await.unwrap().len(), 1);
}

#[tokio::test]
async fn what_cannot_be_stored_any_more_is_refused_and_never_acknowledged() {
    let (world, at) = World::begun(options()).await;
    world.store().clone().close().await;
    for (at, text) in [(&at, "info"), (&at, "begin"), (&key(2, 2), "begin")] {
        assert_eq!(world.refusal(at, text).await, Refusal::Draining, "{text}");
    }
    let world = World::new(options()).await;
    world.say(&at, "begin").await;
    world.sessions.close().await;
    assert_eq!(world.refusal(&at, "info").await, Refusal::Draining);
}

#[tokio::test]
async fn a_session_that_cannot_be_folded_in_time_keeps_its_transcript_whole() {
    let short = SessionOptions {
        hibernate_after: Duration::from_millis(50),
        ..options()
    };
    let (world, at) = World::begun(short).await;
    until(|| world.sessions.list(1).pop().filter(|view| !view.awake)).await;
    let held = world.store().hold_folders().await;
    let asked = Instant::now();
    assert_eq!(world.say(&at, "ask").await, "");
    within(2000, asked);
    drop(held);
    let said = world.say(&at, "ask&x=2").await;
    assert_eq!(world.transcript(&at).await.len(), 4);
    // The decision that was not made counts as an empty one.
    let mut twin = world.opened_twin().await;
    for text in ["begin", "ask", "ask&x=2"] {
        let frame = format!("market=1&id=1&type={text}");
        let next = twin.receive(frame.as_bytes()).unwrap();
        if text == "ask" {
            twin.said("");
        } else if let games::Next::Think { mut fallback, .. } = next {
            twin.think(games::Budget::nodes(1), &mut fallback);
            assert_eq!(said, fallback);
        }
    }
}

#[tokio::test]
async fn a_session_that_is_awake_is_not_folded_again() {
    let (world, at) = World::begun(options()).await;
    let held = world.store().hold_folders().await;
    world.bot_answers(&at, "ask").await;
    drop(held);
}

#[tokio::test]
async fn a_broken_transcript_is_added_to_and_yields_to_a_new_match() {
    let (world, at) = World::begun(options()).await;
    world.say(&at, "ask").await;
    let world = world.restart().await;
    world
        .store()
        .alter("DELETE FROM entries WHERE id = 1")
        .await;
    assert_eq!(world.say(&at, "ask&x=2").await, "");
    let view = world.only().await;
    assert_eq!(view.entries, 4);
    world.say(&at, "begin").await;
    assert_ne!(world.say(&at, "ask").await, "");
    let next = world.only().await;
    assert_ne!(next.id, view.id);
}

#[tokio::test]
async fn a_full_mailbox_answers_the_default_at_once() {
    let small = SessionOptions {
        mailbox_max: 2,
        ..options()
    };
    let (world, at) = World::begun(small).await;
    let asks: Vec<_> = (0..8)
        .map(|number| {
            let (sessions, at) = (world.sessions.clone(), at.clone());
            tokio::spawn(async move {
                let text = format!("market=1&id=1&type=ask&how=long&x={number}");
                sessions
                    .callback(Origin::default(), at, false, text, Instant::now())
                    .await
                    .unwrap()
                    .text
            })
        })
        .collect();
    let mut empty = 0;
    for ask in asks {
        empty += usize::from(ask.await.unwrap().is_empty());
    }
    assert_eq!(empty, 5, "one is worked on, two wait");
}

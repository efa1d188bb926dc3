//! Messages that are acknowledged before they are stored.

use super::world::{World, key, options, until};
use crate::session::{Answer, Leaving, Local, Numbered, Refusal};
use crate::store::Store;
use crate::store::tests::fake::file_of;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _, SqliteConnection};
use std::pin::pin;
use std::time::Duration;
use tokio::time::Instant;

/// A numbered message; `said`: what its edge has answered already.
pub(super) async fn send(
    world: &World,
    number: u64,
    rest: &str,
    said: Option<&str>,
) -> Result<Answer, Refusal> {
    let local = said.map(|said| Local {
        said: said.to_owned(),
        at_us: 1,
    });
    let text = format!("market=1&id=1&type={rest}");
    let numbered = Numbered { number, local };
    let answer = world
        .sessions
        .numbered(key(1, 1), numbered, text, Instant::now());
    answer.await
}

/// Keeps the store from writing until it is dropped.
async fn held(store: &Store) -> SqliteConnection {
    let options = SqliteConnectOptions::new().filename(file_of(store));
    let mut other = options.connect().await.unwrap();
    let begin = sqlx::query("BEGIN IMMEDIATE").execute(&mut other);
    begin.await.unwrap();
    other
}

async fn received(world: &World) -> Vec<String> {
    let transcript = world.transcript(&key(1, 1)).await;
    let texts = transcript.into_iter().map(|(_, text)| text);
    let kinds = texts.map(|text| text.rsplit("type=").next().unwrap_or_default().to_owned());
    kinds.collect()
}

#[tokio::test]
async fn acknowledgements_do_not_wait_for_the_store_and_a_decision_waits_for_all_of_them() {
    let world = World::new(options()).await;
    assert!(send(&world, 1, "begin", None).await.unwrap().stored);
    let other = held(world.store()).await;
    for number in 2..10 {
        let answer = send(&world, number, &format!("info&x={number}"), None).await;
        assert!(!answer.unwrap().stored, "{number}");
    }
    let mut asked = pin!(send(&world, 10, "ask", None));
    let early = tokio::time::timeout(Duration::from_millis(400), &mut asked).await;
    assert!(early.is_err(), "it rests on what is not stored yet");
    other.close().await.unwrap();
    let answer = asked.await.unwrap();
    assert!(answer.stored && answer.text.starts_with(b"?n="));
    let mut expected = vec!["begin".to_owned()];
    expected.extend((2..10).map(|number| format!("info&x={number}")));
    expected.push("ask".to_owned());
    let said = String::from_utf8(answer.text.to_vec()).unwrap();
    expected.push(said);
    assert_eq!(received(&world).await, expected);
}

#[tokio::test]
async fn an_acknowledged_message_that_comes_again_is_stored_when_it_is_answered() {
    let world = World::new(options()).await;
    send(&world, 1, "begin", None).await.unwrap();
    let other = held(world.store()).await;
    for number in [2, 3] {
        let answer = send(&world, number, "info", None).await.unwrap();
        assert!(!answer.stored);
    }
    let mut again = pin!(send(&world, 3, "info", Some("")));
    let early = tokio::time::timeout(Duration::from_millis(200), &mut again).await;
    assert!(early.is_err(), "it is not stored yet");
    other.close().await.unwrap();
    assert!(again.await.unwrap().stored);
    assert_eq!(received(&world).await, ["begin", "info", "info"]);
}

#[tokio::test]
async fn acknowledged_messages_that_could_not_be_stored_are_asked_for_again() {
    let world = World::new(options()).await;
    let store = world.store();
    send(&world, 1, "begin", None).await.unwrap();
    store.alter("PRAGMA query_only = 1").await;
    assert!(!send(&world, 2, "info", None).await.unwrap().stored);
    until(|| {
        Some(()).filter(|()| {
            world
                .sessions
                .list(1)
                .first()
                .is_some_and(|at| at.entries == 1)
        })
    })
    .await;
    assert_eq!(
        send(&world, 3, "ask", None).await.unwrap_err(),
        Refusal::Gap(1)
    );
    store.alter("PRAGMA query_only = 0").await;
    assert!(send(&world, 2, "info", Some("")).await.unwrap().stored);
    assert!(send(&world, 3, "ask", None).await.unwrap().stored);
    assert_eq!(received(&world).await[..3], ["begin", "info", "ask"]);
}

#[tokio::test]
async fn a_stop_stores_what_was_acknowledged() {
    let world = World::new(options()).await;
    send(&world, 1, "begin", None).await.unwrap();
    for number in 2..30 {
        send(&world, number, "info", None).await.unwrap();
    }
    let world = world.restart().await;
    assert_eq!(received(&world).await.len(), 29);
    assert!(send(&world, 30, "ask", None).await.unwrap().stored);
}

#[tokio::test]
async fn an_end_that_cannot_be_stored_yet_can_be_sent_again() {
    let world = World::new(options()).await;
    let store = world.store();
    send(&world, 1, "begin", None).await.unwrap();
    let leave = async |messages| {
        let leaving = Leaving {
            messages: Some(messages),
            detail: "it has gone".to_owned(),
            hung_up: true,
        };
        world.sessions.leave(&key(1, 1), leaving).await
    };
    assert_eq!(leave(2).await, Err(Refusal::Gap(1)));
    assert!(send(&world, 2, "ask", None).await.unwrap().stored);
    store.alter("PRAGMA query_only = 1").await;
    assert_eq!(leave(2).await, Err(Refusal::Unfit));
    assert_eq!(world.sessions.live(), 1, "its end is not known to anybody");
    store.alter("PRAGMA query_only = 0").await;
    assert_eq!(leave(2).await, Ok(()));
    assert_eq!(world.sessions.live(), 0);
    assert_eq!(leave(2).await, Ok(()), "once more, after a lost answer");
    let world = world.restart().await;
    assert_eq!(world.sessions.live(), 0, "it is stored");
}

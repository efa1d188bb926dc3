//! Sessions that two replicas share, over a server. Run by the name of their module, with `DROVER_TEST_SERVER` set.

use super::world::{dependencies_at, key, options};
use crate::cluster::Epoch;
use crate::session::{Answer, Dependencies, Held, Key, Origin, Refusal, Sessions};
use crate::store::tests::fake::settings;
use crate::toy;
use std::time::Duration;
use tempfile::TempDir;
use tokio::time::Instant;

/// What one process has of a shared database.
struct One {
    sessions: Sessions,
    parts: Dependencies,
}

/// Two processes over one database.
async fn two() -> (TempDir, One, One) {
    let folder = tempfile::tempdir().unwrap();
    let one = One::new(&folder).await;
    let other = One::new(&folder).await;
    (folder, one, other)
}

impl One {
    async fn new(folder: &TempDir) -> Self {
        let parts = dependencies_at(&settings(folder.path()), toy::find).await;
        let sessions = Sessions::open(options(), parts.clone()).await.unwrap();
        Self { sessions, parts }
    }

    async fn send(&self, held: Held, key: &Key, rest: &str) -> Result<Answer, Refusal> {
        let text = format!("market={}&id={}&type={rest}", key.market, key.id);
        let sending = self.sessions.callback_held(
            Some(held),
            Origin::default(),
            key.clone(),
            rest == "begin",
            text,
            Instant::now(),
        );
        sending.await
    }

    /// The answer to one message in this epoch.
    async fn says(&self, epoch: u64, key: &Key, rest: &str) -> Result<String, Refusal> {
        let answer = self.send(held(epoch), key, rest).await?;
        Ok(String::from_utf8(answer.text.to_vec()).unwrap())
    }

    /// The texts of the newest session of this key.
    async fn texts(&self) -> Vec<String> {
        let live = self.parts.store.live().await.unwrap().pop().unwrap();
        let entries = self.parts.store.transcript(live.id, live.head.unwrap());
        let entries = entries.await.unwrap().into_iter();
        entries.map(|entry| entry.text).collect()
    }
}

fn held(epoch: u64) -> Held {
    Held {
        epoch: Epoch(epoch),
        resent: None,
    }
}

#[tokio::test]
#[ignore = "needs a server: DROVER_TEST_SERVER"]
async fn a_session_goes_on_at_another_replica_and_the_first_one_is_fenced() {
    let (_folder, one, other) = two().await;
    let at = key(1, 1);
    assert_eq!(one.says(1, &at, "begin").await.unwrap(), "");
    let first = one.says(1, &at, "ask").await.unwrap();
    let second = other.says(2, &at, "ask&x=2").await.unwrap();
    assert!(second.starts_with("?n=") && second != "?n=0", "{second}");
    assert_eq!(one.says(1, &at, "ask&x=3").await, Err(Refusal::Fenced));
    assert_eq!(one.says(3, &at, "ask&x=2").await.unwrap(), second, "again");
    let third = one.says(3, &at, "ask&x=3").await.unwrap();
    assert_eq!(other.says(2, &at, "ask&x=4").await, Err(Refusal::Fenced));
    let whole = [
        "market=1&id=1&type=begin",
        "market=1&id=1&type=ask",
        &first,
        "market=1&id=1&type=ask&x=2",
        &second,
        "market=1&id=1&type=ask&x=3",
        &third,
    ];
    assert_eq!(one.texts().await, whole);
}

#[tokio::test]
#[ignore = "needs a server: DROVER_TEST_SERVER"]
async fn of_two_beginnings_of_one_key_one_is_fenced_and_then_goes_on_with_the_other() {
    let (_folder, one, other) = two().await;
    let at = key(1, 1);
    let begun = tokio::join!(one.says(7, &at, "begin"), other.says(8, &at, "begin"));
    for (process, begun) in [(&one, begun.0), (&other, begun.1)] {
        match begun {
            Ok(said) => assert_eq!(said, ""),
            Err(Refusal::Fenced) => assert_eq!(process.says(9, &at, "begin").await.unwrap(), ""),
            Err(refusal) => panic!("{refusal}"),
        }
    }
    let said = one.says(10, &at, "ask").await.unwrap();
    let whole = ["market=1&id=1&type=begin", "market=1&id=1&type=ask", &said];
    assert_eq!(one.texts().await, whole);
    assert_eq!(one.parts.store.live().await.unwrap().len(), 1);
}

#[tokio::test]
#[ignore = "needs a server: DROVER_TEST_SERVER"]
async fn a_message_that_was_handled_before_gets_the_answer_it_got_wherever_it_stands() {
    let (_folder, one, other) = two().await;
    let at = key(1, 1);
    one.says(1, &at, "begin").await.unwrap();
    let first = one.says(1, &at, "ask&x=1").await.unwrap();
    let second = one.says(1, &at, "ask&x=2").await.unwrap();
    one.says(1, &at, "info&x=3").await.unwrap();
    let resent = Held {
        resent: Some(Duration::from_secs(5)),
        ..held(2)
    };
    for (text, answer) in [("ask&x=1", &first), ("ask&x=2", &second)] {
        let again = other.send(resent, &at, text).await.unwrap();
        assert_eq!(again.text, *answer);
    }
    let count = one.texts().await.len();
    let new = other.send(resent, &at, "ask&x=9").await.unwrap();
    assert!(new.text.starts_with(b"?n="));
    let later = Held {
        resent: Some(Duration::ZERO),
        ..held(2)
    };
    other.send(later, &at, "ask&x=1").await.unwrap();
    let after = other.texts().await.len();
    assert_eq!(after, count + 4, "it arrived after what it looks like");
}

#[tokio::test]
#[ignore = "needs a server: DROVER_TEST_SERVER"]
async fn nothing_is_added_to_what_another_replica_has_ended_and_its_key_begins_again() {
    let (_folder, one, other) = two().await;
    let at = key(1, 1);
    one.says(1, &at, "begin").await.unwrap();
    other.says(2, &at, "ask&x=1").await.unwrap();
    let former = one.parts.store.live().await.unwrap().pop().unwrap();
    // The next match of the key ends the one before it.
    other.says(2, &at, "ask&x=2").await.unwrap();
    one.says(3, &at, "info&x=3").await.unwrap();
    one.says(3, &at, "begin").await.unwrap();
    assert_eq!(other.says(2, &at, "ask&x=4").await, Err(Refusal::Fenced));
    let live = one.parts.store.live().await.unwrap();
    assert_eq!(live.len(), 1);
    assert_ne!(live[0].id, former.id);
    assert_ne!(live[0].opened.match_id, former.opened.match_id);
}

#[tokio::test]
#[ignore = "needs a server: DROVER_TEST_SERVER"]
async fn sessions_of_one_market_are_of_one_match_whichever_replica_begins_them() {
    let (_folder, one, other) = two().await;
    one.says(1, &key(1, 1), "begin").await.unwrap();
    other.says(2, &key(1, 2), "begin").await.unwrap();
    let live = one.parts.store.live().await.unwrap();
    assert_eq!(live.len(), 2);
    assert_eq!(live[0].opened.match_id, live[1].opened.match_id);
    assert_eq!((live[0].opened.seat, live[1].opened.seat), (Some(0), None));
}

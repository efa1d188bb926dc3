//! Reading a match that goes on meanwhile.

use crate::history::{self, Contents, PageAt};
use crate::store::Prune;
use crate::store::tests::fake::{Pen, match_id, new_match, new_session, opened, received, said};
use crate::store::{Side, Store};

/// The texts and the number of facts that a follower is shown who has had these.
async fn shown(store: &Store, of: &Contents, after: (i64, i64)) -> (Vec<String>, usize) {
    let after_number = |number: i64| PageAt {
        after: Some(number.to_string()),
        ..PageAt::first(9)
    };
    let entries = history::entries_page(store.reader(), of, &after_number(after.0)).await;
    let facts = history::facts_page(store.reader(), of, None, &after_number(after.1)).await;
    let entries = entries.unwrap().items.into_iter();
    (
        entries.map(|entry| entry.text).collect(),
        facts.unwrap().items.len(),
    )
}

#[tokio::test]
async fn a_session_that_has_ended_since_its_row_was_read_is_read_all_the_same() {
    let (_folder, store) = opened().await;
    let mut pen = Pen::player(&store, 1);
    pen.write(&store, vec![received("ask"), said("1")]).await;
    let live = history::contents(store.reader(), &match_id(1))
        .await
        .unwrap();
    pen.end(&store, vec![1, 0, 0, 0], 0).await;
    // Pruning stores the heads first: those of live sessions. Nothing is packed yet.
    let stored = store.prune(Prune::Transcripts(Vec::new())).await;
    stored.unwrap();
    let head = history::head(store.reader(), &live.sessions[0])
        .await
        .unwrap();
    assert_eq!(head, Some((pen.previous.unwrap(), 3)));
    assert_eq!(shown(&store, &live, (0, 0)).await.0, ["ask", "1"]);
    assert_eq!(
        history::entries(store.reader(), &live).await.unwrap().len(),
        2
    );
}

#[tokio::test]
async fn what_is_committed_while_a_match_is_read_waits_for_the_next_page() {
    let (_folder, store) = opened().await;
    let mut one = Pen::new(
        &store,
        Some(new_match(1, true)),
        new_session(1, Side::Player, 0),
    );
    let first = one.write(&store, vec![said("a")]).await.last.unwrap();
    let before = history::contents(store.reader(), &match_id(1))
        .await
        .unwrap();
    // A session that is not among them, and then one that is.
    let mut two = Pen::new(&store, None, new_session(1, Side::Player, 1));
    two.bluff(&store, "W 1").await;
    one.bluff(&store, "W 2").await;
    assert_eq!(shown(&store, &before, (0, 0)).await, (vec!["a".into()], 0));
    assert_eq!(
        history::entries(store.reader(), &before)
            .await
            .unwrap()
            .len(),
        1
    );
    let after = history::contents(store.reader(), &match_id(1))
        .await
        .unwrap();
    let texts = ["bluff W 1", "bluff W 2"].map(String::from);
    assert_eq!(shown(&store, &after, (first.0, 0)).await, (texts.into(), 2));
}

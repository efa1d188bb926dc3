//! Pruning: what is old goes, results stay, and the rest says so.

use super::fake::{Pen, match_id, new_session, open, opened, received};
use crate::history::{self, Filter, PageAt, Pruned};
use crate::store;
use crate::store::sql::query_as;
use crate::store::writer::{Command, Packing};
use crate::store::{EntryId, Prune, Side, Store, StoreError};
use std::time::Duration;

async fn count(store: &Store, table: &str) -> i64 {
    let query = format!("SELECT count(*) FROM {table}");
    query_as(query)
        .fetch_one(store.reader().pool())
        .await
        .unwrap()
}

/// Three matches with a bluff each: one packed, one in the log, one running.
async fn played(store: &Store) -> Vec<Pen> {
    let mut pens = Vec::new();
    for number in 1..=3 {
        let mut pen = Pen::player(store, number);
        pen.write(store, vec![received("ask")]).await;
        pen.bluff(store, "W 90").await;
        if number < 3 {
            pen.end(store, vec![3, 1, 0, 0], 1).await;
        }
        if number == 1 {
            store::pack(store, |_| {}).await.unwrap();
        }
        pens.push(pen);
    }
    pens
}

#[tokio::test]
async fn old_transcripts_go_and_results_stay() {
    let (folder, store) = opened().await;
    let mut pens = played(&store).await;
    let before = history::matches(store.reader(), &Filter::default(), &PageAt::first(9))
        .await
        .unwrap();
    let models = history::models(store.reader(), None, None, &PageAt::first(9))
        .await
        .unwrap();
    assert_eq!(
        history::prunable(store.reader(), 9).await.unwrap(),
        Pruned::default()
    );
    let due = Pruned {
        sessions: 2,
        entries: 6,
        more: false,
    };
    assert_eq!(history::prunable(store.reader(), 10).await.unwrap(), due);
    assert_eq!(
        history::prune(&store, 10, Duration::MAX).await.unwrap(),
        due
    );
    assert_eq!(
        history::prune(&store, 10, Duration::MAX).await.unwrap(),
        Pruned::default()
    );

    let after = history::matches(store.reader(), &Filter::default(), &PageAt::first(9))
        .await
        .unwrap();
    assert_eq!(format!("{after:?}"), format!("{before:?}"));
    let kept = history::models(store.reader(), None, None, &PageAt::first(9))
        .await
        .unwrap();
    assert_eq!(format!("{kept:?}"), format!("{models:?}"));
    assert_eq!(
        history::bluffs(store.reader(), &Filter::default(), &PageAt::first(9))
            .await
            .unwrap()
            .items
            .len(),
        3
    );
    assert_eq!(count(&store, "lessons").await, 2);
    assert_eq!(
        (
            count(&store, "packed").await,
            count(&store, "entries").await
        ),
        (0, 2)
    );
    assert_eq!(count(&store, "facts").await, 1);
    for number in 1..=2 {
        let contents = history::contents(store.reader(), &match_id(number))
            .await
            .unwrap();
        let sessions = &contents.sessions;
        assert!(sessions[0].pruned);
        assert_eq!(sessions[0].entries, Some(3));
        assert_eq!(
            history::entries(store.reader(), &contents).await.unwrap(),
            []
        );
        let head = sessions[0].last_entry.unwrap();
        let read = history::transcript(store.reader(), sessions[0].id, head).await;
        assert!(matches!(read, Err(StoreError::Pruned { .. })), "{read:?}");
    }
    // The packer may have looked at one before.
    let left = history::sessions_of(store.reader(), &match_id(2))
        .await
        .unwrap()[0]
        .id
        .0;
    let packing = Packing {
        left: vec![left],
        ..Packing::default()
    };
    let done = store.ask(|reply| Command::Pack(packing, reply)).await;
    done.unwrap();
    let summary = crate::replay::verify(&store, None, |_| {}).await.unwrap();
    assert!(summary.clean(), "{summary:?}");
    assert_eq!((summary.sessions, summary.pruned), (3, 2));

    // The match that runs goes on, also after a restart, and no number is given twice.
    let last = pens[2]
        .write(&store, vec![received("ask")])
        .await
        .last
        .unwrap();
    pens[2].end(&store, vec![1, 0, 0, 0], 0).await;
    history::prune(&store, i64::MAX, Duration::MAX)
        .await
        .unwrap();
    store.close().await;
    let store = open(folder.path()).await;
    let next = Pen::player(&store, 4)
        .write(&store, vec![received("ask")])
        .await;
    assert!(
        next.last > Some(EntryId(last.0 + 1)),
        "{next:?} after {last:?}"
    );
}

#[tokio::test]
async fn a_match_is_pruned_as_a_whole_and_not_beyond_its_time() {
    let (_folder, store) = opened().await;
    let mut first = Pen::player(&store, 1);
    first.write(&store, vec![received("ask")]).await;
    let mut second = Pen::new(&store, None, new_session(1, Side::Player, 1));
    second.write(&store, vec![received("ask")]).await;
    first.end(&store, vec![3, 1, 0, 0], 1).await;
    let pruned = history::prune(&store, i64::MAX, Duration::MAX)
        .await
        .unwrap();
    assert_eq!(pruned, Pruned::default(), "one of its sessions lives");
    second.end(&store, vec![3, 1, 0, 0], 1).await;
    let pruned = history::prune(&store, i64::MAX, Duration::ZERO)
        .await
        .unwrap();
    assert_eq!(
        pruned,
        Pruned {
            sessions: 2,
            entries: 4,
            more: true
        }
    );
}

#[tokio::test]
async fn all_of_one_match_goes_and_nothing_of_others() {
    let (_folder, store) = opened().await;
    let _running = played(&store).await;
    for number in [1, 3] {
        let gone = store.prune(Prune::Match(match_id(number))).await;
        assert_eq!(gone.unwrap(), 1);
    }
    for table in ["matches", "sessions", "bluffs", "facts"] {
        assert_eq!(count(&store, table).await, 1, "{table}");
    }
}

//! Writing: order, batches, durability, recovery.

use super::fake::{Pen, asked, match_id, new_match, new_session, opened, received, said};
use crate::history::GameRules;
use crate::history::{self, Filter, PageAt, Standing};
use crate::store::sql::query_as;
use crate::store::tests::fake::file_of;
use crate::store::{
    Durability, ENTRIES_MAX, EntryId, LedgerRow, NewEntry, SessionId, Side, Store, StoreError,
};

async fn count(store: &Store, table: &'static str) -> i64 {
    let query = format!("SELECT count(*) FROM {table}");
    query_as(query)
        .fetch_one(store.reader().pool())
        .await
        .unwrap()
}

async fn texts(store: &Store, pen: &Pen) -> Vec<String> {
    let entries = history::transcript(store.reader(), pen.id, pen.previous.unwrap())
        .await
        .unwrap();
    for (seq, entry) in (0..).zip(&entries) {
        assert_eq!(entry.seq, seq);
    }
    entries.into_iter().map(|entry| entry.text).collect()
}

#[tokio::test]
async fn an_acknowledged_entry_is_there_for_another_connection() {
    let (_folder, store) = opened().await;
    let mut pen = Pen::player(&store, 1);
    let odd = "?a=\u{0}&b=\"\\\u{1F600}\u{7f}\n".to_owned();
    let entries = vec![
        received("ask"),
        said("7"),
        NewEntry {
            text: odd.clone(),
            ..received("")
        },
    ];
    let receipt = pen.write(&store, entries).await;
    assert_eq!(receipt.last, pen.previous);
    let reader = Store::open_readonly(store.location().clone(), GameRules::all())
        .await
        .unwrap();
    assert_eq!(texts(&reader, &pen).await, ["ask", "7", &odd]);
    let health = store.health();
    assert_eq!((health.commits, health.appends, health.entries), (1, 1, 3));
}

#[tokio::test]
async fn interleaved_transcripts_are_walked_back_each_by_itself() {
    let (_folder, store) = opened().await;
    let mut pens: Vec<Pen> = (1..=20).map(|number| Pen::player(&store, number)).collect();
    for round in 0..30 {
        let writes = pens
            .iter_mut()
            .map(|pen| pen.write(&store, vec![received(&format!("ask {round}"))]));
        futures_util::future::join_all(writes).await;
    }
    for pen in &pens {
        let expected: Vec<String> = (0..30).map(|round| format!("ask {round}")).collect();
        assert_eq!(texts(&store, pen).await, expected);
    }
    let health = store.health();
    assert_eq!(health.appends, 600);
    assert!(
        health.commits < 600,
        "appends that come together are committed together"
    );
}

#[tokio::test]
async fn an_append_that_does_not_follow_is_refused_and_harms_nobody() {
    let (_folder, store, mut pen) = asked().await;
    let mut stale = pen.append(vec![said("1")]);
    stale.previous = None;
    stale.seq = 0;
    let error = store.append(stale).await.unwrap_err();
    assert!(
        matches!(error, StoreError::OutOfOrder { session, .. } if session == pen.id.0),
        "{error}"
    );
    let mut unopened = pen.append(vec![said("1")]);
    unopened.session = SessionId(99);
    assert!(matches!(
        store.append(unopened).await,
        Err(StoreError::OutOfOrder { .. })
    ));
    pen.write(&store, vec![said("2")]).await;
    assert_eq!(texts(&store, &pen).await, ["ask", "2"]);
}

#[tokio::test]
async fn a_refused_row_fails_its_own_caller_alone() {
    let (_folder, store) = opened().await;
    let mut good: Vec<Pen> = (1..=8).map(|number| Pen::player(&store, number)).collect();
    // Its match does not exist.
    let mut orphan = Pen::new(&store, None, new_session(77, Side::Player, 0));
    let append = orphan.append(vec![received("ask")]);
    let writes = good
        .iter_mut()
        .map(|pen| pen.write(&store, vec![received("ask")]));
    let (refused, _) = tokio::join!(store.append(append), futures_util::future::join_all(writes));
    assert!(
        matches!(refused, Err(StoreError::Refused(_))),
        "{refused:?}"
    );
    assert_eq!(count(&store, "sessions").await, 8);
    assert_eq!(count(&store, "entries").await, 8);
    for pen in &mut good {
        pen.write(&store, vec![said("1")]).await;
        assert_eq!(texts(&store, pen).await, ["ask", "1"]);
    }
}

#[tokio::test]
async fn ledger_rows_arrive_without_anybody_waiting() {
    let (_folder, store) = opened().await;
    let row = LedgerRow {
        session: SessionId(1),
        entry: EntryId(1),
        at_us: 1,
        queued_us: 2,
        thought_us: 3,
        committed_us: 4,
        sent_us: 5,
        limit_us: 6,
        fallback: true,
    };
    for _ in 0..700 {
        store.note_ledger(row);
    }
    Pen::player(&store, 1)
        .write(&store, vec![received("ask")])
        .await;
    while count(&store, "ledger").await < 700 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn matches_are_paged_and_filtered() {
    let (_folder, store) = opened().await;
    for number in 1..=5 {
        let mut pen = Pen::player(&store, number);
        pen.write(&store, vec![received("ask")]).await;
        if number % 2 == 0 {
            pen.end(&store, vec![number as i64, 3, 0, 0], 0).await;
        }
    }
    let ids = async |filter: Filter| {
        let at = PageAt::first(50);
        let page = history::matches(store.reader(), &filter, &at)
            .await
            .unwrap();
        page.items
            .into_iter()
            .map(|row| row.market)
            .collect::<Vec<_>>()
    };
    assert_eq!(ids(Filter::default()).await, [5, 4, 3, 2, 1]);
    let live = Filter {
        live: Some(true),
        ..Filter::default()
    };
    assert_eq!(ids(live).await, [5, 3, 1]);
    let guide = Filter {
        bot: Some("guide".into()),
        ..Filter::default()
    };
    assert_eq!(ids(guide).await, [0; 0]);
    for (outcome, expected) in [(Standing::Won, 4), (Standing::Lost, 2)] {
        let outcome = Filter {
            outcome: Some(outcome),
            ..Filter::default()
        };
        assert_eq!(ids(outcome).await, [expected]);
    }
    let first = history::matches(store.reader(), &Filter::default(), &PageAt::first(2))
        .await
        .unwrap();
    assert_eq!(first.next.as_deref(), Some(match_id(4).as_str()));
    let rest = history::matches(
        store.reader(),
        &Filter::default(),
        &PageAt {
            after: first.next,
            limit: 3,
        },
    )
    .await
    .unwrap();
    assert_eq!((rest.items.len(), rest.next), (3, None));
}

#[tokio::test]
async fn batches_of_every_size_are_whole() {
    let (_folder, store) = opened().await;
    let mut pen = Pen::player(&store, 1);
    let mut expected = 0;
    for size in [1, 2, 5, 63, 64, 65, 700, ENTRIES_MAX] {
        let entries = (expected..expected + size)
            .map(|number| received(&number.to_string()))
            .collect();
        pen.write(&store, entries).await;
        expected += size;
    }
    let numbers: Vec<String> = (0..expected).map(|number| number.to_string()).collect();
    assert_eq!(texts(&store, &pen).await, numbers);
    let many = vec![received("x"); ENTRIES_MAX + 1];
    assert!(matches!(
        store.append(pen.append(many)).await,
        Err(StoreError::Refused(_))
    ));
}

#[tokio::test]
async fn more_entries_than_one_transaction_takes_are_split_between_callers() {
    let (_folder, store) = opened().await;
    let mut pens: Vec<Pen> = (1..=5).map(|number| Pen::player(&store, number)).collect();
    let writes = pens
        .iter_mut()
        .map(|pen| pen.write(&store, vec![received("x"); 900]));
    futures_util::future::join_all(writes).await;
    for pen in &pens {
        assert_eq!(texts(&store, pen).await.len(), 900);
    }
    assert_eq!(store.health().commits, 3);
}

/// Not of a server.
mod file {
    use super::*;

    #[tokio::test]
    async fn two_appends_of_one_session_keep_their_order() {
        let (_folder, store) = opened().await;
        let mut pen = Pen::player(&store, 1);
        let first = pen.append(vec![received("ask")]);
        let mut second = pen.append(vec![said("1")]);
        second.previous = Some(EntryId(1));
        second.seq = 1;
        let (first, second) = tokio::join!(store.append(first), store.append(second));
        assert_eq!(first.unwrap().last, Some(EntryId(1)));
        assert_eq!(second.unwrap().last, Some(EntryId(2)));
    }

    #[tokio::test]
    async fn a_full_disk_is_an_error_and_then_is_over() {
        let (_folder, store, mut pen) = asked().await;
        store.limit_pages(Some(1)).await;
        let big = "x".repeat(100_000);
        let error = store
            .append(pen.append(vec![said(&big)]))
            .await
            .unwrap_err();
        assert!(matches!(error, StoreError::Unwritable(_)), "{error}");
        let why = store.health().failing.unwrap();
        assert!(why.contains("full"), "{why}");
        assert_eq!(texts(&store, &pen).await, ["ask"]);
        store.limit_pages(None).await;
        pen.write(&store, vec![said(&big)]).await;
        assert_eq!(store.health().failing, None);
        assert_eq!(texts(&store, &pen).await, ["ask", &big]);
    }

    #[tokio::test]
    async fn a_writer_without_callers_finds_out_by_itself_that_the_disk_is_free_again() {
        let (_folder, store, mut pen) = asked().await;
        store.limit_pages(Some(1)).await;
        store
            .append(pen.append(vec![said(&"x".repeat(100_000))]))
            .await
            .unwrap_err();
        store.limit_pages(None).await;
        while store.health().failing.is_some() {
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn a_batch_is_synced_if_one_of_its_appends_must_survive_a_power_cut() {
        let (_folder, store) = opened().await;
        let mut session = new_session(1, Side::Player, 0);
        session.durability = Durability::Process;
        let mut weak = Pen::new(&store, Some(new_match(1, false)), session);
        weak.write(&store, vec![received("ask")]).await;
        assert_eq!(store.health().syncs, 0);
        let mut strong = Pen::player(&store, 2);
        strong.write(&store, vec![received("ask")]).await;
        assert_eq!(store.health().syncs, 1);
        let (weak, strong) = (weak.append(vec![said("1")]), strong.append(vec![said("1")]));
        let (weak, strong) = tokio::join!(store.append(weak), store.append(strong));
        assert_eq!((weak.is_ok(), strong.is_ok()), (true, true));
        assert_eq!(store.health().syncs, 2);
    }

    #[tokio::test]
    async fn checkpoints_are_made_while_the_writer_writes() {
        let (_folder, store) = opened().await;
        let mut pen = Pen::player(&store, 1);
        let size = || std::fs::metadata(file_of(&store)).unwrap().len();
        let before = size();
        // Far fewer pages than it takes for the writer to move them itself.
        for _ in 0..800 {
            pen.write(&store, vec![received("ask")]).await;
        }
        for _ in 0..500 {
            if size() > before {
                return;
            }
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
        panic!(
            "all is in the log alone after {} commits",
            store.health().commits
        );
    }
}

//! Packing: what is packed reads as it did before, and nothing is lost on the way.

use super::fake::{Pen, match_id, new_match, new_session, opened, received, said, settings};
use crate::history::GameRules;
use crate::history::{self, MatchEntry};
use crate::store;
use crate::store::packed::{Dictionary, Packed, columns, entries as of_columns};
use crate::store::packer::{SAMPLE_BYTES_MAX, TRAINING_SESSIONS, sample};
use crate::store::sql::query_as;
use crate::store::{
    Direction, Entry, EntryId, Packs, SessionId, Settings, Side, Store, StoreError,
};
use proptest::prelude::*;

const ODD: &str = "?a=\u{0}&b=\"\\\u{1F600}\u{7f}\n";

/// Four matches whose entries lie between each other's: three end, one goes on.
pub(super) async fn played(store: &Store) -> Vec<Pen> {
    let mut pens: Vec<Pen> = (1..=4).map(|number| Pen::player(store, number)).collect();
    for round in 0..5 {
        for pen in &mut pens {
            pen.write(store, vec![received("ask"), said(&round.to_string())])
                .await;
        }
        pens[round % 4].bluff(store, "W 90").await;
    }
    pens[2]
        .write(store, vec![received("say ?"), said(ODD)])
        .await;
    for pen in &mut pens[..3] {
        pen.end(store, vec![3, 1, 0, 0], 1).await;
    }
    pens
}

/// All that can be read of the matches 1 to 4.
pub(super) async fn read(
    store: &Store,
) -> Vec<(Vec<MatchEntry>, Vec<Vec<Entry>>, Vec<Option<u64>>)> {
    let counts = history::entry_counts(store.reader(), None).await.unwrap();
    let mut all = Vec::new();
    for number in 1..=4 {
        let contents = history::contents(store.reader(), &match_id(number))
            .await
            .unwrap();
        let alone = history::entry_counts(store.reader(), Some(&match_id(number)))
            .await
            .unwrap();
        let (mut transcripts, mut counted) = (Vec::new(), Vec::new());
        for session in &contents.sessions {
            let (head, _) = history::head(store.reader(), session)
                .await
                .unwrap()
                .unwrap();
            transcripts.push(
                history::transcript(store.reader(), session.id, head)
                    .await
                    .unwrap(),
            );
            assert_eq!(counts.entries(session), alone.entries(session));
            counted.push(counts.entries(session));
        }
        all.push((
            history::entries(store.reader(), &contents).await.unwrap(),
            transcripts,
            counted,
        ));
    }
    all
}

async fn number(store: &Store, query: &'static str) -> i64 {
    query_as(query)
        .fetch_one(store.reader().pool())
        .await
        .unwrap()
}

async fn in_log(store: &Store) -> i64 {
    number(store, "SELECT count(*) FROM entries").await
}

#[tokio::test]
async fn what_is_packed_reads_as_before_and_what_lives_stays() {
    let (folder, store) = opened().await;
    let mut pens = played(&store).await;
    let before = read(&store).await;
    assert_eq!(store::unpacked(store.reader()).await.unwrap(), 3);
    let mut steps = Vec::new();
    let packs = store::pack(&store, |packs| steps.push(packs))
        .await
        .unwrap();
    assert_eq!(packs, Packs { packed: 3, left: 0 });
    assert_eq!(steps.last(), Some(&packs));
    assert_eq!(read(&store).await, before);
    assert_eq!(in_log(&store).await as u64, pens[3].seq);
    assert_eq!(store::unpacked(store.reader()).await.unwrap(), 0);
    assert_eq!(store::pack(&store, |_| {}).await.unwrap(), Packs::default());
    let texts: Vec<_> = before[2].0.iter().map(|entry| &*entry.text).collect();
    assert!(texts.contains(&ODD));

    // Part of a packed transcript, and what is not in it.
    let head = before[0].1[0][4].id;
    let part = history::transcript(store.reader(), pens[0].id, head)
        .await
        .unwrap();
    assert_eq!(part, before[0].1[0][..=4]);
    for strange in [EntryId(0), pens[1].previous.unwrap(), EntryId(9_999)] {
        let error = history::transcript(store.reader(), pens[0].id, strange)
            .await
            .unwrap_err();
        assert!(matches!(error, StoreError::Corrupt(_)), "{error}");
    }

    pens[3]
        .write(&store, vec![received("ask"), said("9")])
        .await;
    assert_eq!(
        history::integrity(store.reader()).await,
        Vec::<String>::new()
    );
    if store.location().file().is_some() {
        let copy = folder.path().join("copy.db");
        store::backup(store.reader(), &copy).await.unwrap();
        let copy = Store::open_readonly(copy, GameRules::all()).await.unwrap();
        assert_eq!(read(&copy).await[..3], before[..3]);
    }
}

#[tokio::test]
async fn ended_sessions_are_packed_in_the_background_also_those_from_before() {
    let (folder, store) = opened().await;
    let pens = played(&store).await;
    let before = read(&store).await;
    store.close().await;
    let packing = Settings {
        packs: true,
        ..settings(folder.path())
    };
    let store = Store::open(&packing).await.unwrap();
    while store::unpacked(store.reader()).await.unwrap() > 0 {
        tokio::task::yield_now().await;
    }
    assert_eq!(read(&store).await, before);
    let mut pen = Pen::player(&store, 5);
    pen.write(&store, vec![received("ask"), said("1")]).await;
    pen.end(&store, vec![1, 0, 0, 0], 0).await;
    while store::unpacked(store.reader()).await.unwrap() > 0 {
        tokio::task::yield_now().await;
    }
    assert_eq!(in_log(&store).await as u64, pens[3].seq);
    // Closing ends the packing; dropping the last handle does so too.
    store.close().await;
    let store = Store::open(&packing).await.unwrap();
    drop(store);
    loop {
        match Store::open(&packing).await {
            Err(StoreError::InUse { .. }) => tokio::task::yield_now().await,
            other => return other.unwrap().close().await,
        }
    }
}

#[tokio::test]
async fn a_session_that_is_not_whole_stays_as_it_is() {
    for damage in [
        "DELETE FROM entries WHERE text = '1'",
        "UPDATE sessions SET entries = entries + 1",
    ] {
        let (_folder, store) = opened().await;
        let mut pen = Pen::player(&store, 1);
        let texts = vec![received("ask"), said("1"), received("ask"), said("2")];
        pen.write(&store, texts).await;
        pen.end(&store, vec![1, 0, 0, 0], 0).await;
        store.alter(damage).await;
        let left = in_log(&store).await;
        let packs = store::pack(&store, |_| {}).await.unwrap();
        assert_eq!(packs, Packs { packed: 0, left: 1 }, "{damage}");
        assert_eq!(in_log(&store).await, left, "{damage}");
        assert_eq!(
            store::unpacked(store.reader()).await.unwrap(),
            0,
            "it is not tried again"
        );
    }
}

/// Keeps the entry 5 in the log: it is the first of the third session.
const STUCK: &str = "CREATE TRIGGER stuck BEFORE DELETE ON entries WHEN old.id = 5
    BEGIN SELECT raise(ABORT, 'no'); END";

/// Ended sessions of two entries each.
async fn ended(store: &Store, numbers: std::ops::RangeInclusive<u64>) {
    for number in numbers {
        let mut pen = Pen::player(store, number);
        pen.write(store, vec![received("ask")]).await;
        pen.end(store, vec![1, 0, 0, 0], 0).await;
    }
}

#[tokio::test]
async fn damage_to_a_packed_row_is_found() {
    for (damage, found) in [
        (
            "UPDATE packed SET content = substr(content, 1, length(content) - 1)",
            "packed session ",
        ),
        ("UPDATE packed SET content = '0'", "packed session "),
        ("UPDATE packed SET bytes = 3", "packed session "),
        ("UPDATE packed SET bytes = -1", "its length is impossible"),
        ("UPDATE packed SET entries = 2", "are not what it holds"),
        ("UPDATE packed SET last_entry = 2", "are not what it holds"),
        (
            "UPDATE packed SET dictionary = 7",
            "dictionary 7 is missing",
        ),
        ("DELETE FROM packed", "is not of session"),
    ] {
        let (_folder, store) = opened().await;
        let mut pen = Pen::player(&store, 1);
        pen.write(&store, vec![received("ask"), said("1")]).await;
        pen.end(&store, vec![1, 0, 0, 0], 0).await;
        store::pack(&store, |_| {}).await.unwrap();
        store.alter(damage).await;
        let error = history::transcript(store.reader(), pen.id, pen.previous.unwrap()).await;
        let error = error.unwrap_err().to_string();
        assert!(error.contains(found), "{damage}: {error}");
    }
}

/// A session that a dictionary can be trained on.
async fn talked(store: &Store, number: u64) -> Pen {
    let mut pen = Pen::player(store, number);
    for round in 0..30 {
        let ask = format!("ask?round={round}&market={number}&price={}", round * 70);
        pen.write(
            store,
            vec![received(&ask), said(&format!("?money={round}"))],
        )
        .await;
    }
    pen.end(store, vec![1, 0, 0, 0], 0).await;
    pen
}

#[tokio::test]
async fn a_games_first_sessions_train_its_dictionary() {
    let (_folder, store) = opened().await;
    let mut transcripts = Vec::new();
    for number in 1..=TRAINING_SESSIONS as u64 + 3 {
        let pen = talked(&store, number).await;
        let entries = history::transcript(store.reader(), pen.id, pen.previous.unwrap()).await;
        transcripts.push((pen, entries.unwrap()));
    }
    store::pack(&store, |_| {}).await.unwrap();
    assert_eq!(number(&store, "SELECT count(*) FROM dictionaries").await, 1);
    let without = number(
        &store,
        "SELECT count(*) FROM packed WHERE dictionary IS NULL",
    )
    .await;
    assert_eq!(without, TRAINING_SESSIONS);
    let gain = "SELECT (SELECT avg(length(content)) FROM packed WHERE dictionary IS NULL)
                     > (SELECT avg(length(content)) FROM packed WHERE dictionary = 1)";
    assert_eq!(number(&store, gain).await, 1, "it makes them smaller");
    // A later version is used from then on, and the earlier one goes on serving its sessions.
    store
        .alter("INSERT INTO dictionaries (game, content) VALUES ('toy', 'market=')")
        .await;
    let mut late = Pen::player(&store, 99);
    late.write(&store, vec![received("ask"), said("1")]).await;
    late.end(&store, vec![1, 0, 0, 0], 0).await;
    store::pack(&store, |_| {}).await.unwrap();
    let used = "SELECT dictionary FROM packed ORDER BY session DESC LIMIT 1";
    assert_eq!(number(&store, used).await, 2);
    for (pen, entries) in transcripts {
        let read = history::transcript(store.reader(), pen.id, pen.previous.unwrap()).await;
        assert_eq!(read.unwrap(), entries);
    }
}

#[tokio::test]
async fn an_empty_session_needs_no_packing() {
    let (_folder, store) = opened().await;
    store.open_match(new_match(1, true)).await.unwrap();
    let mut pen = Pen::new(&store, None, new_session(1, Side::Referee, 0));
    let mut append = pen.append(Vec::new());
    append.close = Some(Box::new(crate::store::Close::new(5, games::Cause::Normal)));
    pen.send(&store, append).await;
    assert_eq!(store::unpacked(store.reader()).await.unwrap(), 0);
    assert_eq!(store::pack(&store, |_| {}).await.unwrap(), Packs::default());
}

fn any_entries() -> impl Strategy<Value = Vec<Entry>> {
    let entry = (1..1_i64 << 40, any::<i64>(), any::<bool>(), ".*");
    proptest::collection::vec(entry, 1..40).prop_map(|rows| {
        let mut id = 0;
        let entry = |(seq, (step, at_us, out, text))| {
            id += step;
            Entry {
                id: EntryId(id),
                seq,
                at_us,
                direction: if out { Direction::Out } else { Direction::In },
                text,
            }
        };
        (0..).zip(rows).map(entry).collect()
    })
}

proptest! {
    #[test]
    fn columns_hold_every_transcript(entries in any_entries()) {
        let columns = columns(&entries);
        prop_assert_eq!(of_columns(&columns).unwrap(), entries);
        for cut in 0..columns.len() {
            prop_assert!(of_columns(&columns[..cut]).is_err());
        }
    }

    #[test]
    fn strange_columns_are_refused_or_read(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        if let Ok(entries) = of_columns(&bytes) {
            prop_assert_eq!(of_columns(&columns(&entries)).unwrap(), entries);
        }
    }
}

#[test]
fn what_a_dictionary_is_trained_on_is_not_held_whole() {
    let session = "?card=P&".repeat(1 << 20);
    let content = zstd::bulk::compress(session.as_bytes(), 3).unwrap();
    let sample = sample(&content, session.len() as i64).unwrap();
    assert_eq!(sample, &session.as_bytes()[..SAMPLE_BYTES_MAX]);
    assert!(sample.capacity() < 2 * SAMPLE_BYTES_MAX);
}

#[tokio::test]
async fn a_session_that_began_without_an_entry_is_counted_with_its_match() {
    let (_folder, store) = opened().await;
    let mut pen = Pen::player(&store, 1);
    pen.write(&store, Vec::new()).await;
    pen.write(&store, vec![received("ask"), said("1")]).await;
    pen.end(&store, vec![1, 0, 0, 0], 0).await;
    let sessions = history::sessions_of(store.reader(), &match_id(1))
        .await
        .unwrap();
    let counts = history::entry_counts(store.reader(), Some(&match_id(1)))
        .await
        .unwrap();
    assert_eq!(counts.entries(&sessions[0]), Some(3));
}

#[test]
fn nothing_is_packed_of_nothing() {
    let dictionary = Dictionary {
        id: 1,
        content: b"ask".to_vec(),
    };
    let packed = Packed::new(SessionId(1), &[], Some(&dictionary)).unwrap();
    assert!(packed.is_none());
}

/// Not of a server.
mod file {
    use super::*;

    #[tokio::test]
    async fn the_file_shrinks_when_its_sessions_are_packed() {
        let (_folder, store) = opened().await;
        let mut pen = Pen::player(&store, 1);
        for _ in 0..20 {
            pen.write(&store, vec![received(&"card=P&".repeat(2_000))])
                .await;
        }
        pen.end(&store, vec![1, 0, 0, 0], 0).await;
        assert_eq!(store.give_back().await.unwrap(), 0);
        store::pack(&store, |_| {}).await.unwrap();
        assert!(store.give_back().await.unwrap() > 200_000);
        assert_eq!(number(&store, "PRAGMA freelist_count").await, 0);
        assert_eq!(store.give_back().await.unwrap(), 0);
    }

    #[tokio::test]
    async fn numbers_of_packed_entries_are_never_given_again() {
        let (folder, store) = opened().await;
        let mut pen = Pen::player(&store, 1);
        pen.write(&store, vec![received("ask"), said("1")]).await;
        pen.end(&store, vec![1, 0, 0, 0], 0).await;
        store::pack(&store, |_| {}).await.unwrap();
        assert_eq!(in_log(&store).await, 0);
        // Ends without storing the heads.
        store.cut();
        let store = loop {
            match Store::open(&settings(folder.path())).await {
                Err(StoreError::InUse { .. }) => tokio::task::yield_now().await,
                other => break other.unwrap(),
            }
        };
        let mut next = Pen::player(&store, 2);
        let receipt = next.write(&store, vec![received("ask")]).await;
        assert_eq!(receipt.last, Some(EntryId(4)));
        let contents = history::contents(store.reader(), &match_id(1))
            .await
            .unwrap();
        assert_eq!(
            history::entries(store.reader(), &contents)
                .await
                .unwrap()
                .len(),
            3
        );
    }

    #[tokio::test]
    async fn sessions_that_were_not_stored_train_no_dictionary() {
        let (_folder, store) = opened().await;
        for number in 1..=TRAINING_SESSIONS as u64 + 8 {
            talked(&store, number).await;
        }
        let stuck = "CREATE TRIGGER stuck BEFORE INSERT ON packed WHEN new.session % 2 = 0
                 BEGIN SELECT raise(ABORT, 'no'); END";
        store.alter(stuck).await;
        store::pack(&store, |_| {}).await.unwrap();
        assert_eq!(number(&store, "SELECT count(*) FROM packed").await, 20);
        assert_eq!(number(&store, "SELECT count(*) FROM dictionaries").await, 0);
    }

    #[tokio::test]
    async fn a_session_that_is_refused_moves_nothing_and_stops_no_other() {
        let (_folder, store) = opened().await;
        ended(&store, 1..=20).await;
        store.alter(STUCK).await;
        let packs = store::pack(&store, |_| {}).await.unwrap();
        assert_eq!(
            packs,
            Packs {
                packed: 19,
                left: 1
            }
        );
        assert_eq!(in_log(&store).await, 2, "all of a session or nothing of it");
        assert_eq!(store.health().failing, None);
        store.alter("DROP TRIGGER stuck").await;
        assert_eq!(store::pack(&store, |_| {}).await.unwrap().packed, 1);
    }

    #[tokio::test]
    async fn the_background_tries_a_refused_session_again_after_a_restart_alone() {
        let (folder, store) = opened().await;
        ended(&store, 1..=3).await;
        store.alter(STUCK).await;
        store.close().await;
        let packing = Settings {
            packs: true,
            ..settings(folder.path())
        };
        let store = Store::open(&packing).await.unwrap();
        let only = async |left| {
            while store::unpacked(store.reader()).await.unwrap() != left {
                tokio::task::yield_now().await;
            }
        };
        only(1).await;
        // Sessions that end later are packed at once.
        ended(&store, 4..=5).await;
        only(1).await;
        store.alter("DROP TRIGGER stuck").await;
        ended(&store, 6..=6).await;
        only(1).await;
        store.close().await;
        let store = Store::open(&packing).await.unwrap();
        while store::unpacked(store.reader()).await.unwrap() > 0 {
            tokio::task::yield_now().await;
        }
        store.close().await;
    }
}

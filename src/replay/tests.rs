//! What verification finds.

use crate::store;
use crate::store::tests::fake::{
    Pen, call, match_id, new_match, new_session, opened, received, said, settings,
};
use crate::store::{Close, Direction, MatchResult, NewEntry, Side, Store, StoreError};
use games::Cause;

/// A player's match with a decision, a due answer, a bluff and an end.
async fn play(store: &Store, number: u64) {
    let mut pen = Pen::player(store, number);
    pen.write(
        store,
        vec![
            received("ask"),
            said("7"),
            received("say hello"),
            said("hello"),
        ],
    )
    .await;
    pen.bluff(store, "W 90").await;
    pen.end(store, vec![3, 1, 0, 0], 1).await;
}

/// A match of our own referee: two seats, two rounds, one late answer.
async fn referee(store: &Store, number: u64) {
    store.open_match(new_match(number, true)).await.unwrap();
    let mut pens =
        [0, 1].map(|seat| Pen::new(store, None, new_session(number, Side::Referee, seat)));
    for (turn, reply) in (0..).zip(["5", "2", "\u{1}late", "4"]) {
        let at_us = 10 * turn;
        let call = NewEntry::new(at_us, Direction::Out, call(number, turn));
        let reply = NewEntry::new(at_us + 1, Direction::In, reply);
        pens[turn as usize % 2]
            .write(store, vec![call, reply])
            .await;
    }
    for mut pen in pens {
        let mut append = pen.append(Vec::new());
        append.close = Some(Box::new(Close::new(50, Cause::Normal)));
        pen.send(store, append).await;
    }
    let result = MatchResult::new(51, Cause::Normal, vec![5, 6]);
    store.close_match(&match_id(number), result).await.unwrap();
}

/// What verification says about one match after `damage`, and after it was packed.
async fn after(damage: &'static str, packs: bool) -> Vec<String> {
    let (_folder, store) = opened().await;
    play(&store, 1).await;
    referee(&store, 2).await;
    store.alter(damage).await;
    if packs {
        store::pack(&store, |_| {}).await.unwrap();
    }
    let mut found = Vec::new();
    let summary = crate::replay::verify(&store, None, |checked| {
        found.extend(checked.differences.iter().map(|one| one.what.clone()))
    })
    .await
    .unwrap();
    assert_eq!(summary.differences as usize, found.len());
    found
}

#[tokio::test]
async fn a_good_store_is_clean() {
    let (_folder, store) = opened().await;
    play(&store, 1).await;
    referee(&store, 2).await;
    Pen::player(&store, 3)
        .write(&store, vec![received("ask")])
        .await;
    let mut differences = Vec::new();
    let summary = crate::replay::verify(&store, None, |checked| {
        differences.extend(checked.differences.clone())
    })
    .await
    .unwrap();
    assert_eq!(differences, []);
    assert!(summary.clean(), "{summary:?}");
    assert_eq!(
        (summary.matches, summary.sessions, summary.entries),
        (3, 4, 15)
    );
    let one = crate::replay::verify(&store, Some(&match_id(1)), |_| {})
        .await
        .unwrap();
    assert_eq!(one.matches, 1);
    assert!(matches!(
        crate::replay::verify(&store, Some("x"), |_| {}).await,
        Err(StoreError::Unknown { .. })
    ));
}

#[tokio::test]
async fn every_kind_of_damage_is_found() {
    let cases = [
        (
            "UPDATE entries SET text = 'hullo' WHERE text = 'hello'",
            "was due",
        ),
        (
            "UPDATE facts SET data = '{\"by\":\"W\",\"bid\":91}'",
            "is stored, folding gives",
        ),
        ("DELETE FROM facts", "0 facts are stored"),
        (
            "UPDATE sessions SET scores = '[3,2,0,0]' WHERE id = 1",
            "folding gives Normal",
        ),
        (
            "UPDATE entries SET previous = NULL WHERE id = 3",
            "are linked",
        ),
        ("DELETE FROM entries WHERE id = 2", "is missing"),
        (
            "UPDATE entries SET text = 'boom' WHERE text LIKE 'end%'",
            "folding it panics",
        ),
        (
            "UPDATE entries SET text = '6' WHERE text = '5'",
            "playing it again gives",
        ),
        (
            "UPDATE entries SET text = 'turn 9' WHERE text LIKE '%round=1'",
            "was due",
        ),
        (
            "UPDATE matches SET scores = '[5,7]' WHERE ours = 1",
            "playing it again gives",
        ),
    ];
    for (damage, sentence) in cases {
        let found = after(damage, false).await;
        assert!(
            found.iter().any(|what| what.contains(sentence)),
            "{damage}: {found:?}"
        );
        assert_eq!(after(damage, true).await, found, "packed: {damage}");
    }
}

#[tokio::test]
async fn a_backup_of_a_busy_store_opens_and_verifies() {
    let (folder, store) = opened().await;
    play(&store, 1).await;
    referee(&store, 2).await;
    let mut pen = Pen::player(&store, 3);
    pen.write(&store, vec![received("ask")]).await;
    let copy = folder.path().join("copy.db");
    let (backup, _) = tokio::join!(
        store::backup(store.reader(), &copy),
        pen.write(&store, vec![said("1")])
    );
    backup.unwrap();
    let error = store::backup(store.reader(), &copy).await.unwrap_err();
    assert!(matches!(error, StoreError::Backup { .. }), "{error}");
    let settings = crate::store::Settings {
        location: copy.into(),
        ..settings(folder.path())
    };
    let copied = Store::open(&settings).await.unwrap();
    let summary = crate::replay::verify(&copied, None, |_| {}).await.unwrap();
    assert!(summary.clean(), "{summary:?}");
    assert_eq!(summary.matches, 3);
    assert_eq!(copied.live().await.unwrap().len(), 1);
}

//! Naming the players on seats, and which model learns.

use crate::history::{self, OpponentKind, PageAt};
use crate::store::tests::fake::{Pen, asked, match_id, new_match, opened, received};
use crate::store::{Store, StoreError};
use serde_json::json;

async fn bluffs_of(store: &Store, name: &str) -> Option<i64> {
    let named = Some(OpponentKind::Named);
    let models = history::models(store.reader(), Some("toy"), named, &PageAt::first(50)).await;
    let models = models.unwrap().items;
    let model = models.iter().find(|model| model.name == name)?;
    model.model["bluffs"].as_i64()
}

#[tokio::test]
async fn lessons_reach_types_at_once_and_names_when_they_are_known() {
    let (_folder, store) = opened().await;
    for (number, bluffs) in [(1, 2), (2, 3)] {
        let mut pen = Pen::player(&store, number);
        pen.write(&store, vec![received("ask")]).await;
        if number == 2 {
            // Seat 1 is W of seat 0; named while the match lives.
            store
                .rename_seat(&match_id(2), 1, Some("alice"))
                .await
                .unwrap();
        }
        pen.end(&store, vec![1, 2, 3, 4], bluffs).await;
    }
    let others = history::models_now(store.reader(), "toy", &[], 1)
        .await
        .unwrap();
    let others = history::model_versions(store.reader(), &others)
        .await
        .unwrap()
        .into_iter();
    let others: Vec<_> = others.map(|model| model.name).collect();
    assert_eq!(others, ["alice", "bluffer"], "who was learnt from last");
    let type_now = history::models_now(store.reader(), "toy", &[], 0)
        .await
        .unwrap();
    let mut type_now = history::model_versions(store.reader(), &type_now)
        .await
        .unwrap();
    let model = type_now.pop().unwrap();
    assert_eq!((model.name.as_str(), model.version), ("bluffer", 2));
    assert_eq!((model.model, type_now), (json!({ "bluffs": 5 }), vec![]));
    assert_eq!(bluffs_of(&store, "alice").await, Some(3));
    store
        .rename_seat(&match_id(1), 1, Some("alice"))
        .await
        .unwrap();
    assert_eq!(bluffs_of(&store, "alice").await, Some(5));
    store
        .rename_seat(&match_id(1), 1, Some("alice"))
        .await
        .unwrap();
    assert_eq!(bluffs_of(&store, "alice").await, Some(5), "once");
    store
        .rename_seat(&match_id(2), 1, Some("bob"))
        .await
        .unwrap();
    assert_eq!(
        bluffs_of(&store, "alice").await,
        Some(2),
        "another name takes it away"
    );
    assert_eq!(bluffs_of(&store, "bob").await, Some(3));
    store
        .rename_seat(&match_id(1), 1, Some("bob"))
        .await
        .unwrap();
    assert_eq!(bluffs_of(&store, "alice").await, None);
    assert_eq!(bluffs_of(&store, "bob").await, Some(5));
    store.rename_seat(&match_id(1), 1, None).await.unwrap();
    assert_eq!(bluffs_of(&store, "bob").await, Some(3));
    let row = history::match_row(store.reader(), &match_id(1))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(row.seats[1].name, None);
    let unknown = store
        .rename_seat(&match_id(1), 9, Some("carol"))
        .await
        .unwrap_err();
    assert!(
        matches!(unknown, StoreError::Unknown { what: "seat", .. }),
        "{unknown}"
    );
}

#[tokio::test]
async fn a_match_is_ended_once_and_only_if_it_exists() {
    let (_folder, store) = opened().await;
    store.open_match(new_match(1, true)).await.unwrap();
    store.open_match(new_match(1, true)).await.unwrap();
    let result = |scores: Vec<i64>| crate::store::MatchResult::new(7, games::Cause::Normal, scores);
    store
        .close_match(&match_id(1), result(vec![4, 4]))
        .await
        .unwrap();
    store
        .close_match(&match_id(1), result(vec![0, 9]))
        .await
        .unwrap();
    let row = history::match_row(store.reader(), &match_id(1))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(row.scores, [4, 4]);
    assert_eq!(row.seats[0].win_share, Some(0.5));
    let unknown = store
        .close_match("nothing", result(vec![]))
        .await
        .unwrap_err();
    assert!(
        matches!(unknown, StoreError::Unknown { what: "match", .. }),
        "{unknown}"
    );
}

/// Not of a server.
mod file {
    use super::*;

    #[tokio::test]
    async fn a_model_changes_with_the_end_of_its_match_or_not_at_all() {
        let (_folder, store, mut pen) = asked().await;
        store.alter("CREATE TRIGGER no_models BEFORE INSERT ON opponent_models BEGIN SELECT raise(ABORT, 'no'); END").await;
        let mut append = pen.append(vec![received("end 1,2,3,4")]);
        append.close = Some(Box::new(crate::store::Close {
            scores: vec![1, 2, 3, 4],
            lessons: vec![games::Lesson {
                rival: "W".into(),
                kind: Some(("bluffer".into(), 0.9)),
                evidence: json!({ "bluffs": 1 }),
            }],
            ..crate::store::Close::new(9, games::Cause::Normal)
        }));
        assert!(matches!(
            store.append(append).await,
            Err(StoreError::Refused(_))
        ));
        let row = history::match_row(store.reader(), &match_id(1))
            .await
            .unwrap()
            .unwrap();
        assert_eq!(row.ended_us, None);
        assert_eq!(
            history::transcript(store.reader(), pen.id, pen.previous.unwrap())
                .await
                .unwrap()
                .len(),
            1
        );
        store.alter("DROP TRIGGER no_models").await;
        pen.end(&store, vec![1, 2, 3, 4], 1).await;
        let row = history::match_row(store.reader(), &match_id(1))
            .await
            .unwrap()
            .unwrap();
        assert_eq!(
            (row.cause, row.scores),
            (Some(games::Cause::Normal), vec![1, 2, 3, 4])
        );
        assert_eq!(row.seats[3].win_share, Some(1.0));
    }
}

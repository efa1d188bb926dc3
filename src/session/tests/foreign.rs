//! Matches that somebody else referees: seats, names, results.

use super::world::{World, key, key_at, options};
use crate::store::{Filter, OpponentKind, PageAt, Standing};

fn page() -> PageAt {
    PageAt::first(10)
}

#[tokio::test]
async fn seats_count_from_our_first_session_and_can_be_named_and_asked_for() {
    let world = World::new(options()).await;
    let (first, second) = (key(1, 1), key_at("quick", "r", 1, 2));
    for at in [&first, &second] {
        world.say(at, "begin").await;
    }
    world.say(&first, "bluff").await;
    let store = &world.parts.store;
    let match_id = world.sessions.list(1).pop().unwrap().match_id;
    store.name_seat(&match_id, 1, "alice").await.unwrap();
    // The one that does not know its seat ends first: the result waits for the other.
    world.say(&second, "end").await;
    world.say(&first, "end").await;
    let sessions = store.sessions_of(&match_id).await.unwrap();
    let seats: Vec<_> = sessions.iter().map(|row| row.opened.seat).collect();
    assert_eq!(seats, [Some(0), None]);
    let row = store.match_row(&match_id).await.unwrap().unwrap();
    assert_eq!(row.scores, [4, 3, 2, 1]);
    let count = async |filter: Filter| store.sessions(&filter, &page()).await.unwrap().items.len();
    let outcome = |outcome| Filter {
        outcome: Some(outcome),
        ..Filter::default()
    };
    assert_eq!(count(outcome(Standing::Won)).await, 2);
    assert_eq!(count(outcome(Standing::Lost)).await, 0);
    assert_eq!(count(outcome(Standing::Tied)).await, 0);
    // What is altered here is not listed anew: asked for by its match, it need not be.
    let outcome = |wanted| Filter {
        match_id: Some(match_id.clone()),
        ..outcome(wanted)
    };
    store
        .alter("UPDATE sessions SET scores = '[4,4,1,1]' WHERE seat IS NULL")
        .await;
    assert_eq!(count(outcome(Standing::Tied)).await, 1);
    store
        .alter("UPDATE sessions SET scores = '[1,4,4,1]' WHERE seat IS NULL")
        .await;
    assert_eq!(count(outcome(Standing::Lost)).await, 1);
    let alice = Filter {
        opponent: Some("alice".into()),
        ..Filter::default()
    };
    assert_eq!(store.matches(&alice, &page()).await.unwrap().items.len(), 1);
    let bluffs = store.bluffs(&alice, &page()).await.unwrap().items;
    assert_eq!(bluffs.len(), 1);
    assert_eq!(bluffs.first().unwrap().seat, Some(1));
    let known = store.models(None, Some(OpponentKind::Named), &page()).await;
    let names = known.unwrap().items.into_iter().map(|model| model.name);
    assert!(!names.collect::<Vec<_>>().contains(&"bob".to_owned()));
}

#[tokio::test]
async fn an_end_again_after_a_restart_opens_nothing() {
    let (world, at) = World::begun(options()).await;
    world.say(&at, "end").await;
    let world = world.restart().await;
    // The second is known to nobody: it may have ended long ago.
    let unknown = key(7, 1);
    for at in [&at, &unknown] {
        assert_eq!(world.say(at, "end").await, "");
    }
    assert_eq!(world.sessions.live(), 0);
    let (all, page) = (Filter::default(), page());
    let stored = world.parts.store.sessions(&all, &page).await.unwrap();
    assert_eq!(stored.items.len(), 1);
    assert_ne!(
        world.say(&unknown, "ask").await,
        "",
        "a match may be joined late"
    );
}

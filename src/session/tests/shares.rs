//! One peer who wants all sessions.

use super::world::{SessionView, World, key, key_at, options, until};
use crate::history;
use crate::identities::KnownMatch;
use crate::session::{Origin, Refusal, SessionOptions};
use crate::store::tests::fake::named_match;
use crate::store::types::Durability;
use std::sync::Arc;
use std::time::Duration;

fn from(last: u8) -> Origin {
    Origin::new([127, 0, 0, last].into(), false, false)
}

/// Begins sessions until one is refused: how many there are, and why the last one is not.
async fn fill(world: &World, origin: Origin, referee: &str) -> (u64, Refusal) {
    for market in 1.. {
        let at = key_at("champion", referee, market, 1);
        if let Err(refusal) = world.send_from(origin, &at, "begin").await {
            return (market - 1, refusal);
        }
    }
    unreachable!("there is an end of room");
}

async fn scarce(sessions_max: usize) -> World {
    World::new(SessionOptions {
        sessions_max,
        ..options()
    })
    .await
}

#[tokio::test]
async fn one_peer_does_not_get_what_is_left_and_others_do() {
    let world = scarce(32).await;
    assert!(!world.sessions.is_short());
    let (greedy, refusal) = fill(&world, from(2), "greedy").await;
    assert_eq!((greedy, refusal), (25, Refusal::Share));
    assert!(world.sessions.is_short());
    assert_eq!(world.sessions.refusal(), None, "somebody new is let in");
    for market in 1..=2 {
        let at = key_at("champion", "honest", market, 1);
        world.send_from(from(3), &at, "begin").await.unwrap();
    }
    // Those who are exempt, too, and up to the very end.
    let exempt = Origin::new([127, 0, 0, 2].into(), true, false);
    let (ours, refusal) = fill(&world, exempt, "ours").await;
    assert_eq!((ours, refusal), (5, Refusal::Full));
    assert_eq!(world.sessions.refusal(), Some(Refusal::Full));
    // What runs goes on.
    let running = key_at("champion", "greedy", 1, 1);
    let ask = world.send_from(from(2), &running, "ask").await.unwrap();
    assert!(ask.text.starts_with(b"?n="), "{ask:?}");
}

#[tokio::test]
async fn our_own_referees_matches_are_nobodys_share() {
    let world = scarce(16).await;
    fill(&world, from(2), "greedy").await;
    let known = KnownMatch {
        row: Arc::new(named_match("01MATCH", 5, |_| None)),
        ids: vec![21],
    };
    world.parts.identities.register("r", 5, known);
    let ours = world.send_from(from(2), &key(5, 21), "begin").await;
    ours.unwrap();
    let other = world.send_from(from(2), &key(5, 22), "begin").await;
    assert_eq!(other.unwrap_err(), Refusal::Share);
}

#[tokio::test]
async fn sessions_that_merely_began_end_first_where_sessions_are_scarce() {
    let world = World::new(SessionOptions {
        sessions_max: 32,
        fresh_limit: Duration::from_secs(1),
        durability_default: Durability::Process,
        ..options()
    })
    .await;
    let honest = key_at("champion", "honest", 1, 1);
    world.send_from(from(3), &honest, "begin").await.unwrap();
    for market in 1..=10 {
        let played = key_at("champion", "greedy", 1_000 + market, 1);
        world.send_from(from(2), &played, "begin").await.unwrap();
        world.send_from(from(2), &played, "ask").await.unwrap();
    }
    let oldest = key_at("champion", "greedy", 999, 1);
    world.send_from(from(2), &oldest, "begin").await.unwrap();
    tokio::time::sleep(Duration::from_millis(20)).await;
    fill(&world, from(2), "greedy").await;
    assert!(world.sessions.is_short());
    until(|| (!world.sessions.is_short()).then_some(())).await;
    let left = world.sessions.list(100);
    let of = |referee: &str| left.iter().filter(|view| view.referee == referee).count();
    assert_eq!(of("honest"), 1, "the greediest go first");
    assert!((20..=23).contains(&of("greedy")), "{}", of("greedy"));
    let played = |view: &&SessionView| view.market > 1_000;
    assert_eq!(left.iter().filter(played).count(), 10, "they are played");
    let is_oldest = |view: &SessionView| view.market == oldest.market;
    assert!(!left.iter().any(is_oldest), "the oldest go first");
}

#[tokio::test]
async fn a_peer_begins_no_faster_than_its_rate_where_something_is_scarce() {
    let world = World::new(SessionOptions {
        sessions_max: 100_000,
        durability_default: Durability::Process,
        ..options()
    })
    .await;
    let hasty = Origin::new([127, 0, 0, 2].into(), false, true);
    let (rates, peer) = (&world.sessions.registry.rates, hasty.peer.unwrap());
    let now = std::time::Instant::now();
    let allowed = (1..1_000).all(|_| rates.allow(peer, now));
    assert!(allowed && !rates.has_used_up(&peer, now));
    // The thousandth at once.
    let begin = |market| key_at("champion", "hasty", market, 1);
    world.send_from(hasty, &begin(1), "begin").await.unwrap();
    assert!(rates.has_used_up(&peer, now));
    // More than comes back while this test runs.
    (0..100_000).for_each(|_| rates.note(peer, now));
    let refused = world.send_from(hasty, &begin(2), "begin").await;
    assert_eq!(refused.unwrap_err(), Refusal::Rate);
    let other = Origin::new([127, 0, 0, 3].into(), false, true);
    let at = key_at("champion", "other", 1, 1);
    world.send_from(other, &at, "begin").await.unwrap();
    // Where nothing is scarce there is no rate.
    world.send_from(from(2), &begin(3), "begin").await.unwrap();
}

#[tokio::test]
async fn after_a_start_sessions_count_for_the_address_that_is_their_referees_name() {
    let world = scarce(16).await;
    let (held, _) = fill(&world, from(2), "127.0.0.2").await;
    let world = world.restart().await;
    assert_eq!(world.sessions.live() as u64, held);
    let more = key_at("champion", "127.0.0.2", 99, 1);
    let refused = world.send_from(from(2), &more, "begin").await;
    assert_eq!(refused.unwrap_err(), Refusal::Share);
    let other = key_at("champion", "127.0.0.3", 99, 1);
    world.send_from(from(3), &other, "begin").await.unwrap();
}

#[tokio::test]
async fn what_strangers_merely_began_is_bounded_and_who_plays_makes_room() {
    let world = World::new(SessionOptions {
        begun_max: 8,
        ..options()
    })
    .await;
    let (begun, refusal) = fill(&world, from(2), "127.0.0.2").await;
    assert_eq!(begun, 7, "{begun}");
    assert_eq!(refusal, Refusal::Share);
    let next = key_at("champion", "127.0.0.2", 100, 1);
    world.send_from(from(2), &next, "begin").await.unwrap_err();
    let first = key_at("champion", "127.0.0.2", 1, 1);
    world.send_from(from(2), &first, "ask").await.unwrap();
    world.send_from(from(2), &next, "begin").await.unwrap();
}

#[tokio::test]
async fn of_what_strangers_merely_began_nothing_is_kept() {
    let world = World::new(SessionOptions {
        idle_limit: Duration::from_millis(400),
        ..options()
    })
    .await;
    let store = world.store();
    let exempt = Origin::new([127, 0, 0, 2].into(), true, false);
    for (origin, market) in [(from(2), 1), (from(2), 2), (from(2), 3), (exempt, 4)] {
        let at = key_at("champion", "127.0.0.2", market, 1);
        world.send_from(origin, &at, "begin").await.unwrap();
    }
    let again = key_at("champion", "127.0.0.2", 1, 1);
    world.send_from(from(2), &again, "begin").await.unwrap();
    // Two seats of one match, of which one is played.
    let played = key_at("champion", "127.0.0.2", 3, 2);
    for word in ["begin", "ask"] {
        world.send_from(from(2), &played, word).await.unwrap();
    }
    let kept = async {
        while world.sessions.live() > 0
            || history::match_ids(store.reader()).await.unwrap().len() > 2
        {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), kept)
        .await
        .unwrap();
    for (rows, of) in [
        (3, "sessions"),
        (2, "matches WHERE market IN (3, 4)"),
        (0, "seats WHERE match_id NOT IN (SELECT id FROM matches)"),
        (
            0,
            "participations WHERE match_id NOT IN (SELECT id FROM matches)",
        ),
        (0, "results WHERE match_id NOT IN (SELECT id FROM matches)"),
        (0, "facts WHERE session NOT IN (SELECT id FROM sessions)"),
    ] {
        let count = store.alter(&format!("SELECT count(*) FROM {of}")).await;
        assert_eq!(count, Some(rows), "{of}");
    }
    assert_eq!(
        history::integrity(store.reader()).await,
        Vec::<String>::new()
    );
}

//! What is read of many matches at once: seats' facts, bots and times, and why answers were late.

use crate::history;
use crate::store::tests::fake::{Pen, match_id, new_match, new_session, opened, received, said};
use crate::store::{EntryId, LedgerRow, NewSession, SessionId, Side, Store};
use games::{Fact, Seat};
use serde_json::json;
use std::time::Duration;

fn decision(session: SessionId, entry: EntryId, fallback: bool) -> LedgerRow {
    LedgerRow {
        session,
        entry,
        at_us: 1,
        queued_us: 5,
        thought_us: 80,
        committed_us: 90,
        sent_us: 100,
        limit_us: 1_000,
        fallback,
    }
}

/// A match with a session of our referee on seat 0, one of a program on seat 1, and one whose seat is not known. The
/// program's decision was late.
async fn played(store: &Store) -> [SessionId; 2] {
    let mut row = new_match(1, true);
    row.seats[0].spec = "builtin:champion".into();
    let referee = NewSession {
        bot: "builtin:champion".into(),
        ..new_session(1, Side::Referee, 0)
    };
    let mut of_referee = Pen::new(store, Some(row), referee);
    let program = NewSession {
        bot: "bot:mybot@2".into(),
        ..new_session(1, Side::Player, 1)
    };
    let mut of_program = Pen::new(store, None, program);
    let nowhere = NewSession {
        seat: None,
        ..new_session(1, Side::Player, 1)
    };
    let mut of_nobody = Pen::new(store, None, nowhere);
    for pen in [&mut of_referee, &mut of_program, &mut of_nobody] {
        pen.bluff(store, "W 190").await;
    }
    let asked = of_program.write(store, vec![received("ask")]).await;
    let other = of_referee.write(store, vec![received("ask")]).await;
    let mut late = of_program.append(vec![said("7")]);
    let fact = Fact::new("fallback", json!({ "cause": "program_late" }));
    late.facts.push((fact, None));
    of_program.send(store, late).await;
    store.note_ledger(decision(of_program.id, asked.last.unwrap(), true));
    store.note_ledger(decision(of_referee.id, other.last.unwrap(), false));
    let lines = async || history::ledger_newest(store.reader(), 9).await.unwrap();
    while lines().await.len() < 2 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    [of_program.id, of_referee.id]
}

#[tokio::test]
async fn seats_of_many_matches_are_read_at_once() {
    let (_folder, store) = opened().await;
    let both = played(&store).await;
    let (reader, id) = (store.reader(), match_id(1));
    let ids = [id.as_str(), "none"];
    let facts = history::facts_by_seat(reader, &ids, &["bluff"])
        .await
        .unwrap();
    let seats: Vec<(Seat, usize)> = facts[&id]
        .iter()
        .map(|(seat, facts)| (*seat, facts.len()))
        .collect();
    assert_eq!(seats, [(Seat(0), 1), (Seat(1), 1)]);
    let bots = history::bots_by_seat(reader, &ids).await.unwrap();
    assert_eq!(bots[&(id.clone(), 0)], "champion");
    assert_eq!(bots[&(id.clone(), 1)], "bot:mybot@2");
    let times = history::times_by_seat(reader, &ids).await.unwrap();
    let counts = [0, 1].map(|seat| {
        let of = &times[&(id.clone(), seat)];
        (of.decisions, of.late, of.fallbacks)
    });
    assert_eq!(counts, [(1, 0, 0), (1, 1, 1)]);
    let lines = history::ledger_newest_of(reader, &both, 9).await.unwrap();
    let reasons: Vec<_> = lines
        .iter()
        .map(|line| (line.seat, line.reason()))
        .collect();
    assert_eq!(reasons, [(Some(0), None), (Some(1), Some("program_late"))]);
    let versions = history::only_versions(reader).await.unwrap();
    assert!(versions.contains_key(&("koehandel".to_owned(), "champion".to_owned())));
    let before = versions.len();
    store
        .alter("INSERT INTO bots (game, name, version, signature) VALUES ('koehandel', 'champion', 0, 0)")
        .await;
    let versions = history::only_versions(reader).await.unwrap();
    assert_eq!(
        versions.len(),
        before - 1,
        "with two versions neither is sure"
    );
}

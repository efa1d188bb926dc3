//! Candidates next to those who played in stored sessions: what they would have played, and how they fail.

use super::program::{GOOD, Table, bots, python, write};
use super::world::{World, key_at, options, until};
use crate::history::{self, Filter, PageAt};
use crate::replay::{Candidate, Comparing, Comparison, DIFFERENCES_MAX, times_ms};
use crate::session::SessionOptions;
use crate::store::Store;
use crate::store::tests::fake::{Pen, opened, received, said};
use crate::store::types::{Close, Direction, EntryId, LedgerRow, NewEntry, SessionId};
use crate::toy;
use games::{Cause, Fact, Kit};
use serde_json::json;
use std::fs;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// A message that asks a bot of the toy game for a decision.
fn ask() -> NewEntry {
    received("ask")
}

/// As sessions of [`koehandel`] do it.
fn comparing(kit: &'static dyn Kit, candidate: Candidate) -> Comparing {
    Comparing {
        candidate,
        kit,
        nodes: 60,
        ceiling: Duration::MAX,
        margin: Duration::from_millis(1_000),
        filter: Filter::default(),
        limit: u64::MAX,
        stop: CancellationToken::new(),
    }
}

fn champion() -> Comparing {
    comparing(toy::kit(), Candidate::Builtin("champion".to_owned()))
}

async fn compared(store: &Store, comparing: &Comparing) -> Comparison {
    crate::replay::compare(store, comparing, |_| ())
        .await
        .unwrap()
}

/// A match of Koehandel that this bot has played, whose session restarts after this call.
async fn koehandel(answer: &str, bot: &str, restart_at: Option<usize>) -> Table {
    let options = SessionOptions {
        margin: Duration::from_millis(1_000),
        nodes: Some(60),
        ..SessionOptions::default()
    };
    let (table, outcome, _) = Table::with(answer, options, bot)
        .await
        .play(restart_at)
        .await;
    assert_eq!(outcome.cause, Cause::Normal);
    until(|| (table.sessions.live() == 0).then_some(())).await;
    table
}

/// The program of a table, as one that did not play.
fn mine(table: &Table) -> Candidate {
    let bots = bots(table.folder.path());
    Candidate::Program(bots.find("mine").unwrap(), bots)
}

async fn tried(table: &Table, candidate: Candidate) -> Comparison {
    let kit = games::find("koehandel").unwrap();
    compared(&table.store, &comparing(kit, candidate)).await
}

async fn against_built_in(table: &Table, name: &str) -> Comparison {
    tried(table, Candidate::Builtin(name.to_owned())).await
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_bot_agrees_in_everything_and_another_one_does_not() {
    let table = koehandel("", "champion", None).await;
    let same = against_built_in(&table, "champion").await;
    assert_eq!((same.sessions, same.left_out, same.more), (1, 0, false));
    assert!(same.decisions > 20, "{same:?}");
    assert_eq!(same.agreed, same.decisions, "{same:?}");
    assert_eq!(
        (same.differences.len(), same.faults.len()),
        (0, 0),
        "{same:?}"
    );
    assert_eq!(same.agreement.unwrap().share, 1.0);
    assert_eq!(same.took.count(), same.decisions);
    assert!(times_ms(&same.played).unwrap().is_sorted());
    let other = against_built_in(&table, "random").await;
    assert_eq!(other.decisions, same.decisions);
    assert!(other.differed > 5, "{other:?}");
    assert_eq!(other.agreed + other.differed, other.decisions);
    assert_eq!(other.differed as usize, other.differences.len());
    // Each difference leads to the entry that asked, and to what was played.
    let row = history::session(table.store.reader(), SessionId(1))
        .await
        .unwrap()
        .unwrap();
    let entries = history::transcript(table.store.reader(), row.id, row.last_entry.unwrap())
        .await
        .unwrap();
    for one in &other.differences {
        assert_eq!((&one.match_id, one.session), (&row.opened.match_id, row.id));
        let at = entries
            .iter()
            .position(|entry| entry.id == one.entry)
            .unwrap();
        assert_eq!(entries[at].direction, Direction::In);
        let next = entries
            .get(at + 1)
            .filter(|next| next.direction == Direction::Out);
        assert_eq!(next.map(|next| &next.text), one.played.as_ref());
        assert_ne!(one.played, one.would_play);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_agrees_with_itself_over_a_restart_and_a_built_in_bot_is_compared_with_it() {
    if !python() {
        return;
    }
    let table = koehandel(GOOD, "mine", Some(60)).await;
    table.ran(1).await;
    let noted = history::note(table.store.reader(), "mine", "koehandel")
        .await
        .unwrap();
    let same = tried(&table, mine(&table)).await;
    assert_eq!(same.candidate, "bot:mine@1.0");
    assert!(same.decisions > 20, "{same:?}");
    // Its fallback may have answered what was asked before the restart, and was asked once more.
    assert!(same.fallbacks <= 1, "{same:?}");
    assert_eq!(same.agreed + same.fallbacks, same.decisions, "{same:?}");
    let left = history::note(table.store.reader(), "mine", "koehandel")
        .await
        .unwrap();
    assert!(
        left == noted && left.is_some(),
        "what it notes is not kept: {left:?}"
    );
    assert_eq!(
        history::program_runs(table.store.reader(), &[SessionId(1)])
            .await
            .unwrap()
            .len(),
        1
    );
    let other = against_built_in(&table, "face").await;
    assert_eq!(other.decisions, same.decisions);
    let counted = other.agreed + other.differed + other.fallbacks;
    assert_eq!(counted, other.decisions, "{other:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn illegal_and_late_answers_are_counted_and_one_that_does_not_run_ends_it() {
    if !python() {
        return;
    }
    // It plays no part but that its program is known there.
    let table = koehandel(
        "say(type='act', number=number, act='nonsense')",
        "face",
        None,
    )
    .await;
    let found = tried(&table, mine(&table)).await;
    assert!(found.illegal > 0, "{found:?}");
    assert_eq!(found.illegal, found.decisions, "{found:?}");
    assert_eq!(found.differences[0].how, "illegal");
    write(table.folder.path(), "import time\ntime.sleep(1000)");
    let hasty = Comparing {
        margin: Duration::from_millis(4_960),
        ..comparing(games::find("koehandel").unwrap(), mine(&table))
    };
    let late = compared(&table.store, &hasty).await;
    assert!(
        late.late > 0 && late.agreed + late.differed == 0,
        "{late:?}"
    );
    write(table.folder.path(), "sys.exit('no luck')");
    let broken = tried(&table, mine(&table)).await;
    assert!(broken.never_ran() && !found.never_ran(), "{broken:?}");
    assert_eq!(broken.decisions, found.decisions);
    let why = broken.faults.join(" ");
    assert!(
        why.contains("it ended, or closed its output") && why.contains("no luck"),
        "{why}"
    );
}

/// What a bot of the toy game would have answered in the place of another one; its session has ended.
async fn toy_session(bot: &str, messages: &[&str]) -> World {
    let world = World::new(options()).await;
    let at = key_at(bot, "r", 1, 1);
    for rest in messages {
        world.say(&at, rest).await;
    }
    until(|| (world.sessions.live() == 0).then_some(())).await;
    world
}

#[tokio::test(flavor = "multi_thread")]
async fn silence_can_agree_and_a_bot_that_panics_is_asked_no_more() {
    let asks = [
        "begin",
        "ask",
        "ask&how=pass",
        "ask&how=panic",
        "ask",
        "end",
    ];
    let world = toy_session("champion", &asks).await;
    let found = compared(world.store(), &champion()).await;
    assert_eq!(
        (found.agreed, found.failed, found.decisions),
        (2, 1, 3),
        "{found:?}"
    );
    assert!(found.faults[0].contains("while thinking"), "{found:?}");
    // What it did not answer took no time.
    assert_eq!(found.took.count(), 2, "{found:?}");
}

#[tokio::test]
async fn an_answer_of_a_fallback_is_nobodys_choice() {
    let (_folder, store) = opened().await;
    let mut pen = Pen::player(&store, 1);
    pen.write(&store, vec![ask(), said("7")]).await;
    let mut append = pen.append(vec![ask(), said("9")]);
    let late = Fact::new("fallback", json!({ "cause": "late" }));
    append.facts.push((late, None));
    pen.send(&store, append).await;
    // The ledger alone knows this one, as of a user bot at our own table.
    let asked = pen.write(&store, vec![ask(), said("9")]).await;
    store.note_ledger(LedgerRow {
        session: SessionId(1),
        entry: EntryId(asked.last.unwrap().0 - 1),
        at_us: 0,
        queued_us: 1,
        thought_us: 2,
        committed_us: 3,
        sent_us: 4,
        limit_us: 5,
        fallback: true,
    });
    pen.end(&store, vec![3, 1, 0, 0], 0).await;
    let one = PageAt::first(1);
    while history::ledger_page(store.reader(), &[SessionId(1)], &one)
        .await
        .unwrap()
        .items
        .is_empty()
    {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let found = compared(&store, &champion()).await;
    assert_eq!((found.decisions, found.fallbacks), (3, 2), "{found:?}");
    assert_eq!(found.agreed + found.differed, 1, "{found:?}");
    assert_eq!(found.played.count(), 1, "{found:?}");
    let share = found.agreement.unwrap().share;
    assert_eq!(share, found.agreed as f64, "{found:?}");
}

#[tokio::test]
async fn silence_counts_unless_a_match_was_cut_off_in_it() {
    for (cause, decisions) in [(Cause::Normal, 3), (Cause::Cancelled, 2)] {
        let (_folder, store) = opened().await;
        let mut pen = Pen::player(&store, 1);
        let asks = vec![ask(), said("7"), ask(), ask()];
        let mut append = pen.append(asks);
        append.close = Some(Box::new(Close::new(9, cause)));
        pen.send(&store, append).await;
        let found = compared(&store, &champion()).await;
        assert_eq!(found.decisions, decisions, "{cause:?}: {found:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bot_that_hangs_is_not_waited_for_when_it_is_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let gate = folder.path().join("gate");
    let never = format!("ask&of=champion&until={}", gate.display());
    let world = toy_session("quick", &["begin", &never, "end"]).await;
    let (asked, store) = (champion(), world.store().clone());
    let stop = asked.stop.clone();
    let comparing = tokio::spawn(async move { compared(&store, &asked).await });
    until(|| folder.path().join("gate-here").exists().then_some(())).await;
    stop.cancel();
    assert_eq!(comparing.await.unwrap().sessions, 0);
    fs::write(gate, "").unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_newest_sessions_that_ended_are_compared_and_the_list_is_bounded() {
    let (_folder, store) = opened().await;
    for number in 1..=4 {
        let mut pen = Pen::player(&store, number);
        let asks = if number == 3 { DIFFERENCES_MAX + 5 } else { 1 };
        for _ in 0..asks {
            pen.write(&store, vec![ask(), said(&"é".repeat(500))]).await;
        }
        if number < 4 {
            pen.end(&store, vec![3, 1, 0, 0], 0).await;
        }
    }
    let compare = async |limit| {
        compared(
            &store,
            &Comparing {
                limit,
                ..champion()
            },
        )
        .await
    };
    let newest = compare(1).await;
    assert!(newest.more && newest.sessions == 1, "{newest:?}");
    assert_eq!(newest.differed as usize, DIFFERENCES_MAX + 5);
    assert_eq!(
        (newest.differences.len(), newest.differences_more),
        (DIFFERENCES_MAX, 5)
    );
    let (first, shown) = (&newest.differences[0], |text: &String| text.chars().count());
    assert_eq!(
        (first.session, first.played.as_ref().map(shown)),
        (SessionId(3), Some(400))
    );
    assert_eq!(compare(3).await.sessions, 3);
    history::prune(&store, 1_000, Duration::MAX).await.unwrap();
    let all = compare(3).await;
    assert_eq!(
        (all.sessions, all.left_out, all.more),
        (0, 3, false),
        "{all:?}"
    );
    assert!(all.faults.is_empty(), "{all:?}");
}

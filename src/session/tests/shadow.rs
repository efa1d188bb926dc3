//! Shadows of sessions: they say what they would have said, and nothing that they do reaches the match.

use super::behind::tell;
use super::foreign::names;
use super::program::{GOOD, Table, python};
use super::world::{World, key, key_at, options, until};
use crate::session::shadow::{RUNNING_MAX, WAITING_MAX};
use crate::session::{SessionOptions, ShadowPlan, ShadowReport};
use crate::store::types::{Direction, SessionId};
use crate::store::{ShadowTally, Store};
use games::Cause;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

fn shadowing(game: &str, bot: &str, shadows: &[&str]) -> Vec<ShadowPlan> {
    let plan = |shadow: &&str| ShadowPlan {
        game: game.to_owned(),
        bot: bot.to_owned(),
        shadow: (*shadow).to_owned(),
    };
    shadows.iter().map(plan).collect()
}

/// Sessions in which `shadows` hear what `bot` hears; `within_ms` for a decision.
fn koehandel(bot: &str, shadows: &[&str], within_ms: u64) -> SessionOptions {
    SessionOptions {
        margin: Duration::from_millis(5_000 - within_ms),
        nodes: Some(60),
        shadows: shadowing("koehandel", bot, shadows),
        // The other tests shall not keep it waiting.
        shadow_nice: 0,
        ..SessionOptions::default()
    }
}

/// Sessions of the fake game with a shadow that is the bot itself.
fn fake() -> SessionOptions {
    SessionOptions {
        shadows: shadowing("fake", "deep", &["deep"]),
        shadow_nice: 0,
        ..options()
    }
}

/// What is stored of the shadows of a session, as soon as it is of so many.
async fn shadows(store: &Store, session: i64, many: usize) -> Vec<(ShadowTally, ShadowReport)> {
    let since = Instant::now();
    loop {
        let runs = store.shadow_runs(&[SessionId(session)]).await.unwrap();
        if runs.len() == many {
            let read = |run: crate::store::ShadowRun| {
                (run.tally, serde_json::from_value(run.report).unwrap())
            };
            return runs.into_iter().map(read).collect();
        }
        assert!(since.elapsed() < Duration::from_secs(90), "{runs:?}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// What a session of the table was asked and answered, but for numbers that differ from one to the next.
async fn answers(table: &Table, session: i64) -> Vec<String> {
    let row = table
        .store
        .session(SessionId(session))
        .await
        .unwrap()
        .unwrap();
    let entries = table
        .store
        .transcript(row.id, row.last_entry.unwrap())
        .await;
    let lines = entries.unwrap().into_iter();
    let out = lines.filter(|entry| entry.direction == Direction::Out);
    out.map(|entry| entry.text).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_bot_agrees_in_everything_and_another_one_does_not() {
    let options = koehandel("champion", &["champion", "random"], 4_000);
    let table = Table::with("", options, "champion").await;
    let (table, outcome, _) = table.play(None).await;
    assert_eq!(outcome.cause, Cause::Normal);
    let found = shadows(&table.store, 1, 2).await;
    let [(same, of_same), (other, of_other)] = &found[..] else {
        panic!("{found:?}");
    };
    assert_eq!((&*same.shadow, &*other.shadow), ("champion", "random"));
    let asked = same.counts.asked();
    assert!(asked > 20, "{same:?}");
    assert_eq!(same.counts.agreed, asked, "{same:?} {of_same:?}");
    assert!(
        of_same.differences.is_empty() && of_same.faults.is_empty(),
        "{of_same:?}"
    );
    assert!(same.whole && other.whole);
    assert_eq!(same.bot_times.count(), asked);
    assert_eq!(same.shadow_times.count(), asked);
    assert!(other.counts.differed > 5, "{other:?}");
    assert_eq!(other.counts.differed as usize, of_other.differences.len());
    // Each difference leads to the entry that asked, and to what was sent.
    let row = table.store.session(SessionId(1)).await.unwrap().unwrap();
    let entries = table
        .store
        .transcript(row.id, row.last_entry.unwrap())
        .await
        .unwrap();
    for one in &of_other.differences {
        let at = entries
            .iter()
            .position(|entry| entry.id == one.entry)
            .unwrap();
        assert_eq!(entries[at].direction, Direction::In);
        let next = &entries[at + 1];
        let sent = match next.direction {
            Direction::Out => &next.text,
            Direction::In => "",
        };
        assert_eq!(sent, one.sent);
        assert_ne!(one.sent, one.said);
    }
    // Sessions of other bots have none.
    let options = koehandel("guide", &["champion"], 4_000);
    let table = Table::with("", options, "face").await;
    let (table, ..) = table.play(None).await;
    until(|| (table.sessions.live() == 0).then_some(())).await;
    table.sessions.close().await;
    assert!(
        table
            .store
            .shadow_runs(&[SessionId(1)])
            .await
            .unwrap()
            .is_empty()
    );
}

/// What becomes of a shadow that answers so; the match is the same as without it.
async fn beside(answer: &str, within_ms: u64) -> (ShadowTally, ShadowReport) {
    let alone = Table::with(answer, koehandel("face", &[], within_ms), "face").await;
    let (alone, expected, _) = alone.play(None).await;
    let expected = (answers(&alone, 1).await, expected.scores);
    let table = Table::with(answer, koehandel("face", &["bot:mine"], within_ms), "face").await;
    let (table, outcome, longest) = table.play(None).await;
    assert!(longest < Duration::from_secs(2), "{longest:?}");
    assert_eq!((answers(&table, 1).await, outcome.scores), expected);
    let stored = table.store.program_runs(&[SessionId(1)]).await.unwrap();
    assert!(stored.is_empty(), "it did not play: {stored:?}");
    let note = table.store.note("mine", "koehandel").await.unwrap();
    assert_eq!(note, None, "what it notes is not kept");
    shadows(&table.store, 1, 1).await.pop().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_as_a_shadow_is_asked_and_not_sent() {
    if !python() {
        return;
    }
    let (tally, report) = beside(GOOD, 4_000).await;
    assert_eq!(tally.shadow, "bot:mine@1.0");
    let counts = tally.counts;
    assert!(counts.agreed + counts.differed > 0, "{tally:?}");
    assert_eq!((counts.illegal, counts.late, counts.failed), (0, 0, 0));
    let conduct = report.conduct.unwrap();
    assert_eq!((conduct.starts, conduct.refused), (1, 0), "{conduct:?}");
    assert_eq!(conduct.answered, counts.asked());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shadow_is_of_the_lowest_priority() {
    if !python() {
        return;
    }
    let answer = format!("import os\nif os.nice(0) != 19: sys.exit(1)\n{GOOD}");
    let options = SessionOptions {
        shadow_nice: SessionOptions::default().shadow_nice,
        ..koehandel("face", &["bot:mine"], 4_000)
    };
    let table = Table::with(&answer, options, "face").await;
    let (table, ..) = table.play(None).await;
    let (_, report) = shadows(&table.store, 1, 1).await.pop().unwrap();
    let conduct = report.conduct.unwrap();
    assert_eq!((conduct.starts, conduct.failed), (1, 0), "{conduct:?}");
    assert!(conduct.answered > 0, "{conduct:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn illegal_answers_crashes_and_hangs_are_counted() {
    if !python() {
        return;
    }
    let (tally, _) = beside("say(type='act', number=number, act='nonsense')", 4_000).await;
    let counts = tally.counts;
    assert!(counts.illegal > 0, "{tally:?}");
    assert_eq!(counts.illegal, counts.asked(), "{tally:?}");
    let (tally, report) = beside("sys.exit(3)", 4_000).await;
    let counts = tally.counts;
    assert!(
        counts.failed > 0 && counts.agreed + counts.differed == 0,
        "{tally:?}"
    );
    assert!(report.conduct.unwrap().failed > 0);
    let (tally, _) = beside("import time\ntime.sleep(1000)", 60).await;
    let counts = tally.counts;
    assert!(
        counts.late > 0 && counts.agreed + counts.differed == 0,
        "{tally:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_shadow_is_not_asked_while_it_is_behind() {
    if !python() {
        return;
    }
    let slow = "import time\ntime.sleep(0.1)\nsay(type='act', number=number, act=acts[0])";
    let (tally, _) = beside(slow, 4_000).await;
    assert!(tally.counts.skipped > 0, "{tally:?}");
    assert!(tally.counts.asked() > 0, "{tally:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shadow_that_is_not_there_is_told() {
    let options = koehandel("face", &["bot:nobody@2"], 4_000);
    let table = Table::with("", options, "face").await;
    let (table, ..) = table.play(None).await;
    let (tally, report) = shadows(&table.store, 1, 1).await.pop().unwrap();
    assert_eq!((&*tally.shadow, tally.whole), ("bot:nobody@2", false));
    assert_eq!(tally.counts.asked(), 0);
    assert!(
        report.faults[0].contains("no such bot is here"),
        "{report:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_restart_a_match_goes_on_without_its_shadow() {
    let options = koehandel("evolved", &["evolved"], 4_000);
    let table = Table::with("", options, "evolved").await;
    let (table, outcome, _) = table.play(Some(60)).await;
    assert_eq!(outcome.cause, Cause::Normal);
    until(|| (table.sessions.live() == 0).then_some(())).await;
    let (tally, report) = shadows(&table.store, 1, 1).await.pop().unwrap();
    assert!(!tally.whole, "{tally:?}");
    assert_eq!(report.faults, ["the daemon stopped"]);
    assert!(
        tally.counts.agreed > 0 && tally.counts.differed == 0,
        "{tally:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shadow_that_panics_is_told_no_more_and_silence_can_agree() {
    let world = World::new(fake()).await;
    let at = key(1, 1);
    for rest in [
        "begin",
        "ask",
        "ask&how=pass",
        "ask&how=panic",
        "ask",
        "end",
    ] {
        world.say(&at, rest).await;
    }
    let (tally, report) = shadows(&world.parts.store, 1, 1).await.pop().unwrap();
    assert_eq!(
        (tally.counts.agreed, tally.counts.failed),
        (2, 1),
        "{tally:?}"
    );
    assert!(!tally.whole);
    assert!(report.faults[0].contains("while thinking"), "{report:?}");
    // A name that is given in the middle is heard as well.
    let world = World::new(fake()).await;
    world.say(&at, "begin").await;
    world.bot_answers(&at, "ask").await;
    let named = world.sessions.name(names(1, None, &[(1, "ann")])).await;
    assert!(named.unwrap().is_some());
    world.bot_answers(&at, "ask&x=2").await;
    world.say(&at, "end").await;
    let (tally, _) = shadows(&world.parts.store, 1, 1).await.pop().unwrap();
    assert_eq!(
        (tally.counts.agreed, tally.counts.asked()),
        (2, 2),
        "{tally:?}"
    );
    assert!(tally.whole);
}

/// A session of one bot of the fake game that another one shadows, which may take so long after its end; and its key.
async fn beside_quick(finish_within: Duration) -> (World, crate::session::Key) {
    let world = World::new(SessionOptions {
        shadows: shadowing("fake", "quick", &["deep"]),
        shadow_finish_within: finish_within,
        ..fake()
    })
    .await;
    let at = key_at("quick", "r", 1, 1);
    world.say(&at, "begin").await;
    (world, at)
}

/// Where a shadow waits, and where it says that it does.
fn gate(world: &World) -> (PathBuf, PathBuf) {
    let gate = world.folder.path().join("gate");
    let here = world.folder.path().join("gate-here");
    (gate, here)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shadow_that_its_queue_does_not_wait_for_hears_no_more() {
    let (world, at) = beside_quick(Duration::from_secs(60)).await;
    let (gate, here) = gate(&world);
    let until_open = format!("ask&of=deep&until={}", gate.display());
    world.bot_answers(&at, &until_open).await;
    until(|| here.exists().then_some(())).await;
    for number in 0..WAITING_MAX + 2 {
        world.say(&at, &format!("info&x={number}")).await;
    }
    world.bot_answers(&at, "ask").await;
    world.say(&at, "end").await;
    fs::write(gate, "").unwrap();
    let (tally, report) = shadows(&world.parts.store, 1, 1).await.pop().unwrap();
    assert!(!tally.whole);
    assert_eq!(
        report.faults,
        ["it fell too far behind to hear the rest"],
        "{tally:?}"
    );
    // It was asked what it could hear; whether that was late hangs on how soon the gate opened.
    assert_eq!(tally.counts.asked(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shadow_that_hangs_when_its_session_has_ended_is_not_waited_for() {
    let (world, at) = beside_quick(Duration::from_millis(100)).await;
    let (gate, here) = gate(&world);
    world.bot_answers(&at, "ask").await;
    let never = format!("ask&of=deep&until={}", gate.display());
    world.bot_answers(&at, &never).await;
    until(|| here.exists().then_some(())).await;
    world.say(&at, "end").await;
    let (tally, report) = shadows(&world.parts.store, 1, 1).await.pop().unwrap();
    assert_eq!(
        report.faults,
        ["it did not finish: it hung, or was too slow"]
    );
    assert_eq!((tally.counts.agreed, tally.counts.failed), (1, 1));
    assert!(!tally.whole);
    // What it says afterwards changes nothing.
    fs::write(gate, "").unwrap();
    let free = || world.sessions.registry.shadows.free() == RUNNING_MAX;
    until(|| free().then_some(())).await;
    let (later, of_later) = shadows(&world.parts.store, 1, 1).await.pop().unwrap();
    assert_eq!((later, of_later), (tally, report));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shadow_that_panics_and_then_hangs_is_told_with_both_and_failed_once() {
    let (world, at) = beside_quick(Duration::from_millis(100)).await;
    let (gate, here) = gate(&world);
    let breaks = format!("ask&of=deep&how=panic&holds={}", gate.display());
    world.bot_answers(&at, &breaks).await;
    until(|| here.exists().then_some(())).await;
    world.bot_answers(&at, "ask").await;
    world.say(&at, "end").await;
    let (tally, report) = shadows(&world.parts.store, 1, 1).await.pop().unwrap();
    assert!(report.faults[0].contains("while thinking"), "{report:?}");
    assert_eq!(
        report.faults[1..],
        ["it did not finish: it hung, or was too slow"]
    );
    assert_eq!((tally.counts.failed, tally.counts.asked()), (1, 1));
    assert!(!tally.whole);
    fs::write(gate, "").unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_shim_delivers_is_heard_once_and_in_order() {
    let world = World::new(fake()).await;
    let told = async |number, rest: &str, said| {
        let answer = tell(&world, number, rest, said).await.unwrap();
        String::from_utf8(answer.text.to_vec()).unwrap()
    };
    told(1, "begin", None).await;
    // Acknowledged before they are stored; one comes twice.
    for number in [2, 3, 3, 4] {
        told(number, &format!("info&x={number}"), None).await;
    }
    assert!(told(5, "ask", None).await.starts_with("?a="));
    // The shim had answered otherwise: that was what counted.
    told(6, "ask&x=6", None).await;
    told(6, "ask&x=6", Some("?a=mine")).await;
    assert!(told(7, "ask&x=7", None).await.starts_with("?a="));
    told(8, "end", None).await;
    let (tally, report) = shadows(&world.parts.store, 1, 1).await.pop().unwrap();
    assert!(tally.whole, "{report:?}");
    assert_eq!(
        (tally.counts.agreed, tally.counts.differed),
        (2, 1),
        "{report:?}"
    );
    assert_eq!(report.differences[0].sent, "?a=mine");
}

#[tokio::test(flavor = "multi_thread")]
async fn no_more_shadows_run_at_once_than_may() {
    let world = World::new(fake()).await;
    let many = RUNNING_MAX as u64 + 1;
    for market in 1..=many {
        world.say(&key(market, 1), "begin").await;
    }
    for market in 1..=many {
        world.bot_answers(&key(market, 1), "ask").await;
        world.say(&key(market, 1), "end").await;
    }
    for session in 1..many {
        shadows(&world.parts.store, session as i64, 1).await;
    }
    assert!(shadows(&world.parts.store, many as i64, 0).await.is_empty());
    // A place is free again when its shadow has ended.
    until(|| world.sessions.registry.shadows.free().checked_sub(1)).await;
    world.say(&key(many + 1, 1), "begin").await;
    world.say(&key(many + 1, 1), "end").await;
    shadows(&world.parts.store, many as i64 + 1, 1).await;
}

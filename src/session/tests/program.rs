//! Users' programs behind a session: good ones, and such that crash, answer nonsense, babble or hang.

use super::world::{dependencies, until};
use crate::history;
use crate::programs::{Bots, Launch, Protocol};
use crate::session::{BotAddress, Key, Leaving, Origin, SessionOptions, Sessions};
use crate::store::types::SessionId;
use crate::store::{Note, Storage};
use games::seat::{OwnSeat, Settings};
use games::{DialogueSetup, Outcome, Reply, Seat, TableSetup};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use tokio::time::Instant;

/// What every program here does, but for how it answers a decision.
const FRAME: &str = r#"
import json, sys
def say(**line):
    print(json.dumps(line), flush=True)
asks = 0
for text in sys.stdin:
    line = json.loads(text)
    if line["type"] == "hello":
        say(type="ready", protocol=1)
    elif line["type"] == "match":
        match = line
        print("note", json.dumps(line["note"]), "again", line["again"], file=sys.stderr, flush=True)
    elif line["type"] == "ask":
        asks += 1
        number, acts = line["number"], line["acts"]
        ANSWER
    elif line["type"] == "end":
        say(type="note", note={"asks": asks, "scores": line["scores"]})
"#;
pub(super) const GOOD: &str = "say(type='act', number=number, act=acts[0])";

/// The game that is played at a table.
#[derive(Clone)]
pub(super) struct Terms {
    pub(super) game: &'static str,
    pub(super) seats: usize,
    pub(super) rival: &'static str,
    pub(super) options: Value,
}

const KOEHANDEL: Terms = Terms {
    game: "koehandel",
    seats: 4,
    rival: "guide",
    options: Value::Null,
};

/// More calls than any match here has.
const CALLS_MAX: usize = 20_000;

pub(super) struct Table {
    pub(super) folder: TempDir,
    terms: Terms,
    options: SessionOptions,
    pub(super) sessions: Sessions,
    pub(super) store: crate::store::Store,
    pool: crate::thinking::Pool,
    key: Key,
}

pub(super) fn python() -> bool {
    let found = Command::new("python3").arg("--version").output();
    let found = found.is_ok_and(|output| output.status.success());
    if !found {
        eprintln!("SKIPPED: there is no python3");
    }
    found
}

pub(super) fn bots(folder: &Path) -> Bots {
    let directory = folder.to_owned();
    let find = move |name: &str, version: Option<&str>| {
        let removed = directory.join("removed").exists();
        let fallback = fs::read_to_string(directory.join("fallback"));
        (!removed
            && ["mine", "native"].contains(&name)
            && version.is_none_or(|version| version == "1.0"))
        .then(|| Launch {
            name: name.to_owned(),
            version: "1.0".to_owned(),
            games: ["koehandel", "planowanie", "lighthouses", "planetwars"]
                .map(str::to_owned)
                .to_vec(),
            protocol: match name {
                "native" => Protocol::Native,
                _ => Protocol::Neutral,
            },
            argv: vec!["python3".to_owned(), "bot.py".to_owned()],
            directory: directory.clone(),
            stderr_kept: 4_096,
            fallback: fallback.unwrap_or_else(|_| "face".to_owned()),
            ..Launch::default()
        })
    };
    Bots::new(Arc::new(find))
}

/// Writes the program that answers so.
pub(super) fn write(folder: &Path, answer: &str) {
    let indented = answer.replace('\n', "\n        ");
    fs::write(folder.join("bot.py"), FRAME.replace("ANSWER", &indented)).unwrap();
}

impl Table {
    /// A program that answers so, with this many milliseconds for a decision.
    async fn new(answer: &str, within_ms: u64) -> Self {
        let options = SessionOptions {
            margin: Duration::from_millis(5_000 - within_ms),
            ..SessionOptions::default()
        };
        let table = Self::with(answer, options, "mine").await;
        assert_eq!(table.key.bot.name(), "bot:mine");
        table
    }

    /// A table at which this bot plays, where the program that answers so is known.
    pub(super) async fn with(answer: &str, options: SessionOptions, bot: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), answer);
        Self::open(folder, options, (KOEHANDEL, bot)).await
    }

    pub(super) async fn open(
        folder: TempDir,
        options: SessionOptions,
        (terms, bot): (Terms, &str),
    ) -> Self {
        let mut parts = dependencies(folder.path(), games::find).await;
        parts.bots = bots(folder.path());
        let store = parts.store.database().unwrap().clone();
        let pool = parts.pool.clone();
        let sessions = Sessions::open(options.clone(), parts).await.unwrap();
        let kit = games::find(terms.game).unwrap();
        let bot = Arc::new(BotAddress::named(kit, bot, "r").unwrap());
        let key = Key {
            bot,
            market: 1,
            id: 1,
        };
        Self {
            folder,
            terms,
            options,
            sessions,
            store,
            pool,
            key,
        }
    }

    /// The same after the daemon has stopped and started again.
    async fn restarted(self) -> Self {
        self.sessions.close().await;
        drop(self.sessions);
        self.store.close().await;
        let played = (self.terms, self.key.bot.name());
        Self::open(self.folder, self.options, played).await
    }

    /// Plays a match, restarting the daemon after this many of the program's calls. How it ended, and the longest that
    /// a call took.
    pub(super) async fn play(mut self, restart_at: Option<usize>) -> (Self, Outcome, Duration) {
        let Terms {
            game,
            seats,
            rival,
            options,
        } = self.terms.clone();
        let kit = games::find(game).unwrap();
        let mut setup = TableSetup::numbered(7, options, seats);
        setup.market = self.key.market;
        let mut table = kit.table(&setup).unwrap();
        let mut rivals: Vec<_> = (1..seats as u64)
            .map(|seed| {
                let mut seat = OwnSeat::new(Settings::nodes(1), None);
                seat.wake(kit.dialogue(&DialogueSetup::new(rival, seed)).unwrap());
                seat
            })
            .collect();
        let (mut calls, mut own, mut longest) = (Vec::new(), 0, Duration::ZERO);
        for _ in 0..CALLS_MAX {
            table.calls(&mut calls);
            if calls.is_empty() {
                break;
            }
            for call in calls.drain(..) {
                let text = call.text;
                let said = if call.seat == Seat(0) {
                    own += 1;
                    if Some(own) == restart_at {
                        self = self.restarted().await;
                    }
                    let route = kit.card().dialect.route(text.as_bytes());
                    let (begins, begun) = (own == 1 || route.unwrap().begins, Instant::now());
                    let given = self.sessions.callback(
                        Origin::default(),
                        self.key.clone(),
                        begins,
                        text,
                        begun,
                    );
                    let given = given.await.unwrap().text;
                    longest = longest.max(begun.elapsed());
                    table.spent(Seat(0), begun.elapsed());
                    String::from_utf8(given.to_vec()).unwrap()
                } else {
                    let rival = &mut rivals[call.seat.index() - 1];
                    rival.play(&text, "", &|| Duration::ZERO).unwrap().text
                };
                if call.answer_within.is_some() {
                    table.answer(call.seat, Reply::Text(said.as_bytes()));
                }
            }
        }
        let outcome = table.outcome().expect("the match ends");
        let blames = table.blames();
        assert!(blames.is_empty(), "{blames:?}");
        let refused = table.noted(Seat(0)).refused;
        assert_eq!(refused, 0, "acts that the rules refused");
        if kit.card().wire == games::Wire::Stdio {
            let leaving = Leaving {
                messages: None,
                detail: "the arbiter is done".to_owned(),
                hung_up: true,
            };
            self.sessions.leave(&self.key, leaving).await.unwrap();
        }
        (self, outcome, longest)
    }

    /// How the program fared in the session with this number.
    pub(super) async fn ran(&self, session: i64) -> (Value, String) {
        let since = Instant::now();
        loop {
            let runs = history::program_runs(self.store.reader(), &[SessionId(session)]).await;
            if let Some((_, report, stderr)) = runs.unwrap().pop() {
                return (report, stderr);
            }
            assert!(since.elapsed() < Duration::from_secs(10), "it never ended");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// The fallback's answers in a session, by cause.
    pub(super) async fn fallbacks(&self, session: i64, cause: &str) -> usize {
        let row = history::session(self.store.reader(), SessionId(session))
            .await
            .unwrap()
            .unwrap();
        let facts = history::facts(self.store.reader(), &row.opened.match_id)
            .await
            .unwrap();
        let by = |data: &Value| data.get("cause").and_then(Value::as_str) == Some(cause);
        let fallbacks = facts.iter().filter(|fact| fact.kind == "fallback");
        fallbacks.filter(|fact| by(&fact.data)).count()
    }
}

pub(super) fn count(report: &Value, of: &str) -> u64 {
    report[of].as_u64().unwrap()
}

/// What the program noted last.
async fn noted(store: &crate::store::Store) -> Option<Value> {
    let note = history::note(store.reader(), "mine", "koehandel");
    note.await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_good_program_plays_and_gets_its_note_back() {
    if !python() {
        return;
    }
    let table = Table::new(GOOD, 4_000).await;
    let (mut table, outcome, _) = table.play(None).await;
    assert_eq!(outcome.cause, games::Cause::Normal);
    let (report, stderr) = table.ran(1).await;
    assert!(count(&report, "answered") > 20, "{report}");
    for none in ["late", "refused", "stale", "failed", "changed"] {
        assert_eq!(count(&report, none), 0, "{none}: {report}");
    }
    assert_eq!(count(&report, "starts"), 1);
    assert_eq!(stderr.trim(), "note null again False");
    let note = noted(&table.store).await.unwrap();
    assert_eq!(note["asks"], report["answered"]);
    assert_eq!(note["scores"].as_array().map(Vec::len), Some(4));
    let session = history::session(table.store.reader(), SessionId(1))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(session.opened.bot, "bot:mine@1.0");
    table.key.market = 2;
    let (table, ..) = table.play(None).await;
    let (_, stderr) = table.ran(2).await;
    assert_eq!(
        stderr.trim(),
        format!("note {} again False", python_json(&note))
    );
}

/// As Python writes it.
fn python_json(value: &Value) -> String {
    let text = value.to_string();
    text.replace(':', ": ").replace(',', ", ")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_crashes_is_started_again_and_sent_all() {
    if !python() {
        return;
    }
    let crash = "if asks == 15: sys.exit(3)\nif not line['past']: say(type='act', number=number, act=acts[0])";
    let table = Table::new(crash, 4_000).await;
    let (table, ..) = table.play(None).await;
    let (report, _) = table.ran(1).await;
    // Past decisions count as well: the eighth one crashes as the first, before anything new is asked.
    assert_eq!(count(&report, "starts"), 8, "{report}");
    assert_eq!(count(&report, "answered"), 14, "{report}");
    assert_eq!(count(&report, "failed"), 8, "{report}");
    assert!(table.fallbacks(1, "program_gone").await > 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_crashes_once_goes_on_where_it_was() {
    if !python() {
        return;
    }
    let crash = "import os\nif asks == 15 and not match['again']: os.kill(os.getpid(), 9)\nsay(type='act', number=number, act=acts[0])";
    let table = Table::new(crash, 4_000).await;
    let (table, ..) = table.play(None).await;
    let (report, stderr) = table.ran(1).await;
    assert_eq!(count(&report, "starts"), 2, "{report}");
    assert_eq!(count(&report, "repeated"), 14, "{report}");
    assert_eq!(count(&report, "late"), 0, "{report}");
    assert_eq!(table.fallbacks(1, "program_gone").await, 0);
    assert!(stderr.contains("again True"), "{stderr}");
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_that_are_not_legal_are_refused() {
    if !python() {
        return;
    }
    let wrong = "say(type='act', number=number, act={'amount': 60000} if asks % 2 else 'nonsense')";
    let table = Table::new(wrong, 4_000).await;
    let (table, ..) = table.play(None).await;
    let (report, _) = table.ran(1).await;
    let refused = count(&report, "refused");
    assert!(refused > 20, "{report}");
    assert_eq!(count(&report, "starts"), 1, "{report}");
    assert_eq!(table.fallbacks(1, "program_illegal").await as u64, refused);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_babbles_or_speaks_nonsense_is_bounded() {
    if !python() {
        return;
    }
    let babble = "while True: print('x' * 1000)";
    let table = Table::new(babble, 500).await;
    let (table, _, longest) = table.play(None).await;
    assert!(longest < Duration::from_secs(3), "{longest:?}");
    let (report, _) = table.ran(1).await;
    assert_eq!(count(&report, "answered"), 0, "{report}");
    assert!(count(&report, "failed") > 1, "{report}");
    let faults = report["faults"].to_string();
    assert!(faults.contains("it says more than it is asked"), "{faults}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_hangs_costs_no_more_than_its_time() {
    if !python() {
        return;
    }
    let hang = "import time\ntime.sleep(1000)";
    let table = Table::new(hang, 60).await;
    let (table, _, longest) = table.play(None).await;
    assert!(longest < Duration::from_secs(3), "{longest:?}");
    let (report, _) = table.ran(1).await;
    assert_eq!(count(&report, "answered"), 0, "{report}");
    assert!(count(&report, "starts") > 1, "{report}");
    assert!(table.fallbacks(1, "program_late").await > 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fallback_thinks_for_the_time_that_is_left() {
    if !python() {
        return;
    }
    let thinks = async |answer, cause| {
        let table = Table::new(answer, 60).await;
        fs::write(table.folder.path().join("fallback"), "champion").unwrap();
        let (table, _, longest) = table.play(None).await;
        assert!(longest < Duration::from_secs(3), "{longest:?}");
        let given = table.fallbacks(1, cause).await;
        let gone = table.fallbacks(1, "program_gone").await;
        assert!(given > 2, "{cause}: {given}");
        let (thought, used) = table.pool.used();
        assert!(
            thought as usize >= given + gone,
            "{thought}: {given} {gone}"
        );
        assert!(!used.is_zero());
    };
    tokio::join!(
        thinks("import time\ntime.sleep(1000)", "program_late"),
        thinks("say(type='act', number=number, act=0)", "program_illegal"),
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_match_goes_on_after_a_restart_of_the_daemon() {
    if !python() {
        return;
    }
    let table = Table::new(GOOD, 4_000).await;
    let (table, outcome, _) = table.play(Some(120)).await;
    assert_eq!(outcome.cause, games::Cause::Normal);
    let (report, stderr) = table.ran(1).await;
    assert_eq!(count(&report, "starts"), 1, "{report}");
    assert!(count(&report, "repeated") > 5, "{report}");
    assert_eq!(count(&report, "changed"), 0, "{report}");
    assert!(count(&report, "answered") > 5, "{report}");
    assert!(stderr.contains("again True"), "{stderr}");
    until(|| (table.sessions.live() == 0).then_some(())).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_is_slow_after_a_restart_is_not_waited_for_as_long_as_else() {
    if !python() {
        return;
    }
    let slow = "
import os, time
if 'seen' not in globals():
    seen = True
    if os.path.exists('once'):
        time.sleep(3)
    open('once', 'w').close()
";
    let table = Table::new(&format!("{slow}{GOOD}"), 4_000).await;
    let (table, _, longest) = table.play(Some(120)).await;
    // Who asked may have waited almost as long as it waits: the fallback answers, and the next decision has its time.
    assert!(longest < Duration::from_secs(3), "{longest:?}");
    assert!(longest > Duration::from_millis(450), "{longest:?}");
    assert_eq!(table.fallbacks(1, "program_late").await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_program_notes_is_stored_while_its_match_runs() {
    if !python() {
        return;
    }
    // It goes on when somebody else has read its note.
    let noting = "
import os, time
if asks == 3:
    say(type='note', note=[1])
    say(type='note', note={'asks': asks})
while asks == 10 and not os.path.exists('read'):
    time.sleep(0.01)
";
    let table = Table::new(&format!("{noting}{GOOD}"), 4_000).await;
    let (store, read) = (table.store.clone(), table.folder.path().join("read"));
    let reader = tokio::spawn(async move {
        loop {
            if let Some(note) = noted(&store).await {
                fs::write(read, "").unwrap();
                return note;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    });
    let (table, ..) = table.play(None).await;
    let (report, _) = table.ran(1).await;
    assert_eq!(count(&report, "late"), 0, "{report}");
    assert_eq!(reader.await.unwrap(), serde_json::json!({"asks": 3}));
    // The one of its end is the last.
    let note = noted(&table.store).await;
    assert_eq!(note.unwrap()["asks"], report["answered"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_match_that_is_sent_again_begins_with_the_note_that_it_began_with() {
    if !python() {
        return;
    }
    let noting = "if not line['past']: say(type='note', note={'asks': asks})\n";
    let table = Table::new(&format!("{noting}{GOOD}"), 4_000).await;
    let note = |note: Value| Note {
        bot: "mine".to_owned(),
        game: "koehandel".to_owned(),
        note,
    };
    let earlier = note(Value::from("earlier"));
    <dyn Storage>::keep_note(&table.store, earlier)
        .await
        .unwrap();
    let (mut table, ..) = table.play(Some(120)).await;
    let (_, stderr) = table.ran(1).await;
    assert_eq!(stderr.trim(), "note \"earlier\" again True");
    table.key.market = 2;
    let (table, ..) = table.play(None).await;
    let (_, stderr) = table.ran(2).await;
    assert!(stderr.starts_with("note {\"asks\": "), "{stderr}");
    assert!(stderr.trim().ends_with("again False"), "{stderr}");
    // Nothing is kept of what was given.
    let given = <dyn Storage>::give_note(&table.store, SessionId(2), "mine", "koehandel", true);
    assert_eq!(given.await.unwrap(), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_match_goes_on_when_its_bot_is_removed() {
    if !python() {
        return;
    }
    let answer = format!("open('removed', 'w').close()\n{GOOD}");
    let table = Table::new(&answer, 4_000).await;
    let (mut table, outcome, _) = table.play(None).await;
    assert_eq!(outcome.cause, games::Cause::Normal);
    let (report, _) = table.ran(1).await;
    assert!(count(&report, "answered") > 20, "{report}");
    for none in ["late", "refused", "failed"] {
        assert_eq!(count(&report, none), 0, "{none}: {report}");
    }
    // Longer than what was found stays found.
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    let kit = games::find("koehandel").unwrap();
    table.key.bot = Arc::new(BotAddress::named(kit, "mine", "r").unwrap());
    table.key.market = 2;
    let begin = "market=2&id=1&type=begin".to_owned();
    let refused = table.sessions.callback(
        Origin::default(),
        table.key.clone(),
        true,
        begin,
        Instant::now(),
    );
    assert_eq!(
        refused.await.unwrap_err(),
        crate::session::Refusal::NoBot,
        "no other match begins"
    );
}

#[tokio::test]
async fn only_programs_that_are_there_begin_matches() {
    let folder = tempfile::tempdir().unwrap();
    let table = Table::open(folder, SessionOptions::default(), (KOEHANDEL, "mine")).await;
    let kit = |game| games::find(game).unwrap();
    let named = |game, bot: &str| BotAddress::named(kit(game), bot, "r");
    for wrong in [
        "bot:",
        "bot:a/b",
        "bot:\u{e9}",
        "",
        "builtin:",
        "builtin:mine",
        "builtin:bot:mine",
    ] {
        assert!(named("koehandel", wrong).is_none(), "{wrong:?}");
    }
    let built_in = named("koehandel", "champion").unwrap();
    assert_eq!((built_in.name(), built_in.program()), ("champion", None));
    let in_full = named("koehandel", "builtin:champion").unwrap();
    assert!(in_full == built_in);
    // "mine" and "native" do not play the last one.
    for (game, name) in [
        ("koehandel", "bot:nobody"),
        ("koehandel", "nobody"),
        ("koehandel", "mine@2"),
        ("smartdog", "mine"),
        ("smartdog", "native"),
    ] {
        let bot = Arc::new(named(game, name).unwrap());
        let key = Key {
            bot,
            market: 1,
            id: 1,
        };
        let begin = "market=1&id=1&type=begin".to_owned();
        let refused = table
            .sessions
            .callback(Origin::default(), key, true, begin, Instant::now());
        let why = refused.await.unwrap_err();
        assert_eq!(why, crate::session::Refusal::NoBot, "{game} {name}");
    }
    assert_eq!(table.sessions.live(), 0);
}

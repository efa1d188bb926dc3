//! Our matches while nothing can be stored.

use super::hub::{HubServer, HubSettings};
use super::seat::budget::ThinkBudget;
use super::seat::seat_builtin::Builtins;
use super::{
    Ending, Host, HostSettings, HostedMatch, MatchRequest, Recording, SeatPrograms, StartError,
};
use crate::history::GameRules;
use crate::history::{self, Filter, PageAt};
use crate::programs::{Bots, Launch};
use crate::store::types::{Direction, Durability, MatchResult};
use crate::store::{MatchRow, Settings, Store};
use games::{Cause, Seat};
use serde_json::json;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

const FULL: &str = "PRAGMA query_only = 1";
const FREE: &str = "PRAGMA query_only = 0";
/// Far longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(60);

async fn store(folder: &TempDir) -> Store {
    let settings = Settings::at(folder.path().join("drover.db"), GameRules::all());
    Store::open(&settings).await.unwrap()
}

fn recording(store: &Store) -> Recording {
    Recording::new(store.clone(), Durability::Process)
}

fn host(store: &Store) -> Arc<Host> {
    host_with(store, Bots::none())
}

/// The same with users' bots.
fn host_with(store: &Store, bots: Bots) -> Arc<Host> {
    let settings = HostSettings {
        builtins: Some(Builtins {
            budget: ThinkBudget::Nodes(1),
            models: false,
            permits: Arc::new(Semaphore::new(2)),
            programs: SeatPrograms {
                bots,
                ..SeatPrograms::default()
            },
        }),
        ..HostSettings::default()
    };
    let kit = games::find("koehandel").unwrap();
    Host::new(kit, settings, recording(store))
}

fn four() -> MatchRequest {
    MatchRequest {
        seats: vec!["builtin:random".parse().unwrap(); 4],
        seed: Some(7),
        ..MatchRequest::default()
    }
}

async fn failing(store: &Store) {
    while store.health().failing.is_none() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

/// A match that waits because nothing can be written any more.
async fn waiting(store: &Store, host: &Arc<Host>) -> (Arc<HostedMatch>, Ending) {
    let started = host.start(four()).await.unwrap();
    let hosted = Arc::clone(&started.hosted);
    let ending = started.begin();
    while hosted.log.lines(Seat(0)).len() < 20 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    store.alter(FULL).await;
    failing(store).await;
    (hosted, ending)
}

async fn row(store: &Store, hosted: &HostedMatch) -> MatchRow {
    let row = history::match_row(store.reader(), &hosted.info.match_id)
        .await
        .unwrap();
    row.unwrap()
}

/// The match ended by the rules, and every line is stored once.
async fn ended_by_the_rules(store: &Store, hosted: &HostedMatch) {
    let row = row(store, hosted).await;
    assert_eq!(row.cause, Some(Cause::Normal), "{}", row.detail);
    for seat in (0..4).map(Seat) {
        let (game, market) = (&hosted.info.game, hosted.info.market);
        let stored = recording(store).transcript(game, market, seat).await;
        let stored = stored.unwrap().unwrap();
        let calls = stored
            .iter()
            .filter(|entry| entry.direction == Direction::Out)
            .map(|entry| entry.text.clone());
        let received = hosted.log.lines(seat).into_iter().map(|line| line.query);
        assert!(calls.eq(received), "{seat:?}");
        assert_eq!(stored.len(), 2 * hosted.log.lines(seat).len());
    }
    let verified = crate::replay::verify(store, None, |_| ()).await.unwrap();
    assert_eq!((verified.differences, verified.integrity.len()), (0, 0));
}

#[tokio::test]
async fn a_match_waits_while_nothing_can_be_stored_and_then_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder).await;
    let host = host(&store);
    let (hosted, ending) = waiting(&store, &host).await;
    let counts = || (0..4).map(|seat| hosted.log.lines(Seat(seat)).len());
    // Whatever was on its way arrives; then nobody receives anything.
    tokio::time::sleep(Duration::from_millis(300)).await;
    let before: Vec<usize> = counts().collect();
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(counts().eq(before) && hosted.end.get().is_none());
    assert!(matches!(
        host.start(four()).await.err(),
        Some(StartError::Record(_))
    ));
    store.alter(FREE).await;
    let hosted = tokio::time::timeout(PATIENCE, ending.wait()).await.unwrap();
    ended_by_the_rules(&store, &hosted).await;
}

#[tokio::test]
async fn a_match_that_waits_is_left_by_a_stop_at_once_and_goes_on_after_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder).await;
    let first = host(&store);
    let (hosted, _ending) = waiting(&store, &first).await;
    let drained = first.drain(Duration::from_secs(3_600));
    tokio::time::timeout(PATIENCE, drained).await.unwrap();
    assert!(hosted.end.get().is_none());
    store.alter(FREE).await;
    assert_eq!(row(&store, &hosted).await.cause, None);
    let second = host(&store);
    assert_eq!(second.resume().await.unwrap(), 1);
    second.drain(PATIENCE).await;
    ended_by_the_rules(&store, &second.matches()[0]).await;
}

#[tokio::test]
async fn a_match_that_can_never_be_stored_is_cancelled() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder).await;
    let host = host(&store);
    let started = host.start(four()).await.unwrap();
    let broken = "CREATE TRIGGER broken BEFORE INSERT ON entries WHEN NEW.id > 100 \
                  BEGIN SELECT RAISE(ABORT, 'broken'); END";
    store.alter(broken).await;
    let ended = tokio::time::timeout(PATIENCE, started.begin().wait()).await;
    let hosted = ended.unwrap();
    let end = hosted.end.get().unwrap();
    assert_eq!((end.cause, &end.outcome), (Cause::Cancelled, &None));
    assert!(end.detail.contains("broken"), "{}", end.detail);
    let row = row(&store, &hosted).await;
    assert_eq!((row.cause, row.scores.len()), (Some(Cause::Cancelled), 0));
    assert_eq!(host.resume().await.unwrap(), 0);
}

#[tokio::test]
async fn a_match_that_cannot_be_begun_to_be_stored_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder).await;
    let host = host(&store);
    let broken = "CREATE TRIGGER broken BEFORE INSERT ON sessions WHEN NEW.seat = 3 \
                  BEGIN SELECT RAISE(ABORT, 'broken'); END";
    store.alter(broken).await;
    let refused = host.start(four()).await.err();
    assert!(matches!(refused, Some(StartError::Record(_))));
    assert!(matches(&store).await.is_empty());
    store.alter("DROP TRIGGER broken").await;
    let started = host.start(four()).await.unwrap();
    let hosted = started.begin().wait().await;
    ended_by_the_rules(&store, &hosted).await;
}

#[tokio::test]
async fn an_end_is_stored_though_a_transcript_cannot_be_read_any_more() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder).await;
    let host = host(&store);
    let (hosted, ending) = waiting(&store, &host).await;
    store.alter(FREE).await;
    store.alter("DELETE FROM entries WHERE id = 5").await;
    tokio::time::timeout(PATIENCE, ending.wait()).await.unwrap();
    let row = row(&store, &hosted).await;
    assert_eq!((row.cause, row.scores.len()), (Some(Cause::Normal), 4));
    assert_eq!(host.resume().await.unwrap(), 0);
}

/// A player of our hub.
struct Guest {
    lines: Lines<BufReader<OwnedReadHalf>>,
    write: OwnedWriteHalf,
}

impl Guest {
    async fn join(hub: SocketAddr) -> Self {
        let (read, mut write) = TcpStream::connect(hub).await.unwrap().into_split();
        write.write_all(b"join bob solo\n").await.unwrap();
        let lines = BufReader::new(read).lines();
        Self { lines, write }
    }

    async fn line(&mut self) -> Option<String> {
        let line = tokio::time::timeout(PATIENCE, self.lines.next_line());
        line.await.unwrap().unwrap()
    }

    /// Ends turn after turn, and gives the last word.
    async fn plays_out(&mut self) -> String {
        let mut last = String::new();
        while let Some(line) = self.line().await {
            if line.starts_with("state") {
                self.write.write_all(b"end\n").await.unwrap();
            }
            last = line;
        }
        last
    }
}

/// Our hub, with matches of three turns.
async fn hub(store: &Store) -> (SocketAddr, Arc<HubServer>) {
    let settings = HubSettings {
        options: json!({"map": "guards", "turnsLimit": 3}),
        ..HubSettings::new(games::find("smartdog").unwrap())
    };
    let hub = HubServer::open(settings, recording(store)).await.unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (serving, stop) = (Arc::clone(&hub), CancellationToken::new());
    tokio::spawn(async move { serving.serve(listener, stop).await });
    (address, hub)
}

async fn matches(store: &Store) -> Vec<MatchRow> {
    let at = PageAt::first(10);
    history::matches(store.reader(), &Filter::default(), &at)
        .await
        .unwrap()
        .items
}

/// The only match, once it has ended.
async fn ended(store: &Store) -> MatchRow {
    loop {
        let mut matches = matches(store).await;
        assert!(matches.len() <= 1, "{matches:?}");
        if matches.first().is_some_and(|row| row.ended_us.is_some()) {
            return matches.remove(0);
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn a_hub_refuses_players_whose_match_cannot_begin_to_be_stored() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder).await;
    let (address, _hub) = hub(&store).await;
    store.alter(FULL).await;
    let mut guest = Guest::join(address).await;
    let refused = guest.line().await.unwrap();
    assert!(
        refused.starts_with("error The match cannot be recorded"),
        "{refused}"
    );
    assert_eq!(guest.line().await, None);
    store.alter(FREE).await;
    let mut guest = Guest::join(address).await;
    assert!(guest.plays_out().await.starts_with("finished"));
    assert_eq!(ended(&store).await.cause, Some(Cause::Normal));
}

#[tokio::test]
async fn a_hub_sends_no_end_before_it_is_stored() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder).await;
    let (address, _hub) = hub(&store).await;
    let mut guest = Guest::join(address).await;
    assert!(guest.line().await.unwrap().starts_with("start"));
    store.alter(FULL).await;
    let waits = tokio::time::timeout(Duration::from_secs(1), guest.plays_out()).await;
    assert!(waits.is_err(), "{waits:?}");
    store.alter(FREE).await;
    assert_eq!(
        guest.line().await.unwrap(),
        "finished \"youWin\":true,\"winner\":1"
    );
    assert_eq!(ended(&store).await.cause, Some(Cause::Normal));
    let verified = crate::replay::verify(&store, None, |_| ()).await.unwrap();
    assert_eq!((verified.differences, verified.integrity.len()), (0, 0));
}

#[tokio::test]
async fn a_hub_gives_a_match_up_that_cannot_be_stored_and_nothing_else_was_sent() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder).await;
    let (address, hub) = hub(&store).await;
    let mut guest = Guest::join(address).await;
    assert!(guest.line().await.unwrap().starts_with("start"));
    store.alter(FULL).await;
    let last = guest.plays_out().await;
    assert_eq!(last, "finished \"youWin\":false,\"error\":\"player.gone\"");
    store.alter(FREE).await;
    let row = ended(&store).await;
    assert_eq!((row.cause, row.scores.len()), (Some(Cause::Cancelled), 0));
    hub.drain(PATIENCE).await;
    // The first end stands, whatever comes later.
    let other = MatchResult::new(1, Cause::Normal, vec![1]);
    store.close_match(&row.id, other).await.unwrap();
    assert_eq!(ended(&store).await.cause, Some(Cause::Cancelled));
}

/// Plays, and writes down what it receives of its match.
const PROGRAM: &str = r#"
import json, sys, time
def say(**line):
    print(json.dumps(line), flush=True)
received = open("received", "a", buffering=1)
for text in sys.stdin:
    line = json.loads(text)
    if line["type"] == "hello":
        say(type="ready", protocol=1)
    elif line["type"] == "match":
        print("match", line["id"], line["again"], file=received)
    elif line["type"] == "ask" and line["past"]:
        print("past", file=received)
    elif line["type"] == "ask":
        time.sleep(0.02)
        print("asked", file=received)
        say(type="act", number=line["number"], act=line["acts"][0])
    elif line["type"] == "end":
        print("end", *line["scores"], file=received)
"#;

fn programs(folder: &TempDir) -> Bots {
    let directory = folder.path().to_owned();
    std::fs::write(directory.join("bot.py"), PROGRAM).unwrap();
    let find = move |name: &str, version: Option<&str>| {
        let is_it = name == "mine" && version.is_none_or(|version| version == "1.0");
        is_it.then(|| Launch {
            name: name.to_owned(),
            version: "1.0".to_owned(),
            games: vec!["koehandel".to_owned()],
            argv: vec!["python3".to_owned(), "bot.py".to_owned()],
            directory: directory.clone(),
            stderr_kept: 4_096,
            fallback: "face".to_owned(),
            ..Launch::default()
        })
    };
    Bots::new(Arc::new(find))
}

#[tokio::test]
async fn a_users_bot_receives_its_match_again_after_a_restart() {
    let python = std::process::Command::new("python3").arg("-V").output();
    if !python.is_ok_and(|output| output.status.success()) {
        eprintln!("SKIPPED: there is no python3");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder).await;
    let first = host_with(&store, programs(&folder));
    let mut request = four();
    request.seats[1] = "bot:mine".parse().unwrap();
    let started = first.start(request.clone()).await.unwrap();
    let hosted = Arc::clone(&started.hosted);
    let _ending = started.begin();
    let received = || std::fs::read_to_string(folder.path().join("received")).unwrap_or_default();
    let begun = Instant::now();
    while received().matches("asked").count() < 5 {
        assert!(begun.elapsed() < PATIENCE, "{}", received());
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    first.stop().await;
    assert!(hosted.end.get().is_none());
    let id = &hosted.info.match_id;
    assert!(received().starts_with(&format!("match {id} False\nasked\n")));
    let second = host_with(&store, programs(&folder));
    assert_eq!(second.resume().await.unwrap(), 1);
    second.drain(PATIENCE).await;
    let matches = second.matches();
    ended_by_the_rules(&store, &matches[0]).await;
    assert_eq!(matches[0].info.seats[1], "bot:mine@1.0");
    let begun = Instant::now();
    while !received().contains("end ") {
        assert!(begun.elapsed() < PATIENCE, "{}", received());
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let all = received();
    let (_, again) = all.split_once(&format!("match {id} True\n")).unwrap();
    let past = again.lines().take_while(|line| *line == "past").count();
    let asked = again.lines().filter(|line| *line == "asked").count();
    assert!(past >= 4 && asked > 0, "{all}");
    assert_eq!(past + asked + 1, again.lines().count(), "{all}");
    // What is no longer there, or never was, is reported.
    request.seats[1] = "bot:other".parse().unwrap();
    let refused = host_with(&store, programs(&folder)).start(request).await;
    let why = refused.err().unwrap().to_string();
    assert!(
        why.starts_with("seat bot:other: no such bot that plays koehandel"),
        "{why}"
    );
}

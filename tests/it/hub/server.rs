//! Our hub, dialled by players who do what they like.

use super::player::Player;
use crate::app::{block_on, clean, folder, until};
use drover::history::GameRules;
use drover::history::{self, Filter, PageAt};
use drover::referee::Recording;
use drover::referee::hub::{HubServer, HubSettings};
use drover::store::{Durability, MatchRow, Settings, Store};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

pub struct Hub {
    pub address: SocketAddr,
    pub server: Arc<HubServer>,
    stop: CancellationToken,
    pub runtime: Runtime,
}

impl Hub {
    pub fn with(settings: HubSettings) -> Self {
        Self::on(Runtime::new().unwrap(), settings, Recording::none())
    }

    pub fn on(runtime: Runtime, settings: HubSettings, recording: Recording) -> Self {
        let stop = CancellationToken::new();
        let (address, server) = runtime.block_on(async {
            let server = HubServer::open(settings, recording).await.unwrap();
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let address = listener.local_addr().unwrap();
            let (serving, stop) = (Arc::clone(&server), stop.clone());
            tokio::spawn(async move { serving.serve(listener, stop).await });
            (address, server)
        });
        Self {
            address,
            server,
            stop,
            runtime,
        }
    }

    fn with_options(options: Value) -> Self {
        Self::with(settings(options))
    }

    /// A player who has asked for a room and waits there.
    fn waits(&self, name: &str, room: &str) -> Player {
        let mut player = Player::join(self.address, name, room);
        assert_eq!(player.line().as_deref(), Some("wait "));
        player
    }

    /// Waits until n wait in rooms.
    pub fn waiting(&self, players: usize) {
        until(|| self.server.waiting() == players);
    }

    pub fn drain(&self, within: Duration) {
        self.stop.cancel();
        self.runtime.block_on(self.server.drain(within));
    }
}

pub fn settings(options: Value) -> HubSettings {
    HubSettings {
        options,
        ..HubSettings::new(games::find("smartdog").unwrap())
    }
}

fn short() -> Value {
    json!({"map": "guards", "turnsLimit": 3})
}

#[test]
fn a_solo_player_receives_the_official_lines() {
    let hub = Hub::with_options(short());
    for join in [
        "join bob solo\n",
        "join bob #Solo\r\n",
        "join  bob   solo\r",
        "\rjoin bob solo\n",
    ] {
        let mut player = Player::dial(hub.address);
        player.say(join);
        let mut lines = player.until("start");
        if join.starts_with('\r') {
            assert_eq!(lines.remove(0), "error Unknown command: ()");
        }
        assert_eq!(lines.len(), 1, "no wait: {lines:#?}");
        assert!(lines[0].starts_with("start \"you\":1,\"rows\":9,\"cols\":12,\"players\":1,"));
        let turn = player.until("turn");
        assert!(turn[0].starts_with("landscape \"............\","));
        assert_eq!(turn[1], "state  \"turn\":1");
        assert!(turn[2].starts_with("obj  \""));
        player.say("end\r\n");
        assert_eq!(player.play_out(), "finished \"youWin\":true,\"winner\":1");
    }
}

#[test]
fn a_client_that_speaks_out_of_place_is_notified_and_no_other_is_hurt() {
    let hub = Hub::with_options(short());
    let mut player = Player::dial(hub.address);
    for (said, answer) in [
        ("end\n", "error Unknown command: end()"),
        ("do 5 bark\n", "error Unknown command: do(5 bark)"),
        ("join bob sextet\n", "error No such hub"),
        ("constructor\n", "error Unknown command: constructor()"),
        ("join bob duet\n", "wait "),
        ("join bob duet\n", "error You are waiting already"),
        ("end\n", "error You are waiting already"),
    ] {
        player.say(said);
        let line = player.line().unwrap();
        if said == "end\n" && answer.contains("waiting") {
            assert!(line.starts_with("error"), "{line}");
        } else {
            assert_eq!(line, answer, "{said}");
        }
    }
    let mut other = Player::join(hub.address, "ann", "duet");
    assert!(
        other.line().unwrap().starts_with("start \"you\":2"),
        "no wait for who completes"
    );
    player.until("turn");
    other.until("turn");
    player.say("do 1 move\ndo 1 sit\n{[\njoin x\nsend y\nend\nend\nend\n");
    let message = [
        "warning 1 Unexpected direction 'undefined', one of the following expected: up,down,left,right",
        "warning Unknown command - sit, only the following are allowed: move,bark",
        "error Unknown command: {[()",
        "error You are playing already",
        "error Unknown command: send(y)",
    ];
    for line in message {
        assert_eq!(player.line().unwrap(), line);
    }
    other.say("do 9999 bark\n");
    assert_eq!(
        other.line().unwrap(),
        "warning 9999 Unknown id",
        "it is still its turn"
    );
    other.say("end\n");
    assert_eq!(other.line().unwrap(), "state  \"turn\":2");
    let others = std::thread::spawn(move || other.play_out());
    assert_eq!(player.play_out(), "finished \"youWin\":true,\"winner\":1");
    assert_eq!(
        others.join().unwrap(),
        "finished \"youWin\":false,\"winner\":1"
    );
}

#[test]
fn lines_without_end_and_bytes_without_sense_cost_only_their_own_connection() {
    let hub = Hub::with_options(short());
    let mut long = Player::dial(hub.address);
    long.say(&"x".repeat(5_000));
    assert_eq!(long.line().unwrap(), "error a line of more than 1024 bytes");
    assert_eq!(long.line(), None);
    drop(hub.waits("ghost", "duet"));
    hub.waiting(0);
    // The ghost does not wait any more.
    let mut first = hub.waits("a", "duet");
    let mut second = Player::join(hub.address, "b", "duet");
    second.until("turn");
    second.say("\u{1}\u{2}\u{fffd}\n");
    assert!(second.line().unwrap().starts_with("error Unknown command"));
    let second = std::thread::spawn(move || {
        second.say("end\n");
        second.play_out()
    });
    assert!(first.play_out().starts_with("finished"));
    second.join().unwrap();
}

/// The newest of n matches, once it has ended.
#[test]
fn who_reads_may_be_refused_a_whole_turn_of_commands() {
    let hub = Hub::with_options(short());
    let mut player = Player::join(hub.address, "bob", "solo");
    player.until("turn");
    player.say(&"do 0 bark\n".repeat(1_900));
    for _ in 0..1_900 {
        assert_eq!(player.line().as_deref(), Some("warning 0 Unknown id"));
    }
    player.say("end\n");
    assert!(player.play_out().starts_with("finished"));
}

pub fn ended(store: &Store, runtime: &Runtime, count: usize) -> MatchRow {
    let at = PageAt::first(10);
    let mut items = Vec::new();
    until(|| {
        let page = runtime.block_on(history::matches(store.reader(), &Filter::default(), &at));
        items = page.unwrap().items;
        items.len() == count && items[0].ended_us.is_some()
    });
    items.remove(0)
}

fn kept(folder: &Path, options: Value) -> (Hub, Store) {
    let runtime = Runtime::new().unwrap();
    let store = runtime
        .block_on(Store::open(&Settings::at(
            folder.join("drover.db"),
            GameRules::all(),
        )))
        .unwrap();
    let recording = Recording::new(store.clone(), Durability::Process);
    let hub = Hub::on(runtime, settings(options), recording);
    (hub, store)
}

#[test]
fn who_leaves_forfeits_and_the_others_play_on() {
    let folder = folder();
    let (hub, store) = kept(folder.path(), short());
    let mut gone = hub.waits("gone", "trio");
    let mut one = hub.waits("one", "trio");
    let mut two = Player::join(hub.address, "two", "trio");
    gone.until("turn");
    gone.say("do 1 move up\n");
    drop(gone);
    let two = std::thread::spawn(move || two.play_out());
    assert_eq!(one.play_out(), "finished \"youWin\":true,\"winner\":2");
    assert_eq!(
        two.join().unwrap(),
        "finished \"youWin\":false,\"winner\":2"
    );
    let row = ended(&store, &hub.runtime, 1);
    assert_eq!(row.cause, Some(games::Cause::Disconnect));
    assert_eq!(row.detail, "player 1 (gone) left");
    assert_eq!(row.blame, Some(0));
    assert_eq!(row.scores, [-1000, 0, 0]);
    assert_eq!(row.seats[1].name.as_deref(), Some("one"));
    hub.runtime.block_on(clean(&store));
    hub.runtime.block_on(store.close());
}

#[test]
fn who_is_out_of_time_forfeits_or_ends_it_for_all() {
    let folder = folder();
    for (on_fault, scores, shares_of, ends) in [
        (
            "forfeit",
            vec![-1000, 0],
            [Some(0.0), Some(1.0)],
            "finished \"youWin\":true,\"winner\":2",
        ),
        (
            "abort",
            vec![],
            [None, None],
            "finished \"youWin\":false,\"error\":\"player.gone\"",
        ),
    ] {
        let mut options = short();
        options["waitForTurn"] = 300.into();
        options["on_fault"] = on_fault.into();
        let folder = folder.path().join(on_fault);
        std::fs::create_dir(&folder).unwrap();
        let (hub, store) = kept(&folder, options);
        let mut slow = hub.waits("slow", "duet");
        let mut quick = Player::join(hub.address, "quick", "duet");
        slow.until("turn");
        assert_eq!(quick.play_out(), ends);
        assert_eq!(
            slow.line().unwrap(),
            "finished \"youWin\":false,\"error\":\"player.gone\""
        );
        assert_eq!(slow.line(), None);
        let row = ended(&store, &hub.runtime, 1);
        assert_eq!(row.cause, Some(games::Cause::TimeForfeit));
        assert_eq!(
            (row.detail.as_str(), row.blame),
            ("player 1 (slow) was out of time", Some(0))
        );
        assert_eq!(row.scores, scores);
        let shares: Vec<Option<f64>> = row.seats.iter().map(|seat| seat.win_share).collect();
        assert_eq!(shares, shares_of);
        hub.runtime.block_on(store.close());
    }
}

#[test]
fn players_wait_for_a_place_and_who_leaves_meanwhile_is_not_played_with() {
    let settings = HubSettings {
        matches_max: 1,
        ..settings(short())
    };
    let hub = Hub::with(settings);
    let mut first = Player::join(hub.address, "first", "solo");
    first.until("turn");
    let solo = hub.waits("solo", "solo");
    let gone = hub.waits("gone", "duet");
    let one = hub.waits("one", "duet");
    drop(gone);
    hub.waiting(2);
    let two = hub.waits("two", "duet");
    first.say("end\n");
    first.play_out();
    let others: Vec<_> = [solo, one, two]
        .into_iter()
        .map(|mut player| std::thread::spawn(move || player.play_out()))
        .collect();
    let ends: Vec<String> = others.into_iter().map(|end| end.join().unwrap()).collect();
    assert_eq!(ends[1], "finished \"youWin\":true,\"winner\":1");
    assert_eq!(ends[2], "finished \"youWin\":false,\"winner\":1");
}

#[test]
fn what_the_store_means_by_silence_is_only_a_line_when_a_player_says_it() {
    let folder = folder();
    let (hub, store) = kept(folder.path(), short());
    let mut player = Player::join(hub.address, "sly", "solo");
    player.until("turn");
    player.say("\u{1}late\n");
    assert!(player.line().unwrap().starts_with("error Unknown command"));
    player.say("end\n");
    player.play_out();
    assert_eq!(
        ended(&store, &hub.runtime, 1).cause,
        Some(games::Cause::Normal)
    );
    hub.runtime.block_on(clean(&store));
    hub.runtime.block_on(store.close());
}

#[test]
fn maps_go_round_and_everybody_may_be_asked_to_wait() {
    let map = |rows: &str| ("map".to_owned(), format!("{{\"turnsLimit\": 1}}\n{rows}"));
    let settings = HubSettings {
        maps: vec![map("@*"), map("@*-")],
        always_wait: true,
        ..settings(Value::Null)
    };
    let hub = Hub::with(settings);
    for cols in [2, 3, 2] {
        let mut player = hub.waits("bob", "solo");
        let start = player.line().unwrap();
        assert!(start.contains(&format!("\"cols\":{cols},")), "{start}");
        player.play_out();
    }
}

#[test]
fn a_stop_sends_queues_home_and_gives_up_what_lasts_too_long() {
    let hub = Hub::with_options(short());
    let mut waits = hub.waits("a", "duet");
    let mut plays = Player::join(hub.address, "b", "solo");
    plays.until("turn");
    hub.drain(Duration::from_millis(100));
    assert_eq!(waits.line(), None);
    assert_eq!(
        plays.line().unwrap(),
        "finished \"youWin\":false,\"error\":\"player.gone\""
    );
    assert_eq!(plays.line(), None);
}

#[test]
fn a_hub_of_wrong_settings_does_not_open() {
    let error = |settings| {
        let opened = block_on(HubServer::open(settings, Recording::none()));
        opened.err().unwrap().to_string()
    };
    assert!(error(settings(json!({"turnsLimit": 0}))).contains("turnsLimit is 0"));
    let maps = vec![("broken".to_owned(), "@?".to_owned())];
    let settings = HubSettings {
        maps,
        ..settings(Value::Null)
    };
    let message = error(settings);
    assert!(
        message.contains("broken: ") && message.contains("column 2"),
        "{message}"
    );
    let koehandel = HubSettings::new(games::find("koehandel").unwrap());
    assert!(error(koehandel).contains("do not dial a hub"));
}

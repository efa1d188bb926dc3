//! Our players on hubs that do what they like.

use super::scripted::{Guest, Hub, START, TURN, WON};
use super::server::ended;
use crate::app::{clean, folder, until};
use drover::daemon::Site;
use drover::gateway::CallbackOptions;
use drover::gateway::hubs::{HubStatus, Hubs, Phase};
use drover::history::GameRules;
use drover::session::SessionOptions;
use drover::store::{MatchRow, Settings};
use games::Cause;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

struct World {
    runtime: tokio::runtime::Runtime,
    site: Site,
    hubs: Hubs,
    stop: CancellationToken,
    _folder: tempfile::TempDir,
}

impl World {
    /// One connection to this hub.
    fn new(hub: &Hub, room: &str) -> Self {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let folder = folder();
        let stop = CancellationToken::new();
        let settings = Settings::at(folder.path().join("drover.db"), GameRules::all());
        let (sessions, callbacks) = (SessionOptions::default(), CallbackOptions::default());
        let (site, hubs) = runtime.block_on(async {
            let site = Site::start(&settings, sessions, callbacks, None)
                .await
                .unwrap();
            let plan = drover::config::Hub {
                game: "smartdog".to_owned(),
                address: hub.address.to_string(),
                hub: room.to_owned(),
                name: "bob".to_owned(),
                bot: "random".to_owned(),
                seats: 1,
            };
            let hubs = Hubs::start(&[plan], &site.sessions, &stop);
            (site, hubs)
        });
        Self {
            runtime,
            site,
            hubs,
            stop,
            _folder: folder,
        }
    }

    fn status(&self) -> HubStatus {
        self.hubs.list().remove(0)
    }

    /// The newest match, once it has ended.
    fn ended(&self, count: usize) -> MatchRow {
        ended(&self.site.store, &self.runtime, count)
    }

    /// The newest match's cause and detail, once it has ended.
    fn ended_by(&self, count: usize) -> (Option<Cause>, String) {
        let row = self.ended(count);
        (row.cause, row.detail)
    }

    fn close(self) {
        self.stop.cancel();
        self.runtime.block_on(async {
            self.hubs.ended().await;
            self.site.sessions.close().await;
            clean(&self.site.store).await;
            self.site.stop().await.unwrap();
        });
    }
}

fn joined(hub: &Hub, line: &str) -> Guest {
    let mut guest = hub.guest();
    assert_eq!(guest.line(), line);
    guest
}

/// A hub, our connection to it, and what we say first.
fn dialled(room: &str) -> (Hub, World, Guest) {
    let hub = Hub::open();
    let world = World::new(&hub, room);
    let guest = joined(&hub, &format!("join bob {room}\n"));
    (hub, world, guest)
}

#[test]
fn a_game_is_played_in_order_and_the_next_one_on_a_new_line() {
    let (hub, world, mut guest) = dialled("duet");
    guest.say("wait \n");
    until(|| world.status().phase == Phase::Queued);
    // Lines end in the middle of packets.
    let (one, other) = START.split_at(40);
    guest.say(one);
    std::thread::sleep(Duration::from_millis(20));
    guest.say(other);
    assert!(guest.is_silent(), "nothing is said before a turn");
    guest.say("hello 1\nstate  \"turn\":1");
    assert!(guest.is_silent());
    guest.say(TURN.strip_prefix("state  \"turn\":1").unwrap());
    let orders = guest.piece();
    assert!(
        orders.starts_with("do 7 move ") && orders.contains("do 7 bark\n"),
        "{orders}"
    );
    assert!(orders.ends_with("\nend\n"), "one write: {orders}");
    assert!(guest.is_silent());
    guest.say("warning 7 Dog already moved this turn\nerror Unknown command: x()\n");
    assert!(guest.is_silent());
    assert_eq!(world.status().phase, Phase::Playing);
    guest.say(WON);
    assert_eq!(guest.piece(), "", "the line is closed");
    let row = world.ended(1);
    assert_eq!(
        (row.cause, row.detail.as_str()),
        (Some(Cause::Normal), "player 1 won")
    );
    assert_eq!(row.referee, format!("{}/duet", hub.address));
    drop(joined(&hub, "join bob duet\n"));
    let status = world.status();
    assert_eq!((status.games, status.ended["normal"]), (1, 1));
    world.close();
}

#[test]
fn the_other_spelling_is_tried_and_who_is_turned_away_comes_again() {
    let (hub, world, mut guest) = dialled("duet");
    guest.say("error No such hub\n");
    assert_eq!(guest.line(), "join bob #duet\n");
    guest.say("error No such hub\n");
    assert_eq!(guest.piece(), "");
    until(|| world.status().phase == Phase::Waiting);
    let status = world.status();
    assert_eq!(
        status.last_error.as_deref(),
        Some("the hub does not let us in: No such hub")
    );
    assert!(status.next_retry_us.is_some() && status.failures == 1);
    let mut guest = joined(&hub, "join bob duet\n");
    guest.say("error No such hub\n");
    assert_eq!(guest.line(), "join bob #duet\n");
    guest.plays();
    let status = world.status();
    assert_eq!((status.last_error, status.last_error_us), (None, None));
    assert_eq!(status.failures, 0, "it plays");
    guest.say(WON);
    world.ended(1);
    until(|| world.status().failures == 0);
    assert_eq!(world.status().back_after_ms.len(), 1);
    world.close();
}

/// Whatever a hub says before it hangs up is reported, as far as it can be shown.
#[test]
fn the_last_words_of_a_hub_are_reported() {
    for (said, message) in [
        (
            "finished \"error\":\"you are banned\"\n",
            "the hub ended the game before it began: you are banned",
        ),
        (
            "HTTP/1.1 400 Bad Request\r\n\r\n",
            "it closed the connection; the last that it said: \"HTTP/1.1 400 Bad Request\"",
        ),
        (
            "server is \u{1b}[2Jfull",
            "it closed the connection; the last that it said: \"server is \\u{1b}[2Jfull\"",
        ),
        (
            "wait\nSSH-2.0-OpenSSH_9.6\r\n",
            "it closed the connection; the last that it said: \"SSH-2.0-OpenSSH_9.6\"",
        ),
    ] {
        let (_hub, world, mut guest) = dialled("solo");
        guest.say(said);
        drop(guest);
        until(|| world.status().last_error.is_some());
        assert_eq!(world.status().last_error.as_deref(), Some(message));
        world.close();
    }
    let (_hub, world, mut guest) = dialled("duet");
    guest.say("error No such hub\n");
    assert_eq!(guest.line(), "join bob #duet\n");
    drop(guest);
    until(|| world.status().last_error.is_some());
    assert_eq!(
        world.status().last_error.as_deref(),
        Some("it closed the connection; the last that it said: \"error No such hub\"")
    );
    world.close();
}

#[test]
fn every_broken_game_is_kept_with_its_cause() {
    let hub = Hub::open();
    let world = World::new(&hub, "solo");
    let play = |last: &str| {
        let mut guest = joined(&hub, "join bob solo\n");
        guest.plays();
        guest.say(last);
        guest
    };
    drop(play("state  \"turn\":2\nobj  \"id\":"));
    let closed = "it closed the connection".to_owned();
    assert_eq!(world.ended_by(1), (Some(Cause::Disconnect), closed));
    drop(play(
        "finished \"youWin\":false,\"error\":\"player.gone\"\n",
    ));
    let given_up = "the hub gave the match up: player.gone".to_owned();
    assert_eq!(world.ended_by(2), (Some(Cause::Disconnect), given_up));
    let garbage = "\u{1}\u{2}{}[]==,,\n".repeat(30_000);
    let guest = play(&garbage);
    let row = world.ended(3);
    assert_eq!(row.cause, Some(Cause::ProtocolError), "{}", row.detail);
    drop(guest);
    assert_eq!(world.status().games, 3);
    assert_eq!(world.status().ended["disconnect"], 2);
    world.close();
}

#[test]
fn a_start_that_cannot_be_played_is_no_game() {
    let (_hub, world, mut guest) = dialled("solo");
    guest.say(&START.replace("\"players\":1", "\"players\":7"));
    assert_eq!(guest.piece(), "");
    until(|| world.status().last_error.is_some());
    let error = world.status().last_error.unwrap();
    assert!(
        error.contains("cannot be played") && error.contains("7 cannot play"),
        "{error}"
    );
    assert_eq!(world.status().games, 0);
    world.close();
}

#[test]
fn a_stop_ends_queues_at_once_and_games_after_their_end() {
    let (_hub, world, mut guest) = dialled("duet");
    guest.plays();
    world.stop.cancel();
    std::thread::sleep(Duration::from_millis(100));
    guest.say(TURN);
    assert!(guest.piece().ends_with("end\n"), "the game goes on");
    guest.say(WON);
    until(|| world.status().phase == Phase::Stopped);
    assert_eq!(world.ended(1).cause, Some(Cause::Normal));
    world.close();
}

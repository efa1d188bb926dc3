//! Somebody who dials the hub again and again and says nothing.

use super::player::Player;
use super::server::{Hub, settings};
use crate::app::dial_from;
use drover::referee::hub::HubSettings;
use serde_json::Value;
use std::io::Read as _;
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

const STRANGER: [u8; 4] = [127, 0, 0, 2];
const PLAYER: [u8; 4] = [127, 0, 0, 3];

/// A hub with room for n.
fn hub(connections_max: usize) -> Hub {
    Hub::with(HubSettings {
        connections_max,
        ..settings(Value::Null)
    })
}

fn silent(hub: SocketAddr, count: usize) -> Vec<TcpStream> {
    (0..count).map(|_| dial_from(STRANGER, hub)).collect()
}

fn joins(hub: SocketAddr, room: &str) -> Player {
    let stream = dial_from(PLAYER, hub);
    stream
        .set_read_timeout(Some(Duration::from_secs(8)))
        .unwrap();
    let mut player = Player::on(stream);
    player.say(&format!("join bob {room}\n"));
    player
}

#[test]
fn silent_sockets_from_one_address_keep_nobody_off() {
    let open = hub(32);
    let hub = open.address;
    let strangers = silent(hub, 200);
    let mut players: Vec<Player> = (0..8).map(|_| joins(hub, "solo")).collect();
    for player in &mut players {
        player.until("turn");
    }
    // One more of theirs does not cut anybody who plays.
    let more = silent(hub, 50);
    for player in &mut players {
        player.say("end\n");
        player.until("turn");
    }
    drop((strangers, more));
}

#[test]
fn who_waits_in_a_queue_is_not_cut_for_others() {
    let open = hub(16);
    let hub = open.address;
    // All from the address that is greedy, which makes them the first to go.
    let mut waiting: Vec<Player> = (0..2)
        .map(|_| {
            let mut player = Player::on(dial_from(STRANGER, hub));
            player.say("join eve quartet\n");
            assert_eq!(player.line().as_deref(), Some("wait "));
            player
        })
        .collect();
    let strangers = silent(hub, 60);
    let mut players: Vec<Player> = (0..2).map(|_| joins(hub, "quartet")).collect();
    for player in waiting.iter_mut().chain(&mut players) {
        player.until("turn");
    }
    drop(strangers);
}

#[test]
fn who_says_nothing_goes_after_ten_seconds_where_connections_are_scarce() {
    let open = hub(8);
    let hub = open.address;
    let begun = Instant::now();
    let mut strangers = silent(hub, 7);
    // Nobody else comes: it is the time at the reception that ends one, and then there is no shortage.
    let closed = |stranger: &mut TcpStream| {
        let short = Duration::from_millis(10);
        stranger.set_read_timeout(Some(short)).unwrap();
        match stranger.read(&mut [0; 8]) {
            Ok(read) => read == 0,
            // A read is interrupted whenever a program of another test ends.
            Err(error) => error.kind() == std::io::ErrorKind::ConnectionReset,
        }
    };
    while !strangers.iter_mut().any(closed) {
        assert!(begun.elapsed() < Duration::from_secs(40), "they stay");
    }
    assert!(begun.elapsed() > Duration::from_secs(9));
}

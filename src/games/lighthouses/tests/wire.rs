//! Both sides of the wire: the recorded lines byte for byte, how the referee handles bots that are late,
//! silent or gone, and what our players take in.

use crate::KIT;
use crate::bots::CARDS;
use crate::dialect::engine;
use drover_game::game::{Cause, Seat};
use drover_game::kit::{DialogueSetup, Kit, TableSetup};
use drover_game::wire::{Call, Dialogue, Next, Reply, Table};
use serde_json::{Value, json};
use std::time::Duration;

const DEMO: &str = include_str!("../golden/demo_square_110r.txt");
/// The recorded game's map, drawn after the recorded lines.
pub(super) const DEMO_MAP: &str =
    "########\n#!    !#\n#      #\n#  A   #\n#   B  #\n#      #\n#!    !#\n########\n";

pub(super) fn table(players: usize, options: Value) -> Box<dyn Table> {
    KIT.table(&TableSetup::numbered(1, options, players))
        .unwrap()
}

pub(super) fn calls(table: &mut dyn Table) -> Vec<Call> {
    let mut calls = Vec::new();
    table.calls(&mut calls);
    calls
}

/// Sorts each list of connections in a line, whose order in the engine is arbitrary.
fn sorted(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(at) = rest.find("\"connections\": [[") {
        let from = at + "\"connections\": [".len();
        let to = from + rest[from..].find("]]").unwrap() + 1;
        let mut pairs: Vec<(i32, i32)> =
            serde_json::from_str(&format!("[{}]", &rest[from..to])).unwrap();
        pairs.sort_by_key(|(x, y)| (*y, *x));
        let pairs: Vec<String> = pairs.iter().map(|(x, y)| format!("[{x}, {y}]")).collect();
        out.push_str(&rest[..from]);
        out.push_str(&pairs.join(", "));
        rest = &rest[to..];
    }
    out + rest
}

#[test]
fn the_recorded_lines_are_written_byte_for_byte() {
    let options = json!({"map": DEMO_MAP, "rounds": 110, "neutral": null});
    let mut table = table(2, options);
    let (mut received, mut compared) = (std::collections::VecDeque::new(), 0);
    for line in DEMO.lines() {
        if let Some(line) = line.strip_prefix(">>P") {
            if received.is_empty() {
                received.extend(calls(table.as_mut()));
            }
            let call: Call = received.pop_front().unwrap();
            let (seat, text) = line.split_once(' ').unwrap();
            assert_eq!(call.seat.0.to_string(), seat);
            assert_eq!(call.text, sorted(text));
            compared += 1;
        } else if let Some(line) = line.strip_prefix("<<P") {
            let (seat, text) = line.split_once(' ').unwrap();
            table.answer(Seat(seat.parse().unwrap()), Reply::Text(text.as_bytes()));
        } else if let Some(scores) = line.strip_prefix("## round ") {
            let (_, scores) = scores.split_once("scores ").unwrap();
            if line.starts_with("## round 109") {
                let outcome = table.outcome().unwrap();
                let message: Vec<i64> = serde_json::from_str(scores).unwrap();
                assert_eq!(outcome.scores.values(), message);
                assert_eq!(outcome.cause, Cause::Normal);
            }
        }
    }
    assert_eq!(compared, 442, "two beginnings, 220 states and results");
}

#[test]
fn the_recorded_lines_are_read_and_acted_on_as_recorded() {
    // The demo's own commands, replayed through a player whose bot passes: what it sees is what the referee
    // had, at every turn.
    let setup = DialogueSetup::new("passer", 0);
    let mut player = KIT.dialogue(&setup).unwrap();
    let mut states = 0;
    for line in DEMO.lines() {
        if let Some(text) = line.strip_prefix(">>P0 ") {
            let message: Value = serde_json::from_str(text).unwrap();
            match player.receive(text.as_bytes()).unwrap() {
                Next::Think { .. } if message.get("view").is_some() => {
                    let view = player.view();
                    assert_eq!(view["position"], message["position"]);
                    assert_eq!(view["energy"], message["energy"]);
                    assert_eq!(view["score"], message["score"]);
                    for (own, other) in view["lighthouses"]
                        .as_array()
                        .unwrap()
                        .iter()
                        .zip(message["lighthouses"].as_array().unwrap())
                    {
                        assert_eq!(own["owner"], other["owner"]);
                        assert_eq!(own["energy"], other["energy"]);
                    }
                    states += 1;
                }
                Next::Think { fallback, .. } => assert!(fallback.contains("\"name\"")),
                Next::Wait => assert!(message.get("success").is_some()),
                other => panic!("{other:?}"),
            }
        } else if let Some(text) = line.strip_prefix("<<P0 ") {
            player.said(text);
        }
    }
    assert_eq!(states, 110);
    let facts = player.facts();
    let count = |kind: &str| facts.iter().filter(|fact| fact.kind == kind).count();
    assert_eq!(
        (count("game"), count("triangle"), count("standing")),
        (1, 1, 1)
    );
    assert!(count("capture") >= 3 && count("link") >= 3 && count("key") >= 3);
    let message = player.view()["score"].clone();
    player.scored(1234);
    let ending = player.hung_up().unwrap();
    let result = player.facts().pop().unwrap();
    assert_eq!(result.data["points"], 1234, "the last round's points count");
    assert_eq!(result.data["told"], message);
    assert_eq!(ending.cause, Cause::Normal);
    assert!(ending.detail.contains("110 rounds"), "{}", ending.detail);
}

/// Both greet.
fn greeted(table: &mut dyn Table, players: u8) {
    for seat in (0..players).map(Seat) {
        let call = calls(table).remove(0);
        assert_eq!(
            (call.seat, call.answer_within),
            (seat, Some(Duration::from_secs(2)))
        );
        table.answer(seat, Reply::Text(br#" {"name":"x"} "#));
    }
}

const PASS: Reply<'static> = Reply::Text(br#"{"command": "pass"}"#);

#[test]
fn a_silent_bot_is_dropped_and_its_player_stands() {
    let mut table = table(2, json!({"map": DEMO_MAP, "rounds": 5}));
    greeted(table.as_mut(), 2);
    assert_eq!(
        calls(table.as_mut())[0].answer_within,
        Some(Duration::from_millis(500))
    );
    table.answer(Seat(0), PASS);
    calls(table.as_mut());
    table.answer(Seat(1), Reply::Late);
    for _ in 0..4 {
        let calls = calls(table.as_mut());
        assert!(calls.iter().all(|call| call.seat == Seat(0)));
        table.answer(Seat(1), PASS);
        table.answer(Seat(0), PASS);
    }
    let outcome = table.outcome().unwrap();
    assert_eq!((outcome.cause, outcome.scores.len()), (Cause::Normal, 2));
    let blames = table.blames();
    assert_eq!(
        (blames[0].seat, blames[0].cause),
        (Seat(1), Cause::TimeForfeit)
    );
    assert_eq!(
        blames[0].detail,
        "it gave no command within 500 ms in round 1"
    );
    assert_eq!(blames.len(), 1);
}

#[test]
fn late_lines_are_counted_and_thrown_away() {
    let options = json!({"map": DEMO_MAP, "rounds": 6, "on_silence": "pass"});
    let mut table = table(1, options);
    greeted(table.as_mut(), 1);
    let mut states = Vec::new();
    let mut next = |table: &mut dyn Table| {
        let sent = calls(table).pop().unwrap();
        states.push(sent.text.clone());
        sent.text
    };
    next(table.as_mut());
    table.answer(Seat(0), Reply::Late);
    let sent = calls(table.as_mut());
    assert_eq!(
        sent[0].text,
        "{\"success\": false, \"message\": \"Command timed out\"}"
    );
    assert_eq!(sent.len(), 2);
    // The move due in the previous round comes now: it must not be taken for this round's.
    table.answer(
        Seat(0),
        Reply::Text(br#"{"command": "move", "x": 1, "y": 0}"#),
    );
    assert!(table.waits(Seat(0)));
    table.answer(Seat(0), PASS);
    let after = next(table.as_mut());
    assert!(after.contains("\"position\": [3, 4]"), "{after}");
    // One that comes within the hard limit counts.
    table.spent(Seat(0), Duration::from_millis(60));
    table.spent(Seat(0), Duration::from_millis(60));
    table.answer(
        Seat(0),
        Reply::Text(br#"{"command": "move", "x": 1, "y": 0}"#),
    );
    let after = next(table.as_mut());
    assert!(after.contains("\"position\": [4, 4]"), "{after}");
    table.answer(Seat(0), Reply::Text(br#"{"command": "fly"}"#));
    let noted = table.noted(Seat(0));
    assert_eq!((noted.late, noted.refused), (2, 1));
    assert!(table.blames().is_empty());
}

#[test]
fn a_bot_that_is_silent_for_ever_is_dropped_in_the_end() {
    let options = json!({"map": DEMO_MAP, "rounds": 1_000, "on_silence": "pass"});
    let mut table = table(1, options);
    greeted(table.as_mut(), 1);
    let mut turns = 0;
    while table.outcome().is_none() {
        calls(table.as_mut());
        table.answer(Seat(0), Reply::Late);
        turns += 1;
    }
    assert_eq!(turns, 21);
    assert_eq!(table.blames()[0].cause, Cause::TimeForfeit);
}

#[test]
fn bots_that_do_not_greet_or_are_gone_are_dropped() {
    for (reply, cause, detail) in [
        (
            Reply::Late,
            Cause::InitFailure,
            "it did not greet within 2000 ms",
        ),
        (
            Reply::Failed,
            Cause::InitFailure,
            "its program was gone before it greeted",
        ),
        (
            Reply::Text(b"hello"),
            Cause::ProtocolError,
            "its greeting \"hello\" is no JSON: at byte 1: a value is expected",
        ),
        (
            Reply::Text("\u{feff}[0.003s] warning".as_bytes()),
            Cause::ProtocolError,
            "its greeting \"\\u{feff}[0.003s] warning\" is no JSON: at byte 1: a value is expected",
        ),
        (
            Reply::Text(br#"{"name": 5}"#),
            Cause::ProtocolError,
            "it did not greet with its name",
        ),
        (
            Reply::Text(b"{}"),
            Cause::ProtocolError,
            "it did not greet with its name",
        ),
    ] {
        let mut table = table(2, json!({"map": DEMO_MAP, "rounds": 3}));
        calls(table.as_mut());
        table.answer(Seat(0), reply);
        let call = calls(table.as_mut()).remove(0);
        assert!(
            call.text.contains("\"player_num\": 1"),
            "the next one is greeted"
        );
        table.answer(Seat(1), Reply::Text(br#"{"name": "y"}"#));
        for _ in 0..3 {
            calls(table.as_mut());
            table.answer(Seat(1), PASS);
        }
        assert_eq!(table.outcome().unwrap().cause, Cause::Normal);
        let blame = &table.blames()[0];
        assert_eq!((blame.cause, blame.detail.as_str()), (cause, detail));
    }
    let mut table = table(1, json!({"map": DEMO_MAP, "rounds": 3}));
    greeted(table.as_mut(), 1);
    calls(table.as_mut());
    table.answer(Seat(0), Reply::Failed);
    assert_eq!(table.blames()[0].cause, Cause::Crash);
    assert!(table.outcome().is_some(), "no player is left to ask");
}

#[test]
fn neutral_owners_and_pauses_are_options() {
    for (neutral, message) in [
        (json!(null), "\"owner\": null"),
        (json!("null"), "\"owner\": null"),
        (json!("-1"), "\"owner\": -1"),
        (json!(-1), "\"owner\": -1"),
    ] {
        let options = json!({"map": DEMO_MAP, "neutral": neutral, "pause_us": 1000});
        let mut table = table(1, options);
        greeted(table.as_mut(), 1);
        let state = calls(table.as_mut()).remove(0);
        assert!(state.text.contains(message), "{}", state.text);
        assert_eq!(state.pause, Duration::ZERO, "nothing came before it");
        table.answer(Seat(0), PASS);
        let calls = calls(table.as_mut());
        assert_eq!(calls[0].text, "{\"success\": true}");
        assert_eq!(
            (calls[0].pause, calls[1].pause),
            (Duration::ZERO, Duration::from_millis(1))
        );
    }
    for (options, why) in [
        (
            json!({"map": DEMO_MAP}),
            "lighthouses options: the map has 2 start cells for 3 players",
        ),
        (
            json!({"neutral": 0}),
            "lighthouses options: neutral must be -1 or null, not 0",
        ),
        (
            json!({"rounds": 0}),
            "lighthouses options: rounds must be a whole number from 1 to 30000, not 0",
        ),
        (
            json!({"map": "nowhere"}),
            "lighthouses options: there is no map \"nowhere\"; there are atoll, crescent, delta, fjord, hourglass, orchard, plain, skerries, strand, and drawn",
        ),
        (
            json!({"on_silence": "kill"}),
            "lighthouses options: on_silence must be drop or pass, not \"kill\"",
        ),
    ] {
        let setup = TableSetup::numbered(1, options, 3);
        assert_eq!(KIT.table(&setup).err().unwrap().to_string(), why);
    }
}

/// Only bots that depend just on what they received: a searcher also depends on what it has searched.
#[test]
fn a_player_folded_from_a_transcript_plays_on_as_the_one_who_played() {
    for card in CARDS.iter().filter(|card| !card.thinks) {
        folded(card.name);
    }
}

fn folded(bot: &str) {
    let setup = DialogueSetup::new(bot, 5);
    let mut live = KIT.dialogue(&setup).unwrap();
    let mut table = table(1, json!({"map": "orchard", "rounds": 120}));
    let mut message: Vec<(String, String)> = Vec::new();
    let answer = |player: &mut dyn Dialogue, text: &str| match player.receive(text.as_bytes()) {
        Ok(Next::Think { fallback, .. }) => {
            let mut best = fallback;
            player.think(drover_game::game::Budget::nodes(100), &mut best);
            player.said(&best);
            best
        }
        Ok(Next::Wait) => String::new(),
        other => panic!("{other:?}"),
    };
    while table.outcome().is_none() {
        for call in calls(table.as_mut()) {
            let said = answer(live.as_mut(), &call.text);
            if call.answer_within.is_some() {
                table.answer(call.seat, Reply::Text(said.as_bytes()));
            }
            message.push((call.text, said));
        }
    }
    for cut in [1, 2, 50, 121, 200] {
        let mut folded = KIT.dialogue(&setup).unwrap();
        for (text, said) in &message[..cut] {
            folded.receive(text.as_bytes()).unwrap();
            folded.said(said);
        }
        for (number, (text, said)) in message[cut..].iter().enumerate() {
            let again = answer(folded.as_mut(), text);
            assert_eq!(again, *said, "{bot}: {cut} + {number}");
        }
    }
}

#[test]
fn results_escape_what_is_not_ascii() {
    let result = engine::result(Some("a\"b\\c\u{7f}é😀"));
    assert_eq!(
        result,
        r#"{"success": false, "message": "a\"b\\c\u007f\u00e9\ud83d\ude00"}"#
    );
}

#[test]
fn the_last_of_two_names_counts() {
    let greeting = engine::greeting(br#"{"name": "a", "name": "b\u00e9"}"#);
    assert_eq!(greeting, Ok("bé".to_owned()));
}

#[test]
fn setups_that_cannot_be_played_are_named() {
    for (setup, why) in [
        (
            json!({"position": {"map": DEMO_MAP, "players": 3, "rounds": 3}}),
            "lighthouses setup: the map has 2 start cells for 3 players",
        ),
        (
            json!({"position": {"map": DEMO_MAP, "players": 1, "rounds": 0}}),
            "lighthouses setup: rounds must be a whole number from 1 to 30000, not 0",
        ),
        (
            json!({"position": {"map": DEMO_MAP, "players": 1, "rounds": 3}, "conduct": {"hard_ms": 0}}),
            "lighthouses setup: hard_ms must be a whole number from 1 to 3600000, not 0",
        ),
    ] {
        assert_eq!(KIT.reopen(&setup).err().unwrap().to_string(), why);
    }
}

#[test]
fn every_number_of_players_finds_a_shipped_map() {
    for players in 1..=16 {
        for seed in 0..20 {
            let setup = TableSetup::numbered(seed, Value::Null, players);
            assert!(KIT.table(&setup).is_ok(), "{players} players, seed {seed}");
        }
    }
}

#[test]
fn a_player_alone_is_asked_again_only_after_its_last_message() {
    let mut table = table(1, json!({"map": DEMO_MAP, "rounds": 3}));
    greeted(table.as_mut(), 1);
    for _ in 0..3 {
        assert!(!table.waits(Seat(0)), "what was not sent is not waited for");
        calls(table.as_mut());
        assert!(table.waits(Seat(0)));
        table.answer(Seat(0), PASS);
    }
    assert!(table.outcome().is_some());
}

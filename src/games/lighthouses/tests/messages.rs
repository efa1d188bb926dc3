//! Every message of the engine, provoked (README.md, section 3).

use crate::map::Map;
use crate::options::{Conduct, RefereeSetup};
use crate::referee::Referee;
use crate::rules::Setup;
use drover_game::game::Seat;
use drover_game::wire::{Reply, Table};

/// Lighthouses by column: 0 at the player's start, the others in a row to the right and above.
///
/// ```text
/// (1,3) .. (3,3)       4 5
/// (1,1) (2,1) (3,1)    0 1 2, (5,1) 3
/// ```
const MAP: &str = "#######\n#! ! B#\n#  A  #\n#!!! !#\n#######\n";

/// A game between a player that sends commands and one that passes.
struct Talk(Referee);

impl Talk {
    fn begin() -> Self {
        let position = Setup::new(Map::read(MAP).unwrap(), 2, 10_000);
        let conduct = Conduct::default();
        let mut referee = Referee::new(RefereeSetup { position, conduct }).unwrap();
        for _ in 0..2 {
            let mut calls = Vec::new();
            referee.calls(&mut calls);
            referee.answer(calls[0].seat, Reply::Text(br#"{"name": "x"}"#));
        }
        Self(referee)
    }

    /// The answer to a command; the other player passes.
    fn say(&mut self, command: &str) -> String {
        self.0.calls(&mut Vec::new());
        self.0.answer(Seat(0), Reply::Text(command.as_bytes()));
        let mut calls = Vec::new();
        self.0.calls(&mut calls);
        let result = calls.iter().find(|call| call.answer_within.is_none());
        let text = result.map_or_else(|| "dropped".to_owned(), |call| call.text.clone());
        self.0
            .answer(Seat(1), Reply::Text(br#"{"command": "pass"}"#));
        text
    }

    fn fails(&mut self, command: &str, message: &str) {
        let message = message.replace('\\', "\\\\").replace('"', "\\\"");
        let expected = format!("{{\"success\": false, \"message\": \"{message}\"}}");
        assert_eq!(self.say(command), expected, "{command}");
    }

    fn succeeds(&mut self, command: &str) {
        assert_eq!(self.say(command), "{\"success\": true}", "{command}");
    }

    fn step(&mut self, x: i32, y: i32) {
        self.succeeds(&format!(r#"{{"command": "move", "x": {x}, "y": {y}}}"#));
    }

    fn charge(&mut self) {
        self.succeeds(r#"{"command": "attack", "energy": 300}"#);
    }
}

#[test]
fn commands_that_are_none() {
    let mut talk = Talk::begin();
    for (command, word) in [
        (r#"{"command": "jump"}"#, "'jump'"),
        (r#"{"command": 5}"#, "5"),
        (r#"{"command": null}"#, "None"),
        (r#"{"command": true}"#, "True"),
        (r#"{"command": ["pass"]}"#, "['pass']"),
        (r#"{"command": {"a": 1.50}}"#, "{'a': 1.5}"),
        (r#"{"command": "Pass"}"#, "'Pass'"),
        (r#"{"command": "it's"}"#, "\"it's\""),
        (r#"{"command": "pass", "command": "leap"}"#, "'leap'"),
    ] {
        talk.fails(command, &format!("Invalid command {word}"));
    }
    // What is not ASCII is escaped on the wire.
    assert_eq!(
        talk.say(r#"{"command": "é\u0007"}"#),
        r#"{"success": false, "message": "Invalid command '\u00e9\\x07'"}"#
    );
    talk.succeeds(" {\"extra\": [1], \"command\":\t\"pass\"} \r");
}

#[test]
fn moves() {
    let mut talk = Talk::begin();
    for command in [
        r#"{"command": "move"}"#,
        r#"{"command": "move", "x": 1}"#,
        r#"{"command": "move", "y": 1}"#,
    ] {
        talk.fails(command, "Move command requires x, y");
    }
    for value in [
        "2",
        "-2",
        "\"1\"",
        "[1]",
        "NaN",
        "0.5",
        "null",
        "1.0",
        "1e0",
        "99999999999999999999",
    ] {
        let command = format!(r#"{{"command": "move", "x": {value}, "y": 0}}"#);
        talk.fails(&command, "Delta must be 1 cell away");
    }
    talk.step(0, 0);
    // True is 1 and false is 0.
    talk.succeeds(r#"{"command": "move", "x": true, "y": false}"#);
    talk.step(1, 0);
    talk.fails(
        r#"{"command": "move", "x": 1, "y": 0}"#,
        "Target pos is not in island",
    );
}

#[test]
fn attacks() {
    let mut talk = Talk::begin();
    let attack = |energy: &str| format!(r#"{{"command": "attack", "energy": {energy}}}"#);
    for energy in ["1.5", "\"10\"", "null", "[1]", "1.0", "NaN"] {
        talk.fails(&attack(energy), "Attack command requires integer energy");
    }
    talk.fails(
        r#"{"command": "attack"}"#,
        "Attack command requires integer energy",
    );
    talk.fails(&attack("1"), "Player must be located at target lighthouse");
    talk.fails(&attack("-1"), "Player must be located at target lighthouse");
    talk.step(0, -1);
    talk.fails(&attack("-1"), "Strength must be positive");
    talk.fails(
        &attack("-99999999999999999999999999"),
        "Strength must be positive",
    );
    talk.succeeds(&attack("0"));
    talk.succeeds(&attack("true"));
    talk.succeeds(&attack("99999999999999999999999999"));
}

#[test]
fn connections() {
    let mut talk = Talk::begin();
    let connect = |to: &str| format!(r#"{{"command": "connect", "destination": {to}}}"#);
    talk.fails(
        r#"{"command": "connect"}"#,
        "Connect command requires destination",
    );
    for to in ["7", "null", "true", "1.5", "[[1], 2]", "[{}, 2]"] {
        talk.fails(&connect(to), "Destination must be a coordinate pair");
    }
    for to in ["[1, 1]", "\"ab\"", "[]"] {
        talk.fails(
            &connect(to),
            "Player must be located at the origin lighthouse",
        );
    }
    for _ in 0..200 {
        talk.step(0, 0);
    }
    talk.step(0, -1);
    for to in [
        "\"ab\"",
        "{\"a\": 1}",
        "[1, 2, 3]",
        "[1]",
        "[0, 0]",
        "[-1, 1]",
        "[1.5, 1]",
        "[null, 1]",
    ] {
        talk.fails(&connect(to), "Destination must be an existing lighthouse");
    }
    talk.fails(&connect("[1, 1]"), "Both lighthouses must be player-owned");
    talk.charge();
    talk.fails(&connect("[1, 1]"), "Both lighthouses must be player-owned");
    talk.step(-1, 0);
    talk.charge();
    talk.step(-1, 0);
    talk.charge();
    // At (1,1) with the keys of (3,1), (2,1) and (1,1).
    talk.fails(&connect("[1, 1]"), "Cannot connect lighthouse to itself");
    talk.fails(
        &connect("[3, 1]"),
        "Connection cannot intersect a lighthouse",
    );
    talk.succeeds(&connect("[2.0, true]"));
    talk.fails(
        &connect("[2, 1]"),
        "Player does not have the destination key",
    );
    talk.step(1, 0);
    talk.charge();
    talk.fails(&connect("[1, 1]"), "Connection already exists");
    // A link from (3,1) up to (1,3) bars the one from (1,1) to (3,3).
    talk.step(-1, 1);
    talk.step(0, 1);
    talk.charge();
    talk.succeeds(&connect("[3, 1]"));
    talk.step(1, 0);
    talk.step(1, 0);
    talk.charge();
    talk.fails(
        &connect("[1, 1]"),
        "Connection cannot intersect another connection",
    );
}

#[test]
fn lines_that_are_no_commands_drop_the_bot_and_its_player_stands() {
    for line in [
        "",
        "pass",
        "{",
        "[]",
        "5",
        "null",
        "{}",
        "{\"Command\": \"pass\"}",
        "\"pass\"",
    ] {
        let mut talk = Talk::begin();
        assert_eq!(talk.say(line), "dropped", "{line}");
        talk.0.calls(&mut Vec::new());
        let blames = talk.0.blames();
        assert_eq!(blames.len(), 1, "{line}");
        assert_eq!(
            blames[0].cause,
            drover_game::game::Cause::ProtocolError,
            "{line}"
        );
        assert!(!talk.0.waits(Seat(0)) && talk.0.waits(Seat(1)), "{line}");
        assert!(talk.0.outcome().is_none(), "{line}");
    }
}

/// The player of a dropped bot stays where it is, collects what grows there and scores what it holds.
#[test]
fn a_dropped_bot_s_player_goes_on_collecting_and_scoring() {
    let mut talk = Talk::begin();
    talk.step(-1, 1);
    talk.step(-1, 0);
    for _ in 0..20 {
        talk.say(r#"{"command": "pass"}"#);
    }
    talk.succeeds(r#"{"command": "attack", "energy": 300}"#);
    let own = |talk: &Talk| {
        let player = talk.0.game().players()[0];
        (player.energy, player.score)
    };
    assert_eq!(talk.say("pass"), "dropped");
    let (energy, score) = own(&talk);
    for _ in 0..10 {
        talk.0.calls(&mut Vec::new());
        talk.0
            .answer(Seat(1), Reply::Text(br#"{"command": "pass"}"#));
    }
    let (later, scored) = own(&talk);
    assert!(later > energy, "{energy} to {later}");
    // Two points a round for the lighthouse, until it has decayed.
    assert!(scored > score, "{score} to {scored}");
}

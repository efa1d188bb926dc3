//! A bot's side of the wire: states as other engines write them, messages that are wrong, facts.

use super::wire::{DEMO_MAP, calls, table};
use crate::KIT;
use drover_game::game::Seat;
use drover_game::kit::{DialogueSetup, Kit};
use drover_game::wire::{Dialogue, Next, Reply};
use serde_json::{Value, json};

fn begun(neutral: &str) -> (Box<dyn Dialogue>, String) {
    let setup = DialogueSetup::new("nearest", 0);
    let mut player = KIT.dialogue(&setup).unwrap();
    let mut table = table(1, json!({"map": DEMO_MAP, "neutral": neutral}));
    let begin = calls(table.as_mut()).remove(0).text;
    player.receive(begin.as_bytes()).unwrap();
    player.said("{\"name\": \"x\"}");
    table.answer(Seat(0), Reply::Text(b"{\"name\": \"x\"}"));
    (player, calls(table.as_mut()).remove(0).text)
}

#[test]
fn a_player_takes_states_as_other_engines_write_them() {
    let (_, state) = begun("-1");
    for line in [
        state.clone(),
        state.replace("\"owner\": -1", "\"owner\": null"),
        state.replace("\"owner\": -1, ", ""),
        state.replace(": ", ":").replace(", ", ","),
        state.replace("\"energy\": 4", "\"energy\": 4.0"),
        state.replace(
            "{\"position\": [3, 4]",
            "{\"extra\": {\"a\": [1]}, \"position\": [3, 4]",
        ),
        state.replace("\"connections\": []", "\"connections\": [[6, 6]]"),
    ] {
        let (mut player, _) = begun("-1");
        assert!(
            matches!(player.receive(line.as_bytes()), Ok(Next::Think { .. })),
            "{line}"
        );
    }
    // Whatever the spelling and the order, it is the same state.
    let seen = |line: &str| {
        let (mut player, _) = begun("-1");
        player.receive(line.as_bytes()).unwrap();
        player.view()
    };
    let mut owned: Value = serde_json::from_str(&state).unwrap();
    owned["lighthouses"][1]["owner"] = json!(0);
    owned["lighthouses"][1]["energy"] = json!(70);
    let mut turned = owned.clone();
    turned["lighthouses"].as_array_mut().unwrap().reverse();
    let base = seen(&owned.to_string());
    assert_eq!(base["lighthouses"][1]["owner"], 0);
    assert_eq!(base["lighthouses"][1]["energy"], 70);
    assert_eq!(base["lighthouses"][0]["owner"], Value::Null);
    assert_eq!(seen(&turned.to_string()), base);
    let null = owned.to_string().replace("\"owner\":-1", "\"owner\":null");
    assert_eq!(seen(&null), base);
    // A smaller view, and a larger one.
    let view = |side: usize| {
        let mut line: Value = serde_json::from_str(&state).unwrap();
        line["view"] = json!(vec![vec![7; side]; side]);
        line.to_string()
    };
    for side in [0, 1, 3, 5, 9, 41] {
        let (mut player, _) = begun("-1");
        assert!(player.receive(view(side).as_bytes()).is_ok(), "{side}");
    }
}

#[test]
fn a_player_says_what_is_wrong_with_a_message_and_goes_on() {
    let (mut player, state) = begun("-1");
    for (line, why) in [
        ("".to_owned(), "message: it is no JSON object"),
        ("[]".to_owned(), "message: it is no JSON object"),
        (state.replace("[3, 4], \"score\"", "[0, 0], \"score\""), "position: [0, 0] is not on the island"),
        (state.replace("[1, 1], \"owner\"", "[2, 2], \"owner\""), "lighthouses: [2, 2] is none of the game's"),
        (state.replace("\"owner\": -1", "\"owner\": 300"), "owner: there is no player 300"),
        (json!({"player_num": 2, "player_count": 2, "position": [1, 1], "map": [[0]], "lighthouses": [[1, 1]]}).to_string(), "player_num: there is no 2 of 2"),
        (json!({"player_num": 0, "player_count": 99, "position": [1, 1], "map": [[0]], "lighthouses": [[1, 1]]}).to_string(), "player_count: 99 cannot play"),
        (json!({"player_num": 0, "player_count": 1, "position": [1, 1], "map": [[0, 1], [1]], "lighthouses": [[1, 1]]}).to_string(), "map: its rows differ in length"),
        (json!({"player_num": 0, "player_count": 1, "position": [1, 1], "map": [[0]], "lighthouses": [[5, 5]]}).to_string(), "lighthouses: [5, 5] is not on the island, or stands twice"),
        (json!({"player_num": 0, "player_count": 1, "position": [0, 0], "map": [[1]], "lighthouses": []}).to_string(), "lighthouses: 0 of them; 1 to 64 are played with"),
    ] {
        assert_eq!(player.receive(line.as_bytes()).unwrap_err().to_string(), why, "{line}");
        let default = KIT.card().dialect.default_answer(&line);
        assert!(default.is_empty() || serde_json::from_str::<Value>(default).is_ok());
    }
    assert!(matches!(
        player.receive(state.as_bytes()),
        Ok(Next::Think { .. })
    ));
    assert_eq!(
        KIT.card().dialect.default_answer(&state),
        "{\"command\": \"pass\"}"
    );
    assert_eq!(KIT.card().dialect.default_answer("{\"success\": true}"), "");
    let mut fresh = KIT.dialogue(&DialogueSetup::new("passer", 0)).unwrap();
    assert_eq!(
        fresh.receive(state.as_bytes()).unwrap_err().to_string(),
        "message: the game has not begun: the message with player_num comes first"
    );
}

#[test]
fn what_is_taken_and_lost_again_between_two_states_is_a_fact() {
    let (mut player, state) = begun("-1");
    let mut line: Value = serde_json::from_str(&state).unwrap();
    let mut send = |player: &mut dyn Dialogue, owner: i64, said: &str| {
        line["position"] = json!([1, 1]);
        line["energy"] = json!(100);
        line["lighthouses"][0]["owner"] = json!(owner);
        line["lighthouses"][0]["energy"] = json!(50);
        player.receive(line.to_string().as_bytes()).unwrap();
        player.said(said);
        player.receive(b"{\"success\": true}").unwrap();
    };
    send(player.as_mut(), 0, r#"{"command": "pass"}"#);
    player.facts();
    // Unowned in between, as far as states show: it is taken with all that is left, twice.
    send(
        player.as_mut(),
        -1,
        r#"{"command": "attack", "energy": 90}"#,
    );
    send(
        player.as_mut(),
        -1,
        r#"{"command": "attack", "energy": 90}"#,
    );
    let facts = player.facts();
    let kinds: Vec<&str> = facts.iter().map(|fact| fact.kind.as_str()).collect();
    assert_eq!(kinds, ["fall", "capture", "fall", "capture"]);
}

fn unsound(player: &mut dyn Dialogue) -> Vec<String> {
    let facts = player.facts();
    let unsound = facts.iter().filter(|fact| fact.kind == "unsound");
    unsound
        .map(|fact| fact.data["why"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_state_that_comes_again_before_its_result_gets_the_first_answer() {
    let (mut player, state) = begun("-1");
    player.receive(state.as_bytes()).unwrap();
    let said = "{\"command\": \"move\", \"x\": 1, \"y\": 0}";
    player.said(said);
    let before = player.view();
    let again = player.receive(state.as_bytes());
    assert_eq!(again, Ok(Next::Send(said.to_owned())));
    player.said(said);
    assert_eq!(player.view(), before);
    player.receive(b"{\"success\": true}").unwrap();
    // After the result it is another turn that looks alike.
    assert!(matches!(
        player.receive(state.as_bytes()),
        Ok(Next::Think { .. })
    ));
    assert_eq!(unsound(player.as_mut()), [""; 0]);
}

#[test]
fn a_state_that_cannot_be_is_not_folded() {
    let (mut player, state) = begun("-1");
    let scored = |score: i64| state.replace("\"score\": 0", &format!("\"score\": {score}"));
    let send = |player: &mut dyn Dialogue, line: &str| {
        let next = player.receive(line.as_bytes()).unwrap();
        player.said("{\"command\": \"pass\"}");
        player.receive(b"{\"success\": true}").unwrap();
        matches!(next, Next::Think { .. })
    };
    assert!(send(player.as_mut(), &scored(90)));
    let before = player.view();
    let stranger = scored(91).replacen("\"owner\": -1", "\"owner\": 2", 1);
    assert!(!send(player.as_mut(), &stranger));
    assert_eq!(
        unsound(player.as_mut()),
        ["a lighthouse is owned by nobody who plays"]
    );
    assert!(!send(player.as_mut(), &scored(80)));
    assert_eq!(unsound(player.as_mut()), ["the score is lower than before"]);
    assert!(player.receive(b"{\"player_num\": 0").is_err());
    assert_eq!(unsound(player.as_mut()).len(), 1);
    assert_eq!(player.view(), before);
    assert!(send(player.as_mut(), &scored(95)));
    // A score that was far too high is detected by the second state after it.
    assert!(send(player.as_mut(), &scored(9_000)));
    assert!(!send(player.as_mut(), &scored(99)));
    assert!(send(player.as_mut(), &scored(101)));
    assert_eq!(player.view()["score"], 101);
}

#[test]
fn a_game_that_begins_again_after_its_first_state_goes_on() {
    let (mut player, state) = begun("-1");
    let begin = calls(table(1, json!({"map": DEMO_MAP})).as_mut())
        .remove(0)
        .text;
    player.receive(state.as_bytes()).unwrap();
    player.said("{\"command\": \"pass\"}");
    player.receive(b"{\"success\": true}").unwrap();
    let before = player.view();
    let again = player.receive(begin.as_bytes());
    assert!(matches!(again, Ok(Next::Send(_))), "{again:?}");
    assert_eq!(player.view(), before);
}

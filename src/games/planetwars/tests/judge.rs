//! The judge's side of the wire: what it writes, how it reads replies, whom it drops for what.

use crate::KIT;
use drover_game::game::{Cause, Outcome, Seat};
use drover_game::kit::{Kit as _, Nodes, PlaySetup, TableSetup};
use drover_game::wire::{Call, Reply, Table};
use serde_json::{Value, json};
use std::time::Duration;

/// The contest's example: planets in no order, number 3 before number 2.
const MAP: &str = "P 1 2 3 1 0 1\nP 3 0 0 2 1 5\nP 2 3 4 2 2 4\n";

fn table(players: usize, options: &Value) -> Box<dyn Table> {
    let mut all = json!({"map": MAP, "assignment": "in_order"});
    for (name, value) in options.as_object().unwrap() {
        all[name] = value.clone();
    }
    KIT.table(&TableSetup::numbered(1, all, players)).unwrap()
}

fn calls(table: &mut dyn Table) -> Vec<Call> {
    let mut calls = Vec::new();
    table.calls(&mut calls);
    calls
}

/// Sends this line by line.
fn say(table: &mut dyn Table, seat: u8, reply: &str) {
    for line in reply.split('\n') {
        table.answer(Seat(seat), Reply::Text(line.as_bytes()));
    }
}

#[test]
fn a_state_is_the_contest_s_to_the_byte() {
    let mut table = table(2, &json!({}));
    let said = calls(table.as_mut());
    let planets = "P 1 2 3 1 0 1\nP 3 0 0 2 1 5\nP 2 3 4 2 2 4\n";
    assert_eq!(said[0].text, format!("{planets}M 0\nY 1\n."));
    assert_eq!(said[1].text, format!("{planets}M 0\nY 2\n."));
    assert_eq!(said[0].answer_within, Some(Duration::from_secs(10)));
    assert!(table.waits(Seat(0)) && table.waits(Seat(1)) && !table.waits(Seat(2)));
    say(table.as_mut(), 1, "F 2 1 3\nM 4294967295\n.");
    assert!(!table.waits(Seat(1)) && table.waits(Seat(0)));
    assert_eq!(calls(table.as_mut()), []);
    // Carriage returns and trailing blanks are ignored; the last word counts; a negative one is the unsigned
    // one with the same bits.
    say(table.as_mut(), 0, "F 3 2 1 \r\nM 7\r\n\r\nM -1\r\n.\r");
    let said = calls(table.as_mut());
    let planets = "P 1 2 3 1 0 1\nP 3 0 0 2 1 6\nP 2 3 4 2 2 3\n";
    assert_eq!(said[0].text, format!("{planets}M 4294967295\nY 1\n."));
    assert_eq!(said[1].text, format!("{planets}M 4294967295\nY 2\n."));
    assert_eq!(said[0].answer_within, Some(Duration::from_secs(1)));
}

#[test]
fn words_of_32_bits_are_taken_and_no_others() {
    for (word, fits) in [
        ("0", true),
        ("4294967295", true),
        ("-2147483648", true),
        ("4294967296", false),
        ("-2147483649", false),
        ("x", false),
        ("1.5", false),
    ] {
        let mut table = table(2, &json!({}));
        calls(table.as_mut());
        say(table.as_mut(), 0, &format!("M {word}\n."));
        assert_eq!(table.blames().is_empty(), fits, "M {word}");
    }
}

/// How a reply costs its player the game: the cause, and part of the sentence.
fn fault(options: &Value, reply: Reply<'_>) -> (Cause, String, Option<Outcome>) {
    let mut table = table(2, options);
    calls(table.as_mut());
    say(table.as_mut(), 1, ".");
    table.answer(Seat(0), reply);
    let blames = table.blames();
    assert_eq!(blames.len(), 1);
    assert_eq!(blames[0].seat, Seat(0));
    assert!(!table.waits(Seat(0)));
    (blames[0].cause, blames[0].detail.clone(), table.outcome())
}

#[test]
fn every_offence_loses_by_its_cause() {
    let strict = json!({});
    for (reply, cause, part) in [
        (
            "F 2 1 1\n.",
            Cause::IllegalMove,
            "planet 2 belongs to player 2",
        ),
        (
            "F 1 2 1\n.",
            Cause::IllegalMove,
            "planet 1 belongs to nobody",
        ),
        ("F 3 9 1\n.", Cause::IllegalMove, "there is no planet 9"),
        ("F -3 2 1\n.", Cause::IllegalMove, "there is no planet -3"),
        (
            "F 3 2 6\n.",
            Cause::IllegalMove,
            "6 ships from planet 3, where there are 5",
        ),
        (
            "F 3 2 3\nF 3 1 3\n.",
            Cause::IllegalMove,
            "6 ships from planet 3",
        ),
        ("F 3 2 -1\n.", Cause::IllegalMove, "-1 ships cannot leave"),
        ("F 3 3 1\n.", Cause::IllegalMove, "to itself"),
        ("B 3\n.", Cause::IllegalMove, "not for sale"),
        ("hello", Cause::ProtocolError, "\"hello\" is neither F"),
        ("F 3 2", Cause::ProtocolError, "\"F 3 2\" is neither F"),
        ("f 3 2 1", Cause::ProtocolError, "neither F"),
        ("F 3 2 x", Cause::ProtocolError, "\"x\" is no whole number"),
        ("M 77 78", Cause::ProtocolError, "neither F"),
        ("\u{1}\u{2}", Cause::ProtocolError, "neither F"),
    ] {
        let (message, detail, outcome) = fault(&strict, Reply::Text(reply.as_bytes()));
        assert_eq!(message, cause, "{reply}: {detail}");
        assert!(detail.contains(part), "{detail:?} has no {part:?}");
        assert!(detail.ends_with(", in round 1"), "{detail}");
        let outcome = outcome.unwrap();
        assert_eq!((outcome.cause, outcome.scores.values()[0]), (cause, -1));
        assert!(outcome.scores.values()[1] > 0);
    }
    let (cause, detail, _) = fault(&strict, Reply::Late);
    assert_eq!(cause, Cause::InitFailure);
    assert!(
        detail.contains("no whole reply within 10000 ms"),
        "{detail}"
    );
    let (cause, ..) = fault(&strict, Reply::Failed);
    assert_eq!(cause, Cause::InitFailure);
    let long = "x".repeat(2_000);
    let (cause, detail, _) = fault(&strict, Reply::Text(long.as_bytes()));
    assert_eq!(cause, Cause::ProtocolError);
    assert!(detail.contains("a line longer than"), "{detail}");
    let endless = "F 3 2 0\n".repeat(10_001);
    let (cause, detail, _) = fault(&strict, Reply::Text(endless.as_bytes()));
    assert_eq!(cause, Cause::ProtocolError);
    assert!(detail.contains("more than 10000 lines"), "{detail}");
}

#[test]
fn lenient_judges_pass_over_what_is_no_order() {
    let mut table = table(2, &json!({"lines": "lenient"}));
    calls(table.as_mut());
    say(table.as_mut(), 0, "hello\nM 77 3\nf 1 2 5\nF 1 2\n\n.");
    assert!(table.blames().is_empty() && !table.waits(Seat(0)));
    // A malformed number stays an offence.
    say(table.as_mut(), 1, "F 2 1 x\n.");
    assert_eq!(table.blames()[0].cause, Cause::ProtocolError);
}

/// After the first reply the limit is a second, and silence is a forfeit.
#[test]
fn silence_and_death_in_mid_game() {
    for (reply, cause) in [
        (Reply::Late, Cause::TimeForfeit),
        (Reply::Failed, Cause::Crash),
    ] {
        let mut table = table(2, &json!({}));
        calls(table.as_mut());
        say(table.as_mut(), 0, ".");
        say(table.as_mut(), 1, ".");
        calls(table.as_mut());
        // A reply without its dot is incomplete.
        say(table.as_mut(), 0, "F 3 2 1");
        table.answer(Seat(0), reply);
        assert!(table.outcome().is_none(), "the other still takes part");
        say(table.as_mut(), 1, ".");
        assert_eq!(table.outcome().unwrap().cause, cause);
        assert!(table.blames()[0].detail.ends_with("in round 2"));
    }
}

/// With more than one player per team, the rest plays on by the chosen policy.
#[test]
fn a_dropped_player_leaves_its_team_or_takes_it_along() {
    let map = "P 1 0 0 1 1 9\nP 2 9 9 1 2 9\nP 3 0 9 1 3 9\nP 4 9 0 1 4 9\n";
    for (policy, over, owner) in [("idle", false, 1), ("neutral", false, 0), ("team", true, 1)] {
        let options = json!({"map": map, "teams": [2, 2], "dropped": policy});
        let mut table = table(4, &options);
        calls(table.as_mut());
        say(table.as_mut(), 0, "garbage");
        for seat in 1..4 {
            say(table.as_mut(), seat, ".");
        }
        assert_eq!(table.outcome().is_some(), over, "{policy}");
        if over {
            assert_eq!(table.outcome().unwrap().cause, Cause::ProtocolError);
            continue;
        }
        let said = calls(table.as_mut());
        let asked: Vec<u8> = said.iter().map(|call| call.seat.0).collect();
        assert_eq!(asked, [1, 2, 3]);
        assert!(
            said[0].text.contains(&format!("P 1 0 0 1 {owner} ")),
            "{}",
            said[0].text
        );
        assert!(!table.waits(Seat(0)));
        // The mate has lost its neighbour in the ring, and receives 0.
        assert!(said[0].text.contains("M 0\n"));
    }
}

#[test]
fn both_fail_at_once_and_nobody_has_won() {
    let mut table = table(2, &json!({}));
    calls(table.as_mut());
    table.answer(Seat(0), Reply::Late);
    table.answer(Seat(1), Reply::Late);
    let outcome = table.outcome().unwrap();
    assert_eq!(outcome.scores.values(), [-1, -1]);
    assert_eq!(table.blames().len(), 2);
}

#[test]
fn options_that_cannot_be_used_are_named() {
    let wrong = |options: Value, players: usize, part: &str| {
        let setup = TableSetup::numbered(1, options, players);
        let why = KIT.table(&setup).err().unwrap().to_string();
        assert!(why.contains(part), "{why:?} has no {part:?}");
    };
    wrong(
        json!({"travel": "round"}),
        2,
        "travel must be ceil or floor",
    );
    wrong(json!({"rules": "chess"}), 2, "team, mz2015 or google2010");
    wrong(json!({"teams": [2, 2]}), 3, "4 players, not 3");
    wrong(json!({"teams": 11}), 22, "from 1 to 10");
    wrong(json!({"teams": []}), 2, "0 players, not 2");
    wrong(
        json!({"rounds": 0}),
        2,
        "rounds must be a whole number from 1",
    );
    wrong(json!({"turn_ms": 0}), 2, "turn_ms");
    wrong(
        json!({"map": "hexagon"}),
        2,
        "contest, google or a map's text",
    );
    wrong(json!({"map": "P 1 2\n"}), 2, "map: line 1: y is missing");
    wrong(json!({"map": MAP}), 3, "player 3 of 3 has no planet");
    wrong(json!({"planets": 3}), 4, "3 planets: 4");
}

#[test]
fn one_who_enters_plays_a_whole_team() {
    let seat_owners = |options: Value, entrants| {
        KIT.line_up(&options, entrants)
            .map(|line_up| line_up.owners)
    };
    assert_eq!(seat_owners(json!({"teams": 2}), 2).unwrap(), [0, 0, 1, 1]);
    assert_eq!(
        seat_owners(json!({"teams": [3, 1]}), 2).unwrap(),
        [0, 0, 0, 1]
    );
    assert_eq!(
        seat_owners(json!({"teams": "[3, 1]"}), 2).unwrap(),
        [0, 0, 0, 1]
    );
    assert_eq!(
        seat_owners(json!({"teams": "2,2"}), 2).unwrap(),
        [0, 0, 1, 1]
    );
    assert!(seat_owners(json!({"teams": "two"}), 2).is_err());
    assert_eq!(seat_owners(json!({}), 3).unwrap(), [0, 1, 2]);
    let why = seat_owners(json!({"teams": [3, 1]}), 3)
        .unwrap_err()
        .to_string();
    assert!(why.contains("2 teams, and 3 enter"), "{why}");
    assert!(seat_owners(json!({"teams": 0}), 2).is_err());
}

#[test]
fn a_mixed_team_has_one_who_enters_for_each_player() {
    let seat_owners = |options: Value, entrants| {
        KIT.line_up(&options, entrants)
            .map(|line_up| line_up.owners)
    };
    let owners = seat_owners(json!({"teams": [2, 2]}), 4).unwrap();
    assert_eq!(owners, [0, 1, 2, 3]);
    assert_eq!(
        seat_owners(json!({"teams": "3,1"}), 4).unwrap(),
        [0, 1, 2, 3]
    );
    assert!(seat_owners(json!({"teams": [2, 2]}), 3).is_err());
}

/// The wire of 2010: planets by their lines, the reader is 1, fleets with their whole flight and what is
/// left, answers by the places of planets.
#[test]
fn the_wire_of_2010_shows_fleets_and_turns_numbers_round() {
    // Whether or not they land before the end.
    for rounds in [200, 2] {
        shows_fleets(rounds);
    }
}

fn shows_fleets(rounds: u32) {
    let options = json!({"wire": "google2010", "rules": "google2010", "rounds": rounds});
    let mut table = table(2, &options);
    let said = calls(table.as_mut());
    assert_eq!(said[0].text, "P 2 3 0 1 1\nP 0 0 1 5 2\nP 3 4 2 4 2\ngo");
    assert_eq!(said[1].text, "P 2 3 0 1 1\nP 0 0 2 5 2\nP 3 4 1 4 2\ngo");
    say(table.as_mut(), 0, "1 0 3 # to the middle\n\ngo\r");
    say(table.as_mut(), 1, "2 1 4\ngo");
    let said = calls(table.as_mut());
    let planets = "P 2 3 0 1 1\nP 0 0 1 4 2\nP 3 4 2 2 2\n";
    assert_eq!(
        said[0].text,
        format!("{planets}F 1 3 1 0 4 3\nF 2 4 2 1 5 4\ngo")
    );
    say(table.as_mut(), 0, "1 0\n");
    say(table.as_mut(), 1, "0 1 1\ngo");
    assert_eq!(table.blames().len(), 2);
    let causes: Vec<Cause> = table.blames().iter().map(|blame| blame.cause).collect();
    assert_eq!(causes, [Cause::ProtocolError, Cause::IllegalMove]);
}

#[test]
fn who_is_out_without_planets_is_not_asked() {
    let map = "P 1 0 0 1 1 9\nP 2 1 0 1 2 1\nP 3 9 0 1 3 1\n";
    let mut table = table(3, &json!({"map": map, "alive": "planets"}));
    calls(table.as_mut());
    say(table.as_mut(), 0, "F 1 2 9\n.");
    say(table.as_mut(), 1, ".");
    say(table.as_mut(), 2, ".");
    let asked: Vec<Seat> = calls(table.as_mut()).iter().map(|call| call.seat).collect();
    assert_eq!(asked, [Seat(0), Seat(2)]);
    say(table.as_mut(), 0, ".");
    say(table.as_mut(), 2, ".");
    assert!(table.blames().is_empty());
}

#[test]
fn numbers_on_the_wire_are_shuffled_over_the_teams_by_the_seed() {
    let setup = PlaySetup::recorded(
        vec!["idle".to_owned(); 6],
        3,
        json!({"teams": [4, 2], "rounds": 5}),
    );
    let played = KIT.play(&setup, &Nodes(1)).unwrap();
    assert_eq!((played.asks, played.transcript.len()), (30, 30));
    let seats: Vec<String> = played.transcript[..6]
        .iter()
        .map(|received| received.call.lines().rev().nth(1).unwrap().to_owned())
        .collect();
    let mut sorted = seats.clone();
    sorted.sort();
    assert_eq!(sorted, ["Y 1", "Y 2", "Y 3", "Y 4", "Y 5", "Y 6"]);
    assert_ne!(seats, sorted, "seed 3 shuffles");
}

//! A player's side of the wire: what it reads, what it sends, what is recorded.

use crate::KIT;
use crate::dialect::player::{read, write};
use crate::rules::{Act, Launch};
use drover_game::dialect::Seating;
use drover_game::game::{Budget, Cause, Progress};
use drover_game::kit::{DialogueSetup, Kit as _};
use drover_game::neutral::Post;
use drover_game::wire::{Dialogue, Fact, Next};
use serde_json::Value;
use std::time::Duration;

const STATE: &str = "P 1 2 3 1 0 1\nP 3 0 0 2 1 5\nP 2 3 4 2 2 4\nM 0\nY 1\n.";

fn player(bot: &str) -> Box<dyn Dialogue> {
    let setup = DialogueSetup::new(bot, 0);
    KIT.dialogue(&setup).unwrap()
}

/// Takes in a state and answers; returns the answer.
fn turn(player: &mut dyn Dialogue, state: &str) -> String {
    let Ok(Next::Think { fallback, .. }) = player.receive(state.as_bytes()) else {
        panic!("no answer is wanted to {state}");
    };
    let mut best = fallback;
    while player.think(Budget::nodes(500), &mut best) == Progress::More {}
    player.said(&best);
    best
}

#[test]
fn states_of_other_judges_are_read() {
    // Any order, carriage returns, fractions, signed words, lines of other kinds, no word at all.
    let state =
        read(b"Y 7\r\nZ 1 2\r\nM -1\r\nP 0 1.5 -2 -3 7 12\r\nP 9 0 0 1 0 1\r\n\r\n.\r").unwrap();
    assert_eq!((state.you, state.message), (7, Some(u32::MAX)));
    let first = state.planets[0];
    assert_eq!((first.id, first.x, first.y), (0, 1.5, -2.0));
    assert_eq!((first.growth, first.owner, first.ships), (-3, 7, 12));
    assert_eq!(read(b"P 0 0 0 1 1 2\nY 1\n.").unwrap().message, None);
}

#[test]
fn what_is_wrong_with_a_state_is_named() {
    for (state, message) in [
        ("", ".: the state does not end with it"),
        ("P 1 0 0 1 1 2\nY 1", ".: the state does not end with it"),
        ("Y 1\n.", "P: there is no planet"),
        ("P 1 0 0 1 1 2\n.", "Y: it is missing"),
        ("P 1 0 0 1 1 2\nY x\n.", "Y: no player: \"Y x\""),
        (
            "P 1 0 0 1 1\nY 1\n.",
            "P: ships is missing: \"P 1 0 0 1 1\"",
        ),
        (
            "P 1 inf 0 1 1 2\nY 1\n.",
            "P: x is no number up to 1000000: \"P 1 inf 0 1 1 2\"",
        ),
        ("P 1 0 0 1 1 2\nP 1 0 0 1 1 2\nY 1\n.", "P: planet 1 twice"),
        ("P 1 0 0 1 1 2\nM x\nY 1\n.", "M: no whole number: \"M x\""),
    ] {
        assert_eq!(read(state.as_bytes()).unwrap_err().to_string(), message);
    }
    assert!(read(b"P \xFF\n.").is_err());
}

#[test]
fn replies_end_with_a_dot() {
    let act = Act {
        launches: vec![Launch {
            from: 3,
            to: 1,
            ships: 1,
        }],
        upgrades: Vec::new(),
        message: Some(23_777),
    };
    assert_eq!(write(&act), "F 3 1 1\nM 23777\n.");
    assert_eq!(write(&Act::default()), ".");
}

/// The wire of 2010: known by its last line, answered in kind, fleets taken in.
#[test]
fn the_wire_of_2010_is_read_and_answered() {
    let state =
        read(b"# turn 3\nP 1.5 -2 1 30 5\nP 4.5 2 2 7 1 # theirs\nF 2 9 1 0 5 2\n\ngo\r").unwrap();
    assert_eq!((state.you, state.message), (1, None));
    let [own, other] = state.planets[..] else {
        panic!("two planets");
    };
    assert_eq!(
        (own.id, own.x, own.growth, own.owner, own.ships),
        (0, 1.5, 5, 1, 30)
    );
    assert_eq!((other.id, other.owner), (1, 2));
    let fleet = state.fleets.unwrap()[0];
    assert_eq!(
        (fleet.owner, fleet.ships, fleet.from, fleet.to),
        (2, 9, 1, 0)
    );
    assert_eq!((fleet.turns, fleet.left), (5, 2));
    for (state, message) in [
        ("go", "P: there is no planet"),
        ("P 1 2 3 4\ngo", "P: cannot be read: \"P 1 2 3 4\""),
        ("P 1 2 1 4 5\nF 1 2\ngo", "F: cannot be read: \"F 1 2\""),
    ] {
        assert_eq!(read(state.as_bytes()).unwrap_err().to_string(), message);
    }
    let state = "P 0 0 1 100 5\nP 9 0 2 100 5\nP 2 0 0 5 5\ngo";
    assert_eq!(turn(player("idle").as_mut(), state), "go");
    let said = turn(player("champion").as_mut(), state);
    assert!(said.contains("0 2 ") && said.ends_with("\ngo"), "{said}");
    KIT.card().in_form(state.as_bytes(), &said).unwrap();
    assert!(KIT.card().in_form(state.as_bytes(), "F 0 2 6\ngo").is_err());
    assert_eq!(KIT.card().dialect.default_answer(state), "go");
    assert!(KIT.card().dialect.completes(b"go"));
}

/// Ships on a planet that shrinks are used before they are gone, and growth is bought where it is sold.
#[test]
fn ships_that_rot_are_used() {
    let state = "P 0 0 0 -5 1 50\nP 1 3 0 3 0 10\nP 2 9 9 -5 2 50\nY 1\n.";
    let said = turn(player("champion").as_mut(), state);
    assert!(said.contains("F 0 1 "), "{said}");
    let alone = "P 0 0 0 2 1 9\nP 1 3 0 -3 0 90\nP 2 9 9 2 2 9\nY 1\n.";
    let said = turn(player("champion").as_mut(), alone);
    assert!(said.contains("B 0\n"), "{said}");
    // Not where words are passed, since there it is forbidden.
    let words = alone.replace("Y 1", "M 0\nY 1");
    let said = turn(player("champion").as_mut(), &words);
    assert!(!said.contains('B'), "{said}");
}

#[test]
fn a_state_is_whole_with_its_dot_and_seats_come_from_owners() {
    assert!(
        KIT.card().dialect.completes(b".")
            && KIT.card().dialect.completes(b".\r")
            && !KIT.card().dialect.completes(b"P 1 0.5 0 1 1 2")
    );
    let route = KIT.card().dialect.route(STATE.as_bytes()).unwrap();
    let Some(Seating { seat, seats, .. }) = route.seating else {
        panic!("no seat");
    };
    assert_eq!((seat.0, seats, route.begins), (0, 2, false));
    assert!(KIT.card().dialect.route(b"hello").is_err());
    assert_eq!(KIT.card().dialect.default_answer(STATE), ".");
    assert_eq!(KIT.card().dialect.default_answer("P 1"), "");
}

#[test]
fn time_is_ten_seconds_and_then_one() {
    let mut player = player("idle");
    let mut within = |state: &str| {
        let Ok(Next::Think { limit, .. }) = player.receive(state.as_bytes()) else {
            panic!("no answer is wanted");
        };
        player.said(".");
        limit
    };
    assert_eq!(within(STATE), Duration::from_secs(10));
    assert_eq!(within(STATE), Duration::from_secs(1));
}

fn kinds(facts: &[Fact]) -> Vec<&str> {
    facts.iter().map(|fact| fact.kind.as_str()).collect()
}

/// Fleets of others show in what their planets lose; where they land shows later.
#[test]
fn facts_name_sender_and_target() {
    let mut player = player("idle");
    let state = |planets: &str, word: u32| format!("{planets}M {word}\nY 1\n.");
    // Planets 1 and 2 are three turns apart.
    let before = "P 1 0 0 1 1 5\nP 2 3 0 2 2 9\nP 3 9 0 1 0 1\n";
    turn(player.as_mut(), &state(before, 0));
    assert_eq!(kinds(&player.facts()), ["game"]);
    // Player 2 has sent 6: 9 + 2 - 6.
    turn(
        player.as_mut(),
        &state("P 1 0 0 1 1 6\nP 2 3 0 2 2 5\nP 3 9 0 1 0 1\n", 0),
    );
    let facts = player.facts();
    assert_eq!(kinds(&facts), ["sent"]);
    assert_eq!(
        facts[0].data,
        serde_json::json!({"turn": 0, "by": 2, "planet": 2, "ships": 6})
    );
    turn(
        player.as_mut(),
        &state("P 1 0 0 1 1 7\nP 2 3 0 2 2 7\nP 3 9 0 1 0 1\n", 5),
    );
    assert_eq!(kinds(&player.facts()), ["word"]);
    // It lands on ours: 7 - 6, and they grow.
    turn(
        player.as_mut(),
        &state("P 1 0 0 1 1 2\nP 2 3 0 2 2 9\nP 3 9 0 1 0 1\n", 5),
    );
    player.facts();
    // Another player takes it.
    turn(
        player.as_mut(),
        &state("P 1 0 0 1 2 4\nP 2 3 0 2 2 9\nP 3 9 0 1 0 1\n", 5),
    );
    assert_eq!(kinds(&player.facts()), ["sent", "capture"]);
    let lessons = player.lessons();
    assert_eq!(lessons.len(), 1);
    assert_eq!(lessons[0].rival, "1");
    let record = &lessons[0].evidence;
    assert_eq!(
        (&record["captures"], &record["from_us"]),
        (&1.into(), &1.into())
    );
    let models = KIT.card().models.unwrap();
    let shown = models.show(&models.merge(None, record));
    assert_eq!(shown["captures_a_game"]["mean"], 1.0);
}

#[test]
fn own_fleets_and_words_are_kept() {
    let mut player = player("idle");
    player.receive(STATE.as_bytes()).unwrap();
    // Another answer was sent for the bot.
    player.said("F 3 1 2\nM 9\n.");
    let facts = player.facts();
    assert_eq!(kinds(&facts), ["game", "launch", "word"]);
    assert_eq!(facts[1].data["lands"], 4);
    assert_eq!(player.view()["player"], 1);
}

#[test]
fn a_closed_pipe_is_the_end_unless_an_answer_is_due() {
    let mut player = player("idle");
    assert_eq!(player.hung_up(), None);
    player.receive(STATE.as_bytes()).unwrap();
    assert_eq!(player.hung_up(), None);
    player.said(".");
    let ending = player.hung_up().unwrap();
    assert_eq!(ending.cause, Cause::Normal);
    assert_eq!(
        ending.detail,
        "1 planets with 5 ships, 0 more in flight, after 0 rounds"
    );
    assert_eq!(kinds(&player.facts()).last(), Some(&"result"));
}

/// A wrong state changes nothing: the next right one is the first.
#[test]
fn a_wrong_state_changes_nothing() {
    let mut player = player("idle");
    assert!(player.receive(b"P 1 x").is_err());
    assert_eq!(turn(player.as_mut(), STATE), "M 0\n.");
    assert_eq!(player.view()["turn"], 0);
}

/// What a player receives about planets 1 to 4 of players 2, 2, 3 and 3, all of growth 1, one, two and three
/// turns apart, with these ships; the player itself has planet 5, far away.
fn seen(ships: [i64; 4], owners: [u32; 4]) -> String {
    let line = |place: usize| {
        let (x, owner, ships) = (place, owners[place], ships[place]);
        format!("P {} {x} 0 1 {owner} {ships}\n", place + 1)
    };
    let planets: String = (0..4).map(line).collect();
    format!("{planets}P 5 90 90 0 1 3\nY 1\n.")
}

fn fleets(facts: &[Fact]) -> Vec<(u64, u64, i64, bool)> {
    let fleets = facts.iter().filter(|fact| fact.kind == "fleet");
    fleets
        .map(|fact| {
            let of = |name: &str| fact.data[name].as_u64().unwrap();
            let ships = fact.data["ships"].as_i64().unwrap();
            (
                of("from"),
                of("to"),
                ships,
                fact.data["exact"].as_bool().unwrap(),
            )
        })
        .collect()
}

/// A fleet that flies one turn lands in the state that shows its departure, whichever planet comes first.
#[test]
fn reinforcements_are_found_with_their_number() {
    let owners = [2, 2, 3, 3];
    for (after, fleet) in [
        ([17, 5, 11, 11], (2, 1, 6, true)),
        ([5, 17, 11, 11], (1, 2, 6, true)),
    ] {
        let mut player = player("idle");
        turn(player.as_mut(), &seen([10, 10, 10, 10], owners));
        turn(player.as_mut(), &seen(after, owners));
        assert_eq!(fleets(&player.facts()), [fleet]);
    }
    // Two turns later, with another number: some were lost on landing, or more came.
    let mut player = player("idle");
    turn(player.as_mut(), &seen([10, 10, 10, 10], [2, 3, 2, 3]));
    turn(player.as_mut(), &seen([4, 11, 11, 11], [2, 3, 2, 3]));
    turn(player.as_mut(), &seen([5, 12, 20, 12], [2, 3, 2, 3]));
    assert_eq!(fleets(&player.facts()), [(1, 3, 7, false)]);
}

#[test]
fn captures_are_ascribed_to_a_fleet_that_was_due() {
    let mut player = player("idle");
    turn(player.as_mut(), &seen([30, 10, 10, 10], [2, 2, 3, 3]));
    // 20 leave planet 1 and take planet 3 two turns later.
    turn(player.as_mut(), &seen([11, 11, 11, 11], [2, 2, 3, 3]));
    turn(player.as_mut(), &seen([12, 12, 10, 12], [2, 2, 2, 3]));
    let facts = player.facts();
    assert_eq!(fleets(&facts), [(1, 3, 20, false)]);
    assert_eq!(kinds(&facts), ["game", "sent", "capture", "fleet"]);
}

/// What a planet loses while a third player's fleet is due there may have been lost to it.
#[test]
fn losses_to_a_third_one_are_not_taken_for_ships_that_left() {
    let mut player = player("idle");
    turn(player.as_mut(), &seen([30, 10, 10, 10], [2, 2, 3, 3]));
    turn(player.as_mut(), &seen([25, 11, 11, 11], [2, 2, 3, 3]));
    player.facts();
    // The 6 end on planet 3.
    turn(player.as_mut(), &seen([26, 12, 6, 12], [2, 2, 3, 3]));
    assert_eq!(kinds(&player.facts()), [] as [&str; 0]);
}

/// Every state of a game has the same planets and the same reader: a different one is not folded, unless the
/// next agrees with it.
#[test]
fn a_state_of_another_game_is_doubted_once() {
    let mut player = player("prospector");
    turn(player.as_mut(), STATE);
    let before = player.view();
    let other = STATE.replace("\nY 1", "\nY 2");
    assert_ne!(other, STATE);
    assert_eq!(player.receive(other.as_bytes()), Ok(Next::Send(".".into())));
    player.said(".");
    assert_eq!(player.view(), before);
    let facts = player.facts();
    assert!(facts.iter().any(|fact| fact.kind == "unsound"), "{facts:?}");
    turn(player.as_mut(), STATE);
    assert_eq!(player.view()["turn"], 1);
    assert!(player.facts().iter().all(|fact| fact.kind != "unsound"));
    // Two in a row: then it was the first that was wrong.
    assert_eq!(player.receive(other.as_bytes()), Ok(Next::Send(".".into())));
    assert!(matches!(
        player.receive(other.as_bytes()),
        Ok(Next::Think { .. })
    ));
    assert_eq!(player.view()["player"], 2);
}

/// A program's own words, in either wire: orders, growth, the word to the next in the ring.
#[test]
fn a_programs_reply_is_read_in_the_words_of_its_wire() {
    let google = "P 0 0 1 20 3\nP 5 5 0 3 2\nF 2 4 1 0 5 3\ngo";
    for (state, said, expected) in [
        (STATE, "F 3 1 2\n\nM -1\n.", Ok("F 3 1 2\nM 4294967295\n.")),
        (STATE, "M 7\nB 3\n.", Ok("B 3\nM 7\n.")),
        (STATE, "F 3 1 2", Err("the reply has no end")),
        (STATE, "go", Err("\"go\" is neither F from to ships")),
        (STATE, "F 1 3 1\n.", Err("planet 1 is not yours")),
        (google, "0 1 7 # half\ngo", Ok("0 1 7\ngo")),
        (
            google,
            "0 9 7\ngo",
            Err("planets 0 and 9: there are 0 to 1"),
        ),
        (
            google,
            ".",
            Err("\".\" is neither source destination ships nor go"),
        ),
    ] {
        let post = Post::native();
        let setup = DialogueSetup {
            fallback: "idle".to_owned(),
            post: Some(post.clone()),
            ..DialogueSetup::new("bot:mine@1", 0)
        };
        let mut player = KIT.dialogue(&setup).unwrap();
        let Ok(Next::Think { mut fallback, .. }) = player.receive(state.as_bytes()) else {
            panic!("no answer is wanted to {state}");
        };
        let _ = player.think(Budget::nodes(0), &mut fallback);
        post.answer(1, Value::from(said));
        let _ = player.think(Budget::nodes(0), &mut fallback);
        match (post.verdict().unwrap(), expected) {
            (Ok(()), Ok(expected)) => assert_eq!(fallback, expected, "{said:?}"),
            (Err(why), Err(expected)) => assert!(why.0.contains(expected), "{said:?}: {why}"),
            (verdict, _) => panic!("{said:?}: {verdict:?}"),
        }
    }
}

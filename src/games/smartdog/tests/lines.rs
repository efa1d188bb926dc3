//! How each side of the wire handles lines that were not recorded.

use crate::KIT;
use crate::dialect;
use crate::player::Player;
use crate::reception::Hub;
use crate::rules::{Ask, Event, Orders, SmartDog, View};
use drover_game::game::{Bot, Budget, Cause, Seat};
use drover_game::wire::{Arrival, Dialogue as _, Next, Reception as _, Reply};
use drover_game::{Kit as _, TableSetup};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

/// Records its events and orders nothing.
#[derive(Clone)]
pub(super) struct Ear(Arc<Mutex<Vec<Event>>>);

impl Bot<SmartDog> for Ear {
    fn observe(&mut self, event: &Event) {
        self.0.lock().unwrap().push(event.clone());
    }
    fn decide(&mut self, _: &View, _: &Ask, _: Budget<'_>) -> Orders {
        Orders::new()
    }
}

pub(super) type Received = Arc<Mutex<Vec<Event>>>;

pub(super) fn listener() -> (Player, Received) {
    let received = Received::default();
    (
        Player::new(Box::new(Ear(Arc::clone(&received))), "bob", "duet"),
        received,
    )
}

fn referee(players: usize, options: &Value) -> Box<dyn drover_game::Table> {
    KIT.table(&TableSetup {
        market: 0,
        ..TableSetup::numbered(1, options.clone(), players)
    })
    .unwrap()
}

fn said(table: &mut dyn drover_game::Table) -> Vec<(u8, String)> {
    let mut calls = Vec::new();
    table.calls(&mut calls);
    calls
        .into_iter()
        .map(|call| (call.seat.0, call.text))
        .collect()
}

fn lines_after(table: &mut dyn drover_game::Table, seat: u8, line: &str) -> Vec<(u8, String)> {
    table.answer(Seat(seat), Reply::Text(line.as_bytes()));
    said(table)
}

#[test]
fn every_text_of_warnings_and_errors() {
    let map = "{\"dogBarkingR\": 9, \"dogScaryTurns\": 2}\n.@#\n...\n.*.\n...";
    let mut table = referee(2, &json!({ "map": map }));
    assert_eq!(said(&mut *table).len(), 4);
    let mut refused = [0; 2];
    for (seat, line, answer) in [
        (
            0,
            "do 1 move",
            "warning 1 Unexpected direction 'undefined', one of the following expected: up,down,left,right",
        ),
        (
            0,
            "do 3 move north",
            "warning 3 Unexpected direction 'north', one of the following expected: up,down,left,right",
        ),
        (0, "do 2 bark", "warning 2 Unknown id"),
        (0, "do x move up", "warning x Unknown id"),
        (0, "do 0 bark", "warning 0 Unknown id"),
        (
            0,
            "do 1 move right",
            "warning 1 Cannot move to 2, 0 - there is a non traversable landscape or another object",
        ),
        (
            0,
            "do",
            "warning Unknown command - undefined, only the following are allowed: move,bark",
        ),
        (
            0,
            "do 1 sit",
            "warning Unknown command - sit, only the following are allowed: move,bark",
        ),
        (0, "", "error Unknown command: ()"),
        (
            0,
            "foo \"q\\\"",
            "error Unknown command: foo(\\\"q\\\\\\\")",
        ),
        (0, "do 1 bark now", "error Unknown command: do(1 bark now)"),
        (0, "send x", "error Unknown command: send(x)"),
        (0, "join me solo", "error You are playing already"),
        (0, "do 1 move left", ""),
        (0, "do 1 move left", "warning 1 Dog already moved this turn"),
        (0, "  do  1   bark \r", ""),
        (
            0,
            "do 1 bark",
            "warning 1 Dog with already barked this turn",
        ),
        (0, "end", ""),
        // A second end is not counted, and commands after the end work until the turn is over.
        (0, "end", ""),
        (
            0,
            "do 1 bark",
            "warning 1 Dog with already barked this turn",
        ),
        (1, "end", "state"),
        (1, "do 2 move up", "warning 2 Cannot move - scared :("),
        (
            1,
            "do 2 bark",
            "warning 2 Cannot bark because fighted by another dog",
        ),
    ] {
        let lines_after = lines_after(&mut *table, seat, line);
        match answer {
            "" => assert_eq!(lines_after, [], "{line}"),
            "state" => assert_eq!(lines_after.len(), 2, "{line}"),
            _ => {
                assert_eq!(lines_after, [(seat, answer.to_owned())], "{line}");
                refused[usize::from(seat)] += 1;
            }
        }
    }
    let noted = [0, 1].map(|seat| table.noted(Seat(seat)).refused);
    assert_eq!(noted, refused);
}

#[test]
fn a_player_who_is_gone_or_late_forfeits() {
    let mut table = referee(3, &json!({"map": "islands", "turnsLimit": 2}));
    said(&mut *table);
    lines_after(&mut *table, 0, "end");
    table.answer(Seat(2), Reply::Failed);
    assert_eq!(said(&mut *table), [(2, dialect::gone())]);
    assert!(table.waits(Seat(1)) && !table.waits(Seat(0)) && !table.waits(Seat(2)));
    let turn = lines_after(&mut *table, 1, "end");
    assert_eq!(
        turn.iter().map(|(seat, _)| *seat).collect::<Vec<_>>(),
        [0, 1]
    );
    table.answer(Seat(0), Reply::Late);
    assert_eq!(said(&mut *table), [(0, dialect::gone())]);
    assert_eq!(
        lines_after(&mut *table, 2, "end"),
        [],
        "a seat that has forfeited is ignored"
    );
    let end = lines_after(&mut *table, 1, "end");
    assert_eq!(
        end,
        [(1, "finished \"youWin\":true,\"winner\":2".to_owned())]
    );
    let outcome = table.outcome().unwrap();
    assert_eq!(outcome.cause, Cause::Disconnect);
    assert_eq!(
        outcome.scores.values(),
        [-1000, 250, -1000],
        "a sheep walked in"
    );
}

#[test]
fn the_official_abort_ends_the_match_for_all() {
    let mut table = referee(2, &json!({"map": "fold", "on_fault": "abort"}));
    said(&mut *table);
    table.answer(Seat(1), Reply::Late);
    assert_eq!(
        said(&mut *table),
        [(0, dialect::gone()), (1, dialect::gone())]
    );
    let outcome = table.outcome().unwrap();
    assert_eq!(outcome.cause, Cause::TimeForfeit);
    assert!(outcome.scores.is_empty(), "nobody won");
    assert_eq!(lines_after(&mut *table, 0, "end"), []);
}

#[test]
fn options_that_cannot_be_used_are_named() {
    for (options, players, what) in [
        (
            json!({"map": "moon"}),
            1,
            "there is no map \"moon\"; there are canyon,",
        ),
        (json!({"turnsLimit": 0}), 1, "turnsLimit is 0"),
        (json!({"on_fault": "cry"}), 1, "on_fault"),
        (json!({}), 5, "5 cannot play"),
    ] {
        let setup = TableSetup::numbered(1, options, players);
        let error = KIT.table(&setup).err().unwrap().to_string();
        assert!(error.contains(what), "{error}");
    }
}

#[test]
fn the_reception_takes_every_spelling() {
    let join = |name: &str, room: Option<&str>| Arrival::Join {
        name: name.to_owned(),
        room: room.map(str::to_owned),
    };
    for (line, arrival) in [
        ("join bob duet", join("bob", Some("duet"))),
        ("join bob #Duet\r", join("bob", Some("duet"))),
        ("join  bob   SOLO  x", join("bob", Some("solo"))),
        ("join  solo", join("solo", None)),
        ("join", join("", None)),
        ("join bob #", join("bob", None)),
    ] {
        assert_eq!(Hub.receive(line.as_bytes()), arrival, "{line}");
    }
    for (line, answer) in [
        ("end", "error Unknown command: end()"),
        ("do 5 bark", "error Unknown command: do(5 bark)"),
        ("", "error Unknown command: ()"),
        ("Join bob", "error Unknown command: Join(bob)"),
        ("constructor", "error Unknown command: constructor()"),
    ] {
        assert_eq!(
            Hub.receive(line.as_bytes()),
            Arrival::Answer(answer.to_owned()),
            "{line}"
        );
    }
    assert_eq!(
        Hub.receive(b"\xff\xfe"),
        Arrival::Answer("error Unknown command: \u{fffd}\u{fffd}()".to_owned())
    );
    assert_eq!(Hub.no_room(), "error No such hub");
    for (queued, text) in [
        (1, "wait "),
        (12, "wait "),
        (104, "wait 0"),
        (1234, "wait 23"),
    ] {
        assert_eq!(Hub.wait(queued).unwrap(), text);
    }
}

#[test]
fn the_client_asks_for_its_hub_in_both_spellings() {
    let (mut player, _) = listener();
    assert_eq!(player.open().unwrap(), "join bob duet");
    player.said("join bob duet");
    assert_eq!(player.receive(b"wait ").unwrap(), Next::Wait);
    assert_eq!(
        player.receive(b"error No such hub").unwrap(),
        Next::Send("join bob #duet".into())
    );
    player.said("join bob #duet");
    let Next::Over(ending) = player.receive(b"error No such hub").unwrap() else {
        panic!("it asks again");
    };
    assert_eq!(ending.cause, Cause::InitFailure);
    assert_eq!(ending.detail, "the hub does not let us in: No such hub");
}

const START: &str = r#"start "you":2,"rows":2,"cols":4,"players":2,"x1":2,"x2":3,"y1":0,"y2":1,"waitForTurn":1000,"dogVisibilityR":"3","new":7,"maxSheepsCount":1,"iniSheepsCount":0"#;
const LOOSE: &str = "start  you=2,rows=2,cols=4,players=2,x1=2,x2=3,y1=0,y2=1,waitForTurn=1000,dogVisibilityR=3,maxSheepsCount=1,iniSheepsCount=0";

#[test]
fn the_client_reads_every_form() {
    let forms = [
        (
            START,
            r#"landscape "1.2.","....""#,
            r#"obj  "id":9,"type":"Dog","x":3,"y":0,"owner":2,"action":"move""#,
            r#"finished "youWin":false,"winner":1"#,
        ),
        (
            LOOSE,
            "landscape 1.2.,....",
            "obj id=9,type=Dog,x=3,y=0,owner=2,action=move",
            "finished youWin=false,winner=1",
        ),
    ];
    for (start, landscape, dog, finished) in forms {
        let (mut player, received) = listener();
        let opening = format!("tell me\n{start}\nweather \"fine\"\n{landscape}\n");
        assert_eq!(player.receive(opening.as_bytes()).unwrap(), Next::Wait);
        let turn = format!(
            "state \"turn\":1\n{dog}\nobj\nobj \"x\":99,\"y\":0,\"type\":\"Sheep\"\nobj \"id\":-3,\"type\":\"Dog\"\nturn\n"
        );
        let Next::Think { limit, .. } = player.receive(turn.as_bytes()).unwrap() else {
            panic!("it is not asked");
        };
        assert_eq!(limit.as_millis(), 1000);
        {
            let events = received.lock().unwrap();
            let Some(Event::Turn(view)) = events.last() else {
                panic!("no view")
            };
            assert_eq!(view.seen.len(), 1, "objects outside the world are ignored");
            assert_eq!(view.ground.tiles()[Seat(0)].last.x, 1);
        }
        player.said("do 9 move left\nend");
        let warned = player.receive(b"warning 9 Cannot move to 2, 0 - there is a non traversable landscape or another object\nstate  \"turn\":2\nturn\n");
        assert!(warned.is_ok());
        assert!(
            received
                .lock()
                .unwrap()
                .iter()
                .any(|event| matches!(event, Event::Refused { .. }))
        );
        let Next::Over(ending) = player.receive(finished.as_bytes()).unwrap() else {
            panic!("it is not over");
        };
        assert_eq!(
            (ending.cause, ending.detail.as_str()),
            (Cause::Normal, "player 1 won")
        );
        assert_eq!(ending.wins, [0.0, 1.0], "the own seat first");
    }
}

#[test]
fn finished_in_all_forms() {
    for (line, cause, detail) in [
        ("finished", Cause::Normal, "nobody won"),
        ("finished \"youWin\":true", Cause::Normal, "won"),
        (
            "finished {\"youWin\":true,\"winner\":2}",
            Cause::Normal,
            "player 2 won",
        ),
        (
            "finished \"youWin\":false,\"error\":\"player.gone\"",
            Cause::Disconnect,
            "the hub gave the match up: player.gone",
        ),
        (
            "finished \"youWin\":false,\"error\":{\"message\":\"oh, \\\"no\\\"\",\"stack\":\"a:b\"}",
            Cause::Disconnect,
            "the hub gave the match up: {\"message\":\"oh, \\\"no\\\"\",\"stack\":\"a:b\"}",
        ),
    ] {
        let (mut player, _) = listener();
        let Next::Over(ending) = player.receive(line.as_bytes()).unwrap() else {
            panic!("{line} does not end the wait");
        };
        assert_eq!(ending.cause, Cause::InitFailure, "there was no game");
        let opening = format!("{START}\nlandscape \"1.2.\",\"....\"");
        player.receive(opening.as_bytes()).unwrap();
        let Next::Over(ending) = player.receive(line.as_bytes()).unwrap() else {
            panic!("{line} does not end the match");
        };
        assert_eq!(
            (ending.cause, ending.detail.as_str()),
            (cause, detail),
            "{line}"
        );
    }
}

#[test]
fn what_cannot_be_played_is_an_error_that_says_why() {
    for (frame, why) in [
        ("turn", "turn: it came before start and landscape"),
        ("landscape \"..\"", "landscape: it came before start"),
        ("start \"you\":1", "start: start has no cols"),
        (
            "start \"you\":1,\"rows\":0,\"cols\":3",
            "start: start: rows is 0",
        ),
        (
            "start \"rows\":3,\"cols\":99999",
            "start: start: cols is \"99999\", not a number of 0 to 4000",
        ),
    ] {
        let (mut player, _) = listener();
        assert_eq!(
            player.receive(frame.as_bytes()).unwrap_err().to_string(),
            why
        );
    }
    let (mut player, _) = listener();
    let short = format!("{START}\nlandscape \"...\"");
    let error = player.receive(short.as_bytes()).unwrap_err().to_string();
    assert_eq!(
        error,
        "landscape: the landscape has 3 cells, not 2 rows of 4"
    );
    let far = START.replace("\"x2\":3", "\"x2\":4");
    let error = player.receive(format!("{far}\nlandscape \"....\",\"....\"").as_bytes());
    assert!(
        error
            .unwrap_err()
            .to_string()
            .contains("does not lie in the world")
    );
}

#[test]
fn a_turn_that_comes_again_or_too_late_is_not_folded() {
    let (mut player, _) = listener();
    let frame = |turn: u32, x: u32| {
        format!(
            "state \"turn\":{turn}\nobj \"type\":\"Dog\",\"id\":7,\"x\":{x},\"y\":0,\"owner\":1,\"action\":\"move\"\nturn"
        )
    };
    let begin = format!("{START}\nlandscape \"....\",\"....\"");
    player.receive(begin.as_bytes()).unwrap();
    let send_turn = |player: &mut Player, turn: u32, x: u32| {
        let next = player.receive(frame(turn, x).as_bytes()).unwrap();
        let mut said = match next {
            Next::Send(said) => said,
            Next::Think { fallback, .. } => fallback,
            _ => String::new(),
        };
        let before = said.clone();
        player.think(Budget::nodes(1), &mut said);
        assert_eq!(said, before);
        player.said(if said == "end" {
            "do 7 bark\nend"
        } else {
            &said
        });
        said
    };
    let unsound = |player: &mut Player| {
        let facts = player.facts();
        facts.iter().filter(|fact| fact.kind == "unsound").count()
    };
    send_turn(&mut player, 1, 0);
    send_turn(&mut player, 2, 1);
    let before = player.view();
    assert_eq!(send_turn(&mut player, 2, 1), "do 7 bark\nend");
    assert_eq!((unsound(&mut player), player.view()), (0, before.clone()));
    assert_eq!(send_turn(&mut player, 1, 0), "end");
    assert_eq!((unsound(&mut player), player.view()), (1, before));
    send_turn(&mut player, 3, 2);
    assert_eq!(
        (unsound(&mut player), player.view()["turn"].clone()),
        (0, 3.into())
    );
    // A number that was far too high is detected by the second turn after it.
    send_turn(&mut player, 900, 2);
    send_turn(&mut player, 5, 2);
    assert_eq!(
        (unsound(&mut player), player.view()["turn"].clone()),
        (1, 900.into())
    );
    send_turn(&mut player, 6, 2);
    assert_eq!(
        (unsound(&mut player), player.view()["turn"].clone()),
        (0, 6.into())
    );
    // Sending the same world again changes nothing.
    player.receive(begin.as_bytes()).unwrap();
    assert_eq!(player.view()["turn"], 6);
}

#[test]
fn more_sheep_than_there_are_cannot_be() {
    let (mut player, _) = listener();
    let start = format!("{START}\nlandscape \"....\",\"....\"");
    player.receive(start.as_bytes()).unwrap();
    let sheep = |x: u32| format!("obj \"type\":\"Sheep\",\"x\":{x},\"y\":1\n");
    let many: String = (0..4).map(sheep).collect();
    let lines_after = format!("state \"turn\":1\n{many}{many}turn");
    player.receive(lines_after.as_bytes()).unwrap();
    assert_eq!(player.view(), Value::Null);
    let facts = player.facts();
    assert!(facts.iter().any(|fact| fact.kind == "unsound"), "{facts:?}");
    let lines_after = format!("state \"turn\":1\n{}turn", sheep(0));
    assert!(matches!(
        player.receive(lines_after.as_bytes()),
        Ok(Next::Think { .. })
    ));
}

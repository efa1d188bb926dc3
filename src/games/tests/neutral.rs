//! The examples in `docs/bot-protocol.md` are what the code says; and lines are read strictly.

use crate::answer::{Bounds, MARGIN, ProgramTimes};
use crate::kit::{Kit, Nodes, PlaySetup};
use crate::neutral::{
    End, Hello, LINE_MAX, Line, LineError, Post, Said, Start, ToProgram, read, written,
};
use crate::{ALL, DialogueSetup, Next, Seat, bot_seed, schema};
use drover_laws::Schema;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// Lines shown of a long match: from its beginning, and from its end.
const SHOWN: (usize, usize) = (16, 4);

/// A line whose parts are any JSON.
type Any = ToProgram<Value, Value, Value, Value>;

fn guide() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/bot-protocol.md")
}

/// A short match of a weak bot with itself.
fn setup(kit: &dyn Kit) -> PlaySetup {
    let map = "#########\n#A  !   #\n#   #  !#\n# !    B#\n#########\n";
    let options = match kit.card().name {
        "smartdog" => json!({"turnsLimit": 2, "map": "seed"}),
        "planowanie" => json!({"deals": "2 0"}),
        "lighthouses" => json!({"rounds": 4, "map": map}),
        "planetwars" => json!({"rounds": 2, "planets": 3}),
        _ => json!({}),
    };
    let seats = (*kit.card().seats.start())
        .max(2)
        .min(*kit.card().seats.end());
    let name = kit.card().bots[1].name.to_owned();
    PlaySetup::recorded(vec![name; seats], 1, options)
}

/// What is said between Drover (`>`) and a program on the first seat (`<`), line by line.
fn example(kit: &dyn Kit) -> Vec<String> {
    let setup = setup(kit);
    let played = kit.play(&setup, &Nodes(1)).expect("a match");
    let post = Post::default();
    let dialogue = DialogueSetup {
        fallback: setup.bots[0].clone(),
        post: Some(post.clone()),
        ..DialogueSetup::new("bot:example@1", bot_seed(1, Seat(0)))
    };
    let mut player = kit.dialogue(&dialogue).expect("a player");
    let limits = kit.card().limits;
    let start = Start::new(limits, "01JD2Z0V5T3C8W6Q4X9R7M1N0K", false);
    let mut lines = vec![
        format!("> {}", written(&Any::Hello(Hello::new(kit.card().name)))),
        format!("< {}", written(&Said::<Value>::Ready { protocol: 1 })),
        format!("> {}", written(&Any::Match(Box::new(start)))),
    ];
    let own = played.transcript.iter();
    for exchange in own.filter(|one| one.seat == Seat(0)) {
        let next = player.receive(exchange.call.as_bytes()).expect("a message");
        let within = match next {
            Next::Think { limit, target, .. } => {
                let times = ProgramTimes::new(limits, Bounds { limit, target }, MARGIN);
                times.map(|times| times.program)
            }
            Next::Send(_) => None,
            Next::Wait | Next::Over(_) => continue,
        };
        player.said(exchange.reply.as_deref().expect("an answer"));
        for line in post.take().expect("lines") {
            // Nobody is asked for the only legal act.
            if let (Line::Played { number, act }, Some(_)) = (&line, within) {
                let act = serde_json::from_str(act).expect("JSON");
                let said: Said<Value> = Said::Act {
                    number: *number,
                    act,
                };
                lines.push(format!("< {}", written(&said)));
            }
            lines.push(format!("> {}", line.text(within)));
        }
    }
    let rest = post.take().expect("lines");
    lines.extend(rest.iter().map(|line| format!("> {}", line.text(None))));
    let end = End {
        cause: played.outcome.cause,
        detail: String::new(),
        scores: played.outcome.scores.values().to_vec(),
        wins: Vec::new(),
    };
    lines.push(format!("> {}", written(&Any::End(end))));
    lines
}

/// The same as the guide shows it.
fn shown(kit: &dyn Kit) -> String {
    let lines = example(kit);
    let (first, last) = SHOWN;
    if lines.len() <= first + last {
        return lines.join("\n");
    }
    let left = lines.len() - first - last;
    let between = format!("… {left} more lines …");
    [&lines[..first], &[between], &lines[lines.len() - last..]]
        .concat()
        .join("\n")
}

/// Decisions of each kind in an example for starters at most.
const EACH_MAX: usize = 2;

/// What starters are given to try and to warm up with: the beginning of an example, and decisions of each kind.
fn for_starters(kit: &dyn Kit) -> String {
    let mut kinds: Vec<String> = Vec::new();
    let mut text = String::new();
    for line in example(kit) {
        let Some(line) = line.strip_prefix("> ") else {
            continue;
        };
        let value: Value = serde_json::from_str(line).expect("JSON");
        let is_shown = match value["type"].as_str() {
            Some("hello" | "match" | "end") => true,
            Some("seen") => value["event"].get("begins").is_some(),
            Some("ask") if value["past"] == false => {
                let kind = match &value["ask"] {
                    Value::Object(ask) => ask.keys().next().cloned().unwrap_or_default(),
                    ask => ask.to_string(),
                };
                kinds.push(kind.clone());
                kinds.iter().filter(|known| **known == kind).count() <= EACH_MAX
            }
            _ => false,
        };
        if is_shown {
            text += line;
            text += "\n";
        }
    }
    text
}

/// Set `DROVER_WRITE_GUIDE=1` to have them written again.
#[test]
fn the_guides_examples_of_starters_are_what_is_said() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../starters/examples");
    for kit in ALL {
        let file = folder.join(format!("{}.jsonl", kit.card().name));
        let shown = for_starters(*kit);
        if std::env::var_os("DROVER_WRITE_GUIDE").is_some() {
            fs::write(&file, &shown).expect("the example is written");
        }
        let text = fs::read_to_string(&file).expect("an example");
        assert_eq!(text, shown, "{}", kit.card().name);
    }
}

/// Set `DROVER_WRITE_GUIDE=1` to have them written again.
#[test]
fn the_guides_examples_are_what_is_said() {
    let mut text = fs::read_to_string(guide()).expect("the guide");
    let writes = std::env::var_os("DROVER_WRITE_GUIDE").is_some();
    for kit in ALL {
        let mark = format!("<!-- example: {} -->\n```text\n", kit.card().name);
        let from = text.find(&mark).expect("a place for it") + mark.len();
        let to = from + text[from..].find("\n```").expect("its end");
        let shown = shown(*kit);
        if writes {
            text.replace_range(from..to, &shown);
        } else {
            assert_eq!(text[from..to], shown, "{}", kit.card().name);
        }
    }
    if writes {
        fs::write(guide(), text).expect("the guide is written");
    }
}

/// Every line of every example keeps to its schema, and every number in the guide is that of the code.
#[test]
fn examples_keep_to_the_schemas_and_limits_are_reported() {
    for kit in ALL {
        let schemas = schema(kit.card().name).expect("schemas");
        let checked = |of: &str| Schema::new(&schemas[of]);
        let (message, said) = (checked("to_program"), checked("from_program"));
        for line in example(*kit) {
            let (by, text) = line.split_at(2);
            let value: Value = serde_json::from_str(text).expect("JSON");
            let schema = if by == "> " { &message } else { &said };
            assert_eq!(schema.fault(&value), None, "{line}");
            let wrong = json!({"type": "nonsense"});
            assert_ne!(schema.fault(&wrong), None);
        }
    }
    assert_eq!(schema("chess"), None);
    let text = fs::read_to_string(guide()).expect("the guide");
    let limits = [
        (LINE_MAX, "bytes in a line of the program"),
        (crate::neutral::NOTE_MAX, "bytes in a note"),
        (crate::neutral::LINES_MAX as usize, "lines for one decision"),
    ];
    for (limit, what) in limits {
        let row = format!("| {what} | {limit} |");
        assert!(text.contains(&row), "{row}");
    }
}

/// The guide's section on a game names every field that a program of that game is sent.
#[test]
fn every_field_of_every_game_is_explained() {
    let text = fs::read_to_string(guide()).expect("the guide");
    let of_lines = ["Asked", "End", "Hello", "Model", "Rival", "Start"];
    for kit in ALL {
        let mark = format!("<!-- example: {} -->", kit.card().name);
        let (before, _) = text.split_once(&mark).expect("an example");
        let (_, section) = before.rsplit_once("\n### ").expect("a heading");
        let schema = &schema(kit.card().name).expect("schemas")["to_program"];
        let definitions = schema["$defs"].as_object().expect("definitions");
        let own = definitions
            .iter()
            .filter(|(name, _)| !of_lines.contains(&name.as_str()));
        let fields = own.filter_map(|(_, schema)| schema["properties"].as_object());
        let fields: Vec<&String> = fields.flat_map(|fields| fields.keys()).collect();
        assert!(!fields.is_empty());
        let named = |field: &str| section.contains(&format!("`{field}`"));
        let missing: Vec<_> = fields.into_iter().filter(|field| !named(field)).collect();
        assert!(missing.is_empty(), "{}: {missing:?}", kit.card().name);
    }
}

#[test]
fn lines_are_read_strictly() {
    let wrong: [&[u8]; 9] = [
        b"",
        b"hello",
        b"\"act\"",
        b"{}",
        b"{\"type\":\"act\",\"number\":-1,\"act\":0}",
        b"{\"type\":\"act\",\"number\":1}",
        b"{\"type\":\"ready\"}",
        b"{\"type\":\"act\",\"number\":1,\"act\":0} more",
        b"\xFF\xFE",
    ];
    for line in wrong {
        let why = read(line).expect_err("no line");
        assert!(matches!(why, LineError::Unknown(_)), "{why}");
    }
    let deep = "[".repeat(100_000);
    assert!(read(deep.as_bytes()).is_err());
    let long = vec![b' '; LINE_MAX + 1];
    assert!(matches!(read(&long), Err(LineError::TooLong)));
    let act = read(b" {\"number\":7,\"act\":{\"bid\":1},\"type\":\"act\"}\r").expect("a line");
    let bid = json!({"bid": 1});
    assert_eq!(
        act,
        Said::Act {
            number: 7,
            act: bid
        }
    );
}

//! Replays as they are looked at: exported pages and pictures, and the same over REST.

use crate::app::{TestApp, folder, ok, play, refused, report, run_on, text};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::read::GzDecoder;
use games::scene::STYLE;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

/// A match in a new database: its id.
fn played(game: &str, seats: &[&str], store: &Path) -> String {
    let mut line = play(game, seats, &[]);
    report(
        line.args(["--budget", "20n", "--store"])
            .arg(store)
            .output()
            .unwrap(),
    );
    let listed = ok(run_on(store, &["match", "list", "--output", "json"]));
    let listed: Value = serde_json::from_str(&listed).unwrap();
    listed["items"][0]["id"].as_str().unwrap().to_owned()
}

const KOEHANDEL: [&str; 4] = [
    "builtin:guide",
    "builtin:face",
    "builtin:trader",
    "builtin:setbuilder",
];

/// What a page holds as data.
fn data(page: &str) -> Value {
    let begin = "<script type=\"application/gzip\" id=\"replay-data\">";
    let (_, rest) = page.split_once(begin).unwrap();
    let (data, _) = rest.split_once("</script>").unwrap();
    let data = STANDARD.decode(data).unwrap();
    serde_json::from_reader(GzDecoder::new(&*data)).unwrap()
}

/// Each auction is a deal's own, and a trick has a card of each player: what ends it does not belong to the next.
fn whole_turns(game: &str, steps: &[Value]) {
    let (word, times) = match game {
        "koehandel" => (" auctions ", 1),
        _ => (" plays ", 4),
    };
    let said = steps
        .iter()
        .filter(|step| step["title"].as_str().unwrap().contains(word));
    let turns: Vec<u64> = said.map(|step| step["turn"].as_u64().unwrap()).collect();
    assert_eq!((&steps[0]["turn"], turns[0]), (&0.into(), 1), "{game}");
    let mut parts = turns.chunk_by(|one, next| one == next);
    assert!(parts.all(|part| part.len() == times), "{game}: {turns:?}");
}

/// A transcript has the tricks of the replay, and reasons at answers of decisions alone.
fn transcript_in_tricks(app: &TestApp, id: &str, steps: &[Value]) {
    let lines = |query: &str| -> Vec<(String, String, bool)> {
        let page = app.get(&format!("/matches/{id}?tab=transcript{query}"));
        let within = |row: &str, from: &str| {
            let (_, rest) = row.split_once(from).unwrap();
            rest.split('<').next().unwrap().trim().to_owned()
        };
        let rows = page.body.split("<tr id=\"e").skip(1);
        let row = |row: &str| {
            let (turn, text) = ("<td class=\"n wide\">", "<div class=\"wire\">");
            let why = row.contains("class=\"why\"");
            (within(row, turn), within(row, text), why)
        };
        rows.map(row).collect()
    };
    let is_card = |step: &&Value| step["title"].as_str().unwrap().contains(" plays ");
    let fourth = steps.iter().filter(is_card).nth(3).unwrap();
    let after = lines(&format!("&entry={}", fourth["entry"]));
    let next = after
        .iter()
        .position(|(_, text, _)| text.starts_with("gen_"));
    let next = next.unwrap();
    assert!(next > 8 && after[0].1.starts_with("= "), "{after:?}");
    assert!(after[..next].iter().all(|(turn, ..)| turn == "1"));
    assert_eq!(after[next].0, "2", "{after:?}");
    let second = lines("&turn=2").swap_remove(0);
    assert!(
        second.0 == "2" && second.1.starts_with("gen_"),
        "{second:?}"
    );
    // There is no more than the last one.
    let last = lines("&turn=999");
    let turn = steps.last().unwrap()["turn"].to_string();
    assert!(last.len() == 1 && last[0].0 == turn, "{last:?}");
    assert_eq!(lines("")[0].0, "", "before the first trick");
    let found = lines("&q=%3D&cursor=25");
    let (explained, rest): (Vec<_>, Vec<_>) = found.into_iter().partition(|(.., why)| *why);
    assert!(!explained.is_empty() && !rest.is_empty());
    assert!(explained.iter().all(|(_, text, _)| text != "="));
}

#[test]
fn a_match_is_exported_to_be_looked_at() {
    for (game, seats) in [
        ("koehandel", &KOEHANDEL[..]),
        ("planowanie", &["builtin:rules"; 4][..]),
    ] {
        let folder = folder();
        // Where a daemon in this folder has it.
        let store = folder.path().join("drover.db");
        let id = played(game, seats, &store);
        let page = folder.path().join("match.html");
        let export = |arguments: &[&str]| {
            let line = [&["match", "export", &id], arguments].concat();
            run_on(&store, &line)
        };
        ok(export(&["--html", page.to_str().unwrap()]));
        let html = fs::read_to_string(&page).unwrap();
        assert!(
            !html.contains("http://") || html.matches("http://").count() == 1,
            "the name of SVG"
        );
        for loaded in ["https://", "src=", "@import", "url("] {
            assert!(!html.contains(loaded), "{game}: {loaded}");
        }
        // The last part is for the step that is saved as a picture.
        let policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\"";
        assert!(html.contains(policy));
        let bots = seats.iter().zip(1..).map(|(spec, seat)| {
            let bot = spec.trim_start_matches("builtin:");
            match seats.iter().filter(|other| *other == spec).count() {
                1 => bot.to_owned(),
                _ => format!("{bot} {seat}"),
            }
        });
        let bots = bots.collect::<Vec<_>>().join(", ");
        assert!(html.contains(&format!("<title>{game}: {bots}</title>")));
        assert!(html.contains("won</li>") || html.contains("shares the win</li>"));
        let whole = data(&html);
        let steps = whole["items"].as_array().unwrap();
        assert!(steps.len() > 100, "{} steps", steps.len());
        assert_eq!(whole["differences"], Value::Array(vec![]));
        assert!(steps.iter().zip(0..).all(|(step, at)| step["step"] == at));
        let turns: Vec<u64> = steps
            .iter()
            .map(|step| step["turn"].as_u64().unwrap())
            .collect();
        assert!(turns.is_sorted());
        whole_turns(game, steps);
        let facts = steps
            .iter()
            .flat_map(|step| step["facts"].as_array().unwrap());
        // Of the forty auctions, which four seats report each: some of them learn of it a step later.
        let sales = facts.clone().filter(|fact| fact["kind"] == "auction");
        let buyers: Vec<&str> = sales
            .map(|sale| sale["data"]["buyer"].as_str().unwrap())
            .collect();
        let auctions = if game == "koehandel" { 40 } else { 0 };
        let message = auctions..=3 * auctions;
        assert!(message.contains(&buyers.len()), "{}", buyers.len());
        assert!(buyers.iter().all(|buyer| buyer.starts_with("seat ")));
        let kinds = &whole["kinds"];
        assert!(
            facts
                .clone()
                .all(|fact| kinds[fact["kind"].as_str().unwrap()].is_string()),
            "{kinds}"
        );
        assert!(facts.count() > 10);
        browsed(&page, turns[turns.len() / 2]);

        let turn = turns[turns.len() / 2].to_string();
        let svg = ok(export(&["--svg", "--turn", &turn]));
        let step = steps
            .iter()
            .find(|step| step["turn"] == turns[turns.len() / 2])
            .unwrap();
        assert!(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
        assert!(svg.contains(step["picture"].as_str().unwrap()), "{svg}");
        let own = ok(export(&["--svg", "--turn", &turn, "--seat", "1"]));
        assert_ne!(own, svg);

        let app = TestApp::start(folder.path());
        let mut read = Vec::new();
        let mut cursor = String::new();
        loop {
            let path =
                format!("/api/v1/matches/{id}/replay?pictures=true&states=false&limit=250{cursor}");
            let page = app.get(&path).json();
            assert_eq!(page["everything"], true, "{page:.300}");
            assert_eq!(page["picture"], whole["picture"]);
            read.extend(page["items"].as_array().unwrap().iter().cloned());
            let Some(next) = page["next"].as_str() else {
                break;
            };
            cursor = format!("&cursor={next}");
        }
        assert!(read == *steps, "{game}: REST shows something else");
        if game == "planowanie" {
            let why = app.get(&format!("/matches/{id}/seats/0/explain")).body;
            let cells = why.split("<td class=\"n soft\">").skip(1);
            let listed: Vec<&str> = cells
                .filter_map(|cell| cell.split("</td>").next())
                .collect();
            let own = steps.iter().filter(|step| step["seat"] == 0);
            let own = own.map(|step| step["turn"].to_string());
            let own: Vec<String> = own.take(listed.len()).collect();
            assert!(
                listed.len() > 10 && listed == own,
                "{listed:?}, not {own:?}"
            );
            transcript_in_tricks(&app, &id, steps);
        }
        let message = refused(export(&["--svg", "--seat", "9"]), 2);
        assert!(message.contains("are 1 to "), "{message}");
    }
}

#[test]
fn what_cannot_be_exported_is_said() {
    let folder = folder();
    let store = folder.path().join("played.db");
    let id = played("koehandel", &KOEHANDEL, &store);
    for (arguments, code, said) in [
        (&["--turn", "3"][..], 2, "--svg"),
        (&["--seat", "9"], 2, "--seat takes --html or --svg"),
        (
            &["--svg", "--turn", "99999"],
            1,
            "no turn 99999: the last one is ",
        ),
        (&["--svg", "--html", "x.html"], 2, "--html"),
        (&["--svg", "--format", "json"], 2, "--format"),
        (
            &["--html", "/no/such/folder/x.html"],
            1,
            "/no/such/folder/x.html",
        ),
    ] {
        let line = [&["match", "export", &id], arguments].concat();
        let error = refused(run_on(&store, &line), code);
        assert!(error.contains(said), "{error}");
    }
}

/// A page as a browser shows it, if there is one on this machine.
fn browsed(page: &Path, turn: u64) {
    let profile = page.with_extension("profile");
    let ran = Command::new("chromium")
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"])
        .arg("--virtual-time-budget=5000")
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg(format!("file://{}?turn={turn}", page.display()))
        .output();
    let Ok(ran) = ran else {
        eprintln!(
            "NOT TESTED: there is no chromium to show {}",
            page.display()
        );
        return;
    };
    let shown = text(&ran.stdout);
    let (_, body) = shown.split_once("<div id=\"replay\">").unwrap();
    assert!(
        body.contains(&format!("data-turn=\"{turn}\"")),
        "{body:.2000}"
    );
    assert!(body.contains("<rect class=\"s-board\""), "{body:.2000}");
}

/// The colours of a theme by name.
fn colours(block: &'static str) -> BTreeMap<&'static str, [f64; 3]> {
    let declared = block
        .split(';')
        .filter_map(|one| one.trim().split_once(": #"));
    let channel = |hex: &str, at: usize| {
        let value = u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).unwrap();
        let share = f64::from(value) / 255.0;
        if share <= 0.04045 {
            share / 12.92
        } else {
            ((share + 0.055) / 1.055).powf(2.4)
        }
    };
    let read = |(name, hex): (&'static str, &str)| {
        (
            name.trim_start_matches("--s-"),
            [0, 1, 2].map(|at| channel(hex, at)),
        )
    };
    declared.map(read).collect()
}

fn contrast(one: [f64; 3], other: [f64; 3]) -> f64 {
    let light = |[red, green, blue]: [f64; 3]| 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    let (one, other) = (light(one), light(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

#[test]
fn text_stands_out_in_light_and_dark() {
    let blocks: Vec<&'static str> = STYLE
        .split('{')
        .filter_map(|part| part.split_once('}'))
        .map(|(block, _)| block)
        .filter(|block| block.contains("--s-ground: #"))
        .collect();
    assert_eq!(
        blocks.len(),
        3,
        "light, dark by the system, dark by the page"
    );
    let same = |block: &str| block.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(same(blocks[1]), same(blocks[2]));
    for block in blocks {
        let colours = colours(block);
        for (name, colour) in &colours {
            let shape = name.starts_with('p') || *name == "neutral";
            if shape {
                assert!(contrast(*colour, colours["on"]) >= 4.5, "text on {name}");
            }
            if shape || ["text", "muted", "accent", "warn"].contains(name) {
                for ground in ["ground", "card"] {
                    let found = contrast(*colour, colours[ground]);
                    assert!(found >= 4.5, "{name} on {ground}: {found:.2}");
                }
            }
        }
        assert!(contrast(colours["text"], colours["light"]) >= 4.5);
        assert_eq!(colours.len(), 20, "{:?}", colours.keys());
    }
}

#[test]
fn cards_and_coins_are_legible_on_any_page() {
    let block = STYLE
        .split('{')
        .filter_map(|part| part.split_once('}'))
        .find_map(|(block, _)| block.contains("--s-face: #").then_some(block));
    let colours = colours(block.unwrap());
    for (ink, ground) in [("ink", "face"), ("blood", "face"), ("ink", "gold")] {
        let found = contrast(colours[ink], colours[ground]);
        assert!(found >= 4.5, "{ink} on {ground}: {found:.2}");
    }
    let rim = contrast(colours["rim"], colours["gold"]);
    assert!(rim >= 3.0, "a coin's rim: {rim:.2}");
}

#[test]
fn every_class_of_pictures_has_a_style() {
    for class in games::scene::CLASSES {
        let styled =
            STYLE.contains(&format!(".{class} {{")) || STYLE.contains(&format!(".{class},"));
        assert!(styled, "{class}");
    }
    for (at, _) in STYLE.match_indices(".s-") {
        let name = STYLE[at + 1..].split(|letter: char| !letter.is_alphanumeric() && letter != '-');
        let name = name.into_iter().next().unwrap();
        assert!(games::scene::CLASSES.contains(&name), "{name}");
    }
}

#[test]
fn a_long_replay_is_read_in_small_parts() {
    let folder = folder();
    let store = folder.path().join("drover.db");
    let seats = ["drifter", "nearest", "harvester", "drifter"].map(|bot| format!("builtin:{bot}"));
    let seats: Vec<&str> = seats.iter().map(String::as_str).collect();
    let mut line = play("lighthouses", &seats, &["rounds=150"]);
    report(line.arg("--store").arg(&store).output().unwrap());
    let app = TestApp::start(folder.path());
    let id = app.items("/api/v1/matches")[0]["id"].clone();
    let replay = format!("/api/v1/matches/{}/replay?limit=250", id.as_str().unwrap());
    // What a page reads: what happened at each step, and the pictures around one.
    let (mut bytes, mut steps, mut cursor) = (0, 0, String::new());
    loop {
        let answer = app.get(&format!("{replay}&states=false{cursor}"));
        bytes += answer.body.len();
        steps += answer.items().len();
        let next = answer.json()["next"].clone();
        let Some(next) = next.as_str() else { break };
        cursor = format!("&cursor={next}");
    }
    assert!(steps > 500, "{steps}");
    assert!(bytes < 350 * steps, "{bytes} for {steps} steps");
    let middle = format!("states=false&pictures=true&from={}&limit=25", steps / 2);
    let drawn = app.get(&replay.replace("limit=250", &middle));
    let drawn = drawn.items();
    assert_eq!(drawn.len(), 25);
    assert!(drawn.iter().all(|step| step["picture"].is_string()));
    // All of it is many times as much; the same in a file is not.
    let full = app.get(&format!("{replay}&pictures=true")).body.len() * steps / 250;
    assert!(full > 20 * bytes, "{bytes} of {full}");
    let page = folder.path().join("match.html");
    let id = id.as_str().unwrap();
    ok(run_on(
        &store,
        &["match", "export", id, "--html", page.to_str().unwrap()],
    ));
    let written = fs::metadata(&page).unwrap().len();
    let piped = ok(run_on(&store, &["match", "export", id, "--html", "-"]));
    assert_eq!(piped, fs::read_to_string(&page).unwrap());
    assert!(written < full as u64 / 20, "{written} of {full}");
}

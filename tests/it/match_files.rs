//! Matches as files: written by one database, verified and shown without any, and read into another one.

use crate::app::{folder, ok, refused, run, run_on};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::fs;
use std::path::Path;

/// The file again with a digest that fits.
fn sealed(mut file: Value) -> Value {
    file.as_object_mut().unwrap().remove("digest");
    let digest = Sha256::digest(file.to_string());
    let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    file["digest"] = json!(digest);
    file
}

fn write(path: &Path, file: &Value) -> String {
    fs::write(path, file.to_string()).unwrap();
    path.to_str().unwrap().to_owned()
}

/// A match of each kind of wire.
fn play_all(played: &Path) {
    for play in [
        "koehandel --seat builtin:guide --seat builtin:random",
        "smartdog --seat builtin:champion --seat builtin:random",
        "planowanie --seat builtin:greedy --seat builtin:random",
    ] {
        let mut play: Vec<&str> = play.split_whitespace().collect();
        play.insert(0, "play");
        play.extend(["--games", "1", "--budget", "1n", "--store"]);
        play.push(played.to_str().unwrap());
        ok(run(&play));
    }
}

/// A deck has 40 cards, and each is sold once, whatever four seats note of it.
fn every_sale_is_there_once(file: &Value, path: &str, nowhere: &Path) {
    let noted = file["facts"].as_array().unwrap().iter();
    let noted = noted.filter(|fact| fact["kind"] == "auction").count();
    assert_eq!(noted, 160);
    let happened = file["happened"].as_array().unwrap().iter();
    let sales: Vec<&Value> = happened.filter(|one| one["kind"] == "auction").collect();
    assert_eq!(sales.len(), 40);
    let shown = ok(run_on(nowhere, &["match", "show", path, "--facts"]));
    for sale in sales {
        let known = sale["data"]["free"] == true || sale["data"]["paid"].is_string();
        assert!(known, "the buyer knows what it has paid: {sale}");
        assert!(shown.contains(sale["sentence"].as_str().unwrap()), "{sale}");
    }
    let lines = shown.lines().filter(|line| line.contains(" auction "));
    assert_eq!(lines.count(), 40, "{shown}");
}

#[test]
fn a_match_is_verified_shown_and_imported_from_its_file() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    let played = at("played.db");
    play_all(&played);
    let list = ok(run_on(&played, &["match", "list", "--output", "json"]));
    let list: Value = serde_json::from_str(&list).unwrap();
    let other = at("other.db");
    let mut first = Value::Null;
    for row in list["items"].as_array().unwrap() {
        let id = row["id"].as_str().unwrap();
        let whole = ok(run_on(
            &played,
            &["match", "export", id, "--format", "json"],
        ));
        let file: Value = serde_json::from_str(&whole).unwrap();
        assert_eq!(file["match"]["started"], row["started"]);
        let path = write(&at("match.json"), &file);
        // Without a database.
        let nowhere = at("nowhere.db");
        let verified = ok(run_on(&nowhere, &["match", "verify", &path]));
        assert!(
            verified.contains("1 match, ") && verified.contains("all in order"),
            "{verified}"
        );
        let shown = ok(run_on(&nowhere, &["match", "show", &path]));
        if row["game"] == "koehandel" {
            every_sale_is_there_once(&file, &path, &nowhere);
        }
        assert_eq!(
            shown.lines().next(),
            ok(run_on(&played, &["match", "show", id])).lines().next()
        );
        assert!(!nowhere.exists());
        ok(run_on(&other, &["match", "import", &path]));
        let again = refused(run_on(&other, &["match", "import", &path]), 1);
        assert!(again.contains("is there already"), "{again}");
        let shown = ok(run_on(&other, &["match", "show", id, "--output", "json"]));
        let shown: Value = serde_json::from_str(&shown).unwrap();
        assert_eq!(shown["match"]["referee"], "imported");
        for same in [
            "game", "scores", "cause", "started", "ended", "seats", "setup",
        ] {
            assert_eq!(shown["match"][same], row[same], "{id} {same}");
        }
        first = file;
    }
    assert!(ok(run_on(&other, &["db", "verify"])).contains("3 matches"));
    assert_eq!(
        ok(run_on(&other, &["match", "list", "--live"]))
            .lines()
            .count(),
        1
    );
    spoilt(&at("spoilt.json"), &other, &first);
}

/// Files that are changed, cut or not over are refused or found.
fn spoilt(path: &Path, database: &Path, file: &Value) {
    let check = |spoil: &dyn Fn(&mut Value), seal: bool, code: i32, why: &str| {
        let mut file = file.clone();
        let id = json!("01K3ZQ4T5V6W7X8Y9Z0A1B2C3D");
        file["match"]["id"] = id.clone();
        for session in file["sessions"].as_array_mut().unwrap() {
            session["opened"]["match_id"] = id.clone();
        }
        file = sealed(file);
        spoil(&mut file);
        let file = if seal { sealed(file) } else { file };
        let path = write(path, &file);
        let message = run_on(database, &["match", "verify", &path]);
        assert_eq!(message.status.code(), Some(code), "{why}: {message:?}");
        let all = [message.stdout, message.stderr].concat();
        let all = String::from_utf8(all).unwrap();
        assert!(all.contains(why), "{why}: {all}");
    };
    let text = |file: &mut Value| file["entries"][4]["text"] = json!("something else");
    check(&text, false, 2, "it was changed or cut");
    check(&text, true, 1, "differences");
    let field = |name: &'static str| {
        move |file: &mut Value| {
            file["match"].as_object_mut().unwrap().remove(name);
        }
    };
    check(&field("scores"), true, 2, "scores");
    check(&field("blame"), true, 2, "fields are missing");
    let live = |file: &mut Value| file["match"]["ended"] = Value::Null;
    check(&live, true, 2, "has not ended");
    let cut = |file: &mut Value| {
        file["entries"].as_array_mut().unwrap().pop();
    };
    check(&cut, true, 2, "are missing");
    let session = |file: &mut Value| file["sessions"][0]["ended"] = Value::Null;
    check(&session, true, 2, "has not ended");
    let twice = |file: &mut Value| {
        let first = file["sessions"][0].clone();
        file["sessions"].as_array_mut().unwrap().push(first);
    };
    check(&twice, true, 2, "is there twice");
    let seat = |file: &mut Value| file["sessions"][0]["opened"]["seat"] = json!(9);
    check(&seat, true, 2, "does not have");
    let fact = |file: &mut Value| file["facts"][0]["entry"] = json!(123_456_789);
    check(&fact, true, 2, "facts of entries");
    let format = |file: &mut Value| file["format"] = json!("drover match 2");
    check(&format, true, 2, "its format is not");
    let missing = path.with_file_name("none.json");
    for verb in ["verify", "show", "import"] {
        let why = refused(
            run_on(database, &["match", verb, missing.to_str().unwrap()]),
            2,
        );
        assert!(why.contains("none.json cannot be read"), "{verb}: {why}");
    }
}

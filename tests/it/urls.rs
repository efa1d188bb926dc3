//! Users' bots that are URLs: checked, added, at our own tables and behind a daemon.

use crate::app::{TestApp, WITH_REFEREE, connected, drover, folder, ok, refused};
use crate::bots::{bot, checked, fixes, is_there};
use crate::seats::{conduct, played};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

const PROGRAM: &str = include_str!("../programs/url.py");

/// A server of a bot, and its bot.toml in a folder of its name.
pub struct Server(Child);

impl Server {
    /// One that behaves so.
    pub fn start(folder: &Path, (name, games): (&str, &[&str]), how: &str) -> Self {
        let script = folder.join("url.py");
        fs::write(&script, PROGRAM).unwrap();
        let mut command = Command::new("python3");
        command.arg(script).arg(how).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut port = String::new();
        let stdout = child.stdout.take().unwrap();
        BufReader::new(stdout).read_line(&mut port).unwrap();
        let port = port.trim();
        fs::create_dir(folder.join(name)).unwrap();
        let text = format!(
            "name = \"{name}\"\nversion = \"1\"\ngames = {games:?}\nprotocol = \"http\"\n\
             url = \"http://127.0.0.1:{port}/bot\"\n"
        );
        fs::write(folder.join(name).join("bot.toml"), text).unwrap();
        Self(child)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

#[test]
fn a_check_of_a_url_says_what_to_fix() {
    if !is_there("python3") {
        return;
    }
    let folder = folder();
    for (number, (how, expected)) in [
        ("good", ""),
        ("closes", ""),
        ("marked", ""),
        ("forgets", "it answered with status 404: \"what match?\""),
        ("fails", "it answered with status 500"),
        ("html", "not \"<html>welcome</html>\""),
        ("illegal", "is not legal"),
        ("ends badly", "the POST of the match's end needs an answer"),
    ]
    .into_iter()
    .enumerate()
    {
        let name = format!("web-{number}");
        let server = Server::start(folder.path(), (&name, &["planowanie"]), how);
        let whole = checked(folder.path(), &name);
        let message = fixes(&whole);
        let findings = whole["games"][0]["findings"].as_array().unwrap();
        if expected.is_empty() {
            assert!(message.is_empty(), "{how}: {whole:#}");
            assert_eq!(findings.len(), 6, "{how}: {whole:#}");
        } else {
            let is_it = |what: &String| what.contains(expected);
            assert!(message.iter().any(is_it), "{how}: {whole:#}");
        }
        drop(server);
        if how == "good" {
            let message = fixes(&checked(folder.path(), &name));
            assert!(
                message[0].contains("cannot connect to 127.0.0.1"),
                "{message:?}"
            );
        }
    }
}

#[test]
fn a_url_plays_at_our_tables() {
    if !is_there("python3") {
        return;
    }
    let folder = folder();
    let games = ["koehandel", "lighthouses", "planowanie"];
    let server = Server::start(folder.path(), ("web", &games), "good");
    let message = ok(bot(folder.path(), &["add", "web"]));
    assert!(
        message.contains("it is called at http://127.0.0.1:"),
        "{message}"
    );
    let list: Value = serde_json::from_str(&ok(bot(folder.path(), &["list", "--json"]))).unwrap();
    let item = &list["items"][0];
    assert_eq!(
        (&item["protocol"], &item["run"]),
        (&json!("http"), &Value::Null)
    );
    assert!(item["url"].as_str().unwrap().ends_with("/bot"), "{list}");
    for (game, rivals) in [
        ("koehandel", &["builtin:guide"; 3][..]),
        ("planowanie", &["bot:web", "builtin:rules"]),
    ] {
        let seats = [&["bot:web"], rivals].concat();
        assert_eq!(played(folder.path(), game, &seats).0, "bot:web@1");
    }
    drop(server);
    // Without it the fallback plays.
    played(folder.path(), "lighthouses", &["bot:web", "builtin:passer"]);
    let app = TestApp::with(&folder.path().join("data"), &[]);
    for (game, fails) in [
        ("koehandel", false),
        ("planowanie", false),
        ("lighthouses", true),
    ] {
        let path = format!("/api/v1/matches?bot=bot:web@1&game={game}");
        let matches = app.items(&path);
        let id = matches[0]["id"].as_str().unwrap();
        let runs = app.items(&format!("/api/v1/matches/{id}/programs"));
        let conduct = &runs[0]["conduct"];
        assert_eq!(conduct["answered"] == 0, fails, "{game}: {runs:?}");
        assert_eq!(conduct["failed"] != 0, fails, "{game}: {runs:?}");
    }
    app.stop_verified();
    let mut line = drover();
    line.args(["play", "lighthouses", "--interactive", "bot:web"]);
    let message = refused(line.current_dir(folder.path()).output().unwrap(), 2);
    assert!(message.contains("bot:web is called at a URL"), "{message}");
}

#[test]
fn a_url_plays_behind_a_daemon() {
    if !is_there("python3") {
        return;
    }
    let folder = folder();
    let _server = Server::start(folder.path(), ("web", &["koehandel"]), "forgets");
    let shelf = folder.path().join("bots");
    let mut line = drover();
    line.env("DROVER__BOTS__FOLDER", &shelf);
    ok(line
        .args(["bot", "add", "web"])
        .current_dir(folder.path())
        .output()
        .unwrap());
    let shelf = shelf.to_str().unwrap().to_owned();
    let app = TestApp::with(folder.path(), &[WITH_REFEREE, ("BOTS__FOLDER", &shelf)]);
    let url = |name: &str| format!("http://{}/koehandel/{name}", app.callbacks);
    let query = format!("/?connect&url1={}&url2={}", url("bot:web"), url("guide"));
    connected(app.referee.unwrap(), &query);
    let ended = app.only_match("koehandel");
    assert_eq!(ended["cause"], "normal", "{ended}");
    let id = ended["id"].as_str().unwrap();
    let path = format!("/api/v1/matches/{id}/programs");
    app.items_until(&path, |runs| !runs.is_empty());
    let conduct = conduct(&app, "bot:web@1");
    // It lost what it knew now and then, was sent the match again, and answered the same decision.
    assert!(conduct["failed"].as_u64() > Some(0), "{conduct}");
    assert!(conduct["answered"].as_u64() > Some(20), "{conduct}");
    assert_eq!(conduct["late"], 0, "{conduct}");
    app.stop_verified();
}

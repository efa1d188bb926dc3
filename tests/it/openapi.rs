//! Every path of the interface's description, asked of a running daemon.

use crate::app::{Answer, TestApp, WITH_REFEREE, connected, drover, folder, ok, request, run};
use drover_laws::Schema;
use serde_json::{Value, json};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;

/// Filters by what may be there or not.
const NAMES: [&str; 8] = [
    "bot",
    "entrant",
    "match",
    "opponent",
    "referee",
    "seat",
    "session",
    "tournament",
];

/// A daemon that has played a tournament and a match with a named opponent, and what its paths may name.
fn filled(folder: &std::path::Path) -> (TestApp, BTreeMap<&'static str, String>) {
    let cup = include_str!("cup.toml").replace("rounds = 8\nrandom_rounds = 3", "rounds = 2");
    let cup = cup.replace("\"A\"", "\"alice\"");
    fs::write(folder.join("cup.toml"), cup).unwrap();
    let mut cup = drover();
    cup.current_dir(folder);
    cup.args(["tournament", "run", "cup.toml", "--store", "drover.db"]);
    ok(cup.output().unwrap());
    let app = TestApp::with(folder, &[WITH_REFEREE]);
    let seat = |seat: usize| format!("&url{seat}=http://{}/koehandel/guide/drover", app.callbacks);
    let urls: String = (1..=4).map(seat).collect();
    let (market, _) = connected(app.referee.unwrap(), &format!("/?connect{urls}"));
    let own = format!("/api/v1/matches?game=koehandel&market={market}");
    let ended = |rows: &[Value]| rows.first().is_some_and(|row| !row["cause"].is_null());
    let id = app.items_until(&own, ended).remove(0)["id"].clone();
    let id = id.as_str().unwrap().to_owned();
    let name = format!("/api/v1/matches/{id}/seats/1");
    let named = request(app.api, "PUT", &name, &[], r#"{"name": "alice"}"#);
    assert_eq!(named.status, 200, "{named:?}");
    let number = |path: &str| app.items(path)[0]["id"].to_string();
    let cup = app.items("/api/v1/tournaments").remove(0);
    let known = BTreeMap::from([
        ("matches", id),
        ("sessions", number("/api/v1/sessions")),
        ("opponents", number("/api/v1/opponents?kind=named")),
        ("tournaments", cup["id"].as_str().unwrap().to_owned()),
    ]);
    (app, known)
}

/// The value of a header.
fn header<'a>(answer: &'a Answer, name: &str) -> Option<&'a str> {
    let lines = answer.head.lines().filter_map(|line| line.split_once(':'));
    let mut found = lines.filter(|(found, _)| found.eq_ignore_ascii_case(name));
    found.next().map(|(_, value)| value.trim())
}

/// The document, and how its answers are checked.
struct Walk<'a> {
    app: &'a TestApp,
    document: Value,
    /// What checks a schema, by its text: to make one reads the whole document.
    validators: RefCell<BTreeMap<String, Schema>>,
    requests: usize,
}

impl Walk<'_> {
    fn holds(&self, schema: &Value, value: &Value, of: &str) {
        let mut validators = self.validators.borrow_mut();
        let validator = validators.entry(schema.to_string()).or_insert_with(|| {
            let mut root = schema.clone();
            root["components"] = self.document["components"].clone();
            Schema::new(&root)
        });
        let fault = validator.fault(value);
        assert_eq!(fault, None, "{of}: {value:#}");
    }

    /// Asks, and compares the answer with what the operation says of it.
    fn ask(&mut self, method: &str, path: &str, body: &str, operation: &Value) -> Answer {
        self.requests += 1;
        let answer = request(self.app.api, &method.to_uppercase(), path, &[], body);
        let reported = &operation["responses"][answer.status.to_string()];
        let of = format!("{method} {path} {}", answer.status);
        assert!(reported.is_object(), "{of} is not described: {answer:?}");
        let kind = header(&answer, "content-type").unwrap_or_default();
        let schema = &reported["content"][kind]["schema"];
        assert!(schema.is_object(), "{of}: {kind} is not described");
        match kind {
            "application/json" | "application/problem+json" => {
                self.holds(schema, &answer.json(), &of);
            }
            "application/x-ndjson" => {
                let plain = path.replace(".ndjson", "");
                for line in answer.body.lines() {
                    let row: Value = serde_json::from_str(line).unwrap();
                    assert!(row.is_object(), "{plain}");
                }
            }
            _ => {}
        }
        answer
    }

    /// Asks for a path with each of its parameters by its example, without any and with a wrong one.
    fn get(&mut self, path: &str, operation: &Value) {
        let plain = self.ask("get", path, "", operation);
        assert_eq!(plain.status, 200, "{path}: {plain:?}");
        let parameters = operation["parameters"].as_array().unwrap();
        let queries = parameters
            .iter()
            .filter(|parameter| parameter["in"] == "query");
        let guarded = operation["security"].is_array();
        for parameter in queries {
            let (name, example) = (parameter["name"].as_str().unwrap(), &parameter["example"]);
            let example = match example {
                Value::Null => continue,
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            let asked = self.ask("get", &format!("{path}?{name}={example}"), "", operation);
            // A name that nothing here has is an error that says so.
            let of_name = format!("\"parameter\":\"{name}\"");
            let is_unknown =
                NAMES.contains(&name) && asked.status == 400 && asked.body.contains(&of_name);
            assert!(
                asked.status == 200 || is_unknown,
                "{path} {name}: {asked:?}"
            );
            self.holds(&parameter["schema"], &parameter["example"], name);
        }
        if guarded && path != "/metrics" {
            let wrong = self.ask("get", &format!("{path}?nothing=1"), "", operation);
            assert_eq!(wrong.status, 400, "{path}");
        }
        let head = request(self.app.api, "HEAD", path, &[], "");
        assert_eq!((head.status, head.body.as_str()), (200, ""), "HEAD {path}");
        let options = request(self.app.api, "OPTIONS", path, &[], "");
        assert_eq!(options.status, 204, "OPTIONS {path}");
        assert!(
            header(&options, "allow").unwrap().contains("GET, HEAD"),
            "{options:?}"
        );
    }
}

/// The path with what is known in place of its parameters.
fn placed(path: &str, known: &BTreeMap<&str, String>) -> String {
    let mut words: Vec<String> = path.split('/').map(str::to_owned).collect();
    for at in 1..words.len() {
        let (end, place) = (words[at].find('}'), words[at].starts_with('{'));
        let Some(end) = end.filter(|_| place) else {
            continue;
        };
        let value = match (words[at - 1].as_str(), words[at].as_str()) {
            ("bots" | "rivals", _) => "koehandel",
            (_, "{referee}") => "league",
            (_, "{market}") => "1207",
            (_, "{bot}") => "guide",
            ("seats", _) => "1",
            ("tokens", _) => "zoe",
            (of, _) => known.get(of).unwrap_or_else(|| panic!("{path}")),
        };
        words[at] = format!("{value}{}", &words[at][end + 1..]);
    }
    words.join("/")
}

#[test]
fn every_path_answers_as_described() {
    let folder = folder();
    let (app, known) = filled(folder.path());
    let document = app.get("/openapi.json").json();
    assert_eq!(document["openapi"], "3.1.0");
    let printed: Value = serde_json::from_str(&ok(run(&["openapi"]))).unwrap();
    assert_eq!(printed, document, "`drover openapi` prints the same");
    let mut walk = Walk {
        app: &app,
        document,
        validators: RefCell::default(),
        requests: 0,
    };
    let paths = walk.document["paths"].as_object().unwrap().clone();
    assert!(paths.len() > 40, "{}", paths.len());
    for (template, operations) in &paths {
        for (_, operation) in operations.as_object().unwrap() {
            for (status, reported) in operation["responses"].as_object().unwrap() {
                for (kind, body) in reported["content"].as_object().into_iter().flatten() {
                    if kind.ends_with("json") {
                        let of = format!("the example of {template} {status}");
                        assert!(!body["example"].is_null(), "{of}");
                        walk.holds(&body["schema"], &body["example"], &of);
                    }
                }
            }
        }
        // A stream that never ends.
        let endless = template == "/api/v1/events";
        if let Some(operation) = operations.get("get").filter(|_| !endless) {
            walk.get(&placed(template, &known), operation);
        }
        if template.contains('{')
            && let Some(operation) = operations.get("get")
        {
            let nothing = template
                .replace("{id}", "999999")
                .replace("{game}", "chess")
                .replace("{bot}", "x");
            let answer = walk.ask("get", &nothing, "", operation);
            assert_eq!(answer.status, 404, "{nothing}");
        }
    }
    changes(&mut walk, &paths, &known);
    assert!(walk.requests > 150, "{} requests", walk.requests);
    app.stop();
}

/// What changes something, the drain last.
fn changes(
    walk: &mut Walk,
    paths: &serde_json::Map<String, Value>,
    known: &BTreeMap<&str, String>,
) {
    let mut done = Vec::new();
    for (method, path, body, status) in [
        (
            "put",
            "/api/v1/matches/{id}/seats/{seat}",
            json!({"name": "bob"}),
            200,
        ),
        (
            "put",
            "/api/v1/matches/{id}/seats/{seat}",
            json!({"name": ""}),
            400,
        ),
        (
            "put",
            "/api/v1/rivals/{game}/{referee}/{market}",
            json!({"names": {"W": "bob"}}),
            200,
        ),
        (
            "put",
            "/api/v1/rivals/{game}/{referee}/{market}",
            json!({"names": {"S": "bob"}}),
            400,
        ),
        (
            "post",
            "/api/v1/tokens",
            json!({"name": "zoe", "scopes": ["admin"]}),
            201,
        ),
        (
            "post",
            "/api/v1/prune",
            json!({"older_than_s": 1_000_000, "dry_run": true}),
            200,
        ),
        ("post", "/api/v1/prune", json!({"older_than": "1d"}), 400),
        ("post", "/api/v1/drain", Value::Null, 202),
    ] {
        let operation = &paths[path][method];
        let answer = walk.ask(method, &placed(path, known), &body.to_string(), operation);
        assert_eq!(answer.status, status, "{answer:?}");
        done.push((path.to_owned(), method.to_owned()));
        if status == 201 {
            let token = answer.json()["token"].as_str().unwrap().to_owned();
            let bearer = format!("Authorization: Bearer {token}");
            let zoe = placed("/api/v1/tokens/{which}", known);
            let gone = request(walk.app.api, "DELETE", &zoe, &[&bearer], "");
            assert!([200, 409].contains(&gone.status), "{gone:?}");
            let schema = &paths["/api/v1/tokens/{which}"]["delete"]["responses"];
            let schema = &schema[gone.status.to_string()]["content"];
            let schema = &schema[header(&gone, "content-type").unwrap()]["schema"];
            walk.holds(schema, &gone.json(), "DELETE a token");
            done.push(("/api/v1/tokens/{which}".to_owned(), "delete".to_owned()));
        }
    }
    for (path, operations) in paths {
        for method in operations
            .as_object()
            .unwrap()
            .keys()
            .filter(|method| *method != "get")
        {
            assert!(
                done.contains(&(path.clone(), method.clone())),
                "{method} {path}"
            );
        }
    }
}

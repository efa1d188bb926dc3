//! A live Koehandel match, read by everybody through every endpoint: what a seat knows is its owner's.

use crate::app::{Answer, PATIENCE, TestApp, WITH_REFEREE, connected, ok, request, until, verb};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Instant;

/// How often the foreign player answers before the match is looked at again.
const STEP: usize = 5;
/// Facts that each of our two bots must have learnt before the match is read.
const FACTS_MIN: usize = 5;

/// A foreign player who says nothing, and nothing at all until it may: the match stands still.
struct SlowPlayer {
    address: SocketAddr,
    /// Lets it answer once; without it, it always may.
    permits: Option<Sender<()>>,
    answers: Receiver<()>,
}

impl SlowPlayer {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (permits, permitted) = channel();
        let (answered, answers) = channel();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let mut head = Vec::new();
                let mut part = [0; 1024];
                while !head.windows(4).any(|end| end == b"\r\n\r\n") {
                    match stream.read(&mut part) {
                        Ok(0) | Err(_) => break,
                        Ok(length) => head.extend_from_slice(&part[..length]),
                    }
                }
                // Without permits it always may, and without an owner nobody counts.
                let _ = (permitted.recv(), answered.send(()));
                // The referee may have given up waiting.
                let _ = stream.write_all(
                    b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
                );
            }
        });
        Self {
            address,
            permits: Some(permits),
            answers,
        }
    }

    /// Lets it answer so many times; gives whether it has been asked that often.
    fn answer(&self, times: usize) -> bool {
        let permits = self.permits.as_ref().unwrap();
        (0..times).for_each(|_| permits.send(()).unwrap());
        let patience = std::time::Duration::from_secs(2);
        (0..times).all(|_| self.answers.recv_timeout(patience).is_ok())
    }
}

/// A session of the match, with the texts of its transcript.
#[derive(Debug)]
struct Seated {
    side: String,
    bot: String,
    texts: BTreeSet<String>,
}

/// A caller: what headers they send.
type Headers = Vec<String>;

fn bearer(token: &str) -> Headers {
    vec![format!("Authorization: Bearer {token}")]
}

fn get(app: &TestApp, path: &str, headers: &Headers) -> Answer {
    let headers: Vec<&str> = headers.iter().map(String::as_str).collect();
    request(app.api, "GET", path, &headers, "")
}

/// Starts a match of our champion and our guide, the slow player called ann, and a filler.
fn connect(app: &TestApp, ann: &SlowPlayer, admin: &Headers) -> String {
    let (bots, ann) = (app.callbacks, ann.address);
    let query = format!(
        "/?connect&url1=http://{bots}/koehandel/champion/drover&url2=http://{bots}/koehandel/guide/drover\
         &url3=http://{ann}/&name3=ann"
    );
    let (market, _) = connected(app.referee.unwrap(), &query);
    let rows = get(app, "/api/v1/matches?limit=250", admin).items();
    let own = rows.iter().find(|row| row["market"] == market).unwrap();
    own["id"].as_str().unwrap().to_owned()
}

/// A match that stands still with facts in it.
fn standing_match(app: &TestApp, ann: &SlowPlayer, admin: &Headers) -> String {
    let begun = Instant::now();
    let id = connect(app, ann, admin);
    while begun.elapsed() < PATIENCE && ann.answer(STEP) {
        let facts = get(app, &format!("/api/v1/matches/{id}/facts"), admin).items();
        let of = |seat: u64| facts.iter().filter(|fact| fact["seat"] == seat).count();
        if of(0) >= FACTS_MIN && of(1) >= FACTS_MIN {
            return id;
        }
    }
    panic!("no match with facts: {}", app.log());
}

/// All sessions of a match, as the admin sees them.
fn seated(app: &TestApp, id: &str, admin: &Headers) -> BTreeMap<i64, Seated> {
    let row = get(app, &format!("/api/v1/matches/{id}"), admin).json();
    let mut all = BTreeMap::new();
    for session in row["sessions"].as_array().unwrap() {
        let number = session["id"].as_i64().unwrap();
        let path = format!("/api/v1/matches/{id}/entries.ndjson?session={number}");
        let lines = get(app, &path, admin);
        let entries = lines.body.lines().map(|line| {
            let entry: Value = serde_json::from_str(line).unwrap();
            entry["text"].as_str().unwrap().to_owned()
        });
        // Short ones are said by everybody.
        let texts = entries.filter(|text| text.contains("&id=")).collect();
        let word = |key: &str| session[key].as_str().unwrap().to_owned();
        let (side, bot) = (word("side"), word("bot"));
        all.insert(number, Seated { side, bot, texts });
    }
    all
}

fn paths(id: &str, sessions: &BTreeMap<i64, Seated>) -> Vec<String> {
    let mut paths = [
        "/api/v1/sessions?limit=250",
        "/api/v1/sessions?live=true",
        "/api/v1/matches",
        "/api/v1/bluffs",
        "/api/v1/opponents",
        "/api/v1/hubs",
        "/api/v1/bots",
        "/metrics",
    ]
    .map(str::to_owned)
    .to_vec();
    let of_match = format!("/api/v1/matches/{id}");
    for rest in [
        "",
        "/entries?limit=250",
        "/entries.ndjson",
        "/facts",
        "/facts?kind=bluff",
        "/replay?limit=250",
    ] {
        paths.push(format!("{of_match}{rest}"));
    }
    for seat in 0..4 {
        let query = format!("seat={seat}&limit=250&pictures=true");
        paths.push(format!("{of_match}/replay?{query}"));
    }
    paths.push(format!("/api/v1/bluffs?match={id}"));
    paths.extend(
        sessions
            .keys()
            .map(|number| format!("/api/v1/sessions/{number}")),
    );
    paths
}

/// The sessions whose knowledge an answer shows: rows told by one, or its numbers on the wire.
fn told_by(value: &Value, all: &BTreeMap<i64, Seated>, told: &mut BTreeSet<i64>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| told_by(item, all, told)),
        Value::Object(fields) => {
            let by = fields.get("session").and_then(Value::as_i64);
            let called = fields.get("player").is_some_and(|player| !player.is_null());
            let own = fields.get("id").filter(|_| called).and_then(Value::as_i64);
            told.extend(by.or(own).filter(|number| all.contains_key(number)));
            fields.values().for_each(|inner| told_by(inner, all, told));
        }
        _ => {}
    }
}

/// The sessions whose knowledge is in a body, by its rows and by texts that only they hold.
fn shown(answer: &Answer, all: &BTreeMap<i64, Seated>, own: &BTreeSet<i64>) -> BTreeSet<i64> {
    let mut told = BTreeSet::new();
    for line in answer.body.lines() {
        if let Ok(value) = serde_json::from_str(line) {
            told_by(&value, all, &mut told);
        }
    }
    let known: BTreeSet<&String> = own.iter().flat_map(|number| &all[number].texts).collect();
    for (number, session) in all {
        let mut secret = session.texts.iter().filter(|text| !known.contains(text));
        if secret.any(|text| answer.body.contains(text.as_str())) {
            told.insert(*number);
        }
    }
    told
}

/// No step of a replay shows money but that of the seat whose view it is.
fn hides_money(replay: &Value) {
    let steps = replay["items"].as_array().unwrap();
    let live = replay["live"] == true;
    assert!(!live || replay["everything"] == false, "{replay}");
    for step in steps.iter().filter(|_| live) {
        let players = step["state"]["players"].as_array().unwrap();
        let money = players.iter().map(|player| !player["money"].is_null());
        assert!(money.eq([true, false, false, false]), "{step}");
        let trade = &step["state"]["trade"];
        if let Some(own) = ["challenger", "target"]
            .iter()
            .position(|who| trade[who] == 0)
        {
            let theirs = [&trade["counter"], &trade["offer"]][own];
            assert_eq!(theirs["money"], Value::Null, "{step}");
        }
    }
}

fn made(app: &TestApp, by: Option<&str>, name: &str, scope: &str) -> String {
    let add = ["token", "add", name, "--scope", scope];
    ok(verb(&app.url(), by, &add)).trim().to_owned()
}

#[test]
fn a_live_match_tells_each_caller_their_own_secrets_through_every_endpoint() {
    let budget = ("THINKING__BUDGET_MS_KOEHANDEL", "5");
    let app = TestApp::new(&[WITH_REFEREE, budget]);
    let mut ann = SlowPlayer::start();
    let proxied = |mut headers: Headers| {
        headers.push("X-Forwarded-For: 203.0.113.5".to_owned());
        headers
    };
    // No token yet: who speaks directly from this machine is an admin, and nobody else is answered.
    let direct = Headers::new();
    let id = standing_match(&app, &ann, &direct);
    let all = seated(&app, &id, &direct);
    let everybody: BTreeSet<i64> = all.keys().copied().collect();
    let of = |side: &str, bot: &str| -> BTreeSet<i64> {
        let is_it = |(_, session): &(&i64, &Seated)| session.side == side && session.bot == bot;
        all.iter()
            .filter(is_it)
            .map(|(number, _)| *number)
            .collect()
    };
    let (champion, guide) = (of("player", "champion"), of("player", "guide"));
    let anns = of("referee", &format!("url:http://{}/", ann.address));
    assert_eq!(
        (champion.len(), guide.len(), anns.len()),
        (1, 1, 1),
        "{all:?}"
    );
    for path in paths(&id, &all) {
        let answer = get(&app, &path, &proxied(direct.clone()));
        assert_eq!(
            answer.status, 401,
            "{path} through a proxy: {}",
            answer.body
        );
    }
    let drain = proxied(direct.clone());
    let drain = request(app.api, "POST", "/api/v1/drain", &[&drain[0]], "");
    assert_eq!(drain.status, 401);
    // With tokens, each caller's own and no more.
    let root = made(&app, None, "root", "admin");
    let by = Some(root.as_str());
    let own = |name: &str, scope: &str| bearer(&made(&app, by, name, scope));
    let nobody = BTreeSet::new();
    for (who, headers, sees) in [
        ("no token", direct.clone(), None),
        ("a wrong token", bearer("drover_0"), None),
        ("no token, proxied", proxied(direct.clone()), None),
        ("read", own("reader", "read"), Some(&nobody)),
        ("bot:evolved", own("evolved", "bot:evolved"), Some(&nobody)),
        ("entrant:bob", own("bob", "entrant:bob"), Some(&nobody)),
        (
            "bot:champion",
            own("champion", "bot:champion"),
            Some(&champion),
        ),
        (
            "bot:guide",
            proxied(own("guide", "bot:guide")),
            Some(&guide),
        ),
        ("entrant:ann", own("ann", "entrant:ann"), Some(&anns)),
        ("admin", bearer(&root), Some(&everybody)),
        ("admin, proxied", proxied(bearer(&root)), Some(&everybody)),
    ] {
        let mut seen = BTreeSet::new();
        for path in paths(&id, &all) {
            let answer = get(&app, &path, &headers);
            let status = if sees.is_some() { 200 } else { 401 };
            assert_eq!(answer.status, status, "{path} for {who}: {}", answer.body);
            let told = shown(&answer, &all, sees.unwrap_or(&nobody));
            if path.contains("/replay") && status == 200 {
                hides_money(&answer.json());
            }
            println!("{who:18} {path:60} {status} {told:?}");
            seen.extend(told);
        }
        assert_eq!(&seen, sees.unwrap_or(&nobody), "{who}");
    }
    let row = get(&app, &format!("/api/v1/matches/{id}"), &bearer(&root)).json();
    assert_eq!(row["live"], true, "it was live all the time");
    for secret in [&root[7..], "drover_"] {
        assert!(!app.log().contains(secret), "{}", app.log());
    }
    // When it is over, everything is everybody's.
    ann.permits = None;
    let reader = own("late", "read");
    let row = format!("/api/v1/matches/{id}");
    until(|| !get(&app, &row, &reader).json()["cause"].is_null());
    let mut seen = BTreeSet::new();
    for path in paths(&id, &all) {
        seen.extend(shown(&get(&app, &path, &reader), &all, &nobody));
    }
    assert_eq!(seen, everybody);
}

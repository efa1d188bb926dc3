//! Live matches, read by everybody through everything there is to read: what a seat knows is its owner's.

mod tables;
mod walk;

use crate::app::{Answer, PATIENCE, TestApp, WITH_REFEREE, folder, ok, request, until, verb};
use crate::watching::Stream;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;
use tables::{Arbiter, Headers, OUR_PATH, PATH, Seated, SlowPlayer, get, hand, hides, seated};
use walk::{Known, Readable, described, pages, plain};

/// Sessions by their numbers.
type All = BTreeMap<i64, Seated>;

fn bearer(token: &str) -> Headers {
    vec![format!("Authorization: Bearer {token}")]
}

fn proxied(mut headers: Headers) -> Headers {
    headers.push("X-Forwarded-For: 203.0.113.5".to_owned());
    headers
}

/// What a browser sends that has signed in with this token.
fn signed_in(app: &TestApp, token: &str) -> Headers {
    let answer = request(app.api, "POST", "/login", &[], &format!("token={token}"));
    assert_eq!(answer.status, 303, "{answer:?}");
    let cookie = answer.head.split("drover_pass=").nth(1).unwrap();
    let pass = cookie.split(';').next().unwrap();
    vec![format!("Cookie: drover_pass={pass}")]
}

/// A caller, and the sessions whose knowledge is theirs.
struct Caller {
    who: &'static str,
    headers: Headers,
    /// How they ask for pages.
    browser: Headers,
    own: BTreeSet<i64>,
    admin: bool,
}

/// Every number after this mark.
fn numbers<'a>(text: &'a str, mark: &'a str) -> impl Iterator<Item = i64> + 'a {
    text.split(mark).skip(1).filter_map(|rest| {
        let end = rest.find(|letter: char| !letter.is_ascii_digit());
        rest[..end.unwrap_or(rest.len())].parse().ok()
    })
}

/// The sessions whose knowledge an answer shows: rows received by one, or its numbers on the wire.
fn received_by(value: &Value, all: &All, reported: &mut BTreeSet<i64>) {
    match value {
        Value::Array(items) => items
            .iter()
            .for_each(|item| received_by(item, all, reported)),
        Value::Object(fields) => {
            let by = fields.get("session").and_then(Value::as_i64);
            let called = fields.get("player").is_some_and(|player| !player.is_null());
            let own = fields.get("id").filter(|_| called).and_then(Value::as_i64);
            reported.extend(by.or(own).filter(|number| all.contains_key(number)));
            fields
                .values()
                .for_each(|inner| received_by(inner, all, reported));
        }
        _ => {}
    }
}

/// The sessions whose knowledge is in a text: by its rows, by what only they hold, and by the lines of a page.
fn shown(text: &str, all: &All, own: &BTreeSet<i64>) -> BTreeSet<i64> {
    let mut reported = BTreeSet::new();
    let text = plain(text);
    for line in text.lines() {
        if let Ok(value) = serde_json::from_str(line.trim_start_matches("data: ")) {
            received_by(&value, all, &mut reported);
        }
    }
    let of_entry = |number: i64| {
        let mut sessions = all.iter();
        sessions.find_map(|(id, seated)| seated.entries.contains(&number).then_some(*id))
    };
    reported.extend(numbers(&text, "id=\"e").filter_map(of_entry));
    let known: BTreeSet<&String> = own.iter().flat_map(|number| &all[number].secrets).collect();
    for (number, session) in all {
        let mut secret = session.secrets.difference(&session.nobodys);
        if secret.any(|secret| !known.contains(secret) && text.contains(secret.as_str())) {
            reported.insert(*number);
        }
    }
    reported
}

/// Nothing in an answer is nobody's to know, or a card in the hand of another.
fn keeps_secrets(caller: &Caller, path: &str, text: &str, all: &All) {
    if caller.admin {
        return;
    }
    let who = caller.who;
    // Where she herself is called is hers to read.
    let addresses = [PATH, OUR_PATH].into_iter();
    for secret in addresses.filter(|secret| who != "ann" || *secret != PATH) {
        assert!(!text.contains(secret), "{path} shows {who} {secret}");
    }
    // What is hidden is not found by asking for it, either.
    let found = all.values().any(|seated| text.contains(&seated.match_id));
    assert!(!(found && path.contains("?market=")), "{path} shows {who}");
    let plays = |game: &str| caller.own.iter().any(|number| all[number].game == game);
    for seated in all.values() {
        for secret in &seated.nobodys {
            assert!(!text.contains(secret), "{path} shows {who} {secret}");
        }
        // A bot that plays may well think of the cards that it does not see.
        let thinks = plays("planowanie") && path.contains("/explain");
        let own = caller.own.iter().any(|number| {
            let own = &all[number];
            own.game == "planowanie" && own.seat == seated.seat
        });
        if seated.game == "planowanie" && !own && !thinks {
            let mut cards = hand(seated.seat).into_iter();
            assert!(
                !cards.any(|card| text.contains(card)),
                "{path} shows {who} a card"
            );
        }
    }
}

/// Asks for everything, and gives what the caller saw.
fn read_all(app: &TestApp, caller: &Caller, listed: &Readable, all: &All) -> BTreeSet<i64> {
    let (mut seen, mut statuses) = (BTreeSet::new(), BTreeMap::new());
    let mut look = |path: &str, answer: &Answer| {
        assert!(answer.status < 500, "{path} for {}: {answer:?}", caller.who);
        let reported = shown(&answer.body, all, &caller.own);
        assert!(
            reported.is_subset(&caller.own),
            "{path} shows {} of {reported:?}: {}",
            caller.who,
            answer.body
        );
        keeps_secrets(caller, path, &answer.body, all);
        if path.contains("/replay") && answer.status == 200 {
            hides(&answer.json(), caller.own.len() == all.len());
        }
        *statuses.entry(answer.status).or_insert(0) += 1;
        seen.extend(reported);
    };
    for path in &listed.paths {
        look(path, &get(app, path, &caller.headers));
    }
    let walked = pages(|path| get(app, path, &caller.browser));
    for (path, answer) in &walked {
        look(path, answer);
    }
    println!(
        "{:24} {} paths, {} pages, by status {statuses:?}: sessions {seen:?}",
        caller.who,
        listed.paths.len(),
        walked.len()
    );
    seen
}

/// A stream that is followed to its end: its kinds of events, and its text.
struct Following {
    path: String,
    read: JoinHandle<(BTreeSet<String>, String)>,
}

/// Follows a stream; `begun` is notified once its first event is there.
fn follow(api: SocketAddr, path: &str, headers: &Headers, begun: Sender<()>) -> Following {
    // Everything is read before anything more happens.
    let mut stream = Stream::open(api, path, headers).with_patience(10 * PATIENCE);
    let read = std::thread::spawn(move || {
        let mut kinds = BTreeSet::new();
        while let Some(event) = stream.next() {
            if kinds.is_empty() {
                begun.send(()).unwrap();
            }
            kinds.insert(event.kind);
        }
        (kinds, stream.text)
    });
    let path = path.to_owned();
    Following { path, read }
}

/// No event shows another's knowledge; who owns a session of the match gets its entries as they come, and nobody else
/// any.
fn check_stream(caller: &Caller, path: &str, (kinds, stream): (BTreeSet<String>, &str), all: &All) {
    let who = caller.who;
    let reported = shown(stream, all, &caller.own);
    assert!(
        reported.is_subset(&caller.own),
        "{path} shows {who} of {reported:?}"
    );
    if !path.contains("/matches/") {
        assert!(kinds.contains("match"), "{path} for {who}: {stream}");
        return keeps_secrets(caller, path, stream, all);
    }
    let of_match = |number: &&i64| path.contains(&all[*number].match_id);
    let plays = caller.own.iter().any(|number| of_match(&number));
    for kind in ["state", "end"] {
        assert!(kinds.contains(kind), "{path} for {who}: {kinds:?}");
    }
    assert_eq!(kinds.contains("entry"), plays, "{path} for {who}");
    assert!(plays || !kinds.contains("fact"), "{path} for {who}");
    if !plays {
        keeps_secrets(caller, path, stream, all);
    }
}

fn made(app: &TestApp, by: Option<&str>, name: &str, scopes: &[&str]) -> String {
    let mut add = vec!["token", "add", name];
    add.extend(scopes.iter().flat_map(|scope| ["--scope", scope]));
    ok(verb(&app.url(), by, &add)).trim().to_owned()
}

/// What the daemon's paths may name.
fn known(app: &TestApp, all: &All, admin: &Headers) -> Known {
    let ids = |path: &str| -> Vec<String> {
        let rows = get(app, path, admin).items();
        let ids = rows.iter().map(|row| row["id"].to_string());
        ids.map(|id| id.trim_matches('"').to_owned()).collect()
    };
    let matches = ids("/api/v1/matches?limit=250");
    let decisions = all
        .values()
        .filter(|seated| seated.side == "player")
        .filter_map(|seated| {
            let path = format!(
                "/api/v1/matches/{}/seats/{}/explain",
                seated.match_id, seated.seat
            );
            let made = get(app, &path, admin).items();
            Some(made.first()?["entry"].to_string())
        });
    let rows = get(app, "/api/v1/matches?limit=250", admin).items();
    Known {
        sessions: all.keys().map(i64::to_string).collect(),
        opponents: ids("/api/v1/opponents?limit=5")
            .into_iter()
            .chain(["1".into()])
            .collect(),
        tournaments: vec!["none".into()],
        markets: rows.iter().map(|row| row["market"].to_string()).collect(),
        decisions: decisions.collect(),
        matches,
    }
}

#[test]
fn live_matches_show_each_caller_their_own_secrets_through_all_there_is_to_read() {
    let folder = folder();
    let settings = [
        WITH_REFEREE,
        ("THINKING__BUDGET_MS_KOEHANDEL", "5"),
        ("THINKING__BUDGET_MS_PLANOWANIE", "5"),
        ("CALLBACKS__SECRET_PATH", OUR_PATH),
        ("API__EMBARGO_S", "3600"),
        // A match that stands still goes on without who does not answer, after ten times five seconds.
        ("REFEREE__KOEHANDEL__OPTIONS__FAILURES_MAX", "1000"),
    ];
    let app = TestApp::with(folder.path(), &settings);
    let mut ann = SlowPlayer::start();
    // No token yet: who speaks directly from this machine is an admin, and nobody else is answered.
    let direct = Headers::new();
    let refereed = tables::koehandel(&app, &ann, &direct);
    let arbiter = Arbiter::start(folder.path());
    let complete = |rows: &[Value]| rows.iter().all(|row| row["entries"] == 12);
    let shims = |app: &TestApp| -> Vec<Value> {
        let rows = app.items("/api/v1/sessions?game=planowanie");
        let ids = rows.iter().map(|row| row["id"].to_string());
        ids.map(|id| app.get(&format!("/api/v1/sessions/{id}")).json())
            .collect()
    };
    until(|| shims(&app).len() == 2 && complete(&shims(&app)));
    let all = seated(folder.path());
    let of = |side: &str, bots: &[&str]| -> BTreeSet<i64> {
        let is_it = |(_, seated): &(&i64, &Seated)| {
            seated.side == side && bots.iter().any(|bot| seated.bot.starts_with(bot))
        };
        all.iter()
            .filter(is_it)
            .map(|(number, _)| *number)
            .collect()
    };
    let (ours, theirs) = (
        of("player", &["champion"]),
        of("player", &["guide", "rules"]),
    );
    let anns = of("referee", &[&format!("url:http://{}/", ann.address)]);
    assert_eq!((ours.len(), theirs.len(), anns.len()), (2, 2, 1), "{all:?}");
    let listed = described(
        &app.get("/openapi.json").json(),
        &known(&app, &all, &direct),
    );
    assert!(
        listed.paths.len() > 200 && listed.streams.len() == 4,
        "{listed:?}"
    );
    let refused = |headers: &Headers| {
        for path in listed.paths.iter().chain(&listed.streams) {
            let answer = get(&app, path, headers);
            assert_eq!(answer.status, 401, "{path}: {}", answer.body);
        }
        for path in &listed.open {
            assert!(shown(&get(&app, path, headers).body, &all, &BTreeSet::new()).is_empty());
        }
        for (path, answer) in pages(|path| get(&app, path, headers)) {
            assert!(
                shown(&answer.body, &all, &BTreeSet::new()).is_empty(),
                "{path}"
            );
        }
    };
    refused(&proxied(direct.clone()));
    let drain = proxied(direct.clone());
    let drain = request(app.api, "POST", "/api/v1/drain", &[&drain[0]], "");
    assert_eq!(drain.status, 401);
    // With tokens, each caller's own and no more.
    let root = made(&app, None, "root", &["admin"]);
    for headers in [direct.clone(), bearer("drover_0"), proxied(direct)] {
        refused(&headers);
    }
    let caller = |who, name, scopes: &[&str], own: &BTreeSet<i64>| {
        let admin = scopes.contains(&"admin");
        let token = made(&app, Some(&root), name, scopes);
        let (headers, browser) = (bearer(&token), signed_in(&app, &token));
        let own = own.clone();
        Caller {
            who,
            headers,
            browser,
            own,
            admin,
        }
    };
    let (nobodys, everybodys) = (BTreeSet::new(), all.keys().copied().collect());
    let mut callers = vec![
        caller("read", "reader", &["read"], &nobodys),
        caller(
            "another's",
            "other",
            &["bot:evolved", "entrant:bob", "bot:greedy"],
            &nobodys,
        ),
        caller("owner of champion", "a", &["bot:champion"], &ours),
        caller(
            "owner of guide, rules",
            "b",
            &["bot:guide", "bot:rules"],
            &theirs,
        ),
        caller("ann", "ann", &["entrant:ann"], &anns),
        caller("admin", "chief", &["admin"], &everybodys),
    ];
    let by_proxy = callers
        .iter_mut()
        .filter(|caller| caller.admin || caller.who == "ann");
    by_proxy.for_each(|caller| caller.headers = proxied(std::mem::take(&mut caller.headers)));
    let (begun, begins) = channel();
    let mut followed = Vec::new();
    for caller in &callers {
        for path in &listed.streams {
            followed.push((
                caller,
                follow(app.api, path, &caller.headers, begun.clone()),
            ));
        }
    }
    std::thread::scope(|scope| {
        for caller in &callers {
            scope.spawn(|| {
                let seen = read_all(&app, caller, &listed, &all);
                assert_eq!(seen, caller.own, "{}", caller.who);
            });
        }
    });
    let row = get(&app, &format!("/api/v1/matches/{refereed}"), &bearer(&root)).json();
    assert_eq!(row["live"], true, "it was live all the time");
    for secret in [&root[7..], "drover_"] {
        assert!(!app.log().contains(secret), "{}", app.log());
    }
    // They go on to their ends, of which everybody is notified, and which reveal nothing more for now.
    (0..followed.len()).for_each(|_| begins.recv().unwrap());
    arbiter.go_on();
    ann.let_go();
    let live = |headers: &Headers| {
        !get(&app, "/api/v1/matches?outcome=live", headers)
            .items()
            .is_empty()
    };
    until(|| !live(&callers[0].headers));
    for caller in callers.iter().take(2) {
        assert!(
            read_all(&app, caller, &listed, &all).is_empty(),
            "{}",
            caller.who
        );
    }
    app.stop();
    for (caller, following) in followed {
        let (kinds, text) = following.read.join().unwrap();
        println!("{:24} {}: {kinds:?}", caller.who, following.path);
        check_stream(caller, &following.path, (kinds, &text), &all);
    }
    // When it is over, everything is everybody's.
    let app = TestApp::with(folder.path(), &[("API__EMBARGO_S", "0")]);
    let seen = listed.paths.iter().flat_map(|path| {
        let answer = get(&app, path, &callers[0].headers);
        shown(&answer.body, &all, &nobodys)
    });
    assert_eq!(seen.collect::<BTreeSet<i64>>(), everybodys);
    let row = get(
        &app,
        &format!("/api/v1/matches/{refereed}"),
        &callers[0].headers,
    );
    let secrets = all.values().filter(|seated| seated.match_id == refereed);
    let mut nobodys = secrets.flat_map(|seated| &seated.nobodys);
    assert!(nobodys.any(|secret| row.body.contains(secret)), "{row:?}");
    app.stop();
    everybody_reads_what_is_public(folder.path(), &ann, &all, &bearer(&root));
}

/// With `api.public` a caller without a token reads what a reader does, but for addresses, arguments and paths.
fn everybody_reads_what_is_public(folder: &Path, ann: &SlowPlayer, all: &All, root: &Headers) {
    for embargo_s in ["3600", "0"] {
        let settings = [
            ("API__EMBARGO_S", embargo_s),
            ("API__PUBLIC", "true"),
            ("API__PUBLIC_PER_S", "100000"),
            ("CALLBACKS__SECRET_PATH", OUR_PATH),
        ];
        let app = TestApp::with(folder, &settings);
        let nobody = Caller {
            who: "everybody",
            headers: Headers::new(),
            browser: Headers::new(),
            own: match embargo_s {
                "0" => all.keys().copied().collect(),
                _ => BTreeSet::new(),
            },
            admin: false,
        };
        let listed = described(&app.get("/openapi.json").json(), &known(&app, all, root));
        let mut seen = BTreeSet::new();
        let walked = pages(|path| get(&app, path, &nobody.browser));
        let rows = listed.paths.iter();
        let rows = rows.map(|path| (path.clone(), get(&app, path, &nobody.headers)));
        for (path, answer) in rows.chain(walked) {
            // What is withheld for now is refused as it is to those with a token; afterwards nothing is.
            let is_known = [200, 400, 401, 404, 410].contains(&answer.status);
            let is_withheld = embargo_s != "0" && answer.status == 403;
            assert!(is_known || is_withheld, "{path}: {answer:?}");
            let about_us = ["/hubs", "/metrics", "/tokens", "/dashboard"];
            let about_us = about_us.iter().any(|word| path.contains(word));
            let about_us = about_us && !path.starts_with("/docs/");
            assert!(!about_us || answer.status == 401, "{path}: {answer:?}");
            let text = plain(&answer.body);
            let port = format!(":{}", ann.address.port());
            for secret in [&port, PATH, OUR_PATH, &folder.display().to_string()] {
                assert!(!text.contains(secret), "{path} shows everybody {secret}");
            }
            seen.extend(shown(&answer.body, all, &nobody.own));
        }
        assert_eq!(seen, nobody.own);
        // Nothing is changed without a token, and a wrong one is refused.
        let drain = request(app.api, "POST", "/api/v1/drain", &[], "");
        assert_eq!(drain.status, 401);
        let wrong = get(&app, "/api/v1/matches", &bearer("drover_0"));
        assert_eq!(wrong.status, 401);
        app.stop();
    }
}

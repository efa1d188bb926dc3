//! Strangers at the callbacks of a daemon whose matches run: they know every number, and get nowhere.

use crate::app::{
    Answer, TestApp, WITH_REFEREE, block_on, connected, dial_from, drover, exchange, folder,
    request, serve, set, stored, until, verified,
};
use drover::history::GameRules;
use drover::history::{self, Filter, PageAt, SessionRow};
use drover::store::{Direction, Side, Store};
use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// What the configured referees are called by.
const CUP: &str = "cup:s3cret-of-the-cup";
const CONFIG: &str = r#"
[[callbacks.referee]]
name = "cup"
secret = "s3cret-of-the-cup"

[[callbacks.referee]]
name = "league"
addresses = ["127.0.0.1"]

[[callbacks.referee]]
name = "both"
secret = "an0ther-secret"
addresses = ["127.0.0.1", "10.0.0.0/8"]
"#;

/// The setting that logs everything.
const TRACED: (&str, &str) = ("LOG__LEVEL", "info,drover=trace");

/// A daemon with the configuration above.
fn daemon(folder: &Path) -> TestApp {
    let config = folder.join("drover.toml");
    std::fs::write(&config, CONFIG).unwrap();
    let settings = [
        WITH_REFEREE,
        ("THINKING__BUDGET_MS_KOEHANDEL", "20"),
        // Strangers begin sessions of their own, which nobody ends.
        ("DRAIN__LIMIT_S", "1"),
        TRACED,
    ];
    let mut command = set(serve(folder), &settings);
    command.arg("--config").arg(&config);
    TestApp::spawn(command, folder)
}

/// A `drover referee koehandel` in a process of its own.
struct Foreign {
    child: Option<Child>,
    address: SocketAddr,
}

impl Foreign {
    fn start(folder: &Path) -> Self {
        let mut child = drover()
            .args(["referee", "koehandel", "--listen", "127.0.0.1:0", "--store"])
            .arg(folder.join("foreign.db"))
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut known = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        known.read_line(&mut line).unwrap();
        let address = line.trim().rsplit("http://").next().unwrap();
        let address = address.trim_end_matches('/').parse().unwrap();
        // Whatever else it says must find a reader.
        std::thread::spawn(move || std::io::copy(&mut known, &mut std::io::sink()));
        let child = Some(child);
        Self { child, address }
    }

    fn stop(mut self) {
        let child = self.child.take().unwrap();
        let pid = nix::unistd::Pid::from_raw(child.id() as i32);
        nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGTERM).unwrap();
        crate::app::wait(child);
    }
}

impl Drop for Foreign {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Starts a match of four paths on the daemon's callbacks; gives the market and the ids.
fn connect(referee: SocketAddr, callbacks: SocketAddr, paths: [&str; 4]) -> (u64, Vec<u64>) {
    let urls: String = (1..)
        .zip(paths)
        .map(|(seat, path)| format!("&url{seat}=http://{callbacks}{path}"))
        .collect();
    connected(referee, &format!("/?connect{urls}"))
}

/// One way to reach somebody else's session: where from, which path, with which header.
struct Way {
    source: [u8; 4],
    path: String,
    headers: &'static [&'static str],
}

/// Every way that a stranger has, for a bot.
fn ways(bot: &str) -> Vec<Way> {
    const HERE: [u8; 4] = [127, 0, 0, 1];
    const AWAY: [u8; 4] = [127, 0, 0, 2];
    let way = |source, segment: &str, headers| Way {
        source,
        path: format!("/koehandel/{bot}{segment}"),
        headers,
    };
    let forwarded = &[
        "X-Forwarded-For: 127.0.0.1",
        "Forwarded: for=127.0.0.1",
        "X-Real-IP: 127.0.0.1",
    ][..];
    vec![
        // Our own referee's name, and its nonce as it is shown.
        way(AWAY, "/drover", &[]),
        way(HERE, "/drover", &[]),
        way(AWAY, "/***", &[]),
        way(AWAY, "/~", &[]),
        way(AWAY, "/00000000000000000000000000000000", &[]),
        // Another caller's address, in every spelling.
        way(AWAY, "/127.0.0.1", &[]),
        way(AWAY, "/::ffff:127.0.0.1", &[]),
        way(AWAY, "/[::1]", &[]),
        way(AWAY, "/localhost", &[]),
        // Configured referees without their secret, with another, from elsewhere.
        way(AWAY, "/cup", &[]),
        way(AWAY, "/cup:", &[]),
        way(AWAY, "/cup:***", &[]),
        way(AWAY, "/cup:s3cret-of-the-cu", &[]),
        way(AWAY, "/cup:an0ther-secret", &[]),
        way(AWAY, "/league", &[]),
        way(AWAY, "/both", &[]),
        way(AWAY, "/both:an0ther-secret", &[]),
        way(HERE, "/both", &[]),
        // What only a trusted proxy may say.
        way(AWAY, "", forwarded),
        way(AWAY, "/league", forwarded),
        way(AWAY, "/both:an0ther-secret", forwarded),
    ]
}

/// What a stranger says in a running match: its end, a new beginning, a question, somebody's news.
fn words(market: u64, id: u64) -> [String; 5] {
    let to = format!("market={market}&id={id}");
    [
        format!("{to}&type=end&money=0"),
        format!("{to}&type=information&message=begin"),
        format!("{to}&type=auction&goods=K&money=0&auctioneer=0"),
        format!("{to}&type=information&goods=K&money=-90"),
        format!("{to}&type=start"),
    ]
}

struct Victim {
    bot: &'static str,
    market: u64,
    id: u64,
}

/// Attacks the victims in every way and with every word until it is stopped, and counts the requests.
fn attack(callbacks: SocketAddr, victims: &[Victim], stop: &AtomicBool, count: &AtomicU64) {
    loop {
        for victim in victims {
            for way in ways(victim.bot) {
                for word in words(victim.market, victim.id) {
                    let target = format!("{}?{word}", way.path);
                    let stream = dial_from(way.source, callbacks);
                    let answer = exchange(stream, callbacks, "GET", &target, way.headers, "");
                    let Answer { status, body, .. } = answer.unwrap();
                    for secret in ["s3cret-of-the-cup", "an0ther-secret", "league", "cup"] {
                        assert!(!body.contains(secret), "{body}");
                    }
                    // Without a name a stranger is somebody of its own.
                    let own = way.path.ends_with(victim.bot);
                    assert!(own || status == 404, "{target}: {status} {body}");
                    count.fetch_add(1, Ordering::Relaxed);
                }
            }
        }
        if stop.load(Ordering::Relaxed) {
            return;
        }
    }
}

type Texts = BTreeMap<u64, Vec<String>>;

/// What was called of a match, by player, on one side of it; and how its sessions there ended.
async fn calls(store: &Store, market: u64, side: Side) -> (Texts, Vec<SessionRow>) {
    let direction = match side {
        Side::Referee => Direction::Out,
        Side::Player => Direction::In,
    };
    let at = PageAt::first(10_000);
    let all = history::sessions(store.reader(), &Filter::default(), &at)
        .await
        .unwrap()
        .items;
    let own = |row: &SessionRow| {
        let opened = &row.opened;
        let stranger = opened.referee == "127.0.0.2";
        opened.market == market && opened.side == side && !stranger
    };
    let rows: Vec<SessionRow> = all.into_iter().filter(own).collect();
    let mut texts = Texts::new();
    for row in &rows {
        let (last, _) = history::head(store.reader(), row).await.unwrap().unwrap();
        let entries = history::transcript(store.reader(), row.id, last)
            .await
            .unwrap();
        let called = entries
            .into_iter()
            .filter(|entry| entry.direction == direction);
        let before = texts.insert(row.opened.player, called.map(|entry| entry.text).collect());
        assert!(before.is_none(), "player {} began twice", row.opened.player);
    }
    (texts, rows)
}

/// Waits until a match of a referee has ended, by its last player's log.
fn ended(referee: SocketAddr, id: u64) {
    until(|| {
        let log = request(referee, "GET", &format!("/?log={id}"), &[], "");
        log.status == 200 && log.body.contains("type=end")
    });
}

#[test]
fn nobody_takes_over_a_running_match() {
    let folder = folder();
    let app = daemon(folder.path());
    let foreign = Foreign::start(folder.path());
    // One match of our own referee, one of a foreign one that is known by its address and by names.
    let bots = ["champion", "guide", "tuned", "guide"];
    let ours = connect(
        app.referee.unwrap(),
        app.callbacks,
        [
            "/koehandel/champion",
            "/koehandel/guide/drover",
            "/koehandel/tuned",
            "/koehandel/guide",
        ],
    );
    let own = app.items("/api/v1/matches").into_iter();
    let own = own.clone().find(|row| row["market"] == ours.0).unwrap();
    let own = format!("/api/v1/matches/{}", own["id"].as_str().unwrap());
    let theirs = connect(
        foreign.address,
        app.callbacks,
        [
            "/koehandel/champion",
            &format!("/koehandel/guide/{CUP}"),
            "/koehandel/tuned/league",
            "/koehandel/guide/both:an0ther-secret",
        ],
    );
    let seats = [&ours, &theirs].into_iter().flat_map(|(market, ids)| {
        let seats = bots.into_iter().zip(ids);
        seats.map(|(bot, id)| Victim {
            bot,
            market: *market,
            id: *id,
        })
    });
    let victims: Vec<Victim> = seats.collect();
    let stop = Arc::new(AtomicBool::new(false));
    let attacks = Arc::new(AtomicU64::new(0));
    let attacker = {
        let (stop, attacks) = (Arc::clone(&stop), Arc::clone(&attacks));
        let callbacks = app.callbacks;
        std::thread::spawn(move || attack(callbacks, &victims, &stop, &attacks))
    };
    ended(app.referee.unwrap(), ours.1[3]);
    ended(foreign.address, theirs.1[3]);
    let meanwhile = attacks.load(Ordering::Relaxed);
    stop.store(true, Ordering::Relaxed);
    attacker.join().unwrap();
    assert!(
        meanwhile > 200,
        "only {meanwhile} attacks while the matches ran"
    );
    app.get_until(&own, |answer| !answer.json()["cause"].is_null());
    let log = app.log();
    foreign.stop();
    app.stop();
    block_on(async {
        let daemon = stored(folder.path()).await;
        let referee = Store::open_readonly(folder.path().join("foreign.db"), GameRules::all())
            .await
            .unwrap();
        for (of, market, referees) in [
            (&daemon, ours.0, ["drover"].as_slice()),
            (
                &referee,
                theirs.0,
                ["127.0.0.1", "cup", "league", "both"].as_slice(),
            ),
        ] {
            let (said, rows) = calls(of, market, Side::Referee).await;
            let true_scores: BTreeMap<u64, Vec<i64>> = rows
                .iter()
                .map(|row| (row.opened.player, row.scores.clone()))
                .collect();
            assert!(
                rows.iter()
                    .all(|row| row.cause == Some(games::Cause::Normal)),
                "{rows:?}"
            );
            assert_eq!(said.len(), 4);
            let (received, rows) = calls(&daemon, market, Side::Player).await;
            assert_eq!(
                said, received,
                "every word of the referee, and nobody else's"
            );
            for row in rows {
                let name = row.opened.referee.as_str();
                assert!(referees.contains(&name), "{name}");
                assert_eq!(row.cause, Some(games::Cause::Normal), "{row:?}");
                assert_eq!(row.scores, true_scores[&row.opened.player], "{row:?}");
                assert!(row.scores.iter().any(|score| *score > 0), "{row:?}");
            }
        }
        let nonce = history::referee_nonce(daemon.reader()).await.unwrap();
        assert!(
            !log.contains(&nonce) && !log.contains("s3cret"),
            "no secret is logged"
        );
        let (filter, at) = (Filter::default(), PageAt::first(100_000));
        let matches = history::matches(daemon.reader(), &filter, &at)
            .await
            .unwrap()
            .items;
        let shown = format!("{matches:?}");
        assert!(
            shown.contains("/koehandel/champion") && !shown.contains(&nonce),
            "{shown}"
        );
        assert!(!shown.contains("s3cret"), "{shown}");
    });
    verified(&folder.path().join("drover.db"));
}

#[test]
fn what_rest_the_page_and_the_log_show_does_not_open_a_session() {
    let folder = folder();
    let hidden = ("CALLBACKS__SECRET_PATH", "/h1dden/");
    let app = TestApp::with(folder.path(), &[WITH_REFEREE, hidden, TRACED]);
    let referee = app.referee.unwrap();
    let path = "/h1dden/koehandel/guide";
    let (market, ids) = connect(
        referee,
        app.callbacks,
        [path, path, path, "/koehandel/guide"],
    );
    ended(referee, ids[3]);
    let nonce = nonce(folder.path());
    let mut matches = app.items("/api/v1/matches").into_iter();
    let id = matches.find(|row| row["market"] == market).unwrap()["id"].clone();
    let id = id.as_str().unwrap();
    let mut shown = vec![
        app.get("/api/v1/matches").body,
        app.get("/api/v1/sessions").body,
        app.get(&format!("/api/v1/matches/{id}")).body,
        app.get(&format!("/api/v1/matches/{id}/entries?limit=250"))
            .body,
        app.get(&format!("/api/v1/matches/{id}/facts")).body,
        app.get("/metrics").body,
        request(referee, "GET", "/", &[], "").body,
        app.log(),
    ];
    for id in &ids {
        shown.push(request(referee, "GET", &format!("/?log={id}"), &[], "").body);
    }
    for text in &shown {
        assert!(!text.contains(&nonce) && !text.contains("h1dden"), "{text}");
    }
    // The masked form is what a seat is known by, and it leads nowhere.
    let spec = format!("url:http://{}/***/koehandel/guide", app.callbacks);
    assert!(shown[2].contains(&spec), "{}", shown[2]);
    for path in [
        "/***/koehandel/guide",
        "/h1dden/koehandel/guide/***",
        "/koehandel/guide",
    ] {
        let word = format!("{path}?market={market}&id={}&type=end", ids[0]);
        assert_eq!(app.call(&word).status, 404, "{path}");
    }
    // The fourth seat was named without the secret: our own referee lends it to nobody.
    let log = request(referee, "GET", &format!("/?log={}", ids[3]), &[], "").body;
    assert!(log.contains("status 404"), "{log}");
    let log = request(referee, "GET", &format!("/?log={}", ids[0]), &[], "").body;
    assert!(!log.contains("status"), "{log}");
    app.stop();
}

fn nonce(folder: &Path) -> String {
    block_on(async {
        history::referee_nonce(stored(folder).await.reader())
            .await
            .unwrap()
    })
}

#[test]
fn the_nonce_outlives_the_process() {
    let folder = folder();
    TestApp::start(folder.path()).stop();
    let first = nonce(folder.path());
    assert_eq!(first.len(), 32);
    TestApp::start(folder.path()).stop();
    assert_eq!(nonce(folder.path()), first);
}

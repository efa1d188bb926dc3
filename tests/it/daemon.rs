//! The daemon as an operator sees it: starting, refusing to start, listening, reporting.

use crate::app::{
    self, PATIENCE, TestApp, WITH_REFEREE, block_on, connected, folder, free_address, ok, request,
    run, run_on, serve, serve_on, set, stored, text, until, verified,
};
use drover::history;
use drover::store::{Direction, Side};
use nix::sys::signal::Signal;
use sqlx::{AssertSqlSafe, Connection as _, SqliteConnection};
use std::collections::BTreeMap;
use std::net::{SocketAddr, TcpListener};
use std::os::unix::net::UnixDatagram;
use std::path::Path;
use std::process::{Command, Stdio};

/// Runs `serve` where it must not start, and gives what it says.
fn refused(mut command: Command) -> String {
    let output = command.output().unwrap();
    assert_eq!(text(&output.stdout), "", "it must not say that it listens");
    app::refused(output, 1)
}

#[test]
fn it_is_well_until_it_is_gone() {
    let app = TestApp::new(&[]);
    assert_eq!(app.get("/healthz").status, 200);
    assert_eq!(app.get("/readyz").status, 200);
    let nothing = app.get("/nothing");
    assert_eq!(nothing.status, 404);
    assert!(
        nothing.head.contains("application/problem+json"),
        "{nothing:?}"
    );
    assert!(
        app.get("/metrics").body.contains("drover_sessions_live 0"),
        "{}",
        app.get("/metrics").body
    );
    let url = app.url();
    assert_eq!(run(&["health", "--url", &url]).status.code(), Some(0));
    assert_eq!(
        run(&["health", "--ready", "--url", &url]).status.code(),
        Some(0)
    );
    app.kill();
    assert_eq!(run(&["health", "--url", &url]).status.code(), Some(1));
}

#[test]
fn a_second_process_on_the_database_is_refused() {
    let folder = folder();
    let app = TestApp::start(folder.path());
    let error = refused(serve(folder.path()));
    assert!(
        error.contains("in use") && error.contains(&format!("(process {} of host ", app.pid())),
        "{error}"
    );
    assert_eq!(app.get("/readyz").status, 200);
    app.stop();
    TestApp::start(folder.path()).stop();
}

#[test]
fn a_newer_database_is_refused() {
    let folder = folder();
    TestApp::start(folder.path()).stop();
    let path = folder.path().join("drover.db");
    block_on(async {
        let mut database = SqliteConnection::connect(&format!("sqlite://{}", path.display()))
            .await
            .unwrap();
        let later =
            "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
            VALUES (99990101000000, 'later', 1, x'00', 0)";
        sqlx::query(later).execute(&mut database).await.unwrap();
        database.close().await.unwrap();
    });
    let before = std::fs::read(&path).unwrap();
    let error = refused(serve(folder.path()));
    assert!(error.contains("newer version"), "{error}");
    assert_eq!(std::fs::read(&path).unwrap(), before, "it is not touched");
}

/// A database that a version before the first release wrote: its migrations have other checksums, and may be more.
#[test]
fn an_older_database_is_refused() {
    for versions in [1, 16] {
        let folder = folder();
        let path = folder.path().join("drover.db");
        block_on(async {
            let url = format!("sqlite://{}?mode=rwc", path.display());
            let mut database = SqliteConnection::connect(&url).await.unwrap();
            let written = format!(
                "PRAGMA journal_mode = WAL;
                 CREATE TABLE _sqlx_migrations (version BIGINT PRIMARY KEY, description TEXT NOT NULL,
                     installed_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, success BOOLEAN NOT NULL,
                     checksum BLOB NOT NULL, execution_time BIGINT NOT NULL);
                 CREATE TABLE matches (id TEXT NOT NULL PRIMARY KEY);
                 WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < {versions})
                 INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
                 SELECT n, 'first', 1, x'0123', 0 FROM n"
            );
            sqlx::raw_sql(AssertSqlSafe(written))
                .execute(&mut database)
                .await
                .unwrap();
            database.close().await.unwrap();
        });
        let before = std::fs::read(&path).unwrap();
        let expected = format!(
            "the database {} was written by an earlier version of drover, and this one cannot read it: export what you \
             need with the version that wrote it (`drover match export`, `drover tournament export`), or start with a \
             fresh data folder (--store, or store.path)",
            path.canonicalize().unwrap().display()
        );
        let error = refused(serve(folder.path()));
        assert!(error.contains(&expected), "{error}");
        let copy = folder.path().join("copy.db");
        for verb in [
            &["match", "list"][..],
            &["db", "migrate"],
            &["db", "backup", copy.to_str().unwrap()],
            &["db", "verify"],
            &["db", "salvage", copy.to_str().unwrap()],
        ] {
            let error = app::refused(run_on(&path, verb), 1);
            assert!(error.contains(&expected), "{verb:?}: {error}");
        }
        assert_eq!(std::fs::read(&path).unwrap(), before, "it is not touched");
        assert!(!copy.exists());
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_refused() {
    let folder = folder();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let error = refused(serve(&file.join("data")));
    assert!(error.contains("cannot write in"), "{error}");

    let sealed = folder.path().join("sealed");
    std::fs::create_dir(&sealed).unwrap();
    seal(&sealed, 0o555);
    // Root may write anywhere.
    if std::fs::write(sealed.join("probe"), "").is_err() {
        let error = refused(serve(&sealed));
        assert!(error.contains("cannot write in"), "{error}");
    }
    seal(&sealed, 0o755);
}

fn seal(folder: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn an_address_in_use_is_reported() {
    let folder = folder();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let error = refused(set(serve(folder.path()), &[(WITH_REFEREE.0, &address)]));
    assert!(
        error.contains(&address) && error.contains("cannot listen"),
        "{error}"
    );
}

#[test]
fn a_default_bot_that_does_not_exist_is_reported() {
    let folder = folder();
    let unknown = ("CALLBACKS__DEFAULT_BOT", "champignon");
    let mut command = set(serve(folder.path()), &[unknown]);
    let error = app::refused(command.output().unwrap(), 2);
    assert!(
        error.contains("callbacks.default_bot") && error.contains("champion"),
        "{error}"
    );
}

#[test]
fn the_token_guards_the_api() {
    let app = TestApp::new(&[("API__TOKEN", "open sesame")]);
    assert_eq!(app.get("/healthz").status, 200);
    assert_eq!(app.get("/api/v1/bots").status, 401);
    let token = |word: &str| format!("Authorization: Bearer {word}");
    let with = |word: &str| request(app.api, "GET", "/api/v1/bots", &[&token(word)], "").status;
    assert_eq!(
        (with("open sesame"), with("open"), with("open sesamf")),
        (200, 401, 401)
    );
    assert_eq!(run(&["drain", "--url", &app.url()]).status.code(), Some(1));
    assert!(!app.log().contains("sesame"));
    app.stop();
}

#[test]
fn logs_are_json_on_request() {
    let app = TestApp::new(&[("LOG__FORMAT", "json")]);
    // It answers before it says so.
    let whole = || {
        let log = app.log();
        log.rsplit_once('\n')
            .map_or_else(String::new, |(whole, _)| whole.to_owned())
    };
    until(|| whole().contains("\"listening\""));
    let lines: Vec<serde_json::Value> = whole()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let listening = lines
        .iter()
        .find(|line| line["message"] == "listening")
        .expect("it says where it listens");
    assert_eq!(listening["callbacks"], app.callbacks.to_string());
    app.stop();
}

/// Starts the daemon through a shell that passes its standard input on as the inherited socket.
fn activated(folder: &Path, input: Stdio, names: &str) -> Command {
    let mut shell = Command::new("sh");
    let script = "LISTEN_PID=$$ LISTEN_FDS=1 exec \"$0\" \"$@\" 3<&0 </dev/null";
    shell.args(["-c", script]);
    let serve = serve(folder);
    shell.arg(serve.get_program()).args(serve.get_args());
    shell.env("LISTEN_FDNAMES", names).stdin(input);
    shell
}

#[test]
fn the_callback_socket_can_be_inherited() {
    let folder = folder();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let input = || Stdio::from(std::os::fd::OwnedFd::from(listener.try_clone().unwrap()));
    let app = TestApp::spawn(
        activated(folder.path(), input(), "callbacks"),
        folder.path(),
    );
    assert_eq!(app.callbacks, address);
    assert_eq!(
        app.call("/koehandel/nobody?market=1&id=1&type=begin")
            .status,
        404
    );
    app.stop();

    // While nobody serves it, the socket takes a caller's connection; the next start answers it.
    let waiting =
        std::thread::spawn(move || request(address, "GET", "/nogame/nobody?a=1", &[], "").status);
    let app = TestApp::spawn(activated(folder.path(), input(), "api"), folder.path());
    assert_eq!(app.api, address);
    assert_eq!(waiting.join().unwrap(), 404);
    app.stop();
}

#[test]
fn a_descriptor_that_does_not_listen_is_refused() {
    let folder = folder();
    let error = refused(activated(folder.path(), Stdio::null(), ""));
    assert!(
        error.contains("inherited descriptor 0 (callbacks) is not a listening TCP socket"),
        "{error}"
    );

    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let connected = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let input = Stdio::from(std::os::fd::OwnedFd::from(connected));
    let error = refused(activated(folder.path(), input, "callbacks"));
    assert!(error.contains("it does not listen"), "{error}");

    let input = Stdio::from(std::os::fd::OwnedFd::from(listener));
    let error = refused(activated(folder.path(), input, "telnet"));
    assert!(error.contains("telnet"), "{error}");
}

#[test]
fn the_service_manager_is_notified() {
    let folder = folder();
    let path = folder.path().join("notify");
    let manager = UnixDatagram::bind(&path).unwrap();
    manager.set_read_timeout(Some(PATIENCE)).unwrap();
    let receive = || {
        let mut buffer = [0; 256];
        let length = manager.recv(&mut buffer).unwrap();
        text(&buffer[..length]).trim_end().to_owned()
    };
    let mut command = serve(folder.path());
    command
        .env("NOTIFY_SOCKET", &path)
        .env("WATCHDOG_USEC", "100000");
    let app = TestApp::spawn(command, folder.path());
    let (mut ready, mut alive) = (false, false);
    while !(ready && alive) {
        match receive().as_str() {
            "READY=1" => ready = true,
            "WATCHDOG=1" => alive = true,
            other => panic!("{other}"),
        }
    }
    app.signal(Signal::SIGTERM);
    while receive() != "STOPPING=1" {}
    assert!(app.wait().success());
}

#[test]
fn a_backup_and_a_check_while_it_runs() {
    let folder = folder();
    let app = TestApp::start(folder.path());
    let database = folder.path().join("drover.db");
    let copy = folder.path().join("copy.db");
    ok(run_on(&database, &["db", "backup", copy.to_str().unwrap()]));
    ok(run_on(&database, &["db", "verify"]));
    let error = app::refused(run_on(&database, &["db", "migrate"]), 1);
    assert!(error.contains("in use"), "the daemon has it: {error}");
    app.stop();
    ok(run_on(&database, &["db", "migrate"]));
}

#[test]
fn old_matches_are_pruned_while_it_runs() {
    let folder = folder();
    let database = folder.path().join("drover.db");
    let mut play = app::play("planowanie", &["builtin:greedy"; 2], &["deals=1 0"]);
    app::report(play.arg("--store").arg(&database).output().unwrap());
    let app = TestApp::start(folder.path());
    let newest = app.items("/api/v1/matches?limit=1");
    let path = format!("/api/v1/matches/{}", newest[0]["id"].as_str().unwrap());
    assert!(!app.items(&format!("{path}/entries")).is_empty());
    let prune = ["db", "prune", "--older-than", "0s"];
    let due = ok(app::verb(
        &app.url(),
        None,
        &[&prune[..], &["--dry-run"]].concat(),
    ));
    let done = ok(app::verb(&app.url(), None, &prune));
    assert_eq!(done, due.replace("would be", "were"));
    assert!(!done.starts_with("0 "), "{done}");
    assert_eq!(app.get(&format!("{path}/entries")).status, 410);
    let shown = app.get(&path).json();
    assert_eq!(shown["sessions"][0]["pruned"], true);
    assert_eq!(shown["scores"], newest[0]["scores"]);
    app.stop_verified();
}

#[test]
fn the_demonstration_plays_and_stops() {
    let folder = folder();
    let settings = [WITH_REFEREE, ("DRAIN__LIMIT_S", "1")];
    let mut command = set(serve(folder.path()), &settings);
    command.arg("--demo");
    let app = TestApp::spawn(command, folder.path());
    let page = request(app.referee.unwrap(), "GET", "/", &[], "");
    assert_eq!(page.status, 200, "{page:?}");
    let some = |path: &str| app.items_until(path, |items| !items.is_empty());
    let matches = some("/api/v1/matches");
    let id = matches[0]["id"].as_str().unwrap();
    some(&format!("/api/v1/matches/{id}/entries"));
    let sessions = some("/api/v1/sessions");
    assert_eq!(sessions[0]["game"], "koehandel", "{sessions:?}");
    // One at full speed, to its end.
    let id = connect(&app, app.callbacks);
    finished(&app, &id);
    some(&format!("/api/v1/matches/{id}/facts"));
    app.stop_verified();
}

/// Starts a match of four of our own bots at full speed and gives its id in the store.
fn connect(app: &TestApp, bots: SocketAddr) -> String {
    let urls: String = (1..=4)
        .map(|seat| format!("&url{seat}=http://{bots}/koehandel/guide/drover"))
        .collect();
    let (market, _) = connected(app.referee.unwrap(), &format!("/?connect{urls}"));
    let rows = app.items("/api/v1/matches?limit=50");
    let own = rows.iter().find(|row| row["market"] == market).unwrap();
    own["id"].as_str().unwrap().to_owned()
}

fn finished(app: &TestApp, id: &str) {
    let row = app.get_until(&format!("/api/v1/matches/{id}"), |answer| {
        !answer.json()["cause"].is_null()
    });
    assert_eq!(row.json()["cause"], "normal", "{row:?}");
}

#[test]
fn our_own_referee_and_bots_go_on_after_kill_9() {
    let folder = folder();
    // Players' addresses must hold over restarts.
    let bots = free_address();
    let start = || {
        let command = set(serve_on(bots, folder.path()), &[WITH_REFEREE]);
        TestApp::spawn(command, folder.path())
    };
    let mut app = start();
    let ids = [connect(&app, bots), connect(&app, bots)];
    for more in [5, 30, 60] {
        for id in &ids {
            let entries = format!("/api/v1/matches/{id}/entries?limit=200");
            app.items_until(&entries, |items| items.len() >= more);
        }
        app.kill();
        app = start();
    }
    ids.iter().for_each(|id| finished(&app, id));
    app.stop();
    block_on(both_sides_agree(folder.path(), &ids));
    verified(&folder.path().join("drover.db"));
}

/// What the referee sent is what its players received, once each and in order.
async fn both_sides_agree(folder: &Path, ids: &[String]) {
    let store = stored(folder).await;
    for id in ids {
        let mut sent = BTreeMap::new();
        let mut received = BTreeMap::new();
        for session in history::sessions_of(store.reader(), id).await.unwrap() {
            let (last, _) = history::head(store.reader(), &session)
                .await
                .unwrap()
                .unwrap();
            let calls = match session.opened.side {
                Side::Referee => Direction::Out,
                Side::Player => Direction::In,
            };
            let entries = history::transcript(store.reader(), session.id, last)
                .await
                .unwrap();
            let texts: Vec<String> = entries
                .into_iter()
                .filter(|entry| entry.direction == calls)
                .map(|entry| entry.text)
                .collect();
            let side = if calls == Direction::Out {
                &mut sent
            } else {
                &mut received
            };
            side.insert(session.opened.player, texts);
        }
        assert_eq!(sent.len(), 4);
        assert_eq!(sent, received);
    }
    store.close().await;
}

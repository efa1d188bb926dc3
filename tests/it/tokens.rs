//! `drover token` against a running daemon, and across its restarts.

use crate::app::{self, TestApp, drover, folder, ok, request, serve, set, verb};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::fs::File;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn refused(output: Output) -> String {
    app::refused(output, 1)
}

fn status(app: &TestApp, token: &str) -> u16 {
    let header = format!("Authorization: Bearer {token}");
    request(app.api, "GET", "/api/v1/matches", &[&header], "").status
}

#[test]
fn tokens_are_managed_on_the_command_line() {
    let folder = folder();
    let app = TestApp::start(folder.path());
    let url = app.url();
    let said = |by, line: &str| verb(&url, by, &line.split(' ').collect::<Vec<_>>());
    let error = refused(said(None, "token add ann --scope read"));
    assert!(error.contains("scope admin first"), "{error}");
    let root = ok(said(None, "token add root --scope admin"));
    let root = root.trim();
    assert!(root.starts_with("drover_"), "{root}");
    let scopes = ["--scope", "bot:champion", "--scope", "entrant:Ann B"];
    let add = [&["token", "add", "ann"], &scopes[..], &["--output", "json"]].concat();
    let made = ok(verb(&url, Some(root), &add));
    let made: serde_json::Value = serde_json::from_str(&made).unwrap();
    let ann = made["token"].as_str().unwrap();
    assert_eq!((status(&app, ann), status(&app, root)), (200, 200));
    let table = ok(said(Some(root), "token list"));
    assert!(
        table.contains("bot:champion entrant:Ann B") && !table.contains("drover_"),
        "{table}"
    );
    let error = refused(said(None, "token list"));
    assert!(
        error.contains("401") && error.contains("--token"),
        "{error}"
    );
    let error = refused(said(Some(ann), "token list"));
    assert!(
        error.contains("403") && error.contains("scope admin"),
        "{error}"
    );
    assert_eq!(verb(&url, Some(ann), &["drain"]).status.code(), Some(1));
    let error = refused(said(Some(root), "token revoke root"));
    assert!(error.contains("last token of an admin"), "{error}");
    let needed = app::refused(said(None, "token add x"), 2);
    assert!(needed.contains("--scope"), "{needed}");
    assert!(!app.log().contains(&root[7..]));
    app.stop();
    // They outlive the daemon, and none is in its database in clear.
    for file in std::fs::read_dir(folder.path()).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap_or_default();
        for token in [root, ann] {
            let secret = &token.as_bytes()[7..39];
            assert!(!bytes.windows(32).any(|part| part == secret));
        }
    }
    let app = TestApp::start(folder.path());
    assert_eq!((status(&app, ann), app.get("/metrics").status), (200, 401));
    let url = app.url();
    let by_flag = ["token", "revoke", "ann", "--token", root];
    assert_eq!(ok(verb(&url, None, &by_flag)), "ann is revoked\n");
    assert_eq!((status(&app, ann), status(&app, root)), (401, 200));
    ok(verb(&url, Some(root), &["drain"]));
    assert!(app.wait().success());
}

/// As in a container: the configuration alone says where the daemon is, and its token is a secret's file.
#[test]
fn inside_a_container_the_configuration_is_enough() {
    let folder = folder();
    let secret = folder.path().join("api_token");
    std::fs::write(&secret, "open sesame\n").unwrap();
    // Below the ports that the system gives to others meanwhile.
    let first = 10_000 + u16::try_from(std::process::id() % 20_000).unwrap();
    let free = |port: &u16| TcpListener::bind(("0.0.0.0", *port)).is_ok();
    let listen = format!("0.0.0.0:{}", (first..).find(free).unwrap());
    let configured = |mut command: Command| {
        command
            .env("DROVER__API__LISTEN", &listen)
            .env("DROVER__API__TOKEN_FILE", &secret)
            .env("DROVER__CALLBACKS__LISTEN", "127.0.0.1:0")
            .env("DROVER__STORE__PATH", folder.path().join("drover.db"));
        command
    };
    let mut command = configured(drover());
    command.arg("serve");
    let app = TestApp::spawn(command, folder.path());
    let inside = |arguments: &[&str]| {
        let mut command = configured(drover());
        command.args(arguments).output().unwrap()
    };
    ok(inside(&["health", "--ready"]));
    // With a configured token there is an admin already.
    let ann = ok(inside(&["token", "add", "ann", "--scope", "read"]));
    assert_eq!(status(&app, ann.trim()), 200);
    assert!(ok(inside(&["token", "list", "--output", "csv"])).contains(",ann,read,"));
    let error = refused(inside(&["match", "name", "nothing", "1", "bob"]));
    assert!(error.contains("there is no match nothing"), "{error}");
    ok(inside(&["token", "revoke", "ann"]));
    assert_eq!(status(&app, ann.trim()), 401);
    ok(inside(&["drain"]));
    assert!(app.wait().success());
}

#[test]
fn a_proxy_on_the_same_machine_is_not_this_machine() {
    let app = TestApp::new(&[]);
    for header in [
        "X-Forwarded-For: 203.0.113.5",
        "Forwarded: for=203.0.113.5",
        "Via: 1.1 proxy",
        "X-Real-IP: 203.0.113.5",
    ] {
        for (method, path) in [("POST", "/api/v1/drain"), ("GET", "/metrics")] {
            let answer = request(app.api, method, path, &[header], "");
            assert_eq!(answer.status, 401, "{header} {path} {answer:?}");
        }
        assert_eq!(
            request(app.api, "GET", "/healthz", &[header], "").status,
            200
        );
    }
    assert_eq!(app.get("/readyz").status, 200, "it does not drain");
    app.stop();
}

#[test]
fn the_key_of_passes_is_next_to_the_database_and_its_users_alone() {
    let folder = folder();
    let settings = [("API__TOKEN", "open sesame")];
    let app = TestApp::with(folder.path(), &settings);
    let answer = request(app.api, "POST", "/login", &[], "token=open+sesame");
    let cookie = answer.head.split("drover_pass=").nth(1).unwrap();
    let cookie = format!("Cookie: drover_pass={}", cookie.split(';').next().unwrap());
    let reads = |app: &TestApp| request(app.api, "GET", "/api/v1/bots", &[&cookie], "").status;
    assert_eq!(reads(&app), 200);
    app.stop();
    let key = folder.path().join("drover.db.passkey");
    let mode = std::fs::metadata(&key).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let app = TestApp::with(folder.path(), &settings);
    assert_eq!(reads(&app), 200, "after a restart");
    app.stop();
    let other = "a key that has at least 32 bytes";
    let app = TestApp::with(folder.path(), &[settings[0], ("API__PASS_KEY", other)]);
    assert_eq!(reads(&app), 401, "under another key");
    app.stop();
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o640)).unwrap();
    let error = refused(serve(folder.path()).output().unwrap());
    assert!(
        error.contains("drover.db.passkey") && error.contains("0640"),
        "{error}"
    );
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o600)).unwrap();
    std::fs::write(&key, "short").unwrap();
    let error = refused(serve(folder.path()).output().unwrap());
    assert!(error.contains("does not hold the key"), "{error}");
    let mut short = set(serve(folder.path()), &[("API__PASS_KEY", "short")]);
    let error = app::refused(short.output().unwrap(), 2);
    assert!(
        error.contains("`api.pass_key` is ***, but must be at least 32 bytes"),
        "{error}"
    );
}

/// A daemon that others can reach, with its first token in a file of this folder.
fn open_daemon(folder: &Path) -> Command {
    let mut command = drover();
    command.args([
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--api-listen",
        "0.0.0.0:0",
        "--data",
    ]);
    command.arg(folder);
    command.env("DROVER__API__FIRST_TOKEN_FILE", folder.join("api_token"));
    command
}

/// What a daemon prints from its start to its stop.
fn printed(folder: &Path) -> String {
    let out = folder.join("out");
    let mut command = open_daemon(folder);
    command.stdout(File::create(&out).unwrap());
    let mut child = command.stderr(Stdio::null()).spawn().unwrap();
    let read = || std::fs::read_to_string(&out).unwrap();
    app::until(|| read().contains("listening "));
    let id = Pid::from_raw(child.id().try_into().unwrap());
    kill(id, Signal::SIGTERM).unwrap();
    assert!(child.wait().unwrap().success());
    read()
}

#[test]
fn the_first_token_is_made_where_others_can_reach_the_daemon_and_printed_once() {
    let folder = folder();
    let file = folder.path().join("api_token");
    let first = printed(folder.path());
    let token = std::fs::read_to_string(&file).unwrap();
    let token = token.trim_end();
    assert!(token.starts_with("drover_") && first.contains(&format!("\ntoken {token} ")));
    let mode = std::fs::metadata(&file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert!(
        !printed(folder.path()).contains(token),
        "it is printed again"
    );

    let app = TestApp::spawn(open_daemon(folder.path()), folder.path());
    assert_eq!(
        (status(&app, token), app.get("/api/v1/bots").status),
        (200, 401)
    );
    // Verbs on the same machine find it.
    let mut add = drover();
    add.env("DROVER__API__FIRST_TOKEN_FILE", &file);
    add.args([
        "token",
        "add",
        "root",
        "--scope",
        "admin",
        "--url",
        &app.url(),
    ]);
    let root = ok(add.output().unwrap());
    assert!(!app.log().contains(&token[7..]));
    app.stop();

    // An admin who has another token may remove the file.
    std::fs::remove_file(&file).unwrap();
    assert!(!printed(folder.path()).contains("token "));
    assert!(!file.exists(), "an admin has a token");
    let app = TestApp::spawn(open_daemon(folder.path()), folder.path());
    assert_eq!((status(&app, token), status(&app, root.trim())), (401, 200));
    app.stop();
}

#[test]
fn no_first_token_is_made_where_none_is_needed() {
    let folder = folder();
    let file = folder.path().join("api_token");
    let file_name = file.to_str().unwrap();
    let app = TestApp::with(folder.path(), &[("API__FIRST_TOKEN_FILE", file_name)]);
    assert_eq!(app.get("/api/v1/bots").status, 200, "on loopback");
    app.stop();
    let mut configured = open_daemon(folder.path());
    configured.env("DROVER__API__TOKEN", "open sesame");
    let app = TestApp::spawn(configured, folder.path());
    assert_eq!(
        (status(&app, "open sesame"), app.get("/api/v1/bots").status),
        (200, 401)
    );
    app.stop();
    assert!(!file.exists());
}

#[test]
fn a_first_token_that_others_can_read_or_that_is_none_opens_nothing() {
    let folder = folder();
    let file = folder.path().join("api_token");
    let long = "a-token-of-more-than-32-letters-and-digits";
    for (text, mode, expected) in [
        (
            long.to_owned(),
            0o644,
            "its mode 0644 lets other users read it",
        ),
        ("short".to_owned(), 0o600, "does not hold the first token"),
        (
            format!("{long}\n{long}"),
            0o600,
            "must hold a token on one line",
        ),
    ] {
        std::fs::write(&file, text).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
        let error = refused(open_daemon(folder.path()).output().unwrap());
        assert!(error.contains(expected), "{error}");
        std::fs::remove_file(&file).unwrap();
    }
    // Where it cannot be kept, nobody is let in.
    let mut nowhere = open_daemon(folder.path());
    nowhere.env(
        "DROVER__API__FIRST_TOKEN_FILE",
        folder.path().join("missing/api_token"),
    );
    let error = refused(nowhere.output().unwrap());
    assert!(error.contains("missing/api_token"), "{error}");
}

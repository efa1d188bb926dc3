//! Tokens over REST: made, used, refused, revoked, kept.

use super::{Answer, App, LOCAL};
use crate::access::{PassKey, Tokens};
use crate::history;
use crate::link::Caller;
use crate::store::tests::fake::open;
use axum::body::Body;
use axum::http::{Method, Request, StatusCode, header};
use serde_json::{Value, json};
use std::path::Path;

const TOKENS: &str = "/api/v1/tokens";

impl App {
    async fn ask_as(&self, method: Method, path: &str, token: Option<&str>, body: Value) -> Answer {
        let mut request = Request::builder().method(method).uri(path);
        if let Some(token) = token {
            request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
        }
        let body = Body::from(match body {
            Value::Null => String::new(),
            body => body.to_string(),
        });
        self.ask(request.body(body).unwrap()).await
    }

    async fn add(&self, by: Option<&str>, name: &str, scopes: &[&str]) -> Answer {
        let body = json!({ "name": name, "scopes": scopes });
        self.ask_as(Method::POST, TOKENS, by, body).await
    }

    async fn added(&self, by: Option<&str>, name: &str, scopes: &[&str]) -> String {
        let answer = self.add(by, name, scopes).await;
        assert_eq!(answer.status, StatusCode::CREATED, "{}", answer.text);
        assert_eq!(answer.headers[header::CACHE_CONTROL], "no-store");
        answer.json()["token"].as_str().unwrap().to_owned()
    }

    async fn revoke(&self, by: &str, which: &str) -> Answer {
        let path = format!("{TOKENS}/{which}");
        self.ask_as(Method::DELETE, &path, Some(by), Value::Null)
            .await
    }

    async fn names(&self, by: &str) -> Vec<String> {
        let list = self
            .ask_as(Method::GET, TOKENS, Some(by), Value::Null)
            .await;
        assert_eq!(list.status, StatusCode::OK, "{}", list.text);
        assert!(!list.text.contains("drover_"), "{}", list.text);
        let items = list.json()["items"].as_array().unwrap().clone();
        let name = |item: &Value| item["name"].as_str().unwrap().to_owned();
        items.iter().map(name).collect()
    }

    async fn status(&self, path: &str, token: Option<&str>) -> StatusCode {
        self.ask_as(Method::GET, path, token, Value::Null)
            .await
            .status
    }
}

fn detail(answer: &Answer) -> String {
    answer.json()["detail"].as_str().unwrap().to_owned()
}

/// Every file of a folder, as one text of bytes.
fn bytes_in(folder: &Path) -> Vec<u8> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        all.extend(match path.is_dir() {
            true => bytes_in(&path),
            false => std::fs::read(&path).unwrap(),
        });
    }
    all
}

#[tokio::test]
async fn tokens_live_from_add_to_revoke() {
    let app = App::new().await;
    let root = app.added(None, "root", &["admin"]).await;
    assert!(root.starts_with("drover_") && root.len() == 71, "{root}");
    let ann = app
        .added(Some(&root), "ann", &["bot:champion", "entrant:Ann B"])
        .await;
    assert_eq!(app.names(&root).await, ["root", "ann"]);
    let (matches, ok) = ("/api/v1/matches", StatusCode::OK);
    assert_eq!(app.status(matches, Some(&ann)).await, ok);
    assert_eq!(app.status("/metrics", Some(&ann)).await, ok);
    // Nobody without one any more, from this machine either.
    for path in [matches, "/metrics", TOKENS] {
        let answer = app.get(path).await;
        assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{path}");
        assert_eq!(answer.headers[header::WWW_AUTHENTICATE], "Bearer");
    }
    // Known, but not for this: what is missing is named.
    for (method, path) in [
        (Method::GET, TOKENS),
        (Method::POST, TOKENS),
        (Method::DELETE, "/api/v1/tokens/root"),
        (Method::POST, "/api/v1/drain"),
        (Method::POST, "/api/v1/prune"),
        (Method::PUT, "/api/v1/matches/x/seats/0"),
    ] {
        let answer = app
            .ask_as(method.clone(), path, Some(&ann), Value::Null)
            .await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{method} {path}");
        assert!(detail(&answer).contains("scope admin"), "{}", answer.text);
    }
    assert!(app.state.readiness.refusal().is_none());
    let gone = app.revoke(&root, "ann").await;
    assert_eq!((gone.status, &gone.json()["name"]), (ok, &json!("ann")));
    assert_eq!(
        app.status(matches, Some(&ann)).await,
        StatusCode::UNAUTHORIZED
    );
    assert_eq!(app.names(&root).await, ["root"]);
    let again = app.revoke(&root, "ann").await;
    assert_eq!(again.status, StatusCode::NOT_FOUND, "{}", again.text);
    // A name is free again once it is revoked, and a number serves as well.
    app.added(Some(&root), "ann", &["read"]).await;
    let id = app.state.tokens.list()[1].id;
    assert_eq!(app.revoke(&root, &id.to_string()).await.status, ok);
    // The last one of all: then this machine alone is answered, as in the beginning.
    assert_eq!(app.revoke(&root, "root").await.status, ok);
    assert_eq!(app.status(matches, None).await, ok);
    assert_eq!(
        app.status(matches, Some(&root)).await,
        StatusCode::UNAUTHORIZED
    );
}

#[tokio::test]
async fn nobody_is_locked_out() {
    let mut app = App::new().await;
    let first = app.add(None, "ann", &["read"]).await;
    assert_eq!(first.status, StatusCode::CONFLICT, "{}", first.text);
    assert!(detail(&first).contains("scope admin"), "{}", first.text);
    assert_eq!(app.status(TOKENS, None).await, StatusCode::OK);
    let root = app.added(None, "root", &["admin"]).await;
    app.added(Some(&root), "ann", &["read"]).await;
    let last = app.revoke(&root, "root").await;
    assert_eq!(last.status, StatusCode::CONFLICT, "{}", last.text);
    assert_eq!(app.status(TOKENS, Some(&root)).await, StatusCode::OK);
    let second = app.added(Some(&root), "second", &["admin"]).await;
    assert_eq!(app.revoke(&root, "root").await.status, StatusCode::OK);
    // With a configured token there is always an admin.
    app.change().tokens = Tokens::load(
        app.store().clone(),
        Some("simple"),
        PassKey::load(Some("a key"), app.store()).unwrap(),
    )
    .await
    .unwrap();
    assert_eq!(app.revoke(&second, "second").await.status, StatusCode::OK);
    assert_eq!(app.names("simple").await, ["ann"]);
    assert_eq!(app.revoke("simple", "ann").await.status, StatusCode::OK);
    app.added(Some("simple"), "bob", &["read"]).await;
}

#[tokio::test]
async fn bad_tokens_are_not_made() {
    let app = App::new().await;
    let root = app.added(None, "root", &["admin"]).await;
    let many: Vec<String> = (0..33).map(|n| format!("entrant:{n}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let long = "x".repeat(65);
    for (name, scopes, status, word) in [
        ("root", &["read"][..], StatusCode::CONFLICT, "root"),
        ("7", &["read"], StatusCode::BAD_REQUEST, "name"),
        ("a/b", &["read"], StatusCode::BAD_REQUEST, "name"),
        ("", &["read"], StatusCode::BAD_REQUEST, "name"),
        (&long, &["read"], StatusCode::BAD_REQUEST, "name"),
        ("x", &[], StatusCode::BAD_REQUEST, "scopes"),
        ("x", &["write"], StatusCode::BAD_REQUEST, "write"),
        (
            "x",
            &["bot:champoin"],
            StatusCode::BAD_REQUEST,
            "GET /api/v1/bots",
        ),
        ("x", &many, StatusCode::BAD_REQUEST, "32"),
    ] {
        let answer = app.add(Some(&root), name, scopes).await;
        assert_eq!(answer.status, status, "{name} {}", answer.text);
        assert!(detail(&answer).contains(word), "{name} {}", answer.text);
    }
    let odd = app
        .ask_as(
            Method::POST,
            TOKENS,
            Some(&root),
            json!({ "name": "x", "scope": "read" }),
        )
        .await;
    assert_eq!(odd.status, StatusCode::BAD_REQUEST, "{}", odd.text);
    assert_eq!(app.names(&root).await, ["root"]);
}

#[tokio::test]
async fn there_is_a_bound_on_tokens() {
    let app = App::new().await;
    let root = app.added(None, "root", &["admin"]).await;
    for number in 1..1_000 {
        let tokens = &app.state.tokens;
        tokens
            .add(&format!("t{number}"), &["read".into()])
            .await
            .unwrap();
    }
    let full = app.add(Some(&root), "more", &["read"]).await;
    assert_eq!(full.status, StatusCode::CONFLICT, "{}", full.text);
    assert_eq!(app.revoke(&root, "t5").await.status, StatusCode::OK);
    app.added(Some(&root), "more", &["read"]).await;
}

#[tokio::test]
async fn tokens_outlive_a_restart_and_are_nowhere_in_clear() {
    let app = App::new().await;
    let root = app.added(None, "root", &["admin"]).await;
    let ann = app.added(Some(&root), "ann", &["entrant:ann"]).await;
    let bob = app.added(Some(&root), "bob", &["read"]).await;
    assert_eq!(app.revoke(&root, "bob").await.status, StatusCode::OK);
    assert_eq!(app.status("/api/v1/bots", Some(&ann)).await, StatusCode::OK);
    let App {
        state,
        router,
        _folder,
    } = app;
    drop(router);
    let debugged = format!("{state:?} {:?}", state.tokens);
    let folder = _folder.path().to_owned();
    while history::tokens(state.store.reader()).await.unwrap()[1]
        .used_us
        .is_none()
    {
        tokio::task::yield_now().await;
    }
    drop(state.tokens);
    state.store.close().await;
    let kept = bytes_in(&folder);
    for token in [&root, &ann, &bob] {
        let (_, secret) = token.split_once('_').unwrap();
        let in_clear = |whole: &[u8]| {
            whole
                .windows(16)
                .any(|part| part == &secret.as_bytes()[..16])
        };
        assert!(!in_clear(&kept) && !in_clear(debugged.as_bytes()));
    }
    assert!(
        kept.windows(11).any(|part| part == b"entrant:ann"),
        "the right files were read"
    );
    let store = open(&folder).await;
    let mut app = App::new().await;
    app.change().tokens = Tokens::load(
        store.clone(),
        None,
        PassKey::load(Some("a key"), &store).unwrap(),
    )
    .await
    .unwrap();
    app.change().store = store;
    assert_eq!(app.names(&root).await, ["root", "ann"]);
    assert!(app.state.tokens.list()[1].used_us.is_some());
    let status = app.status("/api/v1/bots", Some(&ann)).await;
    assert_eq!(status, StatusCode::OK);
    let status = app.status("/api/v1/bots", Some(&bob)).await;
    assert_eq!(status, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn without_tokens_only_this_machine_is_answered() {
    let app = App::new().await;
    let check = async |caller: Option<Caller>, status: StatusCode| {
        for (method, path) in [
            (Method::GET, "/api/v1/matches"),
            (Method::GET, "/metrics"),
            (Method::GET, TOKENS),
            (Method::POST, "/api/v1/drain"),
        ] {
            let mut request = Request::builder().method(method).uri(path);
            if let Some(caller) = caller {
                request = request.extension(caller);
            }
            let request = request.body(Body::empty()).unwrap();
            // Not by `ask`, which speaks for this machine where nobody else does.
            let router = app.router();
            let answer = tower::ServiceExt::oneshot(router, request).await.unwrap();
            let good = answer.status().is_success();
            assert!(
                good == status.is_success() && (good || answer.status() == status),
                "{path} {caller:?} {}",
                answer.status()
            );
        }
    };
    let refused = StatusCode::UNAUTHORIZED;
    check(None, refused).await;
    let proxied = Caller {
        direct: false,
        ..LOCAL
    };
    check(Some(proxied), refused).await;
    let elsewhere = Caller {
        address: "192.0.2.7".parse().unwrap(),
        direct: true,
    };
    check(Some(elsewhere), refused).await;
    assert!(app.state.readiness.refusal().is_none());
    check(Some(LOCAL), StatusCode::OK).await;
    assert!(app.state.readiness.refusal().is_some());
}

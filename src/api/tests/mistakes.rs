//! Mistakes of callers, and the answers that they get.

use super::App;
use crate::access::{PassKey, Tokens};
use crate::api::Readiness;
use crate::store::tests::fake::{Pen, received};
use axum::http::{StatusCode, header};
use serde_json::{Value, json};

fn allows(problem: &Value, word: &str) -> bool {
    problem["allowed"]
        .as_array()
        .unwrap()
        .contains(&word.into())
}

#[tokio::test]
async fn every_mistake_has_its_problem_document() {
    let app = App::new().await;
    let bad = StatusCode::BAD_REQUEST;
    let limit = app.problem("/api/v1/matches?limit=0", bad).await;
    assert_eq!(
        (&limit["parameter"], &limit["allowed"]),
        (&json!("limit"), &json!(["1..=250"]))
    );
    let cause = app.problem("/api/v1/matches?cause=bored", bad).await;
    assert_eq!(cause["parameter"], "cause");
    assert!(allows(&cause, "time_forfeit"), "{cause}");
    let unknown = app.problem("/api/v1/matches?gmae=toy", bad).await;
    assert!(allows(&unknown, "game"), "{unknown}");
    for path in [
        "/api/v1/matches?limit=251",
        "/api/v1/matches?limit=5&limit=6",
        "/api/v1/matches?cursor=7",
        "/api/v1/sessions?cursor=x",
        "/api/v1/sessions?live=perhaps",
        "/api/v1/bluffs?since=yesterday",
        "/api/v1/bluffs?by=%FF",
        "/api/v1/opponents?kind=best",
        "/api/v1/bots?seat=5",
        "/api/v1/matches?fields=id,nothing",
        "/api/v1/matches.csv?fields=",
        "/api/v1/matches.ndjson?limit=251",
        "/api/v1/matches?side=left",
    ] {
        app.problem(path, bad).await;
    }
    for path in [
        "/api/v1/matches?bot=nobody",
        "/api/v1/matches.csv?bot=builtin:nobody",
        "/api/v1/matches?opponent=nobody",
        "/api/v1/matches?referee=nowhere",
        "/api/v1/matches?entrant=nobody&game=koehandel",
        "/api/v1/matches?tournament=01K3ZQ4T5V6W7X8Y9Z0A1B2C3D",
        "/api/v1/sessions?bot=bot:nobody@3",
        "/api/v1/sessions?match=01K3ZQ4T5V6W7X8Y9Z0A1B2C3D",
        "/api/v1/bluffs?opponent=nobody",
        "/api/v1/bluffs.ndjson?bot=nobody",
    ] {
        let problem = app.problem(path, bad).await;
        let parameter = problem["parameter"].as_str().unwrap();
        assert!(path.contains(&format!("{parameter}=")), "{path}: {problem}");
    }
    let near = app.problem("/api/v1/matches?bot=champoin", bad).await;
    let said = near["detail"].as_str().unwrap();
    assert!(said.contains("did you mean champion"), "{near}");
    assert!(allows(&near, "champion"), "{near}");
    for path in [
        "/api/v1/matches?bot=champion",
        "/api/v1/sessions?bot=builtin:champion",
        "/api/v1/matches?until=9999-12-31T23:59:59Z",
        "/api/v1/matches?since=9999-12-31T23:59:59.5-03:00",
    ] {
        assert_eq!(app.get(path).await.status, StatusCode::OK, "{path}");
    }
    for path in [
        "/nothing",
        "/api/v1/nothing",
        "/api/v1/matches/x",
        "/api/v1/matches/x/entries",
        "/api/v1/matches/x/facts",
        "/api/v1/sessions/x",
        "/api/v1/sessions/9",
        "/api/v1/opponents/9/model",
    ] {
        let problem = app.problem(path, StatusCode::NOT_FOUND).await;
        assert!(
            problem["detail"]
                .as_str()
                .unwrap()
                .starts_with("there is no"),
            "{problem}"
        );
    }
    let nowhere = app.problem("/api/v1/nothing", StatusCode::NOT_FOUND).await;
    assert_eq!(nowhere["detail"], "there is nothing at /api/v1/nothing");
    let wrong = app.put("/api/v1/matches", "").await;
    assert_eq!(wrong.status, StatusCode::METHOD_NOT_ALLOWED);
    assert_eq!(
        wrong.headers[header::CONTENT_TYPE],
        "application/problem+json"
    );
    assert_eq!(wrong.headers[header::ALLOW], "GET,HEAD,OPTIONS");
}

#[tokio::test]
async fn the_token_guards_all_but_health() {
    let mut app = App::new().await;
    app.change().tokens = Tokens::load(
        app.store().clone(),
        Some("s3cret"),
        PassKey::load(Some("a key"), app.store()).unwrap(),
    )
    .await
    .unwrap();
    for path in ["/api/v1/matches", "/api/v1/bots", "/metrics"] {
        app.problem(path, StatusCode::UNAUTHORIZED).await;
        for (given, status) in [
            ("Bearer s3cret", StatusCode::OK),
            ("bearer s3cret", StatusCode::OK),
            ("Bearer s3cre", StatusCode::UNAUTHORIZED),
            ("Bearer s3crets3cret", StatusCode::UNAUTHORIZED),
            ("Bearer ", StatusCode::UNAUTHORIZED),
            ("Basic s3cret", StatusCode::UNAUTHORIZED),
        ] {
            let answer = app.get_with(path, header::AUTHORIZATION, given).await;
            assert_eq!(answer.status, status, "{given}");
        }
    }
    for (given, why) in [
        ("Basic czNjcmV0", "not `Basic` or another scheme"),
        ("Token s3cret", "holds no bearer token"),
        ("Bearer wrong", "it is wrong, or it was revoked"),
    ] {
        let answer = app.get_with("/metrics", header::AUTHORIZATION, given);
        let said = answer.await.text;
        assert!(said.contains(why), "{given}: {said}");
    }
    for path in ["/healthz", "/readyz"] {
        assert_eq!(app.get(path).await.status, StatusCode::OK, "{path}");
    }
    let figures = app
        .get_with("/metrics", header::AUTHORIZATION, "Bearer s3cret")
        .await;
    assert_eq!(figures.text, "drover_up 1\n");
}

/// It is not ready, and says this of why.
async fn unready(app: &App, why: &str) {
    let unavailable = StatusCode::SERVICE_UNAVAILABLE;
    let problem = app.problem("/readyz", unavailable).await;
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.contains(why), "{problem}");
}

#[tokio::test]
async fn readiness_says_why_not() {
    let mut app = App::new().await;
    app.state.readiness.refuse("the daemon is draining");
    unready(&app, "the daemon is draining").await;
    app.change().readiness = Readiness::default();
    assert_eq!(app.get("/readyz").await.status, StatusCode::OK);
    let mut pen = Pen::player(app.store(), 1);
    app.store().limit_pages(Some(1)).await;
    let append = pen.append(vec![received(&"x".repeat(1_000_000))]);
    app.store().append(append).await.unwrap_err();
    unready(&app, "full").await;
    assert_eq!(app.get("/healthz").await.status, StatusCode::OK);
    let app = App::new().await;
    app.state.pool.close();
    unready(&app, "thinking").await;
}

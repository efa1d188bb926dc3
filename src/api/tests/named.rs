//! Naming rivals at somebody else's referee.

use super::App;
use axum::http::{Request, StatusCode, header};
use serde_json::json;

const PATH: &str = "/api/v1/rivals/toy/league/7";

#[tokio::test]
async fn rivals_are_named_before_a_match() {
    let app = App::new().await;
    let body = json!({"player": 3, "names": {"W": "alice", "E": " bob "}});
    let answer = app.put(PATH, &body.to_string()).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text);
    let shown = answer.json();
    assert_eq!(
        (&shown["market"], &shown["session"]),
        (&json!(7), &json!(null))
    );
    assert_eq!(shown["names"]["W"], "alice");
}

#[tokio::test]
async fn what_is_wrong_with_names_is_said() {
    let app = App::new().await;
    for (path, body, status, why) in [
        (PATH, json!({"names": {}}), 400, "no rival is named"),
        (PATH, json!({"names": {"S": "me"}}), 400, "one of W, N, E"),
        (
            PATH,
            json!({"names": {"W": "a", "N": "a"}}),
            400,
            "comes twice",
        ),
        (PATH, json!({"names": {"W": "\n"}}), 400, "1 to 64 letters"),
        (PATH, json!({"W": "alice"}), 400, "unknown field"),
        (
            PATH,
            json!({"names": {"W": "a"}, "player": u64::MAX}),
            400,
            "it takes 0..=9223372036854775807",
        ),
        (
            "/api/v1/rivals/chess/r/7",
            json!({"names": {"W": "a"}}),
            404,
            "no game chess",
        ),
        (
            "/api/v1/rivals/toy/r/seven",
            json!({"names": {"W": "a"}}),
            404,
            "a number",
        ),
        (
            "/api/v1/rivals/toy/r/9223372036854775808",
            json!({"names": {"W": "a"}}),
            404,
            "a number",
        ),
    ] {
        let answer = app.put(path, &body.to_string()).await;
        assert_eq!(answer.status.as_u16(), status, "{body}: {}", answer.text);
        assert!(answer.text.contains(why), "{body}: {}", answer.text);
    }
}

/// Names are given by admins alone.
#[tokio::test]
async fn a_reader_names_nobody() {
    let app = App::new().await;
    let token = app.token("read").await;
    let request = Request::put(PATH)
        .header(header::AUTHORIZATION, format!("Bearer {token}"))
        .body(json!({"names": {"W": "alice"}}).to_string().into());
    let answer = app.ask(request.unwrap()).await;
    assert_eq!(answer.status, StatusCode::FORBIDDEN, "{}", answer.text);
}

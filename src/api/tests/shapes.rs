//! What every list and thing looks like, word for word.

use super::{App, play};
use crate::history;
use crate::store::MatchResult;
use crate::store::tests::fake::{TOURNAMENT, match_id, new_match, new_tournament, round, slot};
use games::Cause;
use std::fmt::Write as _;

/// An ended match with a bluff and a named opponent, a running one, and a tournament with one match.
async fn filled() -> App {
    let app = App::new().await;
    let store = app.store();
    play(&app, 1, true).await;
    play(&app, 2, false).await;
    store
        .rename_seat(&match_id(1), 1, Some("alice"))
        .await
        .unwrap();
    let new = new_tournament(TOURNAMENT);
    history::create_tournament(store, new).await.unwrap();
    history::add_round(store, TOURNAMENT, round(1))
        .await
        .unwrap();
    let mut row = new_match(3, true);
    slot(1, 0).seat(&mut row);
    store.open_match(row).await.unwrap();
    let result = MatchResult {
        slot: Some(Box::new(slot(1, 0))),
        ..MatchResult::new(9, Cause::Normal, vec![4, 1])
    };
    store.close_match(&match_id(3), result).await.unwrap();
    app
}

#[tokio::test]
async fn answers_are_these_bytes() {
    let app = filled().await;
    let (ended, running) = (match_id(1), match_id(2));
    let token = app.token("read").await;
    let admin = app.token("admin").await;
    let mut shapes = String::new();
    for path in [
        "/healthz".to_owned(),
        "/readyz".to_owned(),
        "/api/v1/nothing".to_owned(),
        "/api/v1/matches?limit=0".to_owned(),
        "/api/v1/matches".to_owned(),
        format!("/api/v1/matches/{ended}"),
        format!("/api/v1/matches/{running}"),
        format!("/api/v1/matches/{ended}/entries?limit=2"),
        format!("/api/v1/matches/{running}/entries"),
        format!("/api/v1/matches/{ended}/entries.ndjson"),
        format!("/api/v1/matches/{ended}/facts"),
        "/api/v1/sessions".to_owned(),
        "/api/v1/sessions/1".to_owned(),
        "/api/v1/sessions/2".to_owned(),
        "/api/v1/bluffs".to_owned(),
        "/api/v1/results?limit=3".to_owned(),
        "/api/v1/facts".to_owned(),
        "/api/v1/opponents?kind=type".to_owned(),
        "/api/v1/opponents/1/model".to_owned(),
        "/api/v1/hubs".to_owned(),
        "/api/v1/tournaments".to_owned(),
        format!("/api/v1/tournaments/{TOURNAMENT}"),
        format!("/api/v1/tournaments/{TOURNAMENT}/schedule"),
    ] {
        let (public, all) = (
            app.get_by(&token, &path).await,
            app.get_by(&admin, &path).await,
        );
        writeln!(shapes, "{path}\n{}", all.text.trim_end()).unwrap();
        if public.text != all.text {
            writeln!(shapes, "to others: {}", public.text.trim_end()).unwrap();
        }
        shapes.push('\n');
    }
    for wrong in ["x", "-5", "99999999999"] {
        let path = format!("/api/v1/tournaments/{TOURNAMENT}/schedule?cursor={wrong}");
        let answer = app.get_by(&admin, &path).await;
        assert_eq!(answer.status, axum::http::StatusCode::BAD_REQUEST, "{path}");
    }
    insta::assert_snapshot!(shapes);
}

//! Explanations: who gets them, what they are, and how many at once.

use super::App;
use crate::store::tests::fake::{Pen, match_id, new_match, new_session, received, said};
use crate::store::{MatchResult, NewSession, Side};
use axum::http::{StatusCode, header};
use games::Cause;
use serde_json::json;

/// A match with a decision of the bot on seat 0, and of a stranger on seat 1.
async fn play(app: &App) -> Pen {
    let row = Some(new_match(1, true));
    let session = |side, seat, bot: &str| NewSession {
        bot: bot.into(),
        ..new_session(1, side, seat)
    };
    let mut pen = Pen::new(app.store(), row, session(Side::Player, 0, "champion"));
    let lines = vec![received("info"), said(""), received("ask"), said("7")];
    pen.write(app.store(), lines).await;
    let mut other = Pen::new(app.store(), None, session(Side::Referee, 1, "cmd:x"));
    other
        .write(app.store(), vec![said("turn 1"), received("5")])
        .await;
    pen
}

fn path(seat: u8, query: &str) -> String {
    format!(
        "/api/v1/matches/{}/seats/{seat}/explain{query}",
        match_id(1)
    )
}

#[tokio::test]
async fn a_decision_is_explained_next_to_what_was_said() {
    let app = App::new().await;
    play(&app).await.end(app.store(), vec![1, 0], 1).await;
    let decisions = app.json(&path(0, "")).await;
    assert_eq!(
        decisions["items"].as_array().unwrap().len(),
        1,
        "{decisions}"
    );
    let list = path(0, "").replace("/explain", "/decisions");
    let listed = app.json(&list).await;
    assert_eq!(listed["items"], decisions["items"]);
    let table = app.get(&format!("{list}.csv?fields=said,note")).await;
    assert_eq!(table.text, "said,note\n7,\n");
    let entry = &decisions["items"][0]["entry"];
    let answer = app.get(&path(0, &format!("?entry={entry}&nodes=77"))).await;
    assert_eq!(answer.headers[header::CACHE_CONTROL], "no-store");
    let explained = answer.json();
    assert_eq!(
        (&explained["bot"], &explained["version"]),
        (&json!("champion"), &json!(1))
    );
    assert_eq!(
        (&explained["asked"], &explained["value_unit"]),
        (&json!("ask"), &json!("points"))
    );
    assert_eq!(explained["decision"], decisions["items"][0]);
    assert_eq!(explained["decision"]["said"], "7");
    assert_eq!(explained["out_of_time"], false);
    let explanation = &explained["explanation"];
    assert_eq!(explanation["nodes"], 77);
    assert_eq!(explanation["candidates"][0]["act"], explanation["answer"]);
    assert_eq!(explanation["candidates"][0]["chosen"], true);
}

#[tokio::test]
async fn a_running_match_explains_only_to_the_owner() {
    let app = App::new().await;
    let mut pen = play(&app).await;
    for (scope, status) in [
        ("read", StatusCode::FORBIDDEN),
        ("bot:evolved", StatusCode::FORBIDDEN),
        ("bot:champion", StatusCode::OK),
        ("admin", StatusCode::OK),
    ] {
        for query in ["", "?entry=3"] {
            let answer = app.get_as(scope, &path(0, query)).await;
            assert_eq!(answer.status, status, "{scope} {query}: {}", answer.text);
        }
        let page = path(0, "?entry=3").replace("/api/v1", "");
        let page = app.get_as(scope, &page).await;
        let words = "<dt>Asked</dt><dd><pre class=\"wrapped\">ask</pre></dd>";
        assert_eq!(
            page.text.contains(words),
            status == StatusCode::OK,
            "{scope}: {}",
            page.text
        );
    }
    assert_eq!(app.get(&path(0, "")).await.status, StatusCode::UNAUTHORIZED);
    pen.end(app.store(), vec![1, 0], 1).await;
    let result = MatchResult::new(51, Cause::Normal, vec![1, 0]);
    app.store().close_match(&match_id(1), result).await.unwrap();
    let open = app.get_as("read", &path(0, "?entry=3")).await;
    assert_eq!(open.status, StatusCode::OK, "{}", open.text);
}

#[tokio::test]
async fn what_cannot_be_explained_is_reported() {
    let app = App::new().await;
    play(&app).await.end(app.store(), vec![1, 0], 1).await;
    for (seat, query, status, expected) in [
        (
            0,
            "?entry=1",
            StatusCode::BAD_REQUEST,
            "entry 1 asks for no decision: it needs no answer",
        ),
        (
            0,
            "?entry=99",
            StatusCode::NOT_FOUND,
            "whose entries are 1 to 7",
        ),
        (0, "?entry=x", StatusCode::BAD_REQUEST, "whole number"),
        (0, "?entry=3&nodes=0", StatusCode::BAD_REQUEST, "nodes is 0"),
        (
            0,
            "?entry=3&nodes=2000001",
            StatusCode::BAD_REQUEST,
            "it takes 1..=2000000",
        ),
        (0, "?move=3", StatusCode::BAD_REQUEST, "no parameter"),
        (
            1,
            "",
            StatusCode::NOT_FOUND,
            "not played by one of our bots",
        ),
        (
            2,
            "",
            StatusCode::NOT_FOUND,
            "it has those of seat 0 (session 1), seat 1 (session 2)",
        ),
    ] {
        let problem = app.problem(&path(seat, query), status).await;
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.contains(expected), "{query}: {detail}");
    }
    let nowhere = "/api/v1/matches/x/seats/0/explain";
    app.problem(nowhere, StatusCode::NOT_FOUND).await;
}

#[tokio::test]
async fn our_second_bot_is_named_by_its_session() {
    let app = App::new().await;
    play(&app).await.end(app.store(), vec![1, 0], 1).await;
    let second = NewSession {
        seat: None,
        bot: "quick".into(),
        ..new_session(1, Side::Player, 0)
    };
    let mut pen = Pen::new(app.store(), None, second);
    pen.write(app.store(), vec![received("ask"), said("9")])
        .await;
    let first = app.json(&path(0, "")).await;
    assert_eq!(first["items"][0]["said"], "7", "{first}");
    let session = pen.id.0;
    let explained = app.json(&path(0, &format!("?session={session}"))).await;
    assert_eq!(explained["items"][0]["said"], "9", "{explained}");
    let wrong = path(1, "?session=1");
    app.problem(&wrong, StatusCode::NOT_FOUND).await;
}

#[tokio::test]
async fn explanations_and_replays_wait_for_one_another_and_only_a_few_run_at_once() {
    let app = App::new().await;
    play(&app).await.end(app.store(), vec![1, 0], 1).await;
    let replay = format!("/api/v1/matches/{}/replay", match_id(1));
    let explained = path(0, "?entry=3");
    let turns = &app.state.turns;
    let mut held = vec![turns.wait().await.unwrap(), turns.wait().await.unwrap()];
    let mut waiting: Vec<_> = (0..16).map(|_| Box::pin(turns.wait())).collect();
    for one in &mut waiting {
        assert!(futures_util::poll!(one).is_pending());
    }
    for path in [&explained, &replay] {
        let problem = app.problem(path, StatusCode::SERVICE_UNAVAILABLE).await;
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.contains("ask again in some seconds"), "{detail}");
    }
    held.pop();
    assert!(
        waiting.remove(0).await.is_ok(),
        "the first one has its turn"
    );
    waiting.truncate(3);
    drop(held);
    for one in waiting {
        drop(one.await.unwrap());
    }
    for path in [&explained, &replay] {
        let answer = app.get(path).await;
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.text);
    }
}

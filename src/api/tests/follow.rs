//! Lists that are followed: everything once, in order, for the eyes that may see it, until it is over.

use super::{App, Live, bearer, play};
use crate::clock::now_us;
use crate::store::MatchResult;
use crate::store::tests::fake::{Pen, match_id, received, said};
use axum::http::{StatusCode, header};
use games::Cause;
use serde_json::Value;

/// A stream of rows being read.
struct Rows(Live);

impl Rows {
    async fn open(app: &App, path: &str, token: Option<&str>) -> Self {
        let bearer = bearer(token);
        let headers = [
            (header::ACCEPT_ENCODING, Some("gzip")),
            (header::AUTHORIZATION, bearer.as_deref()),
        ];
        Self(Live::open(app, path, &headers, None).await)
    }

    /// The next line; `None` at the end, an error where it is cut off.
    async fn line(&mut self) -> Option<Result<String, axum::Error>> {
        self.0.up_to("\n").await
    }

    async fn row(&mut self) -> Value {
        let line = self.line().await.expect("a row").unwrap();
        serde_json::from_str(&line).unwrap()
    }

    /// This field of the next rows.
    async fn expect(&mut self, field: &str, values: &[&str]) {
        for value in values {
            assert_eq!(self.row().await[field], *value);
        }
    }

    async fn ends(&mut self) {
        assert!(self.line().await.is_none());
    }
}

fn entries(number: u64) -> String {
    format!("/matches/{}/entries", match_id(number))
}

fn texts(page: &Value, field: &str) -> Vec<String> {
    let items = page["items"].as_array().unwrap();
    let texts = items.iter().map(|row| row[field].as_str().unwrap());
    texts.map(str::to_owned).collect()
}

#[tokio::test]
async fn a_matchs_lists_stream_what_is_there_and_what_comes_until_it_ends() {
    let app = App::new().await;
    let mut pen = Pen::player(app.store(), 1);
    pen.write(app.store(), vec![received("a"), said("b")]).await;
    let path = |list: &str| format!("/matches/{}/{list}?follow=true", match_id(1));
    let mut lines = Rows::open(&app, &path("entries.ndjson"), None).await;
    assert_eq!(
        lines.0.headers.get(header::CONTENT_ENCODING),
        None,
        "no row waits for a compressor"
    );
    let mut facts = Rows::open(&app, &path("facts.ndjson"), None).await;
    let table = format!("{}&cursor=1&fields=text", path("entries.csv"));
    let mut table = Rows::open(&app, &table, None).await;
    lines.expect("text", &["a", "b"]).await;
    for word in ["text", "b"] {
        assert_eq!(table.line().await.unwrap().unwrap(), word);
    }
    pen.write(app.store(), vec![received("c")]).await;
    lines.expect("text", &["c"]).await;
    assert_eq!(table.line().await.unwrap().unwrap(), "c");
    pen.bluff(app.store(), "W 190").await;
    facts.expect("kind", &["bluff"]).await;
    pen.end(app.store(), vec![5, 3], 1).await;
    lines.expect("text", &["bluff W 190", "end 5,3"]).await;
    lines.ends().await;
    facts.ends().await;
    // What is over is streamed once, whole.
    let mut late = Rows::open(&app, &path("entries.ndjson"), None).await;
    let all = ["a", "b", "c", "bluff W 190", "end 5,3"];
    late.expect("text", &all).await;
    late.ends().await;
    for (path, status) in [
        (
            "/matches/01AAAAAAAAAAAAAAAAAAAAAAAA/entries",
            StatusCode::NOT_FOUND,
        ),
        ("/ledger", StatusCode::BAD_REQUEST),
    ] {
        app.problem(&format!("/api/v1{path}?follow=true"), status)
            .await;
    }
}

#[tokio::test]
async fn a_page_waits_for_rows_and_leads_on_until_the_match_is_over() {
    let app = App::new().await;
    let mut pen = Pen::player(app.store(), 1);
    pen.write(app.store(), vec![received("a"), said("b")]).await;
    let path = format!("/api/v1{}?limit=1", entries(1));
    let at = |cursor: &Value, wait: u32| {
        let cursor = cursor.as_str().unwrap();
        format!("{path}&follow=true&wait={wait}&cursor={cursor}")
    };
    let first = app.json(&format!("{path}&follow=true")).await;
    let second = app.json(&at(&first["next"], 20)).await;
    assert_eq!(
        (texts(&first, "text"), texts(&second, "text")),
        (vec!["a".to_owned()], vec!["b".to_owned()])
    );
    // At the live tail: without `follow` the list ends here, with it nothing came in time.
    let plain = path.clone() + "&cursor=" + first["next"].as_str().unwrap();
    assert_eq!(app.json(&plain).await["next"], Value::Null);
    let empty = app.json(&at(&second["next"], 0)).await;
    assert_eq!(
        (texts(&empty, "text").len(), &empty["next"]),
        (0, &second["next"])
    );
    let (came, ()) = tokio::join!(async { app.json(&at(&empty["next"], 20)).await }, async {
        pen.end(app.store(), vec![1, 0, 0, 0], 0).await;
    });
    assert_eq!(texts(&came, "text"), ["end 1,0,0,0"]);
    assert_eq!(came["next"], Value::Null, "it is over");
    for wrong in ["wait=26", "wait=x", "follow=1"] {
        let path = format!("{path}&{wrong}");
        let problem = app.problem(&path, StatusCode::BAD_REQUEST).await;
        assert_eq!(problem["parameter"], wrong.split('=').next().unwrap());
    }
}

#[tokio::test]
async fn followers_see_what_the_list_shows_them_and_no_more() {
    let app = App::new().await;
    let ([mut ann, mut bob], [reads, owns, root]) = app.two_and_who_looks().await;
    let path = format!("{}.ndjson?follow=true", entries(1));
    let mut stranger = Rows::open(&app, &path, Some(&reads)).await;
    let mut owner = Rows::open(&app, &path, Some(&owns)).await;
    let mut admin = Rows::open(&app, &path, Some(&root)).await;
    let mut bluffs = Rows::open(&app, "/bluffs.ndjson?follow=true", Some(&reads)).await;
    let mut all = Rows::open(&app, "/bluffs.ndjson?follow=true", Some(&root)).await;
    for (rows, withheld) in [(&stranger, true), (&owner, true), (&admin, false)] {
        assert_eq!(rows.0.headers.contains_key("drover-withheld"), withheld);
    }
    ann.bluff(app.store(), "W 190").await;
    bob.write(app.store(), vec![received("by bob")]).await;
    admin
        .expect("text", &["for ann", "for bob", "bluff W 190", "by bob"])
        .await;
    owner.expect("text", &["for ann", "bluff W 190"]).await;
    all.expect("by", &["W"]).await;
    // A page of a running match is as empty for a stranger as the list.
    let page = format!("/api/v1{}?follow=true&wait=0", entries(1));
    let page = app.get_by(&reads, &page).await.json();
    let plain = app.get_by(&reads, &format!("/api/v1{}", entries(1))).await;
    assert_eq!(page["items"], plain.json()["items"]);
    assert_eq!(
        (&page["next"], page["withheld"].is_string()),
        (&"0".into(), true)
    );
    for pen in [&mut ann, &mut bob] {
        pen.end(app.store(), vec![1, 0], 0).await;
    }
    let result = MatchResult::new(now_us(), Cause::Normal, vec![1, 0]);
    app.store().close_match(&match_id(1), result).await.unwrap();
    owner.expect("text", &["end 1,0"]).await;
    owner.ends().await;
    stranger.ends().await;
    app.state.end.cancel();
    assert!(bluffs.line().await.unwrap().is_err(), "cut off, not ended");
}

#[tokio::test]
async fn all_matches_and_sessions_are_followed_as_they_begin_and_end() {
    let app = App::new().await;
    for number in 1..=3 {
        play(&app, number, true).await;
    }
    let mut first = Pen::player(app.store(), 4);
    first.write(app.store(), vec![received("a")]).await;
    let open = |path: &'static str| Rows::open(&app, path, None);
    let mut all = open("/matches.ndjson?follow=true&limit=2").await;
    let mut won = open("/matches.ndjson?follow=true&limit=1&outcome=won").await;
    let mut sessions = open("/sessions.ndjson?follow=true&limit=1&fields=match,live").await;
    let mut bluffs = open("/bluffs.ndjson?follow=true&limit=1").await;
    let ids = [1, 2, 3, 4, 5].map(match_id);
    let [.., third, fourth, fifth] = ids.each_ref().map(String::as_str);
    all.expect("id", &[third, fourth]).await;
    won.expect("id", &[third]).await;
    sessions.expect("match", &[fourth]).await;
    bluffs.expect("match", &[third]).await;
    let page = app.json("/api/v1/matches?follow=true&limit=1").await;
    assert_eq!(texts(&page, "id"), [fourth]);
    play(&app, 5, false).await;
    all.expect("id", &[fifth]).await;
    assert_eq!(sessions.row().await["live"], true);
    bluffs.expect("match", &[fifth]).await;
    first.end(app.store(), vec![9, 1, 2, 3], 0).await;
    let ended = all.row().await;
    assert_eq!(
        (&ended["id"], &ended["live"]),
        (&fourth.into(), &false.into())
    );
    won.expect("id", &[fourth]).await;
    let ended = sessions.row().await;
    assert_eq!(
        (&ended["match"], &ended["live"]),
        (&fourth.into(), &false.into())
    );
    // A page's cursor leads to what has happened since.
    let next = page["next"].as_str().unwrap();
    let path = format!("/api/v1/matches?follow=true&limit=1&cursor={next}");
    let page = app.json(&path).await;
    assert_eq!(texts(&page, "id"), [fifth]);
    let path = format!(
        "/api/v1/matches?follow=true&cursor={}",
        page["next"].as_str().unwrap()
    );
    assert_eq!(texts(&app.json(&path).await, "id"), [fourth]);
    // That of another database leads nowhere, and what is none is none.
    let path = "/api/v1/matches?follow=true&cursor=";
    app.problem(&format!("{path}9000"), StatusCode::GONE).await;
    for wrong in ["x", "-1", "01K3ZQ4T5V6W7X8Y9Z0A1B2C3D-7"] {
        app.problem(&format!("{path}{wrong}"), StatusCode::BAD_REQUEST)
            .await;
    }
    let bluffs = app.json("/api/v1/bluffs?follow=true&cursor=3").await;
    assert_eq!(bluffs["items"][0]["match"], fifth);
    assert_eq!(bluffs["next"], "4");
}

#[tokio::test]
async fn a_follower_that_is_further_behind_than_changes_are_kept_is_cut_off() {
    let app = App::new().await;
    let mut pen = Pen::player(app.store(), 1);
    pen.write(app.store(), vec![said("a")]).await;
    let mut matches = Rows::open(&app, "/matches.ndjson?follow=true", None).await;
    matches.expect("id", &[&match_id(1)]).await;
    let mut sessions = Rows::open(&app, "/sessions.ndjson?follow=true", None).await;
    sessions.expect("match", &[&match_id(1)]).await;
    let page = app.json("/api/v1/matches?follow=true").await;
    let next = page["next"].as_str().unwrap();
    let path = format!("/api/v1/matches?follow=true&cursor={next}");
    app.forget_changes(&mut pen).await;
    let problem = app.problem(&path, StatusCode::GONE).await;
    let why = problem["detail"].as_str().unwrap();
    assert!(why.ends_with("begin again without a cursor"), "{why}");
    for rows in [&mut matches, &mut sessions] {
        assert!(rows.line().await.unwrap().is_err(), "cut off, not ended");
    }
}

#[tokio::test]
async fn followers_see_what_becomes_public_and_nothing_once_their_token_is_revoked() {
    let app = App::new().await;
    let ([mut ann, mut bob], [reads, ..]) = app.two_and_who_looks().await;
    let mut all = Rows::open(&app, "/matches.ndjson?follow=true", Some(&reads)).await;
    assert_eq!(all.row().await["market"], Value::Null);
    for pen in [&mut ann, &mut bob] {
        pen.end(app.store(), vec![1, 0], 0).await;
    }
    let result = MatchResult::new(now_us(), Cause::Normal, vec![1, 0]);
    app.store().close_match(&match_id(1), result).await.unwrap();
    let ended = loop {
        let row = all.row().await;
        if row["live"] == false {
            break row;
        }
    };
    let path = format!("/api/v1/matches/{}", match_id(1));
    let mut found = app.get_by(&reads, &path).await.json();
    found.as_object_mut().unwrap().remove("sessions");
    assert_eq!((&ended, &found["market"]), (&found, &1.into()));
    app.state.tokens.revoke("t1").await.unwrap();
    assert!(all.line().await.unwrap().is_err(), "cut off");
}

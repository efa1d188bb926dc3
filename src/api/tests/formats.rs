//! Lists in other formats, sparse, compressed, and what HTTP has besides.

use super::{Answer, App, play};
use crate::store::tests::fake::{Pen, match_id, new_match, new_session, received, said};
use crate::store::{MatchRow, NewSession, Side};
use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use std::io::Read as _;

/// More than one page of matches, all but the last one ended.
const MATCHES: u64 = 300;

async fn many() -> App {
    let app = App::new().await;
    for number in 1..=MATCHES {
        play(&app, number, number < MATCHES).await;
    }
    app
}

async fn method(app: &App, method: &str, path: &str) -> Answer {
    let request = Request::builder().method(method).uri(path);
    app.ask(request.body(Body::empty()).unwrap()).await
}

#[tokio::test]
async fn no_cell_of_a_list_begins_a_formula() {
    let app = App::new().await;
    let hostile = || "=cmd()".to_owned();
    let foreign = MatchRow {
        referee: hostile(),
        ..new_match(1, false)
    };
    let session = NewSession {
        referee: hostile(),
        ..new_session(1, Side::Player, 0)
    };
    let mut pen = Pen::new(app.store(), Some(foreign), session);
    pen.write(
        app.store(),
        vec![received("@sum"), said("-2+3"), received("-5")],
    )
    .await;
    let entries = format!("/api/v1/matches/{}/entries.csv", match_id(1));
    for (path, cells) in [
        ("/api/v1/sessions.csv", &["'=cmd()"][..]),
        ("/api/v1/matches.csv?fields=referee", &["'=cmd()"]),
        (&entries, &["'@sum", "'-2+3", "-5"]),
    ] {
        let text = app.get(path).await.text;
        let mut rows = csv::Reader::from_reader(text.as_bytes());
        let all: Vec<String> = rows
            .records()
            .flat_map(|row| row.unwrap().iter().map(str::to_owned).collect::<Vec<_>>())
            .collect();
        for cell in cells {
            assert!(all.iter().any(|one| one == cell), "{path}: {text}");
        }
        let begins = |cell: &&String| cell.starts_with(['=', '+', '@']);
        assert_eq!(all.iter().find(begins), None, "{path}");
    }
}

#[tokio::test]
async fn a_list_without_a_limit_is_streamed_whole_in_every_format() {
    let app = many().await;
    let lines = app.get("/api/v1/matches.ndjson").await;
    assert_eq!(lines.headers[header::CONTENT_TYPE], "application/x-ndjson");
    let rows: Vec<Value> = lines
        .text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let ids: Vec<String> = (1..=MATCHES).rev().map(match_id).collect();
    let found: Vec<&str> = rows.iter().map(|row| row["id"].as_str().unwrap()).collect();
    assert_eq!(found, ids);
    let page = app.json("/api/v1/matches?limit=250").await;
    assert_eq!(
        page["items"].as_array().unwrap()[..],
        rows[..250],
        "the same rows as in pages"
    );
    let few = app.get("/api/v1/matches.ndjson?limit=3&bot=champion").await;
    assert_eq!(few.text.lines().count(), 3);
    let table = app
        .get_with(
            "/api/v1/matches?fields=id,seats.seat,cause",
            header::ACCEPT,
            "text/csv",
        )
        .await;
    assert_eq!(
        table.headers[header::CONTENT_TYPE],
        "text/csv; charset=utf-8"
    );
    let mut table = table.text.lines();
    assert_eq!(table.next(), Some("id,seats.seat,cause"));
    let newest = format!("{},\"[0,1,2,3]\",", match_id(MATCHES));
    assert_eq!(table.next(), Some(newest.as_str()));
    assert_eq!(table.count(), MATCHES as usize - 1);
    let whole = app.get("/api/v1/bluffs.csv").await.text;
    assert!(
        whole.starts_with("at,bid,bid_at_least,bot,by,caught,entry,"),
        "{whole}"
    );
    assert_eq!(whole.lines().count(), MATCHES as usize + 1);
}

#[tokio::test]
async fn answers_have_only_the_fields_asked_for() {
    let app = App::new().await;
    play(&app, 1, true).await;
    let id = match_id(1);
    let page = app.json("/api/v1/matches?fields=id,seats.score").await;
    let score = |score: i64| json!({ "score": score });
    let sparse = json!({ "id": id, "seats": [score(3), score(1), score(0), score(0)] });
    assert_eq!(page["items"], json!([sparse]));
    assert!(page["next"].is_null());
    let one = app
        .json(&format!("/api/v1/matches/{id}?fields=cause"))
        .await;
    assert_eq!(one, json!({ "cause": "normal" }));
    let model = app
        .json("/api/v1/opponents/1/model?fields=name,model.bluff_rate.low")
        .await;
    assert_eq!(
        model["name"], "bluffer",
        "fields of what it is made of count too"
    );
    assert!(model["model"]["bluff_rate"]["low"].is_f64(), "{model}");
    let wrong = app
        .problem("/api/v1/sessions/1?fields=seed", StatusCode::BAD_REQUEST)
        .await;
    assert_eq!(wrong["parameter"], "fields");
}

#[tokio::test]
async fn entries_are_read_page_by_page_and_stay_numbered() {
    let app = App::new().await;
    let mut pens = [Pen::player(app.store(), 1), Pen::player(app.store(), 2)];
    for turn in 0..300 {
        let pen = &mut pens[turn % 2];
        let lines = vec![received("ask"), said(&turn.to_string())];
        pen.write(app.store(), lines).await;
    }
    let path = format!("/api/v1/matches/{}/entries", match_id(1));
    let all = app.get(&format!("{path}.ndjson")).await.text;
    let mut paged = Vec::new();
    let mut next = format!("{path}?limit=7");
    loop {
        let page = app.json(&next).await;
        paged.extend(page["items"].as_array().unwrap().clone());
        match page["next"].as_str() {
            Some(cursor) => next = format!("{path}?limit=7&cursor={cursor}"),
            None => break,
        }
    }
    let streamed: Vec<Value> = all
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(paged, streamed);
    let numbers: Vec<u64> = paged
        .iter()
        .map(|row| row["seq"].as_u64().unwrap())
        .collect();
    assert_eq!(numbers, (0..300).collect::<Vec<u64>>());
}

#[tokio::test]
async fn compressed_answers_have_tags_of_their_own() {
    let app = many().await;
    let path = format!("/api/v1/matches/{}", match_id(1));
    let plain = app.get(&path).await;
    let tag = plain.headers[header::ETAG].to_str().unwrap();
    for encoding in ["gzip", "zstd"] {
        let request = Request::get(&path).header(header::ACCEPT_ENCODING, encoding);
        let mut request = request.body(Body::empty()).unwrap();
        request.extensions_mut().insert(super::LOCAL);
        let response = tower::ServiceExt::oneshot(app.router(), request);
        let (parts, body) = response.await.unwrap().into_parts();
        assert_eq!(parts.headers[header::CONTENT_ENCODING], encoding);
        let varies = parts.headers.get_all(header::VARY).iter();
        let varies: Vec<&str> = varies.map(|value| value.to_str().unwrap()).collect();
        assert!(varies.join(",").contains("accept-encoding"), "{varies:?}");
        let own = parts.headers[header::ETAG].to_str().unwrap();
        assert_eq!(own, format!("{}-{encoding}\"", tag.trim_end_matches('"')));
        let bytes = body.collect().await.unwrap().to_bytes();
        assert_ne!(bytes, plain.text.as_bytes());
        if encoding == "zstd" {
            let mut text = String::new();
            zstd::Decoder::new(&bytes[..])
                .unwrap()
                .read_to_string(&mut text)
                .unwrap();
            assert_eq!(text, plain.text);
        }
        let again = app.get_with(&path, header::IF_NONE_MATCH, own).await;
        assert_eq!(again.status, StatusCode::NOT_MODIFIED);
        assert_eq!(again.headers[header::ETAG], own);
        let varies = again.headers.get_all(header::VARY).iter();
        assert!(varies.into_iter().any(|value| value == "accept-encoding"));
    }
}

#[tokio::test]
async fn head_and_options_are_answered() {
    let app = App::new().await;
    play(&app, 1, true).await;
    for path in ["/api/v1/matches", "/api/v1/matches.csv", "/healthz"] {
        let head = method(&app, "HEAD", path).await;
        assert_eq!(
            (head.status, head.text.as_str()),
            (StatusCode::OK, ""),
            "{path}"
        );
        let options = method(&app, "OPTIONS", path).await;
        assert_eq!(options.status, StatusCode::NO_CONTENT, "{path}");
        assert_eq!(options.headers[header::ALLOW], "GET, HEAD, OPTIONS");
    }
    let tokens = method(&app, "OPTIONS", "/api/v1/tokens").await;
    assert_eq!(tokens.headers[header::ALLOW], "GET, HEAD, POST, OPTIONS");
}

#[tokio::test]
async fn matches_are_found_by_market_referee_and_side() {
    let app = App::new().await;
    play(&app, 1, true).await;
    play(&app, 2, false).await;
    let token = app.token("read").await;
    let admin = app.token("admin").await;
    for (query, of_all, of_public) in [
        ("market=1", 1, 1),
        ("market=2", 1, 0),
        ("market=3", 0, 0),
        ("referee=contest", 2, 2),
        ("side=player", 2, 2),
        ("side=referee", 0, 0),
        ("side=player&referee=contest&market=1", 1, 1),
    ] {
        let path = format!("/api/v1/matches?{query}");
        for (token, count) in [(&admin, of_all), (&token, of_public)] {
            let page = app.get_by(token, &path).await.json();
            assert_eq!(page["items"].as_array().unwrap().len(), count, "{query}");
        }
    }
}

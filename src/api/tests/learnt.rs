//! Decisions, results, and what was learnt when.

use super::{App, play};
use crate::history;
use crate::store::tests::fake::match_id;
use crate::store::{EntryId, LedgerRow, SessionId};
use axum::http::StatusCode;
use serde_json::{Value, json};
use std::time::Duration;

fn decision(session: i64, sent_us: u32, fallback: bool) -> LedgerRow {
    LedgerRow {
        session: SessionId(session),
        entry: EntryId(session),
        at_us: 1_000_000,
        queued_us: 50,
        thought_us: sent_us / 2,
        committed_us: sent_us,
        sent_us,
        limit_us: 100_000,
        fallback,
    }
}

#[tokio::test]
async fn decisions_are_listed_by_match_and_summed_up_by_game() {
    let app = App::new().await;
    play(&app, 1, true).await;
    for row in [
        decision(1, 10_000, false),
        decision(1, 150_000, true),
        decision(2, 30_000, false),
    ] {
        app.store().note_ledger(row);
    }
    // The writer looks at them once it has had something else to do.
    play(&app, 2, false).await;
    let path = format!("/api/v1/matches/{}/ledger", match_id(1));
    let rows = loop {
        let rows = app.json(&path).await["items"].as_array().unwrap().clone();
        if rows.len() == 2 {
            break rows;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    };
    assert_eq!(
        (&rows[0]["sent_ms"], &rows[0]["at"], &rows[1]["fallback"]),
        (&json!(10.0), &json!("1970-01-01T00:00:01Z"), &json!(true))
    );
    let csv = app
        .get(&format!("{path}.csv?fields=sent_ms,limit_ms"))
        .await;
    assert_eq!(csv.text, "sent_ms,limit_ms\n10.0,100.0\n150.0,100.0\n");
    let decisions = format!("/matches/{}?tab=decisions", match_id(1));
    let lines = decisions.replace("decisions", "transcript");
    let lines = app.look(&lines, "").await.text;
    assert!(lines.contains("<div class=\"wire\">ask</div>"), "{lines}");
    assert!(lines.contains("<div class=\"wire\">7 <a"), "{lines}");
    let slowest = "<tbody>\n<tr class=\"mark-out\">";
    let ordered = app.look(&format!("{decisions}&sort=order"), "").await.text;
    assert!(!ordered.contains(slowest), "{ordered}");
    let page = app.look(&decisions, "").await.text;
    for part in [
        slowest,
        "150 ms of 100 ms",
        "10.0\u{a0}%</td>",
        "150.0\u{a0}%</td>",
        "took 150 ms of the 100 ms allowed; one was",
        "</th><td class=\"n\">2</td><td class=\"n\">80 ms</td><td class=\"n\">150 ms</td>",
        "<th scope=\"col\" class=\"n wide\">Share of the limit</th>",
        "Fallback: the built-in bot that answers",
        "/ledger\">all decisions",
    ] {
        assert!(page.contains(part), "{part} in {page}");
    }
    let summary = &app.json("/api/v1/ledger").await["items"][0];
    for (field, value) in [
        ("game", json!("toy")),
        ("decisions", json!(3)),
        ("late", json!(1)),
        ("fallbacks", json!(1)),
        ("sent_ms_p50", json!(30.0)),
        ("sent_ms_max", json!(150.0)),
        ("spare_min", json!(-0.5)),
    ] {
        assert_eq!(summary[field], value, "{field}");
    }
    // Of a match that runs, others see nothing.
    let running = format!("/api/v1/matches/{}/ledger", match_id(2));
    let hidden = app.get_as("read", &running).await.json();
    assert_eq!(hidden["items"], json!([]));
    assert!(hidden["withheld"].is_string());
}

#[tokio::test]
async fn what_was_learnt_when_is_shown_up_to_what_is_public() {
    let mut app = App::new().await;
    for number in 1..=3 {
        play(&app, number, true).await;
    }
    let path = "/api/v1/opponents/1/history";
    let versions = |page: &Value| -> Vec<(Value, Value)> {
        let items = page["items"].as_array().unwrap().iter();
        items
            .map(|row| (row["version"].clone(), row["match"].clone()))
            .collect()
    };
    let all = app.json(path).await;
    let expected = [3, 2, 1].map(|number| (json!(number), json!(match_id(number))));
    assert_eq!(versions(&all), expected);
    let first = &all["items"][2]["model"]["bluff_rate"];
    assert_eq!(first["evidence"], 1, "{all}");
    let paged = app.json(&format!("{path}?limit=1&cursor=3")).await;
    assert_eq!(
        (versions(&paged), &paged["next"]),
        (vec![expected[1].clone()], &json!("2"))
    );
    // The last match ended just now, the others long ago: under an embargo only these are shown.
    app.change().embargo = Duration::from_secs(3600);
    let now = crate::clock::now_us();
    for table in ["matches SET ended_us", "sessions SET ended_us"] {
        let of = if table.starts_with('m') {
            "id"
        } else {
            "match_id"
        };
        app.store()
            .alter(&format!(
                "UPDATE {table} = {now} WHERE {of} = '{}'",
                match_id(3)
            ))
            .await;
    }
    let shown = app.get_as("read", path).await.json();
    assert_eq!(versions(&shown), expected[1..]);
    assert!(shown["withheld"].is_string());
    app.problem("/api/v1/opponents/9/history", StatusCode::UNAUTHORIZED)
        .await;
}

#[tokio::test]
async fn a_bots_results_count_once_they_are_public() {
    let app = App::new().await;
    for number in 1..=3 {
        play(&app, number, number < 3).await;
    }
    for (bot, over_by_us, won) in [
        ("champion", i64::MAX, 2),
        ("champion", 0, 0),
        ("another", i64::MAX, 0),
    ] {
        let record = history::bot_record(app.store().reader(), "toy", bot, over_by_us).await;
        let record = record.unwrap();
        assert_eq!((record.won, record.tied, record.lost), (won, 0, 0), "{bot}");
        assert_eq!(record.share.count, won as f64);
        assert_eq!(record.share.mean(), if won > 0 { 1.0 } else { 0.0 });
    }
}

//! What shadows said, in a match and summed up, and who is told.

use super::App;
use crate::histogram::Histogram;
use crate::programs::Conduct;
use crate::session::{ShadowDifference, ShadowReport};
use crate::store::tests::fake::{Pen, heard, match_id, new_match, new_session, said};
use crate::store::{EntryId, NewSession, ShadowCounts, ShadowRun, ShadowTally, Side};
use axum::http::StatusCode;
use serde_json::json;
use std::time::Duration;

/// A match in which a champion sits on seat 0, with a shadow that agreed so often of ten times; it is over or not.
async fn play(app: &App, number: u64, (shadow, agreed): (&str, u64), over: bool) -> String {
    let store = app.store();
    let seat = new_session(number, Side::Player, 0);
    let mine = NewSession {
        bot: "champion".into(),
        ..seat
    };
    let mut pen = Pen::new(store, Some(new_match(number, false)), mine);
    pen.write(store, vec![heard("ask"), said("7")]).await;
    let counts = ShadowCounts {
        agreed,
        differed: 9 - agreed,
        illegal: 1,
        skipped: 2,
        ..ShadowCounts::default()
    };
    let times = |ms| Histogram::of(&[Duration::from_millis(ms); 10]);
    let difference = ShadowDifference {
        entry: EntryId(1),
        sent: "?a=<7>".into(),
        said: "?a=8".into(),
    };
    let conduct = Conduct {
        failed: 1,
        faults: vec!["it ended".to_owned()],
        ..Conduct::default()
    };
    let report = ShadowReport {
        differences: vec![difference],
        faults: Vec::new(),
        conduct: shadow.starts_with("bot:").then_some(conduct),
    };
    let run = ShadowRun {
        session: pen.id,
        tally: ShadowTally {
            game: "koehandel".into(),
            bot: "champion".into(),
            shadow: shadow.into(),
            whole: true,
            counts,
            bot_times: times(2),
            shadow_times: times(8),
        },
        report: json!(report),
    };
    store.shadow_ran(run).await.unwrap();
    if over {
        pen.end(store, vec![3, 1, 0, 0], 1).await;
    }
    format!("/api/v1/matches/{}/shadows", match_id(number))
}

#[tokio::test]
async fn a_shadows_answers_are_shown_to_who_sees_the_seat() {
    let app = App::new().await;
    let over = play(&app, 1, ("bot:mine@2", 6), true).await;
    let running = play(&app, 2, ("bot:mine@2", 6), false).await;
    for (scope, path, rows) in [
        ("read", &over, 1),
        ("admin", &over, 1),
        ("read", &running, 0),
        ("bot:evolved", &running, 0),
        // Who owns the shadow does not own the seat.
        ("bot:bot:mine", &running, 0),
        ("bot:champion", &running, 1),
        ("admin", &running, 1),
    ] {
        let list = app.get_as(scope, path).await.json();
        let items = list["items"].as_array().unwrap();
        assert_eq!(items.len(), rows, "{scope} {list:#}");
        assert_eq!(list["withheld"].is_string(), rows == 0, "{scope} {list:#}");
        let Some(row) = items.first() else { continue };
        assert_eq!(
            (&row["bot"], &row["shadow"]),
            (&json!("champion"), &json!("bot:mine@2"))
        );
        assert_eq!((&row["seat"], &row["whole"]), (&json!(0), &json!(true)));
        assert_eq!((&row["decisions"], &row["agreed"]), (&json!(10), &json!(6)));
        assert_eq!((&row["illegal"], &row["skipped"]), (&json!(1), &json!(2)));
        assert_eq!(row["differences"][0]["said"], "?a=8");
        assert_eq!(row["conduct"]["failed"], 1);
        let (bot, shadow) = (&row["bot_ms_p50"], &row["shadow_ms_p99"]);
        let near =
            |value: &serde_json::Value, ms: f64| (value.as_f64().unwrap() / ms - 1.0).abs() < 0.05;
        assert!(near(bot, 2.0) && near(shadow, 8.0), "{row:#}");
    }
    // What a running match taught is not in the sums either, not even an admin's.
    for scope in ["read", "admin"] {
        let sums = app.get_as(scope, "/api/v1/shadows").await.json();
        assert_eq!(sums["items"][0]["matches"], 1, "{sums:#}");
        let page = app.get_as(scope, "/shadows").await.text;
        assert!(page.contains("bot:mine@2"), "{page}");
    }
    let page = app
        .get_as("read", &format!("/matches/{}", match_id(2)))
        .await
        .text;
    assert!(
        !page.contains("?a=8") && !page.contains("Shadows <small>"),
        "{page}"
    );
    for wrong in ["seat=x", "nothing=1", "limit=0", "cursor=x"] {
        let answer = app.get_as("admin", &format!("{over}?{wrong}")).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{wrong}");
    }
    let other = app.get_as("admin", &format!("{over}?seat=1")).await.json();
    assert_eq!(other["items"], json!([]));
    let none = over.replace(&match_id(1), &match_id(9));
    assert_eq!(
        app.get_as("admin", &none).await.status,
        StatusCode::NOT_FOUND
    );
}

#[tokio::test]
async fn sums_are_by_game_bot_and_shadow_and_matches_are_their_blocks() {
    let app = App::new().await;
    for (number, agreed) in [(1, 4), (2, 6), (3, 8)] {
        play(&app, number, ("evolved", agreed), true).await;
    }
    play(&app, 4, ("bot:mine@2", 9), true).await;
    let sums = app.json("/api/v1/shadows").await;
    let items = sums["items"].as_array().unwrap();
    assert_eq!(items.len(), 2, "{sums:#}");
    let row = &items[1];
    assert_eq!(
        (&row["shadow"], &row["game"]),
        (&json!("evolved"), &json!("koehandel"))
    );
    assert_eq!(
        (&row["matches"], &row["decisions"]),
        (&json!(3), &json!(30))
    );
    assert_eq!((&row["agreed"], &row["illegal"]), (&json!(18), &json!(3)));
    let share = |name: &str| row[name].as_f64().unwrap();
    assert_eq!((share("agreed_share"), share("illegal_share")), (0.6, 0.1));
    // Shares of 0.4, 0.6 and 0.8: an error of 0.1155, times Student's 4.303.
    assert!((share("agreed_share_low") - 0.103).abs() < 0.01, "{row:#}");
    assert_eq!(share("agreed_share_high"), 1.0);
    assert!((share("asked_share") - 10.0 / 12.0).abs() < 1e-9, "{row:#}");
    for (asked, many) in [
        ("bot=builtin:champion", 2),
        ("bot=evolved", 0),
        ("shadow=builtin:evolved", 1),
        ("shadow=bot:mine", 1),
        ("game=koehandel&limit=1", 1),
        ("game=smartdog", 0),
    ] {
        let found = app.json(&format!("/api/v1/shadows?{asked}")).await;
        assert_eq!(found["items"].as_array().unwrap().len(), many, "{asked}");
    }
    for wrong in ["game=chess", "seat=1", "limit=0", "shadow=bot:mine@1"] {
        let answer = app.get(&format!("/api/v1/shadows?{wrong}")).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{wrong}");
    }
    let page = app.get("/shadows").await.text;
    for told in [
        "60.0 % (10",
        "of the 83.3 % that it was asked",
        ">evolved<",
        "2.0 ms, 2.0 ms",
    ] {
        assert!(page.contains(told), "{told}: {page}");
    }
    let page = app.get(&format!("/matches/{}", match_id(4))).await.text;
    for told in [
        "Where bot:mine@2 differed, seat 0",
        "?a=&#60;7&#62;",
        "it ended",
    ] {
        assert!(page.contains(told), "{told}: {page}");
    }
    let bots = app.get("/bots").await.text;
    assert!(bots.contains(r#"href="/shadows""#), "{bots}");
}

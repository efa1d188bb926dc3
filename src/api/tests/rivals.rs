//! Records against rivals, and what is left of matches that were pruned.

use super::{App, play};
use crate::store::MatchResult;
use crate::store::tests::fake::{match_id, new_match};
use axum::body::Body;
use axum::http::{Request, StatusCode};
use games::Cause;
use serde_json::Value;

async fn prune(app: &App, body: &str) -> super::Answer {
    let request = Request::post("/api/v1/prune").body(Body::from(body.to_owned()));
    app.ask(request.unwrap()).await
}

#[tokio::test]
async fn a_bot_and_an_opponent_show_how_they_met() {
    let app = App::new().await;
    for number in 1..=3 {
        play(&app, number, true).await;
        let seat = format!("/api/v1/matches/{}/seats/1", match_id(number));
        app.put(&seat, r#"{"name": "alice"}"#).await;
    }
    let page = app.json("/api/v1/bots/toy/champion/versus").await;
    let alice = page["items"].as_array().unwrap().iter();
    let alice = alice.clone().find(|item| item["rival"] == "alice").unwrap();
    assert_eq!((&alice["games"], &alice["won"]), (&3.into(), &3.into()));
    assert_eq!(alice["pair_score"], 1.0);
    assert_eq!(alice["rival_bluffs"]["caught"], 3);
    assert_eq!(alice["causes"]["normal"], 3);
    for path in [
        "/api/v1/matches?bot=nobody&opponent=alice",
        "/api/v1/matches?bot=champion&opponent=nobody",
    ] {
        let nobody = app.problem(path, StatusCode::BAD_REQUEST).await;
        assert!(nobody["detail"].to_string().contains("nobody"), "{nobody}");
    }
    // The matches behind a record are found by what it calls the rival.
    for item in page["items"].as_array().unwrap() {
        let rival = item["rival"].as_str().unwrap();
        for (between, of) in [
            ("", "matches"),
            ("&between=won", "won"),
            ("&between=lost", "lost"),
        ] {
            let path = format!("/api/v1/matches?bot=champion&opponent={rival}{between}");
            let found = app.json(&path).await["items"].as_array().unwrap().len();
            let counted = item[of].as_u64().unwrap() as usize;
            // Several unnamed seats of one match are several meetings.
            let each = if rival.is_empty() {
                counted.min(3)
            } else {
                counted
            };
            assert_eq!(found, each, "{path}");
            // A built-in bot has two names.
            let path = path.replacen("bot=", "bot=builtin:", 1);
            let page = app.json(&path).await;
            assert_eq!(page["items"].as_array().unwrap().len(), each, "{path}");
        }
    }
    // A name may begin as a built-in bot's spec does.
    let seat = format!("/api/v1/matches/{}/seats/1", match_id(1));
    app.put(&seat, r#"{"name": "builtin:foo"}"#).await;
    let found = app
        .json("/api/v1/matches?bot=champion&opponent=builtin:foo")
        .await;
    assert_eq!(found["items"].as_array().unwrap().len(), 1);
    app.put(&seat, r#"{"name": "alice"}"#).await;
    for records in ["bots/toy/champion/versus", "opponents/1/versus"] {
        let path = format!("/api/v1/{records}?limit=0");
        app.problem(&path, StatusCode::BAD_REQUEST).await;
    }
    for bad in [
        "between=won&bot=champion",
        "between=won",
        "bot=a&opponent=b&between=live",
    ] {
        app.problem(&format!("/api/v1/matches?{bad}"), StatusCode::BAD_REQUEST)
            .await;
    }
    // Where none fits, what is about both goes with either.
    let none = app.look("/matches?bot=champion&opponent=alice&between=lost", "");
    let none = none.await.text;
    for without in ["href=\"?opponent=alice\"", "href=\"?bot=champion\""] {
        assert!(none.contains(without), "{without}: {none}");
    }
    let opponents = app.json("/api/v1/opponents?kind=named").await;
    let id = &opponents["items"][0]["id"];
    let page = app
        .json(&format!("/api/v1/opponents/{id}?fields=name"))
        .await;
    assert_eq!(page, serde_json::json!({ "name": "alice" }));
    // A record is a list as others are.
    let records = "/api/v1/bots/toy/champion/versus";
    let table = app
        .get(&format!("{records}.csv?fields=rival,matches"))
        .await;
    let mut lines: Vec<&str> = table.text.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, [",3", "alice,3", "rival,matches"]);
    let first = app.json(&format!("{records}?limit=1&fields=matches")).await;
    assert_eq!(first["items"], serde_json::json!([{ "matches": 3 }]));
    assert_eq!(first["next"], "1");
    let second = app.json(&format!("{records}?cursor=1&limit=1")).await;
    assert_eq!(
        (&second["next"], second["items"].as_array().unwrap().len()),
        (&Value::Null, 1)
    );
    let whole = app.get(&format!("{records}.ndjson")).await;
    assert_eq!(whole.text.lines().count(), 2);
    let other = app
        .get(&format!("/api/v1/opponents/{id}/versus.csv?fields=rival"))
        .await;
    assert_eq!(other.text, "rival\nchampion\n");
    let page = app.json(&format!("/api/v1/opponents/{id}")).await;
    assert_eq!(page["name"], "alice");
    assert_eq!(page["items"][0]["rival"], "champion");
    assert_eq!(page["items"][0]["games"], 3);
    for path in [
        "/api/v1/bots/toy/nobody/versus",
        "/api/v1/opponents/99",
        "/api/v1/opponents/x",
        "/api/v1/bots/none/champion/versus",
    ] {
        app.problem(path, StatusCode::NOT_FOUND).await;
    }
}

/// A match of our referee between two.
async fn met(app: &App, number: u64, specs: [&str; 2]) {
    let mut row = new_match(number, true);
    for (seat, spec) in row.seats.iter_mut().zip(specs) {
        seat.spec = spec.to_owned();
    }
    app.store().open_match(row).await.unwrap();
    let result = MatchResult::new(9, Cause::Normal, vec![2, 1]);
    let id = match_id(number);
    app.store().close_match(&id, result).await.unwrap();
}

#[tokio::test]
async fn players_that_are_called_alike_are_one_rival_and_are_found_by_admins_alone() {
    let app = App::new().await;
    met(&app, 1, ["builtin:champion", "cmd:python3 a.py --key s1"]).await;
    met(&app, 2, ["builtin:champion", "cmd:python3 b.py --key s2"]).await;
    let path = "/api/v1/bots/toy/champion/versus?fields=rival,matches";
    let seen = app.get_as("read", path).await.json();
    let one = serde_json::json!([{ "rival": "cmd", "matches": 2 }]);
    assert_eq!(seen["items"], one);
    let all = app.get_as("admin", path).await.json();
    assert_eq!(all["items"].as_array().unwrap().len(), 2);
    for list in ["matches", "sessions", "bluffs"] {
        let path = format!("/api/v1/{list}?opponent=cmd:python3%20a.py%20--key%20s1");
        let refused = app.get_as("read", &path).await;
        assert_eq!(refused.status, StatusCode::BAD_REQUEST, "{path}");
        assert!(refused.text.contains("only admins"), "{}", refused.text);
        let found = app.get_as("admin", &path).await.json();
        let items = found["items"].as_array().unwrap().len();
        assert_eq!(items, usize::from(list == "matches"), "{path}");
    }
    let page = "/bots/toy/champion/versus?rival=cmd";
    let page = app.get_as("read", page).await;
    assert_eq!(page.status, StatusCode::OK, "{}", page.text);
    for part in [
        "<h1>champion against programs</h1>",
        "<dt>Pairs of seats</dt><dd>2</dd>",
        "<dt>Won, and half of the tied</dt>",
        "Only admins find",
    ] {
        assert!(page.text.contains(part), "{part}: {}", page.text);
    }
    met(&app, 3, ["builtin:champion", "url:http://h:1/toy/face"]).await;
    let page = "/bots/toy/champion/versus?rival=url:http://h:1/toy/face";
    let page = app.get_as("admin", page).await;
    for part in [
        "<h1>champion against face at h:1</h1>",
        "<dt>Called at</dt><dd><code>h:1/toy/face</code></dd>",
        "A server that is not ours is a rival of its own",
    ] {
        assert!(page.text.contains(part), "{part}: {}", page.text);
    }
}

#[tokio::test]
async fn a_users_bot_is_found_in_one_version_and_in_all() {
    let app = App::new().await;
    met(&app, 1, ["bot:mine@1", "builtin:quick"]).await;
    met(&app, 2, ["builtin:quick", "bot:mine@2"]).await;
    for (bot, matches) in [("bot:mine", 2), ("bot:mine@1", 1), ("bot:mine@2", 1)] {
        let listed = app.json(&format!("/api/v1/matches?bot={bot}")).await;
        assert_eq!(listed["items"].as_array().unwrap().len(), matches, "{bot}");
        let bot = format!("bots/koehandel/{bot}");
        app.problem(&format!("/api/v1/{bot}"), StatusCode::NOT_FOUND)
            .await;
    }
    let rivals = app.json("/api/v1/bots/toy/bot:mine/versus").await;
    let rivals = rivals["items"].as_array().unwrap();
    assert_eq!((rivals.len(), &rivals[0]["rival"]), (1, &"quick".into()));
    assert_eq!(
        (&rivals[0]["won"], &rivals[0]["lost"]),
        (&1.into(), &1.into())
    );
    let rivals = app.json("/api/v1/bots/toy/quick/versus").await;
    assert_eq!(rivals["items"].as_array().unwrap().len(), 2);
    // It is listed with the game's own bots.
    let mut row = new_match(3, true);
    row.game = "koehandel".to_owned();
    row.seats[0].spec = "bot:kb@1".to_owned();
    row.seats[1].spec = "filler".to_owned();
    app.store().open_match(row).await.unwrap();
    let result = MatchResult::new(9, Cause::Normal, vec![2, 1]);
    let id = match_id(3);
    app.store().close_match(&id, result).await.unwrap();
    let bots = app.json("/api/v1/bots?game=koehandel").await;
    let mut bots = bots["items"].as_array().unwrap().iter();
    assert!(bots.any(|bot| bot["spec"] == "bot:kb@1" && bot["rung"].is_null()));
    for bot in ["bot:kb", "bot:kb@1"] {
        let shown = app.json(&format!("/api/v1/bots/koehandel/{bot}")).await;
        assert_eq!((&shown["name"], &shown["won"]), (&bot.into(), &1.into()));
        let page = app.get(&format!("/bots/koehandel/{bot}")).await;
        assert_eq!(page.status, StatusCode::OK, "{}", page.text);
        let few = page.text.contains("95 % interval: too few results");
        assert!(few, "{}", page.text);
    }
    // A seat that the referee filled is that bot's, as a rival and in results.
    let filler = app.json("/api/v1/bots/koehandel/filler").await;
    assert_eq!(filler["lost"], 1);
    met(&app, 4, ["bot:mine@1", "filler"]).await;
    let rivals = app.json("/api/v1/bots/toy/filler/versus").await;
    assert_eq!(rivals["items"][0]["rival"], "bot:mine@1");
    let lost = app
        .json("/api/v1/matches?outcome=lost&game=koehandel")
        .await;
    assert_eq!(lost["items"][0]["id"], id.as_str(), "{lost}");
    let results = app.json("/api/v1/results?bot=filler").await;
    assert_eq!(results["items"][0]["opponents"], "bot:mine@1");
    let page = app.get("/bots").await.text;
    let unplayed = "<td class=\"n soft nowrap\">not played</td>";
    let variant = "<div class=\"small soft\">idle-team, not played: Orders nothing";
    let phones = "<dt>idle-team, not played</dt>";
    for part in [unplayed, variant, phones, "of all rivals together"] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let row = page.split("/bots/koehandel/bot:kb@1").nth(1).unwrap();
    let row = row.split("</tr>").next().unwrap();
    assert!(
        row.contains("<td class=\"n\">1</td><td class=\"n\">100.0\u{a0}%<span")
            && row.ends_with(">too few results</td>"),
        "{row}"
    );
}

#[tokio::test]
async fn a_pruned_match_shows_its_result_and_that_it_was_pruned() {
    let app = App::new().await;
    play(&app, 1, true).await;
    play(&app, 2, false).await;
    let due = prune(&app, r#"{"older_than_s": 60, "dry_run": true}"#).await;
    assert_eq!(due.text, r#"{"entries":4,"more":false,"sessions":1}"#);
    let path = format!("/api/v1/matches/{}", match_id(1));
    let entries = app.json(&format!("{path}/entries")).await;
    assert_eq!(entries["items"].as_array().unwrap().len(), 4);
    let done = prune(&app, r#"{"older_than_s": 60}"#).await;
    assert_eq!(done.text, due.text);
    let shown = app.json(&path).await;
    assert_eq!(shown["seats"][0]["win_share"], 1.0);
    assert_eq!(shown["sessions"][0]["pruned"], true);
    assert_eq!(shown["sessions"][0]["entries"], 4);
    let page = app.get(&format!("/matches/{}", match_id(1))).await;
    for (tab, expected) in [
        ("about", "All but its result was pruned."),
        ("transcript", "Its transcripts were pruned."),
        ("facts", "It was pruned."),
    ] {
        let page = app
            .get(&format!("/matches/{}?tab={tab}", match_id(1)))
            .await;
        assert!(page.text.contains(expected), "{expected}: {}", page.text);
    }
    for untrue in ["not our bot", "Nothing has been said", "data-src"] {
        assert!(!page.text.contains(untrue), "{untrue}: {}", page.text);
    }
    for list in [
        "entries",
        "facts",
        "ledger",
        "programs",
        "entries.ndjson",
        "facts.csv",
        "entries?seat=0",
        "seats/0/decisions",
    ] {
        let answer = app
            .problem(&format!("{path}/{list}"), StatusCode::GONE)
            .await;
        assert_eq!(answer["type"], "urn:drover:problem:pruned", "{list}");
    }
    // What is asked wrongly is reported before that.
    for wrong in [
        "entries?limit=0",
        "facts?cursor=x",
        "ledger?seat=x",
        "facts?nothing=1",
        "seats/0/decisions?limit=0",
    ] {
        app.problem(&format!("{path}/{wrong}"), StatusCode::BAD_REQUEST)
            .await;
    }
    // No transcript was ever there: nothing was pruned of it.
    let none = app.json(&format!("{path}/entries?seat=3")).await;
    assert_eq!(none["items"], serde_json::json!([]));
    let page = app.get(&format!("/matches/{}", match_id(1))).await;
    assert_eq!(page.status, StatusCode::OK, "{}", page.text);
    let running = app.json(&format!("/api/v1/matches/{}", match_id(2))).await;
    assert!(running["sessions"][0]["pruned"].is_null());
    for body in [
        "",
        "{}",
        r#"{"older_than_s": -1}"#,
        r#"{"older_than_s": 9223372036854775808}"#,
        r#"{"older_than_s": 1, "x": 1}"#,
    ] {
        assert_eq!(
            prune(&app, body).await.status,
            StatusCode::BAD_REQUEST,
            "{body}"
        );
    }
}

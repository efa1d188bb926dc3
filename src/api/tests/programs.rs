//! How users' programs fared in a match, and who may see it.

use super::App;
use crate::history;
use crate::programs::{Conduct, StderrPart};
use crate::store::tests::fake::{Pen, match_id, new_match, new_session, received, said};
use crate::store::{NewSession, ProgramRun, Side};
use axum::http::StatusCode;
use games::{Part, Participation};
use serde_json::{Value, json};

/// What a program wrote to standard error.
const STDERR: &str = "<b>key</b> in /home/ann\n";

/// What it left to its fallback.
fn left() -> Participation {
    Participation {
        how: Part::Silent,
        turn: Some(7),
        detail: "it did <not> answer in time".to_owned(),
        decisions: Some(45),
        fallback: Some(4),
    }
}

/// A match with a user's bot on seat 0, which was late and ended once, and a built-in one on seat 1; it is over or not.
async fn play(app: &App, number: u64, over: bool) -> String {
    let store = app.store();
    let seat = |seat, bot: &str| NewSession {
        bot: bot.into(),
        ..new_session(number, Side::Player, seat)
    };
    let mine = seat(0, "bot:mine@1.0");
    let mut pen = Pen::new(store, Some(new_match(number, false)), mine);
    pen.write(store, vec![received("ask"), said("7")]).await;
    let mut other = Pen::new(store, None, seat(1, "champion"));
    other.write(store, vec![received("ask"), said("8")]).await;
    let conduct = Conduct {
        starts: 2,
        answered: 41,
        late: 3,
        refused: 1,
        failed: 1,
        faults: vec!["it ended, or closed its output".to_owned()],
        participation: Some(left()),
        stderr_parts: vec![StderrPart {
            number: 1,
            end: STDERR.len(),
        }],
        ..Conduct::default()
    };
    let run = ProgramRun {
        session: pen.id,
        note: None,
        report: json!(conduct),
        participation: conduct.participation,
        stderr: STDERR.to_owned(),
    };
    history::program_ran(store, run).await.unwrap();
    if over {
        pen.end(store, vec![3, 1, 0, 0], 1).await;
        other.end(store, vec![1, 3, 0, 0], 1).await;
    }
    format!("/api/v1/matches/{}/programs", match_id(number))
}

#[tokio::test]
async fn programs_are_shown_to_who_sees_their_seat_and_standard_error_to_owners() {
    let app = App::new().await;
    let (over, running) = (play(&app, 1, true).await, play(&app, 2, false).await);
    let (reader, owner) = ("read", "bot:bot:mine");
    for (scope, path, rows, expected) in [
        (reader, &over, 1, false),
        (owner, &over, 1, true),
        ("admin", &over, 1, true),
        (reader, &running, 0, false),
        ("bot:champion", &running, 0, false),
        (owner, &running, 1, true),
        ("bot:bot:mine@1.0", &running, 1, true),
        ("bot:bot:mine@1", &running, 0, false),
        ("bot:bot:min", &running, 0, false),
        ("bot:bot:min", &over, 1, false),
    ] {
        let list = app.get_as(scope, path).await.json();
        let items = list["items"].as_array().unwrap();
        assert_eq!(items.len(), rows, "{scope} {list:#}");
        assert_eq!(
            list["withheld"].is_string(),
            scope != "admin" && path == &running
        );
        let Some(row) = items.first() else { continue };
        assert_eq!(
            (&row["bot"], &row["seat"]),
            (&json!("bot:mine@1.0"), &json!(0))
        );
        assert_eq!(row["conduct"]["answered"], 41);
        // They may quote what it said, or name its files.
        let faults = expected.then_some("it ended, or closed its output");
        assert_eq!(row["conduct"]["faults"][0], json!(faults), "{scope}");
        let stderr = expected.then(|| STDERR.to_owned());
        assert_eq!(row["stderr"], json!(stderr), "{scope}");
        let parts = row["conduct"].get("stderr_parts");
        let all = json!([{"number": 1, "end": STDERR.len()}]);
        assert_eq!(parts, expected.then_some(&all), "{scope}");
    }
    let other = app.get_as("admin", &format!("{over}?seat=1")).await.json();
    assert_eq!(other["items"], Value::Array(Vec::new()), "no program");
    let csv = app
        .get_as("admin", &over.replace("programs", "programs.csv"))
        .await;
    assert!(
        csv.text.starts_with("bot,conduct,seat,session,stderr"),
        "{}",
        csv.text
    );
    for wrong in ["seat=x", "nothing=1", "limit=0", "cursor=x"] {
        let answer = app.get_as("admin", &format!("{over}?{wrong}")).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{wrong}");
    }
    let none = over.replace(&match_id(1), &match_id(9));
    let answer = app.get_as("admin", &none).await;
    assert_eq!(answer.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_users_bot_at_our_own_table_is_its_owners_and_its_entrants() {
    let app = App::new().await;
    let mut ours = new_match(1, true);
    ours.seats[0].entrant = Some("Ann".to_owned());
    let session = |seat, bot: &str| NewSession {
        bot: bot.into(),
        ..new_session(1, Side::Referee, seat)
    };
    let mut mine = Pen::new(app.store(), Some(ours), session(0, "bot:mine@1"));
    mine.write(app.store(), vec![received("ask"), said("of mine")])
        .await;
    let mut other = Pen::new(app.store(), None, session(1, "champion"));
    other
        .write(app.store(), vec![received("ask"), said("of champion")])
        .await;
    let path = format!("/api/v1/matches/{}/entries", match_id(1));
    for (scope, sees) in [
        ("bot:bot:mine", true),
        ("bot:bot:mine@1", true),
        ("bot:bot:mine@2", false),
        ("entrant:Ann", true),
        ("entrant:ann", false),
        ("bot:champion", false),
        ("read", false),
    ] {
        let text = app.get_as(scope, &path).await.text;
        assert_eq!(text.contains("of mine"), sees, "{scope}: {text}");
        assert!(!text.contains("of champion"), "{scope}: {text}");
    }
}

#[tokio::test]
async fn what_a_program_wrote_stands_next_to_its_step_for_its_owner_alone() {
    let app = App::new().await;
    let path = play(&app, 1, true).await.replace("programs", "replay");
    let path = format!("{path}?seat=0");
    let page = app.get_as("admin", &path).await;
    // Nobody gets it unasked.
    assert!(!page.text.contains("/home/ann"), "{}", page.text);
    // The ledger has none of it.
    let page = page.json();
    let wanted = format!("{path}&stderr=true");
    let written = json!([{
        "seat": 0, "session": page["session"], "number": 1, "text": STDERR.trim_end()
    }]);
    for (scope, shown) in [
        ("admin", true),
        ("bot:bot:mine", true),
        ("bot:bot:min", false),
        ("bot:champion", false),
        ("read", false),
    ] {
        let answer = app.get_as(scope, &wanted).await;
        let steps = answer.json()["items"].clone();
        assert_eq!(steps[1]["title"], "said 7", "{steps:#}");
        let expected = shown.then_some(&written);
        assert_eq!(steps[1].get("stderr"), expected, "{scope}: {steps:#}");
        assert_eq!(steps[0].get("stderr"), None, "{scope}: {steps:#}");
        assert_eq!(answer.text.contains("/home/ann"), shown, "{scope}");
    }
    let other = wanted.replace("seat=0", "seat=1");
    let other = app.get_as("admin", &other).await.text;
    assert!(!other.contains("/home/ann"), "another seat's view: {other}");
}

#[tokio::test]
async fn how_seats_took_part_is_shown_and_found_once_their_match_is_over() {
    let app = App::new().await;
    let (over, running) = (play(&app, 1, true).await, play(&app, 2, false).await);
    let of_match = |path: &str| path.replace("/programs", "");
    let seats = app.get_as("read", &of_match(&over)).await.json()["seats"].clone();
    assert_eq!(seats[0]["participation"], json!(left()), "{seats:#}");
    // The others have no report.
    assert_eq!(seats[1]["participation"], Value::Null);
    let seats = app.get_as("read", &of_match(&running)).await.json()["seats"].clone();
    assert_eq!(seats[0]["participation"], Value::Null, "{seats:#}");
    for (query, found) in [
        ("participation=silent", 1),
        ("participation=crashed", 0),
        ("participation=silent&bot=bot:mine", 1),
        ("participation=silent&bot=champion", 0),
        ("participation=silent&cause=normal", 1),
        ("participation=played", 0),
    ] {
        let path = format!("/api/v1/matches?{query}");
        let list = app.get_as("read", &path).await.json();
        assert_eq!(
            list["items"].as_array().unwrap().len(),
            found,
            "{query}: {list:#}"
        );
    }
    let wrong = app
        .get_as("admin", "/api/v1/matches?participation=crash")
        .await;
    assert_eq!(wrong.status, StatusCode::BAD_REQUEST);
    assert!(wrong.text.contains("crashed"), "{}", wrong.text);
    let csv = app
        .get_as("admin", "/api/v1/matches.csv?fields=id,seats")
        .await;
    assert!(csv.text.contains("silent"), "{}", csv.text);
}

#[tokio::test]
async fn the_page_of_a_match_shows_what_its_programs_did() {
    let app = App::new().await;
    play(&app, 1, true).await;
    let path = format!("/matches/{}", match_id(1));
    let tab = format!("{path}?tab=decisions");
    let page = app.get(&path).await.text + &app.get(&tab).await.text;
    for expected in [
        "bot:mine@1.0",
        r#"<td class="n">41</td><td class="n">3</td><td class="n">1</td><td class="n">4 of 45</td><td class="n">1</td>"#,
        r#">silent from turn 7</span>"#,
        ">4 of 45 decisions by its fallback</span>",
        r#"<span class="tag bad">played to its end, a player silent</span>"#,
        "it ended, or closed its output",
        "<details><summary>Standard error of bot:mine@1.0 (Seat 1)",
        "<h3 id=\"stderr-1-1\">Decision 1</h3>",
    ] {
        assert!(page.contains(expected), "{expected}: {page}");
    }
    assert!(page.contains("key") && !page.contains("<b>key"), "{page}");
    let stranger = app.get_as("read", &tab).await.text;
    assert!(stranger.contains("bot:mine@1.0"), "{stranger}");
    assert!(!stranger.contains("it ended, or closed"), "{stranger}");
    assert!(!stranger.contains("/home/ann"), "{stranger}");
    // A step of the replay leads to what was written then.
    let led = app.get_as("admin", &format!("{tab}&session=1")).await.text;
    let unfolded = "<details open><summary>Standard error of bot:mine@1.0";
    assert!(led.contains(unfolded), "{led}");
    let mut pen = Pen::player(app.store(), 2);
    pen.write(app.store(), vec![received("ask"), said("7")])
        .await;
    let without = app
        .get_as("read", &format!("/matches/{}?tab=decisions", match_id(2)))
        .await;
    assert!(
        !without.text.contains("Programs <small>"),
        "{}",
        without.text
    );
}

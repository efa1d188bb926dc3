//! What each caller sees of matches that run, through every endpoint.

use super::App;
use crate::store::tests::fake::{Pen, match_id, new_match, new_session, received, said};
use crate::store::{MatchResult, NewSession, Side};
use axum::http::{StatusCode, header};
use serde_json::Value;
use std::time::Duration;

/// Every endpoint that shows of match 1 (ours) or 2 (another referee's).
fn paths() -> Vec<String> {
    let mut paths = [
        "/api/v1/sessions",
        "/api/v1/matches",
        "/api/v1/bluffs",
        "/api/v1/bluffs?limit=1",
        "/api/v1/opponents",
        "/api/v1/opponents/1/model",
        "/api/v1/opponents/2/model",
        "/api/v1/opponents/1/history",
        "/api/v1/opponents/2/history",
        "/api/v1/ledger",
        "/api/v1/ledger?by=bot,match,reason",
        "/api/v1/results",
        "/api/v1/results.csv",
        "/api/v1/results?market=7700001",
        "/api/v1/facts",
        "/api/v1/facts.csv",
        "/api/v1/bluffs.csv",
        "/api/v1/matches.ndjson",
        "/api/v1/sessions.csv",
        "/api/v1/matches?market=7700001",
        "/api/v1/matches?market=7700002&fields=market",
        "/api/v1/hubs",
        "/api/v1/bots",
        "/metrics",
    ]
    .map(str::to_owned)
    .to_vec();
    for number in [1, 2] {
        let path = format!("/api/v1/matches/{}", match_id(number));
        for rest in [
            "",
            "/entries",
            "/entries.ndjson",
            "/facts",
            "/entries.csv",
            "/ledger",
            "/programs",
            "/programs.csv",
            "/replay",
            "/replay?stderr=true",
        ] {
            paths.push(format!("{path}{rest}"));
        }
        for seat in 0..4 {
            paths.push(format!("{path}/replay?pictures=true&seat={seat}"));
        }
        paths.push(format!("/api/v1/bluffs?match={}", match_id(number)));
    }
    paths.extend((1..=6).map(|session| format!("/api/v1/sessions/{session}")));
    paths
}

/// One session that receives its own secret, bluffs and is called by its own numbers.
async fn sit(app: &App, pen: &mut Pen, secret: &str) {
    pen.write(app.store(), vec![received("ask"), said(secret)])
        .await;
    pen.bluff(app.store(), &format!("{secret} 190")).await;
}

fn session(number: u64, side: Side, seat: u8, bot: &str) -> NewSession {
    NewSession {
        bot: bot.into(),
        market: 7_700_000 + number,
        player: 8_800_000 + u64::from(seat) + 10 * number,
        ..new_session(number, side, seat)
    }
}

/// One of our tables with two of our bots and two strangers, one of them named ann; and a match of another
/// referee with the same two bots, of which one has received the end already and taught a type and bob.
async fn play(app: &App) {
    let store = app.store();
    let mut ours = new_match(1, true);
    ours.market = 7_700_001;
    ours.seats.truncate(0);
    for (seat, spec) in [
        "url:http://a/s3cret",
        "url:http://b/s3cret",
        "url:http://c/s3cret",
        "url:http://d/s3cret",
    ]
    .into_iter()
    .enumerate()
    {
        ours.seats.push(crate::store::SeatRow {
            seat: seat as u8,
            spec: spec.into(),
            name: (seat == 2).then(|| "ann".into()),
            ..crate::store::SeatRow::default()
        });
    }
    store.open_match(ours).await.unwrap();
    for (side, seat, bot, secret) in [
        (Side::Player, 0, "champion", "secret-champion-1"),
        (Side::Player, 1, "guide", "secret-guide-1"),
        (Side::Referee, 2, "url:http://c/s3cret", "secret-ann-1"),
        (Side::Referee, 3, "url:http://d/s3cret", "secret-dave-1"),
    ] {
        let mut pen = Pen::new(store, None, session(1, side, seat, bot));
        sit(app, &mut pen, secret).await;
    }
    let mut foreign = new_match(2, false);
    foreign.market = 7_700_002;
    let mut champion = Pen::new(
        store,
        Some(foreign),
        session(2, Side::Player, 0, "champion"),
    );
    sit(app, &mut champion, "secret-champion-2").await;
    let mut guide = Pen::new(store, None, session(2, Side::Player, 1, "guide"));
    sit(app, &mut guide, "secret-guide-2").await;
    store
        .rename_seat(&match_id(2), 1, Some("bob"))
        .await
        .unwrap();
    champion.end(store, vec![3, 1, 0, 0], 77_001).await;
}

/// The secrets of the matches that [`play`] makes.
const WORDS: [&str; 11] = [
    "secret-champion-1",
    "secret-guide-1",
    "secret-ann-1",
    "secret-dave-1",
    "secret-champion-2",
    "secret-guide-2",
    "8800010",
    "8800012",
    "8800021",
    "77001",
    "s3cret",
];

/// Which of them a caller finds anywhere.
async fn found(app: &App, token: &str) -> Vec<&'static str> {
    let mut found = Vec::new();
    for path in paths() {
        let answer = app.get_by(token, &path).await;
        assert_eq!(answer.status, StatusCode::OK, "{path} {}", answer.text);
        assert_eq!(
            answer.headers[header::VARY],
            "Authorization, Cookie, Accept",
            "{path}"
        );
        let tagged = answer.headers.contains_key(header::ETAG);
        assert!(!tagged, "{path} may change for this caller");
        found.extend(WORDS.iter().filter(|word| answer.text.contains(**word)));
    }
    WORDS
        .into_iter()
        .filter(|word| found.contains(word))
        .collect()
}

#[tokio::test]
async fn a_seat_behind_an_address_is_called_by_our_bot_there_or_by_its_number() {
    let app = App::new().await;
    play(&app).await;
    let path = format!("/matches/{}", match_id(1));
    let page = app.get_as("read", &path).await.text;
    for name in ["champion", "guide", "ann", "player 4"] {
        let shown = format!("<strong>{name}</strong>");
        assert!(page.contains(&shown), "{name}: {page}");
    }
    assert!(!page.contains("s3cret"), "{page}");
    // Nor is it on the page of those who may read it in the data.
    let whole = app.get_as("admin", &path).await.text;
    assert!(!whole.contains("url:"), "{whole}");
    // The interface gives no more of it than before.
    let found = app.get_as("read", &format!("/api/v1{path}")).await.json();
    assert_eq!(found["seats"][0]["spec"], "url");
    assert!(found["seats"][0].get("bot").is_none(), "{found}");
}

#[tokio::test]
async fn a_running_match_shows_each_caller_their_own_secrets() {
    let app = App::new().await;
    play(&app).await;
    for (scope, sees) in [
        ("read", &[][..]),
        (
            "bot:champion",
            &["secret-champion-1", "secret-champion-2", "8800010", "77001"],
        ),
        (
            "bot:guide",
            &["secret-guide-1", "secret-guide-2", "8800021"],
        ),
        ("bot:evolved", &[]),
        ("entrant:ann", &["secret-ann-1", "8800012", "s3cret"]),
        ("entrant:bob", &["secret-guide-2", "8800021"]),
        ("entrant:dave", &[]),
        ("admin", &WORDS),
    ] {
        let token = app.token(scope).await;
        assert_eq!(found(&app, &token).await, sees, "{scope}");
    }
    for path in paths() {
        let answer = app.get(&path).await;
        assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{path}");
    }
}

/// What a program is called with, where it is reached and what it writes to standard error is its owner's for ever.
#[tokio::test]
async fn commands_addresses_and_standard_error_stay_their_owners_when_all_is_over() {
    let mut app = App::new().await;
    play(&app).await;
    app.store()
        .alter(
            "INSERT INTO facts (session, kind, data)
             SELECT id, 'stderr', '{\"text\": \"last-words\"}' FROM sessions WHERE side = 'referee' AND seat = 2",
        )
        .await;
    let now_us = crate::clock::now_us();
    let result = MatchResult::new(now_us - 60_000_000, games::Cause::Cancelled, vec![]);
    app.store().close_match(&match_id(1), result).await.unwrap();
    app.change().embargo = Duration::ZERO;
    let words = ["last-words", "s3cret", "http://c", "http://d"];
    for (scope, sees) in [
        ("read", &[][..]),
        ("bot:champion", &[]),
        ("entrant:bob", &[]),
        ("entrant:ann", &["last-words", "s3cret", "http://c"]),
        ("admin", &words),
    ] {
        let token = app.token(scope).await;
        let mut found = Vec::new();
        for path in paths() {
            let text = app.get_by(&token, &path).await.text;
            found.extend(words.iter().filter(|word| text.contains(**word)));
        }
        let found = words.into_iter().filter(|word| found.contains(word));
        assert_eq!(found.collect::<Vec<_>>(), sees, "{scope}");
    }
    let facts = format!("/api/v1/matches/{}/facts?kind=stderr", match_id(1));
    let others = app.get_as("read", &facts).await.json();
    // That it wrote something is no secret.
    assert_eq!(others["items"][0]["data"], Value::Null, "{others}");
    assert_eq!(others["items"][0]["bot"], "ann", "{others}");
}

#[tokio::test]
async fn what_is_withheld_is_reported() {
    let app = App::new().await;
    play(&app).await;
    let path = format!("/api/v1/matches/{}", match_id(1));
    for (rest, scope, shown) in [
        ("/entries", "read", true),
        ("/facts", "read", true),
        ("/facts", "bot:champion", true),
        ("/facts?session=1", "bot:champion", false),
        ("/entries?seat=0", "bot:champion", false),
        ("/facts?kind=nothing", "read", true),
        ("/facts", "admin", false),
    ] {
        let value = app.get_as(scope, &format!("{path}{rest}")).await.json();
        assert_eq!(
            value["withheld"].is_string(),
            shown,
            "{rest} {scope} {value}"
        );
    }
    let lines = app.get_as("read", &format!("{path}/entries.ndjson")).await;
    assert!(lines.headers.contains_key("drover-withheld"));
    let live = app.get_as("read", "/api/v1/sessions/1").await.json();
    assert_eq!(
        (&live["market"], &live["player"], &live["entries"]),
        (&Value::Null, &Value::Null, &Value::Null)
    );
    assert!(live["withheld"].is_string());
}

#[tokio::test]
async fn a_page_of_bluffs_shows_nothing_of_those_between() {
    let app = App::new().await;
    // Hidden and open ones in turn, the newest hidden.
    for number in 1..=7 {
        super::play(&app, number, number % 2 == 1 && number < 7).await;
    }
    let token = app.token("read").await;
    let get = async |path: &str| {
        let answer = app.get_by(&token, path).await;
        answer.json()
    };
    let mut path = "/api/v1/bluffs?limit=1".to_owned();
    let mut seen = Vec::new();
    loop {
        let page = get(&path).await;
        assert_eq!(page["items"].as_array().unwrap().len(), 1, "{page}");
        assert!(page["withheld"].is_string());
        seen.push(page["items"][0]["match"].as_str().unwrap().to_owned());
        let Some(next) = page["next"].as_str() else {
            break;
        };
        path = format!("/api/v1/bluffs?limit=1&cursor={next}");
    }
    assert_eq!(seen, [5, 3, 1].map(match_id));
    let hidden = get(&format!("/api/v1/bluffs?match={}", match_id(6))).await;
    let none = (&hidden["items"], &hidden["next"]);
    let nothing = (&Value::Array(Vec::new()), &Value::Null);
    assert_eq!(none, nothing, "nobody learns that there are some");
}

#[tokio::test]
async fn an_end_is_for_all_after_the_embargo_and_when_everybody_has_received_it() {
    let mut app = App::new().await;
    play(&app).await;
    let now_us = crate::clock::now_us();
    let result = MatchResult::new(now_us - 60_000_000, games::Cause::Cancelled, vec![]);
    app.store().close_match(&match_id(1), result).await.unwrap();
    let token = app.token("read").await;
    let ours = format!("/api/v1/matches/{}/entries", match_id(1));
    let foreign = format!("/api/v1/matches/{}", match_id(2));
    for (embargo_s, seen) in [(0, true), (30, true), (90, false)] {
        app.change().embargo = Duration::from_secs(embargo_s);
        let answer = app.get_by(&token, &ours).await;
        assert_eq!(answer.text.contains("secret-ann-1"), seen, "{embargo_s}");
        let tagged = answer.headers.contains_key(header::ETAG);
        assert_eq!(tagged, seen, "{embargo_s}");
        if tagged {
            assert_eq!(
                answer.headers[header::VARY],
                "Authorization, Cookie, Accept"
            );
        }
    }
    app.change().embargo = Duration::ZERO;
    // The other referee's match has a row that has ended, and a seat that plays on.
    let row = app.get_by(&token, &foreign).await;
    assert_eq!(row.json()["live"], false, "{}", row.text);
    let model = "/api/v1/opponents/1/model";
    let forming = app.get_by(&token, model).await;
    assert_eq!(forming.json()["model"], Value::Null, "{}", forming.text);
    app.store()
        .alter("UPDATE sessions SET ended_us = opened_us WHERE match_id LIKE '%2'")
        .await;
    let entries = format!("{foreign}/entries");
    let open = app.get_by(&token, &entries).await;
    assert!(open.text.contains("secret-champion-2"), "{}", open.text);
    let formed = app.get_by(&token, model).await;
    assert_eq!(
        formed.json()["model"]["bluff_rate"]["evidence"],
        77_001,
        "{}",
        formed.text
    );
}

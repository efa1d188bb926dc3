//! Replays: their pages, and whose view each caller gets.

use super::{App, match_id, new_match, new_session};
use crate::api::films::FILMS_MAX;
use crate::api::problem::Problem;
use crate::history;
use crate::replay::{Film, View};
use crate::store::tests::fake::{Pen, call, received, said};
use crate::store::{Direction, EntryId, MatchResult, NewEntry, SessionId, Side};
use axum::http::{StatusCode, header};
use games::{Cause, Fact};
use serde_json::{Value, json};
use std::cell::Cell;
use std::collections::HashMap;
use std::sync::Arc;

/// A match of our own referee: two seats, two rounds, which has ended or not.
async fn referee(app: &App, ended: bool) -> String {
    let store = app.store();
    store.open_match(new_match(1, true)).await.unwrap();
    let mut pens = [0, 1].map(|seat| Pen::new(store, None, new_session(1, Side::Referee, seat)));
    for (turn, reply) in (0..).zip(["5", "2", "1"]) {
        let call = NewEntry::new(10 * turn, Direction::Out, call(1, turn));
        let reply = NewEntry::new(10 * turn + 1, Direction::In, reply);
        pens[turn as usize % 2]
            .write(store, vec![call, reply])
            .await;
    }
    if ended {
        let result = MatchResult::new(51, Cause::Cancelled, vec![6, 2]);
        store.close_match(&match_id(1), result).await.unwrap();
    }
    format!("/api/v1/matches/{}/replay", match_id(1))
}

fn titles(page: &Value) -> Vec<&str> {
    let items = page["items"].as_array().unwrap().iter();
    items.map(|step| step["title"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn everything_is_seen_after_the_end_page_by_page() {
    let app = App::new().await;
    let path = referee(&app, true).await;
    let whole = app.json(&path).await;
    assert_eq!(titles(&whole), ["0 to 0", "5 to 0", "5 to 2", "6 to 2"]);
    assert_eq!(
        (&whole["everything"], &whole["seat"]),
        (&json!(true), &Value::Null)
    );
    assert_eq!(
        (&whole["seats"], &whole["next"]),
        (&json!([0, 1]), &Value::Null)
    );
    assert_eq!(
        whole["items"][1],
        json!({
            "step": 1, "turn": 1, "at": "1970-01-01T00:00:00.000001Z", "seat": 0, "entry": 2,
            "title": "5 to 0", "state": {"said": "5:0"}, "facts": []
        })
    );
    let first = app.json(&format!("{path}?limit=2&pictures=true")).await;
    assert_eq!(titles(&first), ["0 to 0", "5 to 0"]);
    let still = json!({"width": 10, "height": 10, "still": "<rect class=\"s-board\"/>"});
    assert_eq!(first["picture"], still);
    assert_eq!(first["items"][1]["picture"], "<title>5:0</title>");
    let next = first["next"].as_str().unwrap();
    let rest = app.json(&format!("{path}?limit=2&cursor={next}")).await;
    assert_eq!(titles(&rest), ["5 to 2", "6 to 2"]);
    assert_eq!(
        app.json(&format!("{path}?from=2")).await["items"],
        rest["items"]
    );
    assert_eq!(rest["items"][0].get("picture"), None);
    let tail = app.json(&format!("{path}?cursor=3")).await;
    assert_eq!((titles(&tail), &tail["next"]), (vec![], &Value::Null));
    let seat = app.json(&format!("{path}?seat=1")).await;
    assert_eq!(
        (&seat["everything"], &seat["seat"]),
        (&json!(false), &json!(1))
    );
    let none = format!("{path}?seat=7");
    let none = app.problem(&none, StatusCode::NOT_FOUND).await;
    let detail = none["detail"].as_str().unwrap();
    assert!(detail.ends_with("has no seat 7: it has 0, 1"), "{detail}");
    let tag = app.get(&path).await.headers[header::ETAG].clone();
    let again = app
        .get_with(&path, header::IF_NONE_MATCH, tag.to_str().unwrap())
        .await;
    assert_eq!(again.status, StatusCode::NOT_MODIFIED);
    let seen = app
        .get_with(
            &format!("{path}?seat=1"),
            header::IF_NONE_MATCH,
            tag.to_str().unwrap(),
        )
        .await;
    assert_eq!(
        seen.status,
        StatusCode::OK,
        "another view is another answer"
    );
}

#[tokio::test]
async fn pages_open_a_match_at_its_beginning_and_the_start_page_half_way() {
    let app = App::new().await;
    referee(&app, true).await;
    let own = format!("/matches/{}", match_id(1));
    for (path, board, halves) in [(own.as_str(), "0:0", false), ("/", "5:2", true)] {
        let page = app.look(path, "").await.text;
        let board = format!("<title>{board}</title>");
        assert!(page.contains(&board), "{path}: {page}");
        let opens = page.contains("data-step=\"3\"");
        assert_eq!(opens, halves, "{path}: {page}");
    }
    // One that runs is opened at its newest step everywhere.
    let app = App::new().await;
    referee(&app, false).await;
    for path in [own.as_str(), "/"] {
        let page = app.look(path, "").await.text;
        assert!(page.contains("<title>6:2</title>"), "{path}: {page}");
        assert!(!page.contains("data-step="), "{path}: {page}");
    }
}

#[tokio::test]
async fn who_saw_it_is_said_only_where_not_everybody_did() {
    let app = App::new().await;
    let store = app.store();
    store.open_match(new_match(1, true)).await.unwrap();
    for (seat, reply) in [(0, "5"), (1, "2")] {
        let mut pen = Pen::new(store, None, new_session(1, Side::Referee, seat));
        let turn = i64::from(seat);
        let call = NewEntry::new(10 * turn, Direction::Out, call(1, turn));
        let reply = NewEntry::new(10 * turn + 1, Direction::In, reply);
        let mut append = pen.append(vec![call, reply]);
        let deal = Fact::new("deal", json!({ "number": 1 }));
        append.facts.push((deal, None));
        pen.send(store, append).await;
    }
    let result = MatchResult::new(51, Cause::Cancelled, vec![5, 2]);
    store.close_match(&match_id(1), result).await.unwrap();
    let path = format!("/matches/{}?tab=facts", match_id(1));
    let page = app.look(&path, "").await.text;
    assert!(page.contains("\">number 1</a></td>"), "{page}");
    assert!(!page.contains(">Seen by</th>"), "{page}");
    assert!(!page.contains("Who saw it"), "{page}");
}

#[tokio::test]
async fn a_step_after_the_answers_of_all_is_nobodys() {
    let app = App::new().await;
    let store = app.store();
    let mut row = new_match(1, true);
    row.setup["options"]["all"] = json!(true);
    store.open_match(row).await.unwrap();
    for (seat, reply) in [(0, "5"), (1, "\u{1}late")] {
        let mut pen = Pen::new(store, None, new_session(1, Side::Referee, seat));
        let call = format!("?market=1&id={}&type=ask&round=0", seat + 1);
        let call = NewEntry::new(0, Direction::Out, call);
        let reply = NewEntry::new(10 + i64::from(seat), Direction::In, reply);
        pen.write(store, vec![call, reply]).await;
    }
    let result = MatchResult::new(51, Cause::Cancelled, vec![5, 0]);
    store.close_match(&match_id(1), result).await.unwrap();
    let path = format!("/api/v1/matches/{}/replay", match_id(1));
    let whole = app.json(&path).await;
    assert_eq!(titles(&whole), ["0 to 0", "5 to 0"]);
    let step = &whole["items"][1];
    assert_eq!((&step["seat"], step.get("took_ms")), (&Value::Null, None));
    assert_eq!(step["late"], true, "{step}");
}

#[tokio::test]
async fn a_running_match_shows_each_seat_to_its_owner_alone() {
    let app = App::new().await;
    let path = referee(&app, false).await;
    let mut ours = Pen::new(app.store(), None, new_session(1, Side::Player, 0));
    ours.write(app.store(), vec![received("ask"), said("mine")])
        .await;
    let owner = app.get_as("bot:champion", &path).await.json();
    assert_eq!(titles(&owner), ["said ", "said mine"]);
    assert_eq!(
        (&owner["seats"], &owner["everything"]),
        (&json!([0]), &json!(false))
    );
    for (scope, rest) in [
        ("read", ""),
        ("read", "?seat=0"),
        ("bot:guide", "?seat=0"),
        ("bot:champion", "?seat=1"),
    ] {
        let page = app.get_as(scope, &format!("{path}{rest}")).await;
        assert_eq!(page.json()["items"], json!([]), "{scope} {rest}");
        assert!(page.json()["withheld"].is_string(), "{scope} {rest}");
        assert!(!page.text.contains("mine"), "{scope} {rest}");
        assert!(!page.headers.contains_key(header::ETAG));
    }
    let admin = app.get_as("admin", &path).await.json();
    assert_eq!(
        (&admin["everything"], &admin["live"]),
        (&json!(true), &json!(true))
    );
    assert_eq!(titles(&admin)[..2], ["0 to 0", "5 to 0"]);
    assert_eq!(admin.get("withheld"), None);
    let admin = app.get_as("admin", &format!("{path}?seat=1")).await.json();
    assert_eq!(
        (&admin["seat"], &admin["everything"]),
        (&json!(1), &json!(false))
    );
}

#[tokio::test]
async fn a_session_at_a_foreign_referee_has_its_own_view() {
    let app = App::new().await;
    let mut pen = Pen::player(app.store(), 1);
    pen.write(app.store(), vec![received("ask"), said("7")])
        .await;
    pen.bluff(app.store(), "W 190").await;
    pen.end(app.store(), vec![3, 1, 0, 0], 1).await;
    let page = app
        .json(&format!("/api/v1/matches/{}/replay", match_id(1)))
        .await;
    assert_eq!(titles(&page), ["said ", "said 7"]);
    assert_eq!(page["everything"], false);
    let facts = &page["items"][1]["facts"];
    assert_eq!(facts[0]["kind"], "bluff", "{page}");
    assert_eq!(facts[0]["data"]["bid"], 190);
    assert_eq!(page["kinds"]["bluff"], "bluffs");
    let path = format!("/api/v1/matches/{}/replay", match_id(1));
    for wrong in [
        "?seat=x",
        "?from=-1",
        "?pictures=1",
        "?limit=0",
        "?turn=3",
        "?cursor=x",
        "?cursor=-9",
        "?cursor=5000000000",
    ] {
        app.problem(&format!("{path}{wrong}"), StatusCode::BAD_REQUEST)
            .await;
    }
    app.problem("/api/v1/matches/x/replay", StatusCode::NOT_FOUND)
        .await;
}

#[tokio::test]
async fn a_view_is_folded_once_as_long_as_nothing_is_added() {
    let app = App::new().await;
    let (store, films) = (app.store(), &app.state.films);
    referee(&app, false).await;
    let mut pen = Pen::new(store, None, new_session(1, Side::Player, 0));
    pen.write(store, vec![received("ask"), said("5")]).await;
    let folds = Cell::new(0);
    let film = async |seat: Option<u8>| {
        let row = history::match_row(store.reader(), &match_id(1))
            .await
            .unwrap()
            .unwrap();
        let sessions = history::sessions_of(store.reader(), &match_id(1))
            .await
            .unwrap();
        let view = View::new(&sessions, seat, true).unwrap();
        let footage = crate::replay::footage(store, &row, view.clone(), true)
            .await
            .unwrap();
        let fold = async || {
            folds.set(folds.get() + 1);
            Film::new(&footage).map_err(|why| Problem::unavailable(why.to_string()))
        };
        let film = films.film(store, &row, &view, true, fold).await.unwrap();
        (film, folds.get())
    };
    // So are the decisions of a session numbered.
    let numberings = Cell::new(0);
    let number = async |film: Arc<Film>, session: i64| {
        let fold = async || {
            numberings.set(numberings.get() + 1);
            Ok::<_, Problem>(HashMap::from([(EntryId(session), 1_u64)]))
        };
        let numbers = films.numbers(&film, SessionId(session), fold).await;
        assert_eq!(numbers.unwrap()[&EntryId(session)], 1);
        numberings.get()
    };
    for (seat, expected) in [
        (None, (4, 1, 1)),
        (Some(1), (2, 2, 2)),
        (None, (4, 2, 2)),
        (Some(1), (2, 2, 2)),
    ] {
        let (film, folds) = film(seat).await;
        let shown = (film.len(), folds, number(film, 1).await);
        assert_eq!(shown, expected, "{seat:?}");
    }
    let (everything, _) = film(None).await;
    assert_eq!(number(Arc::clone(&everything), 2).await, 3);
    let result = MatchResult::new(51, Cause::Cancelled, vec![6, 2]);
    store.close_match(&match_id(1), result).await.unwrap();
    for _ in 0..2 {
        let (film, folds) = film(None).await;
        assert_eq!((folds, number(film, 1).await), (3, 4));
    }
    // Who still looks at one that is no longer kept keeps none alive.
    for expected in [5, 6] {
        assert_eq!(number(Arc::clone(&everything), 1).await, expected);
    }
}

#[tokio::test]
async fn a_part_is_the_same_wherever_it_begins() {
    let app = App::new().await;
    let mut pen = Pen::player(app.store(), 1);
    for turn in 0..90 {
        let lines = vec![received("ask"), said(&turn.to_string())];
        pen.write(app.store(), lines).await;
    }
    pen.end(app.store(), vec![3, 1, 0, 0], 1).await;
    let path = format!("/api/v1/matches/{}/replay?pictures=true", match_id(1));
    let whole = app.json(&format!("{path}&limit=250")).await;
    let items = whole["items"].as_array().unwrap();
    assert!(items.len() > 70 && whole["steps"] == items.len(), "{whole}");
    for from in [0, 1, 31, 32, 33, 64, items.len() - 1] {
        let part = app.json(&format!("{path}&from={from}&limit=40")).await;
        let expected = &items[from..items.len().min(from + 40)];
        assert_eq!(part["items"].as_array().unwrap(), expected, "{from}");
    }
    let bare = app.json(&format!("{path}&states=false&limit=1")).await;
    assert_eq!(bare["items"][0].get("state"), None);
    assert_eq!(bare["items"][0]["picture"], items[0]["picture"]);
}

#[tokio::test]
async fn only_a_few_films_are_kept() {
    let app = App::new().await;
    for number in 1..=FILMS_MAX as u64 + 2 {
        super::play(&app, number, true).await;
        let path = format!("/api/v1/matches/{}/replay", match_id(number));
        assert_eq!(titles(&app.json(&path).await), ["said ", "said 7"]);
    }
    assert_eq!(app.state.films.count(), FILMS_MAX);
}

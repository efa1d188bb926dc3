//! Matches of tournaments.

use super::App;
use crate::history;
use crate::store::tests::fake::{TOURNAMENT, match_id, new_match, new_tournament, round, slot};
use crate::store::{MatchResult, Slot, StoredRound, TournamentRow};
use axum::http::StatusCode;
use games::{Cause, Part, Participation};
use serde_json::{Value, json};

fn ended(number: u64) -> MatchResult {
    MatchResult {
        slot: Some(Box::new(slot(1, number))),
        ..MatchResult::new(9, Cause::Normal, vec![4, 1])
    }
}

#[tokio::test]
async fn matches_show_their_places_and_entrants_and_are_listed_by_them() {
    let app = App::new().await;
    let store = app.store();
    let new = new_tournament(TOURNAMENT);
    history::create_tournament(store, new).await.unwrap();
    let added = history::add_round(store, TOURNAMENT, round(1));
    added.await.unwrap();
    for of in 1..=2 {
        let mut row = new_match(of, true);
        slot(1, of).seat(&mut row);
        store.open_match(row).await.unwrap();
    }
    store.open_match(new_match(3, true)).await.unwrap();
    store.close_match(&match_id(1), ended(0)).await.unwrap();

    let one = app.json(&format!("/api/v1/matches/{}", match_id(1))).await;
    let place = json!({ "id": TOURNAMENT, "name": "spring", "round": 1, "table": 3, "number": 0 });
    assert_eq!(one["tournament"], place);
    assert_eq!(one["seats"][0]["entrant"], "ben");
    let list = app.get("/matches").await.text;
    let chip = format!("<a class=\"chip\" href=\"/tournaments/{TOURNAMENT}\">spring</a>");
    for part in [
        "3 matches",
        &*chip,
        "ben <span class=\"soft\">4 points</span>",
    ] {
        assert!(list.contains(part), "{part}: {list}");
    }
    let path = format!("/matches/{}", match_id(1));
    let about = app.get(&format!("{path}?tab=about")).await;
    let tournament = format!("<a href=\"/tournaments/{TOURNAMENT}\">spring, round 2, table 4</a>");
    assert!(about.text.contains(&tournament), "{}", about.text);
    // When it began is dated above its heading, on every tab, and on this one.
    let began = one["started"].as_str().unwrap();
    let date = began[..19].replace('T', " ");
    let dates = about.text.matches(&format!(">{date}</time>")).count();
    assert_eq!(dates, 2, "{date}: {}", about.text);
    let running = app.json(&format!("/api/v1/matches/{}", match_id(2))).await;
    assert_eq!(running["tournament"], Value::Null);
    assert_eq!(running["seats"][1]["entrant"], "anna");
    for (query, markets) in [
        ("entrant=anna", json!([2, 1])),
        ("entrant=anna&outcome=won", json!([])),
        ("entrant=cleo", json!([])),
        (&format!("tournament={TOURNAMENT}"), json!([1])),
        (&format!("tournament={TOURNAMENT}&entrant=ben"), json!([1])),
    ] {
        let page = app.json(&format!("/api/v1/matches?{query}")).await;
        let items = page["items"].as_array().unwrap();
        let found: Value = items.iter().map(|row| row["market"].clone()).collect();
        assert_eq!(found, markets, "{query}");
    }
    for wrong in [
        "bluffs?entrant=anna",
        "matches?tournament=another",
        "matches?entrant=dora",
    ] {
        let answer = app.get(&format!("/api/v1/{wrong}")).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{wrong}");
    }
    // A match leads to the one after it, once that has ended.
    assert!(!about.text.contains("rel=\"next\""), "{}", about.text);
    store.close_match(&match_id(2), ended(1)).await.unwrap();
    let next = format!("<a href=\"/matches/{}\" rel=\"next\">", match_id(2));
    let page = app.get(&path).await.text;
    assert!(page.contains(&tournament) && page.contains(&next), "{page}");
    assert!(!page.contains("rel=\"prev\""), "{page}");
    // In a list that nothing was asked of, both are one row.
    let both = format!("<a class=\"players\" href=\"/matches?tournament={TOURNAMENT}\">");
    let each = [1, 2].map(|number| format!("href=\"/matches/{}\"", match_id(number)));
    let all = app.get("/matches").await.text;
    let folded = "<span class=\"one\">2 matches</span></a> <span class=\"soft\">round 2</span>";
    assert!(all.contains(&both) && all.contains(folded), "{all}");
    assert!(!each.iter().any(|link| all.contains(link)), "{all}");
    let path = format!("/matches?tournament={TOURNAMENT}");
    let asked = app.get(&path).await.text;
    assert!(each.iter().all(|link| asked.contains(link)), "{asked}");
}

/// A match of a tournament that ended so.
async fn played(app: &App, of: u64, slot: Slot, result: MatchResult) {
    let mut row = new_match(of, true);
    slot.seat(&mut row);
    app.store().open_match(row).await.unwrap();
    let (id, slot) = (match_id(of), Some(Box::new(slot)));
    let result = MatchResult { slot, ..result };
    app.store().close_match(&id, result).await.unwrap();
}

#[tokio::test]
async fn a_row_of_a_tournaments_matches_says_what_went_wrong_and_who_won() {
    const OTHER: &str = "01TOURNAMENT00000000000002";
    let app = App::new().await;
    let store = app.store();
    for id in [TOURNAMENT, OTHER] {
        let new = new_tournament(id);
        history::create_tournament(store, new).await.unwrap();
        history::add_round(store, id, round(1)).await.unwrap();
    }
    let other = |number| Slot {
        tournament: OTHER.into(),
        ..slot(1, number)
    };
    let won = || MatchResult::new(9, Cause::Normal, vec![4, 1]);
    let part = |part: Participation| MatchResult {
        participation: vec![Some(part)],
        ..won()
    };
    let fallback = Participation {
        decisions: Some(5),
        fallback: Some(2),
        ..Participation::played()
    };
    let crashed = Participation {
        how: Part::Crashed,
        ..fallback.clone()
    };
    let fault = MatchResult::new(9, Cause::Crash, vec![4, 1]);
    for (of, slot, result) in [
        (1, slot(1, 0), won()),
        (2, slot(1, 1), won()),
        (4, slot(1, 2), fault),
        (5, slot(1, 3), part(crashed)),
        (6, slot(1, 4), part(fallback)),
        (7, other(0), won()),
        (8, other(1), won()),
        (9, slot(1, 5), won()),
    ] {
        played(&app, of, slot, result).await;
    }
    store.open_match(new_match(3, true)).await.unwrap();
    let end = history::end_tournament(store, TOURNAMENT, 9, "played".into());
    end.await.unwrap();
    // Its game has no standings.
    let winners = &app.state.standings.winners;
    let winner = (TOURNAMENT.to_owned(), "Wanda".to_owned());
    winners.lock().await.extend([winner]);

    let page = app.get("/matches").await.text;
    let rows = page.split("<tr data-key=").skip(1);
    let rows = rows.map(|row| row.split("</tr>").next().unwrap());
    let rows: Vec<&str> = rows.collect();
    let to = |of: u64| format!("href=\"/matches/{}\"", match_id(of));
    let of = |id: &str| format!("href=\"/matches?tournament={id}\"");
    let faults = "1 by a fault, 1 with a failed player, 2 with fallback answers</span>";
    let expected = [
        vec![to(9)],
        vec![of(OTHER), ">2 matches<".into()],
        vec![of(TOURNAMENT), ">3 of its 6 matches<".into(), faults.into()],
        vec![to(3), "tag live".into()],
        vec![of(TOURNAMENT), ">2 of its 6 matches<".into()],
    ];
    assert_eq!(rows.len(), expected.len(), "{page}");
    for (row, parts) in rows.iter().zip(&expected) {
        let is_won = parts.contains(&of(TOURNAMENT));
        assert_eq!(row.contains("winner: Wanda<"), is_won, "{row}");
        assert_eq!(row.contains("tag live"), parts.contains(&to(3)), "{row}");
        assert_eq!(row.contains("tag warn"), parts.len() > 2, "{row}");
        assert!(parts.iter().all(|part| row.contains(part)), "{row}");
    }
}

#[tokio::test]
async fn a_tournament_that_cannot_be_read_in_full_says_so_and_shows_the_rest() {
    let app = App::new().await;
    let store = app.store();
    let broken = TournamentRow {
        game: "planowanie".into(),
        ..new_tournament(TOURNAMENT)
    };
    history::create_tournament(store, broken).await.unwrap();
    let unreadable = StoredRound {
        decision: json!({}),
        ..round(0)
    };
    for round in [unreadable, round(1), round(2)] {
        history::add_round(store, TOURNAMENT, round).await.unwrap();
    }
    let of = format!("/api/v1/tournaments/{TOURNAMENT}");
    for path in ["standings", "crosstable", "ratings"] {
        let answer = app.get(&format!("{of}/{path}")).await;
        assert_eq!(
            answer.status,
            StatusCode::CONFLICT,
            "{path}: {}",
            answer.text
        );
        let problem = answer.json();
        assert_eq!(problem["type"], "urn:drover:problem:unreadable");
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.contains("round 1 is stored in a form"), "{detail}");
    }
    assert_eq!(app.json(&of).await["rounds"], 3);
    assert_eq!(
        app.json(&format!("{of}/schedule")).await["items"][0]["round"],
        0
    );
    let rated = app.json("/api/v1/ratings").await;
    assert_eq!(rated["items"], json!([]));
    assert!(
        rated["withheld"]
            .as_str()
            .unwrap()
            .contains("cannot be read")
    );
    // The list reads tournaments on its own: those that pages need stay.
    let end = history::end_tournament(store, TOURNAMENT, 9, "played".into());
    end.await.unwrap();
    let standings = &app.state.standings;
    standings.kept.lock().await.clear();
    assert_eq!(app.get("/tournaments").await.status, StatusCode::OK);
    assert!(standings.kept.lock().await.is_empty());
    assert_eq!(standings.winners.lock().await.len(), 1);
    let page = app.get(&format!("/tournaments/{TOURNAMENT}")).await;
    assert_eq!(page.status, StatusCode::OK, "{}", page.text);
    for part in [
        "There are no standings",
        "round 1 is stored in a form",
        "id=\"round-1\"",
    ] {
        assert!(page.text.contains(part), "{part}: {}", page.text);
    }
    // Of rounds with the same reason the first one says it.
    let said = page.text.matches("UTC\">random").count();
    assert_eq!(said, 1, "{}", page.text);
    assert!(!page.text.contains("UTC\"></small>"), "{}", page.text);
}

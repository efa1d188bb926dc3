//! Results by seat, facts once a match, and lateness: what an analyst asks for.

use super::{App, play};
use crate::api::sparse::Fields;
use crate::api::{all_facts, lateness, results};
use crate::history;
use crate::store::tests::fake::{
    Pen, TOURNAMENT, match_id, new_match, new_session, new_tournament, received, round, said, slot,
};
use crate::store::{EntryId, LedgerRow, MatchResult, NewSession, SessionId, Side};
use axum::http::StatusCode;
use games::{Cause, Fact, Part, Participation};
use serde_json::{Value, json};
use std::time::Duration;
use utoipa::ToSchema;

/// A match of our referee between two built-in bots, with these scores if it has ended.
async fn duel(app: &App, number: u64, scores: Option<[i64; 2]>) -> SessionId {
    let mut row = new_match(number, true);
    for (seat, spec) in row.seats.iter_mut().zip(["champion", "evolved"]) {
        seat.spec = format!("builtin:{spec}");
    }
    let session = NewSession {
        bot: "builtin:champion".into(),
        ..new_session(number, Side::Referee, 0)
    };
    let mut pen = Pen::new(app.store(), Some(row), session);
    pen.bluff(app.store(), "W 190").await;
    pen.bluff(app.store(), "W 10").await;
    if let Some(scores) = scores {
        pen.end(app.store(), scores.to_vec(), 1).await;
        let result = MatchResult {
            participation: vec![Some(Participation::played()); 2],
            ..MatchResult::new(9, Cause::Normal, scores.to_vec())
        };
        app.store()
            .close_match(&match_id(number), result)
            .await
            .unwrap();
    }
    pen.id
}

fn items(page: &Value) -> Vec<Value> {
    page["items"].as_array().unwrap().clone()
}

/// These fields of a list's rows.
async fn picked<const COUNT: usize>(app: &App, path: &str, names: [&str; COUNT]) -> Vec<Value> {
    let rows = items(&app.json(path).await);
    let pick = |row: &Value| names.map(|name| row[name].clone()).into_iter().collect();
    rows.iter().map(pick).collect()
}

#[tokio::test]
async fn results_have_a_row_for_each_seat() {
    let app = App::new().await;
    for (number, scores) in [(1, Some([4, 1])), (2, Some([2, 2])), (3, None)] {
        duel(&app, number, scores).await;
    }
    let names = ["seat", "bot", "score", "rank", "outcome", "opponents"];
    let rows = picked(&app, "/api/v1/results", names).await;
    let expected = [
        json!([0, "champion", null, null, "live", "evolved"]),
        json!([1, "evolved", null, null, "live", "champion"]),
        json!([0, "champion", 2, 1, "tied", "evolved"]),
        json!([1, "evolved", 2, 1, "tied", "champion"]),
        json!([0, "champion", 4, 1, "won", "evolved"]),
        json!([1, "evolved", 1, 2, "lost", "champion"]),
    ];
    assert_eq!(rows, expected);
    // Filters of a seat choose rows.
    for (query, seats) in [
        ("bot=champion", vec![0, 0, 0]),
        ("bot=builtin:champion&outcome=won", vec![0]),
        ("outcome=lost", vec![1]),
        ("outcome=live", vec![0, 1]),
        ("opponent=champion", vec![1, 1, 1]),
        ("bot=champion&opponent=evolved&outcome=tied", vec![0]),
        ("participation=played", vec![0, 1, 0, 1]),
        (format!("match={}", match_id(2)).as_str(), vec![0, 1]),
    ] {
        let path = format!("/api/v1/results?{query}");
        let found = picked(&app, &path, ["seat"]).await;
        let seats: Vec<Value> = seats.into_iter().map(|seat| json!([seat])).collect();
        assert_eq!(found, seats, "{query}");
    }
    // One of our bots behind an address has either of its names.
    let mut row = new_match(4, true);
    row.seats[0].spec = "builtin:champion".to_owned();
    row.seats[1].spec = "url:http://127.0.0.1:1/toy/face".to_owned();
    app.store().open_match(row).await.unwrap();
    let session = NewSession {
        bot: "face".to_owned(),
        ..new_session(4, Side::Player, 1)
    };
    let mut pen = Pen::new(app.store(), None, session);
    pen.end(app.store(), vec![1, 4], 0).await;
    for opponent in ["face", "builtin:face"] {
        let path = format!("/api/v1/results?opponent={opponent}");
        let found = picked(&app, &path, ["seat", "bot"]).await;
        assert_eq!(found, [json!([0, "champion"])], "{opponent}");
    }
    for (query, name) in [
        ("bot=chamption", "champion"),
        ("opponent=nobody", "nobody"),
        ("tournament=none", "none"),
        ("cursor=7", "7"),
        ("cursor=01AAAAAAAAAAAAAAAA00000001.x", "x"),
        ("limit=251", "251"),
    ] {
        let path = format!("/api/v1/results?{query}");
        let problem = app.problem(&path, StatusCode::BAD_REQUEST).await;
        assert!(problem["detail"].to_string().contains(name), "{problem}");
    }
}

/// All rows of a list, read in pages of this length.
async fn paged(app: &App, path: &str, limit: usize) -> Vec<Value> {
    let (mut all, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = app.json(&format!("{path}limit={limit}{cursor}")).await;
        let rows = items(&page);
        assert!(rows.len() <= limit);
        all.extend(rows);
        match page["next"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return all,
        }
    }
}

#[tokio::test]
async fn pages_of_several_rows_a_match_lose_and_repeat_nothing() {
    let app = App::new().await;
    // More than are read at once.
    for number in 1..=20 {
        duel(&app, number, Some([number as i64 % 3, 1])).await;
    }
    for path in [
        "/api/v1/results?",
        "/api/v1/results?outcome=won&",
        "/api/v1/facts?",
        "/api/v1/facts?caught=true&by=champion&",
    ] {
        let all = paged(&app, path, 250).await;
        assert!(all.len() > 6, "{path}: {}", all.len());
        for limit in [1, 7, 100] {
            assert_eq!(paged(&app, path, limit).await, all, "{path} {limit}");
        }
        let (list, query) = path.split_once('?').unwrap();
        let lines = app.get(&format!("{list}.ndjson?{query}")).await.text;
        assert_eq!(lines.lines().count(), all.len(), "{path}");
    }
}

#[tokio::test]
async fn tables_of_results_and_facts_are_flat_and_in_order() {
    let app = App::new().await;
    let mut row = new_match(1, true);
    row.seats[0].name = Some("=cmd()".into());
    row.seats[1].spec = "builtin:champion".into();
    let session = new_session(1, Side::Referee, 0);
    let mut pen = Pen::new(app.store(), Some(row), session);
    pen.bluff(app.store(), "W 190").await;
    pen.end(app.store(), vec![1, 0], 1).await;
    let result = MatchResult::new(9, Cause::Normal, vec![1, 0]);
    let close = app.store().close_match(&match_id(1), result).await;
    close.unwrap();
    for (path, first) in [
        ("/api/v1/results.csv", "match,started,ended,game,"),
        ("/api/v1/facts.csv", "match,started,game,tournament,"),
    ] {
        let text = app.get(path).await.text;
        assert!(text.starts_with(first), "{text}");
        assert!(text.contains("'=cmd()"), "{text}");
        let mut rows = csv::Reader::from_reader(text.as_bytes());
        for row in rows.records() {
            for cell in &row.unwrap() {
                assert!(!cell.contains(['[', '{', '"']), "{path}: {cell}");
                assert!(!cell.starts_with(['=', '+', '@']), "{path}: {cell}");
            }
        }
    }
    has_all_columns::<results::ResultShown>(results::COLUMNS);
    has_all_columns::<all_facts::MatchFactShown>(all_facts::COLUMNS);
    has_all_columns::<lateness::LedgerSummary>(lateness::COLUMNS);
}

fn has_all_columns<T: ToSchema>(columns: &[&str]) {
    let [named, all] = [columns, &[]].map(|columns| {
        let mut headings = Fields::columns::<T>(columns).headings().to_vec();
        headings.sort_unstable();
        headings
    });
    assert_eq!(named, all);
}

#[tokio::test]
async fn facts_of_matches_that_are_over_are_there_once_with_names() {
    let app = App::new().await;
    for (number, scores) in [(1, Some([4, 1])), (2, Some([1, 2])), (3, None)] {
        duel(&app, number, scores).await;
    }
    let names = ["match", "by", "by_seat", "by_outcome", "bid", "caught"];
    let check = async |query: &str, expected: &[Value]| {
        let path = format!("/api/v1/facts?{query}");
        let found = picked(&app, &path, names).await;
        assert_eq!(found, expected, "{query}");
    };
    let row = |number, outcome: &str, bid: i64| {
        json!([match_id(number), "champion", 0, outcome, bid, bid > 100])
    };
    let (lost, won) = (
        [row(2, "lost", 190), row(2, "lost", 10)],
        [row(1, "won", 190)],
    );
    // A running match's are nobody's to list, not even an admin's.
    let all = [lost.clone(), [row(1, "won", 190), row(1, "won", 10)]].concat();
    check("", &all).await;
    check("outcome=lost", &lost).await;
    check("outcome=won&caught=true", &won).await;
    check("bot=champion&outcome=lost&caught=true", &lost[..1]).await;
    check("by=champion&outcome=won&caught=true", &won).await;
    check("by=evolved", &[]).await;
    check("bot=evolved&outcome=won", &lost).await;
    check(&format!("match={}", match_id(3)), &[]).await;
    check(
        &format!("kind=bluff&match={}", match_id(1)),
        &[row(1, "won", 190), row(1, "won", 10)],
    )
    .await;
    for (query, name) in [
        ("bot=chamption", "champion"),
        ("by=nobody", "nobody"),
        ("opponent=nobody", "nobody"),
        ("tournament=none", "none"),
        ("match=none", "none"),
        ("kind=dream", "auction"),
        ("outcome=live", "lost"),
    ] {
        let path = format!("/api/v1/facts?{query}");
        let problem = app.problem(&path, StatusCode::BAD_REQUEST).await;
        assert!(problem.to_string().contains(name), "{query}: {problem}");
    }
}

#[tokio::test]
async fn what_two_seats_note_of_one_event_is_listed_once() {
    let app = App::new().await;
    app.store().open_match(new_match(1, true)).await.unwrap();
    for seat in 0..2 {
        let session = new_session(1, Side::Referee, seat);
        let mut pen = Pen::new(app.store(), None, session);
        let mut append = pen.append(vec![said("ask"), received("7")]);
        for number in 1..=2 {
            let deal = Fact::new("deal", json!({ "number": number, "by": seat }));
            append.facts.push((deal, None));
        }
        pen.send(app.store(), append).await;
        pen.end(app.store(), vec![4, 1], 1).await;
    }
    let result = MatchResult::new(9, Cause::Normal, vec![4, 1]);
    let closed = app.store().close_match(&match_id(1), result).await;
    closed.unwrap();
    let path = format!("/api/v1/matches/{}/facts", match_id(1));
    let names = ["kind", "seat", "seats"];
    let once = json!(["deal", 0, [0, 1]]);
    assert_eq!(
        picked(&app, &path, names).await,
        [once.clone(), once.clone()]
    );
    let all = paged(&app, &format!("{path}?"), 250).await;
    assert_eq!(paged(&app, &format!("{path}?"), 1).await, all);
    // What one seat noted is there as it noted it.
    let own = picked(&app, &format!("{path}?seat=1"), names).await;
    let own_deal = json!(["deal", 1, null]);
    assert_eq!(own, [own_deal.clone(), own_deal]);
    assert_eq!(
        picked(&app, &format!("{path}?kind=deal"), names)
            .await
            .len(),
        2
    );
    assert_eq!(
        picked(&app, &format!("{path}?kind=bluff"), names)
            .await
            .len(),
        0
    );
}

#[tokio::test]
async fn facts_of_a_player_who_is_called_as_a_bot_are_found() {
    let app = App::new().await;
    let mut row = new_match(1, true);
    row.seats[0].name = Some("guide".into());
    let mut pen = Pen::new(app.store(), Some(row), new_session(1, Side::Referee, 0));
    pen.bluff(app.store(), "W 190").await;
    pen.end(app.store(), vec![4, 1], 1).await;
    let result = MatchResult::new(9, Cause::Normal, vec![4, 1]);
    let closed = app.store().close_match(&match_id(1), result).await;
    closed.unwrap();
    let found = picked(&app, "/api/v1/facts?by=guide", ["by"]).await;
    assert_eq!(found, [json!(["guide"])]);
}

#[tokio::test]
async fn nothing_but_the_row_is_shown_of_a_match_under_embargo() {
    let mut app = App::new().await;
    let session = duel(&app, 1, Some([4, 1])).await;
    note(&app, vec![decision(session, 1, 150_000, false)]).await;
    app.change().embargo = Duration::from_secs(1_000_000_000_000);
    let reads = app.token("read").await;
    let admin = app.token("admin").await;
    for (token, seen) in [(&reads, false), (&admin, true)] {
        let results = app
            .get_by(token, "/api/v1/results?bot=champion")
            .await
            .json();
        let result = &results["items"][0];
        assert_eq!(result["score"], 4);
        assert_eq!(result["late"].is_null(), !seen, "{result}");
        for path in [
            "/api/v1/facts",
            "/api/v1/ledger?by=bot",
            "/api/v1/ledger?by=reason&bot=champion",
        ] {
            let page = app.get_by(token, path).await.json();
            assert_eq!(items(&page).is_empty(), !seen, "{path}: {page}");
            assert_eq!(page.get("withheld").is_some(), !seen, "{path}");
        }
    }
}

fn decision(session: SessionId, entry: i64, sent_us: u32, fallback: bool) -> LedgerRow {
    LedgerRow {
        session,
        entry: EntryId(entry),
        at_us: 1_000_000,
        queued_us: 50,
        thought_us: sent_us / 4,
        committed_us: sent_us,
        sent_us,
        limit_us: 100_000,
        fallback,
    }
}

/// Notes rows, and waits until they are there.
async fn note(app: &App, rows: Vec<LedgerRow>) {
    let count = rows.len();
    for row in rows {
        app.store().note_ledger(row);
    }
    loop {
        let rows = history::ledger_newest(app.store().reader(), 1_000).await;
        if rows.unwrap().len() == count {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// Asks, and gives the entry that asked.
async fn ask(app: &App, pen: &mut Pen) -> i64 {
    let asked = pen.write(app.store(), vec![received("ask")]).await;
    asked.last.unwrap().0
}

/// Answers; a fallback does, if there is a reason.
async fn answer(app: &App, pen: &mut Pen, cause: Option<&str>) {
    let mut append = pen.append(vec![said("7")]);
    let fact = cause.map(|cause| Fact::new("fallback", json!({ "cause": cause })));
    append.facts.extend(fact.map(|fact| (fact, None)));
    pen.send(app.store(), append).await;
}

#[tokio::test]
async fn the_reason_of_a_late_answer_is_its_own_decisions() {
    let app = App::new().await;
    let mut one = Pen::player(app.store(), 1);
    let mut other = Pen::new(
        app.store(),
        Some(new_match(2, false)),
        NewSession {
            bot: "bot:mybot@2".into(),
            ..new_session(2, Side::Player, 0)
        },
    );
    let mut rows = Vec::new();
    // Entries of both lie between each other's.
    for (cause, sent_us) in [
        (None, 10),
        (Some("program_late"), 20),
        (None, 150_000),
        (Some("program_illegal"), 30),
        (None, 40),
        (Some("program_late"), 50),
    ] {
        let asked = ask(&app, &mut other).await;
        rows.push(decision(other.id, asked, sent_us, cause.is_some()));
        let asked = ask(&app, &mut one).await;
        rows.push(decision(one.id, asked, sent_us.min(60), false));
        answer(&app, &mut other, cause).await;
        answer(&app, &mut one, None).await;
    }
    note(&app, rows).await;
    for pen in [&mut one, &mut other] {
        pen.end(app.store(), vec![3, 1, 0, 0], 1).await;
    }
    let path = format!("/api/v1/matches/{}/ledger", match_id(2));
    let found = picked(&app, &path, ["bot", "fallback", "late", "reason"]).await;
    let mine =
        |fallback: bool, late: bool, reason: Value| json!(["bot:mybot@2", fallback, late, reason]);
    let expected = [
        mine(false, false, Value::Null),
        mine(true, true, json!("program_late")),
        mine(false, true, json!("committed")),
        mine(true, false, json!("program_illegal")),
        mine(false, false, Value::Null),
        mine(true, true, json!("program_late")),
    ];
    assert_eq!(found, expected);
    let names = ["bot", "reason", "decisions", "late", "fallbacks", "more"];
    let sums = picked(&app, "/api/v1/ledger?by=bot,reason&bot=bot:mybot", names).await;
    let expected = [
        json!(["bot:mybot@2", null, 2, 0, 0, false]),
        json!(["bot:mybot@2", "committed", 1, 1, 0, false]),
        json!(["bot:mybot@2", "program_illegal", 1, 0, 1, false]),
        json!(["bot:mybot@2", "program_late", 2, 2, 2, false]),
    ];
    assert_eq!(sums, expected);
    let by_match = picked(
        &app,
        "/api/v1/ledger?by=match",
        ["match", "decisions", "late"],
    )
    .await;
    assert_eq!(
        by_match,
        [json!([match_id(1), 6, 0]), json!([match_id(2), 6, 3])]
    );
    // On their page they stand by their time, or in their order.
    let sum = "6 decisions; the slowest took 60 µs of the 100 ms allowed; none was answered by the fallback.";
    for (sort, wanted) in [
        ("", ["60", "50", "40", "30", "20", "10"]),
        ("&sort=order", ["10", "20", "60", "30", "40", "50"]),
    ] {
        let page = format!("/matches/{}?tab=decisions{sort}", match_id(1));
        let page = app.look(&page, "").await.text;
        assert!(page.contains(sum), "{page}");
        let (_, each) = page.split_once("<h3>All decisions").unwrap();
        let cells = each.split("<td class=\"n wide\">").skip(1);
        let times = cells.filter_map(|cell| Some(cell.split_once(" µs</td>")?.0));
        assert!(times.eq(wanted), "{page}");
    }
    let page = format!("/matches/{}?tab=decisions&cursor=2", match_id(1));
    let page = app.look(&page, "").await.text;
    assert!(page.contains("<h3>3–6 of the 6 decisions"), "{page}");
    assert!(page.contains("First page") && !page.contains("Next page"));
    assert!(!page.contains(" <span class=\"tag\">slowest<"), "{page}");
    assert!(!page.contains(" of 100 ms<"), "a limit is no news: {page}");
    let beyond = format!("/matches/{}?tab=decisions&cursor=6", match_id(1));
    let beyond = app.look(&beyond, "").await.text;
    assert!(beyond.contains("<h3>6–6 of the 6 decisions"), "{beyond}");
    // The seat's row, and the record against rivals, count the same.
    let result = picked(
        &app,
        "/api/v1/results?bot=bot:mybot@2",
        ["decisions", "fallbacks", "late"],
    )
    .await;
    assert_eq!(result, [json!([6, 3, 3])]);
    let versus = app.json("/api/v1/bots/toy/bot:mybot@2/versus").await;
    assert_eq!(versus["items"][0]["own_times"]["late"], 3, "{versus}");
    for (query, name) in [
        ("by=day", "reason"),
        ("bot=bot:mybott", "mybott"),
        ("match=none", "none"),
        ("by=bot&tournament=none", "none"),
    ] {
        let path = format!("/api/v1/ledger?{query}");
        let problem = app.problem(&path, StatusCode::BAD_REQUEST).await;
        assert!(problem.to_string().contains(name), "{query}: {problem}");
    }
}

#[tokio::test]
async fn results_name_the_place_in_a_tournament() {
    let app = App::new().await;
    let store = app.store();
    let new = new_tournament(TOURNAMENT);
    history::create_tournament(store, new).await.unwrap();
    history::add_round(store, TOURNAMENT, round(1))
        .await
        .unwrap();
    let mut row = new_match(3, true);
    slot(1, 0).seat(&mut row);
    store.open_match(row).await.unwrap();
    let silent = Participation {
        how: Part::Silent,
        ..Participation::played()
    };
    let result = MatchResult {
        slot: Some(Box::new(slot(1, 0))),
        blame: Some(1),
        participation: vec![None, Some(silent)],
        ..MatchResult::new(9, Cause::TimeForfeit, vec![4, 1])
    };
    store.close_match(&match_id(3), result).await.unwrap();
    let names = [
        "round",
        "table",
        "player",
        "entrant",
        "blame",
        "participation",
    ];
    let path = format!("/api/v1/results?tournament={TOURNAMENT}");
    let expected = [
        json!([1, 3, "ben", "ben", 1, null]),
        json!([1, 3, "anna", "anna", 1, "silent"]),
    ];
    assert_eq!(picked(&app, &path, names).await, expected);
    let own = format!("{path}&entrant=anna&participation=silent&cause=time_forfeit");
    assert_eq!(picked(&app, &own, names).await, expected[1..]);
    play(&app, 1, true).await;
    let foreign = picked(
        &app,
        "/api/v1/results?bot=champion",
        ["seat", "outcome", "opponents"],
    )
    .await;
    assert_eq!(foreign, [json!([0, "won", "?; ?; ?"])]);
}

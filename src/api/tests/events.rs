//! Streams of events: everything once, in order, for the eyes that may see it.

use super::{App, Live, bearer};
use crate::api::Feeds;
use crate::api::auth::PASS;
use crate::clock::now_us;
use crate::history;
use crate::link::LeavesAt;
use crate::store::tests::fake::{
    Pen, TOURNAMENT, match_id, new_match, new_session, new_tournament, received, round, said, slot,
};
use crate::store::{MatchResult, Side};
use axum::http::{HeaderName, StatusCode, header};
use games::Cause;
use serde_json::Value;
use std::time::Duration;
use tokio::time::Instant;

const LAST_SEEN: HeaderName = HeaderName::from_static("last-event-id");

/// A stream being read.
struct Stream(Live);

/// An event with its kind, id and data.
type Event = (String, String, Value);

impl Stream {
    async fn open(app: &App, path: &str, token: Option<&str>, last: Option<&str>) -> Self {
        let bearer = bearer(token);
        let headers = [
            (header::AUTHORIZATION, bearer.as_deref()),
            (LAST_SEEN, last),
        ];
        Self::with(app, path, &headers, None).await
    }

    /// With these headers, on a connection that is to end then.
    async fn with(
        app: &App,
        path: &str,
        headers: &[(HeaderName, Option<&str>)],
        leaves: Option<LeavesAt>,
    ) -> Self {
        let live = Live::open(app, path, headers, leaves).await;
        assert_eq!(live.headers[header::CONTENT_TYPE], "text/event-stream");
        Self(live)
    }

    /// The next event; `None` at the end.
    async fn next(&mut self) -> Option<Event> {
        loop {
            let event = self.0.up_to("\n\n").await?.unwrap();
            let field = |name: &str| {
                let lines = event.lines().filter_map(|line| line.strip_prefix(name));
                lines.map(str::trim).collect::<String>()
            };
            let (kind, id, data) = (field("event:"), field("id:"), field("data:"));
            if !kind.is_empty() {
                return Some((kind, id, serde_json::from_str(&data).unwrap()));
            }
        }
    }

    async fn expect(&mut self, kind: &str) -> (String, Value) {
        let (found, id, data) = self.next().await.expect("an event");
        assert_eq!(found, kind, "{data}");
        (id, data)
    }

    /// The texts of the next entries, and the id of the last.
    async fn entries(&mut self, count: usize) -> (String, Vec<String>) {
        let (mut last, mut texts) = (String::new(), Vec::new());
        for _ in 0..count {
            let (id, data) = self.expect("entry").await;
            texts.push(data["text"].as_str().unwrap().to_owned());
            last = id;
        }
        (last, texts)
    }
}

fn events(number: u64) -> String {
    format!("/matches/{}/events", match_id(number))
}

#[tokio::test]
async fn a_match_is_followed_from_its_state_to_its_end() {
    let app = App::new().await;
    let mut pen = Pen::player(app.store(), 1);
    pen.write(app.store(), vec![received("a"), said("b")]).await;
    let mut stream = Stream::open(&app, &events(1), None, None).await;
    let (first, state) = stream.expect("state").await;
    assert_eq!(
        state["match"],
        app.json(&format!("/api/v1/matches/{}", match_id(1))).await
    );
    let list = app
        .json(&format!("/api/v1/matches/{}/entries", match_id(1)))
        .await;
    assert_eq!((first.as_str(), &state["upto"]), ("0-0", &"2-0".into()));
    for (id, entry) in ["1-0", "2-0"]
        .into_iter()
        .zip(list["items"].as_array().unwrap())
    {
        assert_eq!(stream.expect("entry").await, (id.to_owned(), entry.clone()));
    }
    pen.write(app.store(), vec![received("c"), said("d")]).await;
    let (at, texts) = stream.entries(2).await;
    assert_eq!(
        (at.as_str(), texts),
        ("4-0", vec!["c".to_owned(), "d".to_owned()])
    );
    pen.bluff(app.store(), "W 190").await;
    assert_eq!(stream.expect("entry").await.0, "5-0");
    let (at, fact) = stream.expect("fact").await;
    assert_eq!((at.as_str(), &fact["kind"]), ("5-1", &"bluff".into()));
    pen.end(app.store(), vec![5, 3], 1).await;
    let (at, _) = stream.entries(1).await;
    assert_eq!(at, "6-1");
    let (_, end) = stream.expect("end").await;
    assert_eq!(
        (&end["live"], &end["cause"]),
        (&false.into(), &"normal".into())
    );
    assert_eq!(stream.next().await, None);
    // Who knows it all need not come again; who does not gets the rest, once.
    let path = format!("/api/v1{}?after=6-1", events(1));
    assert_eq!(app.get(&path).await.status, StatusCode::NO_CONTENT);
    let mut rest = Stream::open(&app, &events(1), None, Some("3-0")).await;
    assert_eq!(rest.entries(3).await.1, ["d", "bluff W 190", "end 5,3"]);
    assert_eq!(rest.expect("fact").await.0, "6-1");
    rest.expect("end").await;
    assert_eq!(rest.next().await, None);
    // A place that the database never had.
    for far in ["7-1", "6-2"] {
        let mut again = Stream::open(&app, &events(1), None, Some(far)).await;
        again.expect("state").await;
        assert_eq!(again.entries(6).await.1[0], "a");
    }
    app.problem(
        &format!("{}?after=x", path.replace("?after=6-1", "")),
        StatusCode::BAD_REQUEST,
    )
    .await;
    app.problem(
        "/api/v1/matches/01AAAAAAAAAAAAAAAAAAAAAAAA/events",
        StatusCode::NOT_FOUND,
    )
    .await;
}

#[tokio::test]
async fn readers_that_come_and_go_miss_nothing_and_get_nothing_twice() {
    let app = App::new().await;
    let (mut one, mut two) = (
        Pen::new(
            app.store(),
            Some(new_match(1, true)),
            new_session(1, Side::Referee, 0),
        ),
        Pen::new(app.store(), None, new_session(1, Side::Referee, 1)),
    );
    one.write(app.store(), vec![said("0")]).await;
    two.write(app.store(), vec![said("1")]).await;
    let mut readers = Vec::new();
    let (mut written, mut at) = (2, vec![(0_usize, "0-0".to_owned()); 7]);
    for round in 0..12 {
        for (number, (seen, last)) in at.iter_mut().enumerate() {
            if (round + number) % 3 == 0 {
                let stream = Stream::open(&app, &events(1), None, Some(last)).await;
                readers.push((number, *seen, stream));
            }
        }
        for pen in [&mut two, &mut one] {
            let texts = [written, written + 1].map(|number| said(&number.to_string()));
            pen.write(app.store(), texts.into()).await;
            written += 2;
        }
        for (number, seen, mut stream) in readers.drain(..) {
            let (last, texts) = stream.entries(written - seen).await;
            let expected: Vec<String> = (seen..written).map(|text| text.to_string()).collect();
            assert_eq!(texts, expected, "reader {number} in round {round}");
            at[number] = (written, last);
        }
    }
}

#[tokio::test]
async fn a_running_match_shows_only_what_its_reader_may_see() {
    let app = App::new().await;
    let ([mut ann, mut bob], [reads, owns, root]) = app.two_and_who_looks().await;
    let mut stranger = Stream::open(&app, &events(1), Some(&reads), None).await;
    let mut owner = Stream::open(&app, &events(1), Some(&owns), None).await;
    let mut admin = Stream::open(&app, &events(1), Some(&root), None).await;
    for (stream, texts, withheld) in [
        (&mut stranger, &[][..], true),
        (&mut owner, &["for ann"], true),
        (&mut admin, &["for ann", "for bob"], false),
    ] {
        let (_, state) = stream.expect("state").await;
        assert_eq!(state["withheld"].is_string(), withheld);
        assert_eq!(state["upto"] == "0-0", texts.is_empty(), "{state}");
        assert_eq!(stream.entries(texts.len()).await.1, texts);
    }
    ann.write(app.store(), vec![received("by ann")]).await;
    bob.write(app.store(), vec![received("by bob")]).await;
    assert_eq!(admin.entries(2).await.1, ["by ann", "by bob"]);
    assert_eq!(owner.entries(1).await.1, ["by ann"]);
    bob.end(app.store(), vec![1, 0], 0).await;
    ann.end(app.store(), vec![1, 0], 0).await;
    assert_eq!(owner.entries(1).await.1, ["end 1,0"]);
    // After all of them came: what was secret then does not come later.
    let result = MatchResult::new(now_us(), Cause::Normal, vec![1, 0]);
    app.store().close_match(&match_id(1), result).await.unwrap();
    owner.expect("end").await;
    assert_eq!(
        stranger.expect("end").await.1["scores"],
        serde_json::json!([1, 0])
    );
    // It is public now, also to one who comes while another, who came before, still reads.
    let mut late = Stream::open(&app, &events(1), Some(&reads), Some("0-0")).await;
    let all = [
        "for ann", "for bob", "by ann", "by bob", "end 1,0", "end 1,0",
    ];
    assert_eq!(late.entries(6).await.1, all);
    assert_eq!(admin.entries(2).await.1, ["end 1,0"; 2]);
}

/// What a running tournament hides comes to an end, and to light, with it: for those who follow one of its matches by
/// then, and for those who come while they do.
#[tokio::test]
async fn a_tournaments_end_ends_the_streams_of_its_matches() {
    let app = App::new().await;
    let (reads, root) = (app.token("read").await, app.token("admin").await);
    let store = app.store();
    history::create_tournament(store, new_tournament(TOURNAMENT))
        .await
        .unwrap();
    history::add_round(store, TOURNAMENT, round(1))
        .await
        .unwrap();
    let mut row = new_match(1, true);
    slot(1, 1).seat(&mut row);
    let mut pen = Pen::new(store, Some(row), new_session(1, Side::Referee, 0));
    pen.write(store, vec![said("hidden")]).await;
    pen.end(store, vec![4, 1], 0).await;
    let result = MatchResult {
        slot: Some(Box::new(slot(1, 0))),
        ..MatchResult::new(now_us(), Cause::Normal, vec![4, 1])
    };
    store.close_match(&match_id(1), result).await.unwrap();
    let mut stranger = Stream::open(&app, &events(1), Some(&reads), Some("0-0")).await;
    let mut admin = Stream::open(&app, &events(1), Some(&root), Some("0-0")).await;
    assert_eq!(admin.entries(1).await.1, ["hidden"]);
    history::end_tournament(store, TOURNAMENT, now_us(), "done".into())
        .await
        .unwrap();
    let mut late = Stream::open(&app, &events(1), Some(&reads), Some("0-0")).await;
    assert_eq!(late.entries(1).await.1, ["hidden"]);
    for stream in [&mut stranger, &mut admin, &mut late] {
        while stream.next().await.is_some_and(|(kind, ..)| kind != "end") {}
        assert_eq!(stream.next().await, None);
    }
}

/// A seat that is given to another one while its match runs is the other's from then on, whatever was read before.
#[tokio::test]
async fn a_seat_that_changes_hands_shows_itself_to_its_new_owner_alone() {
    let app = App::new().await;
    let ([_ann, _bob], [_, owns, root]) = app.two_and_who_looks().await;
    let carol = app.token("entrant:carol").await;
    let from_the_start = Some("0-0");
    let mut admin = Stream::open(&app, &events(1), Some(&root), from_the_start).await;
    assert_eq!(admin.entries(2).await.1, ["for ann", "for bob"]);
    let mut before = Stream::open(&app, &events(1), Some(&owns), from_the_start).await;
    assert_eq!(before.entries(1).await.1, ["for ann"]);
    app.store()
        .rename_seat(&match_id(1), 0, Some("carol"))
        .await
        .unwrap();
    let mut after = Stream::open(&app, &events(1), Some(&carol), from_the_start).await;
    assert_eq!(after.entries(1).await.1, ["for ann"]);
    let mut again = Stream::open(&app, &events(1), Some(&owns), None).await;
    let (_, state) = again.expect("state").await;
    assert!(state["withheld"].is_string(), "{state}");
    let nothing = tokio::time::timeout(Duration::from_millis(300), again.next()).await;
    assert!(nothing.is_err(), "{nothing:?}");
}

#[tokio::test]
async fn a_stream_ends_when_its_reader_may_read_no_more() {
    let app = App::new().await;
    let token = app.token("read").await;
    let until_us = now_us() + 300_000;
    let pass = app.state.tokens.pass(token.as_bytes(), until_us).unwrap();
    let cookie = format!("{PASS}={pass}");
    let headers = [(header::COOKIE, Some(cookie.as_str()))];
    let mut passing = Stream::with(&app, "/events", &headers, None).await;
    let mut holding = Stream::open(&app, "/events", Some(&token), None).await;
    for stream in [&mut passing, &mut holding] {
        stream.expect("state").await;
    }
    let why = "your token or pass does not let you read any more";
    assert_eq!(passing.expect("close").await.1["reason"], why);
    assert!(now_us() >= until_us, "not before its pass has run out");
    assert_eq!(passing.next().await, None);
    app.state.tokens.revoke("t1").await.unwrap();
    assert_eq!(holding.expect("close").await.1["reason"], why);
    assert_eq!(holding.next().await, None);
}

#[tokio::test]
async fn a_stream_that_ends_with_its_connection_says_so() {
    let app = App::new().await;
    let mut pen = Pen::player(app.store(), 1);
    pen.write(app.store(), vec![received("a")]).await;
    for path in [&events(1), "/events"] {
        let leaves = LeavesAt(Instant::now());
        let mut stream = Stream::with(&app, path, &[], Some(leaves)).await;
        stream.expect("state").await;
        if path != "/events" {
            stream.expect("entry").await;
        }
        let (id, data) = stream.expect("close").await;
        let reason = data["reason"].as_str().unwrap();
        assert!(reason.ends_with("connect again"), "{reason}");
        assert_eq!(id, "", "a reader goes on after what it had before");
        assert_eq!(stream.next().await, None);
    }
}

#[tokio::test]
async fn all_matches_are_followed() {
    let app = App::new().await;
    let mut first = Pen::player(app.store(), 1);
    first.write(app.store(), vec![received("a")]).await;
    let mut stream = Stream::open(&app, "/events", None, None).await;
    let (_, state) = stream.expect("state").await;
    assert_eq!(state["live"][0]["id"], match_id(1));
    assert_eq!(
        (state["live"].as_array().unwrap().len(), &state["more"]),
        (1, &false.into())
    );
    let mut second = Pen::player(app.store(), 2);
    second.write(app.store(), vec![received("a")]).await;
    let (began, data) = stream.expect("match").await;
    assert_eq!(
        (&data["id"], &data["live"]),
        (&match_id(2).into(), &true.into())
    );
    first.end(app.store(), vec![1, 2, 3, 4], 0).await;
    let (_, data) = stream.expect("match").await;
    assert_eq!(
        (&data["id"], &data["live"]),
        (&match_id(1).into(), &false.into())
    );
    // Taken up again, nothing is missed or repeated.
    let mut again = Stream::open(&app, "/events", None, Some(&began)).await;
    assert_eq!(again.expect("match").await.1["id"], match_id(1));
    // What another database counted means nothing here: all of it again.
    let mut other = Stream::open(&app, "/events", None, Some("4000")).await;
    assert_eq!(other.expect("state").await.1["live"][0]["id"], match_id(2));
    app.state.end.cancel();
    for stream in [&mut stream, &mut again, &mut other] {
        assert_eq!(stream.expect("close").await.1["reason"], "the daemon stops");
        assert_eq!(stream.next().await, None);
    }
    app.problem("/api/v1/events?after=garbage", StatusCode::BAD_REQUEST)
        .await;
}

#[tokio::test]
async fn all_matches_are_followed_on_after_more_changes_than_are_read_at_once() {
    let mut app = App::new().await;
    let mut stream = Stream::open(&app, "/events", None, None).await;
    let (mut id, _) = stream.expect("state").await;
    drop(stream);
    let mut found = Vec::new();
    for number in 1..=300 {
        let mut pen = Pen::player(app.store(), number);
        pen.write(app.store(), vec![received("a")]).await;
        pen.end(app.store(), vec![1, 2, 3, 4], 0).await;
    }
    // As by a daemon that was started again: it has nothing but the store.
    app.change().feeds = Feeds::new(app.store().clone());
    while found.len() < 300 {
        let mut stream = Stream::open(&app, "/events", None, Some(&id)).await;
        for _ in 0..70.min(300 - found.len()) {
            let (at, data) = stream.expect("match").await;
            id = at;
            found.push(data["id"].as_str().unwrap().to_owned());
        }
    }
    let all: Vec<String> = (1..=300).map(match_id).collect();
    assert_eq!(found, all, "without gap or repetition");
}

#[tokio::test]
async fn a_reader_that_is_further_behind_than_changes_are_kept_begins_again() {
    let app = App::new().await;
    let mut pen = Pen::player(app.store(), 1);
    pen.write(app.store(), vec![said("a")]).await;
    let mut stream = Stream::open(&app, "/events", None, None).await;
    let (id, _) = stream.expect("state").await;
    app.forget_changes(&mut pen).await;
    let (_, data) = stream.expect("close").await;
    let reason = data["reason"].as_str().unwrap();
    assert!(reason.starts_with("more has changed"), "{reason}");
    assert_eq!(stream.next().await, None);
    let mut again = Stream::open(&app, "/events", None, Some(&id)).await;
    again.expect("state").await;
}

#[tokio::test]
async fn a_match_is_followed_while_somebody_does() {
    let app = App::new().await;
    let mut pen = Pen::player(app.store(), 1);
    pen.write(app.store(), vec![received("a")]).await;
    let streams = [
        Stream::open(&app, &events(1), None, None).await,
        Stream::open(&app, &events(1), None, None).await,
    ];
    assert_eq!(app.store().bells().followed_matches(), 1);
    drop(streams);
    assert_eq!(app.store().bells().followed_matches(), 0);
}

//! The router, driven in process.

mod analysis;
mod events;
mod explain;
mod follow;
mod formats;
mod learnt;
mod mistakes;
mod named;
mod pages;
mod programs;
mod replays;
mod rivals;
mod secrets;
mod shapes;
mod tokens;
mod tournaments;

use super::{ApiState, Doors, router};
use crate::access::{PassKey, Tokens};
use crate::config::{Config, Secret};
use crate::identities::Identities;
use crate::link::{Caller, LeavesAt};
use crate::session::{Dependencies, SessionOptions, Sessions};
use crate::store::Store;
use crate::store::tests::fake::{Pen, match_id, new_match, new_session, opened, received, said};
use crate::store::{NewEntry, Side};
use crate::thinking::{Pool, PoolOptions};
use crate::toy;
use axum::Router;
use axum::body::{Body, BodyDataStream};
use axum::http::{HeaderMap, HeaderName, Request, StatusCode, header};
use futures_util::StreamExt as _;
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tempfile::TempDir;
use tower::ServiceExt as _;

const LOCAL: Caller = Caller {
    address: IpAddr::V4(Ipv4Addr::LOCALHOST),
    direct: true,
};

struct App {
    state: ApiState,
    /// Made once: it describes all paths, which takes longer than most answers.
    router: OnceLock<Router>,
    _folder: TempDir,
}

struct Answer {
    status: StatusCode,
    headers: HeaderMap,
    text: String,
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap()
    }
}

fn doors() -> Doors {
    let at = |port| SocketAddr::from((Ipv4Addr::UNSPECIFIED, port));
    Doors {
        api: at(8081),
        callbacks: Some(at(8080)),
        secret_path: Secret::new("hidden-word".to_owned()),
        referee: Some(at(56_789)),
        hub: None,
        shims: Some("data/drover.sock".into()),
    }
}

impl App {
    async fn new() -> Self {
        let (folder, store) = opened().await;
        let pool = Pool::start(&PoolOptions::default()).unwrap();
        let parts = Dependencies {
            replica: None,
            store: store.clone().into(),
            pool: pool.clone(),
            identities: Identities::default(),
            bots: crate::programs::Bots::none(),
            find: toy::find,
        };
        let sessions = Sessions::open(SessionOptions::default(), parts);
        let pass_key = PassKey::load(Some("a key"), &store).unwrap();
        let tokens = Tokens::load(store, None, pass_key).await.unwrap();
        let config = Config::default();
        let state = ApiState {
            metrics: Arc::new(|| "drover_up 1\n".into()),
            ..ApiState::over(&config.api, sessions.await.unwrap(), pool, tokens, doors())
        };
        Self {
            state,
            router: OnceLock::new(),
            _folder: folder,
        }
    }

    /// A match of ann and another, each with an entry, and tokens to read with: anybody's, ann's, an admin's.
    async fn two_and_who_looks(&self) -> ([Pen; 2], [String; 3]) {
        let mut ours = new_match(1, true);
        ours.seats[0].name = Some("ann".into());
        let mut ann = Pen::new(self.store(), Some(ours), new_session(1, Side::Referee, 0));
        let mut bob = Pen::new(self.store(), None, new_session(1, Side::Referee, 1));
        ann.write(self.store(), vec![said("for ann")]).await;
        bob.write(self.store(), vec![said("for bob")]).await;
        let reads = self.token("read").await;
        let owns = self.token("entrant:ann").await;
        ([ann, bob], [reads, owns, self.token("admin").await])
    }

    /// Ends a session, as if more changes than are kept had come before.
    async fn forget_changes(&self, pen: &mut Pen) {
        let many = "INSERT INTO changes (id, match_id) VALUES (1000000, 'x')";
        self.store().alter(many).await;
        pen.end(self.store(), vec![1, 0, 0, 0], 0).await;
    }

    fn store(&self) -> &Store {
        &self.state.store
    }

    /// The state, to be changed for what is asked from now on.
    fn change(&mut self) -> &mut ApiState {
        self.router.take();
        &mut self.state
    }

    fn router(&self) -> Router {
        let made = || router(self.state.clone());
        self.router.get_or_init(made).clone()
    }

    /// Asks as somebody on the same machine, unless the request says who asks.
    async fn ask(&self, mut request: Request<Body>) -> Answer {
        if request.extensions().get::<Caller>().is_none() {
            request.extensions_mut().insert(LOCAL);
        }
        let response = self.router().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await.unwrap().to_bytes();
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        Answer {
            status: parts.status,
            headers: parts.headers,
            text,
        }
    }

    /// What a path shows.
    async fn json(&self, path: &str) -> Value {
        self.get(path).await.json()
    }

    async fn get(&self, path: &str) -> Answer {
        self.ask(Request::get(path).body(Body::empty()).unwrap())
            .await
    }

    /// A token that has this scope, made now if need be; there is an admin's besides.
    async fn token(&self, scope: &str) -> String {
        let tokens = &self.state.tokens;
        if !tokens.exist() {
            tokens.add("root", &["admin".into()]).await.unwrap();
        }
        let name = format!("t{}", tokens.list().len());
        let issued = tokens.add(&name, &[scope.into()]).await.unwrap();
        issued.token
    }

    /// Asks with a new token of this scope.
    async fn get_as(&self, scope: &str, path: &str) -> Answer {
        self.get_by(&self.token(scope).await, path).await
    }

    /// Asks with this token.
    async fn get_by(&self, token: &str, path: &str) -> Answer {
        let bearer = format!("Bearer {token}");
        self.get_with(path, header::AUTHORIZATION, &bearer).await
    }

    async fn get_with(&self, path: &str, name: header::HeaderName, value: &str) -> Answer {
        self.ask(
            Request::get(path)
                .header(name, value)
                .body(Body::empty())
                .unwrap(),
        )
        .await
    }

    async fn put(&self, path: &str, body: &str) -> Answer {
        self.ask(
            Request::put(path)
                .body(Body::from(body.to_owned()))
                .unwrap(),
        )
        .await
    }

    /// A problem document: its status, and all of it.
    async fn problem(&self, path: &str, status: StatusCode) -> Value {
        let answer = self.get(path).await;
        assert_eq!(answer.status, status, "{path}: {}", answer.text);
        assert_eq!(
            answer.headers[header::CONTENT_TYPE],
            "application/problem+json",
            "{path}"
        );
        let problem = answer.json();
        assert_eq!(problem["status"], status.as_u16(), "{path}");
        problem
    }
}

/// An answer that is read as it comes.
struct Live {
    headers: HeaderMap,
    body: BodyDataStream,
    text: String,
}

impl Live {
    /// Asked for with these headers, on a connection that is to end then.
    async fn open(
        app: &App,
        path: &str,
        headers: &[(HeaderName, Option<&str>)],
        leaves: Option<LeavesAt>,
    ) -> Self {
        let mut request = Request::get(format!("/api/v1{path}"));
        for (name, value) in headers {
            if let Some(value) = value {
                request = request.header(name, *value);
            }
        }
        let mut request = request.body(Body::empty()).unwrap();
        request.extensions_mut().insert(LOCAL);
        leaves.map(|at| request.extensions_mut().insert(at));
        let response = app.router().oneshot(request).await.unwrap();
        assert_eq!(response.status(), StatusCode::OK, "{path}");
        let (parts, body) = response.into_parts();
        Self {
            headers: parts.headers,
            body: body.into_data_stream(),
            text: String::new(),
        }
    }

    /// The text up to the next `end`; `None` at the end of all, an error where it is cut off.
    async fn up_to(&mut self, end: &str) -> Option<Result<String, axum::Error>> {
        loop {
            if let Some((part, rest)) = self.text.split_once(end) {
                let part = part.to_owned();
                self.text = rest.to_owned();
                return Some(Ok(part));
            }
            let more = tokio::time::timeout(Duration::from_secs(20), self.body.next());
            match more.await.expect("more in time")? {
                Ok(chunk) => self.text.push_str(std::str::from_utf8(&chunk).unwrap()),
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

fn bearer(token: Option<&str>) -> Option<String> {
    token.map(|token| format!("Bearer {token}"))
}

/// A player's match with a bluff by W; ended or not.
async fn play(app: &App, number: u64, ended: bool) {
    let mut pen = Pen::player(app.store(), number);
    pen.write(app.store(), vec![received("ask"), said("7")])
        .await;
    pen.bluff(app.store(), "W 190").await;
    if ended {
        pen.end(app.store(), vec![3, 1, 0, 0], 1).await;
    }
}

#[tokio::test]
async fn matches_are_listed_page_by_page() {
    let app = App::new().await;
    for number in 1..=3 {
        play(&app, number, number < 3).await;
    }
    let page = app.json("/api/v1/matches?limit=2").await;
    assert_eq!(page["items"][0]["id"], match_id(3));
    assert_eq!(page["items"][0]["live"], true);
    assert_eq!(page["items"][1]["seats"][0]["win_share"], 1.0);
    let next = page["next"].as_str().unwrap();
    let rest = app
        .json(&format!("/api/v1/matches?limit=2&cursor={next}"))
        .await;
    assert_eq!(
        (rest["items"].as_array().unwrap().len(), &rest["next"]),
        (1, &Value::Null)
    );
    assert_eq!(rest["items"][0]["started"], "1970-01-01T00:00:01Z");
    let won = app
        .json("/api/v1/matches?outcome=won&bot=champion&cause=normal")
        .await;
    assert_eq!(won["items"].as_array().unwrap().len(), 2);
    let none = app
        .json("/api/v1/matches?until=1970-01-01T00%3A00%3A01Z")
        .await;
    assert_eq!(none["items"], json!([]));
}

#[tokio::test]
async fn a_match_shows_its_sessions_entries_and_facts() {
    let app = App::new().await;
    play(&app, 1, true).await;
    let path = format!("/api/v1/matches/{}", match_id(1));
    let whole = app.json(&path).await;
    assert_eq!(whole["cause"], "normal");
    assert_eq!(whole["sessions"][0]["bot"], "champion");
    assert_eq!(whole["sessions"][0]["entries"], 4);
    let session = app.json("/api/v1/sessions/1").await;
    assert_eq!(session["match"], match_id(1));
    let page = app.json(&format!("{path}/entries?limit=3")).await;
    let second = &page["items"][1];
    assert_eq!(
        (&second["text"], &second["direction"], &second["seq"]),
        (&json!("7"), &json!("out"), &json!(1))
    );
    assert_eq!(second["at"], "1970-01-01T00:00:00.000006Z");
    let rest = format!("{path}/entries?cursor={}", page["next"].as_str().unwrap());
    assert_eq!(app.json(&rest).await["items"][0]["text"], "end 3,1,0,0");
    let lines = app
        .get_with(
            &format!("{path}/entries"),
            header::ACCEPT,
            "application/x-ndjson",
        )
        .await;
    assert_eq!(
        lines.text,
        app.get(&format!("{path}/entries.ndjson")).await.text
    );
    assert_eq!(lines.headers[header::CONTENT_TYPE], "application/x-ndjson");
    assert_eq!(lines.text.lines().count(), 4);
    let facts = app.json(&format!("{path}/facts?kind=bluff")).await;
    assert_eq!(facts["items"][0]["data"]["bid"], 190);
    assert_eq!(
        app.json(&format!("{path}/entries?seat=2")).await["items"],
        json!([])
    );
}

#[tokio::test]
async fn a_finished_match_is_sent_once() {
    let app = App::new().await;
    play(&app, 1, true).await;
    play(&app, 2, false).await;
    for rest in ["", "/entries", "/entries.ndjson", "/facts", "/replay"] {
        let path = format!("/api/v1/matches/{}{rest}", match_id(1));
        let first = app.get(&path).await;
        let tag = first.headers[header::ETAG].to_str().unwrap().to_owned();
        assert!(tag.starts_with('"'), "{tag}");
        let again = app
            .get_with(&path, header::IF_NONE_MATCH, &format!("\"x\", {tag}"))
            .await;
        assert_eq!(
            (again.status, again.text.as_str()),
            (StatusCode::NOT_MODIFIED, "")
        );
        let other = app.get_with(&path, header::IF_NONE_MATCH, "\"x\"").await;
        assert_eq!(other.status, StatusCode::OK);
        let live = app
            .get(&format!("/api/v1/matches/{}{rest}", match_id(2)))
            .await;
        assert!(!live.headers.contains_key(header::ETAG));
    }
}

#[tokio::test]
async fn a_live_match_does_not_show_its_referees_transcripts() {
    let app = App::new().await;
    app.store().open_match(new_match(1, true)).await.unwrap();
    let mut pen = Pen::new(app.store(), None, new_session(1, Side::Referee, 0));
    let secret = NewEntry {
        text: "your hand is H".into(),
        ..said("")
    };
    pen.write(app.store(), vec![secret]).await;
    let mut ours = Pen::new(app.store(), None, new_session(1, Side::Player, 0));
    ours.write(app.store(), vec![received("ask")]).await;
    let path = format!("/api/v1/matches/{}/entries", match_id(1));
    let page = app.get_as("bot:champion", &path).await;
    assert!(!page.text.contains("hand is"), "{}", page.text);
    assert_eq!(page.json()["items"][0]["text"], "ask");
    assert!(
        page.json()["withheld"]
            .as_str()
            .unwrap()
            .contains("has ended")
    );
    let lines = app.get_as("bot:champion", &format!("{path}.ndjson")).await;
    assert!(!lines.text.contains("hand is"));
    assert!(lines.headers.contains_key("drover-withheld"));
    let result = crate::store::MatchResult::new(9, games::Cause::Cancelled, vec![]);
    app.store().close_match(&match_id(1), result).await.unwrap();
    assert!(app.get_as("read", &path).await.text.contains("hand is"));
}

#[tokio::test]
async fn opponents_are_named_and_their_bluffs_found() {
    let app = App::new().await;
    play(&app, 1, true).await;
    let seat = format!("/api/v1/matches/{}/seats/1", match_id(1));
    let named = app.put(&seat, r#"{"name": "alice"}"#).await;
    assert_eq!(named.status, StatusCode::OK, "{}", named.text);
    assert_eq!(named.json()["seats"][1]["name"], "alice");
    let bluffs = app
        .json("/api/v1/bluffs?opponent=alice&caught=true&by=W")
        .await;
    assert_eq!(bluffs["items"][0]["bid"], 190);
    assert_eq!(bluffs["items"][0]["seat"], 1);
    let nobody = app.problem("/api/v1/bluffs?opponent=bob", StatusCode::BAD_REQUEST);
    assert_eq!(nobody.await["parameter"], "opponent");
    let opponents = app.json("/api/v1/opponents?kind=named").await;
    assert_eq!(opponents["items"][0]["name"], "alice");
    let model = app
        .json(&format!(
            "/api/v1/opponents/{}/model",
            opponents["items"][0]["id"]
        ))
        .await;
    assert_eq!(model["model"]["bluff_rate"]["evidence"], 1);
    let found = app.json("/api/v1/matches?opponent=alice").await;
    assert_eq!(found["items"][0]["id"], match_id(1));
    let (bad, none) = (StatusCode::BAD_REQUEST, StatusCode::NOT_FOUND);
    let (far, word) = (
        seat.replace("seats/1", "seats/7"),
        seat.replace("seats/1", "seats/x"),
    );
    for (path, body, status) in [
        (seat.as_str(), "{}", bad),
        (&seat, r#"{"name": ""}"#, bad),
        (&seat, r#"{"name": "a", "x": 1}"#, bad),
        ("/api/v1/matches/x/seats/1", r#"{"name": "a"}"#, none),
        (&far, r#"{"name": "a"}"#, none),
        (&word, r#"{"name": "a"}"#, none),
        (&seat, &"x".repeat(100_000), StatusCode::PAYLOAD_TOO_LARGE),
    ] {
        let answer = app.put(path, body).await;
        assert_eq!(answer.status, status, "{path} {}", answer.text);
        assert_eq!(
            answer.headers[header::CONTENT_TYPE],
            "application/problem+json"
        );
    }
}

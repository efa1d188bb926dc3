//! The listener over real sockets, with the toy game.

mod server;

use super::{CallbackOptions, Callbacks};
use crate::config::PathReferee;
use crate::session::tests::world::dependencies;
use crate::session::{Dependencies, SessionOptions, Sessions};
use crate::store::Store;
use crate::toy;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

struct Site {
    address: SocketAddr,
    sessions: Sessions,
    store: Store,
    stop: CancellationToken,
    serving: JoinHandle<()>,
    _folder: tempfile::TempDir,
}

fn options() -> CallbackOptions {
    CallbackOptions {
        default_bot: "quick".into(),
        ..CallbackOptions::default()
    }
}

async fn site(options: CallbackOptions, sessions: SessionOptions) -> Site {
    let folder = tempfile::tempdir().unwrap();
    let parts = dependencies(folder.path(), toy::find).await;
    site_of(options, sessions, parts, folder).await
}

async fn site_of(
    options: CallbackOptions,
    sessions: SessionOptions,
    parts: Dependencies,
    folder: tempfile::TempDir,
) -> Site {
    let store = parts.store.database().unwrap().clone();
    let sessions = Sessions::open(sessions, parts).await.unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let stop = CancellationToken::new();
    let callbacks = Callbacks::new(options, sessions.clone(), &[toy::kit()]).unwrap();
    let serve = callbacks.serve(listener, stop.clone());
    let serving = tokio::spawn(async move { serve.await.unwrap() });
    Site {
        address,
        sessions,
        store,
        stop,
        serving,
        _folder: folder,
    }
}

/// A keep-alive client that speaks raw bytes.
struct Client(TcpStream);

impl Client {
    async fn new(site: &Site) -> Self {
        Self(TcpStream::connect(site.address).await.unwrap())
    }

    async fn send(&mut self, bytes: &str) {
        self.0.write_all(bytes.as_bytes()).await.unwrap();
    }

    /// One response: status and headers, body.
    async fn read(&mut self) -> (String, String) {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(self.0.read_u8().await.unwrap());
        }
        let head = String::from_utf8(head).unwrap().to_lowercase();
        let length = head.split("content-length: ").nth(1).unwrap_or("0");
        let length: usize = length.split("\r\n").next().unwrap().parse().unwrap();
        let mut body = vec![0; length];
        self.0.read_exact(&mut body).await.unwrap();
        (head, String::from_utf8(body).unwrap())
    }

    async fn status_of(&mut self, target: &str) -> u16 {
        status(&self.get(target).await.0)
    }

    async fn get(&mut self, target: &str) -> (String, String) {
        self.send(&format!("GET {target} HTTP/1.1\r\nHost: x\r\n\r\n"))
            .await;
        self.read().await
    }
}

async fn get(site: &Site, target: &str) -> (String, String) {
    Client::new(site).await.get(target).await
}

/// The status of the response to a GET.
async fn status_of(site: &Site, target: &str) -> u16 {
    status(&get(site, target).await.0)
}

fn status(head: &str) -> u16 {
    head.split(' ').nth(1).unwrap().parse().unwrap()
}

#[tokio::test]
async fn paths_lead_to_bots() {
    let known = PathReferee {
        name: "ref-1".into(),
        addresses: vec!["127.0.0.0/8".parse().unwrap()],
        secret: crate::config::Secret::default(),
        secret_file: None,
    };
    let options = CallbackOptions {
        referees: vec![known],
        ..options()
    };
    let site = site(options, SessionOptions::default()).await;
    for path in [
        "/",
        "/toy/quick",
        "/toy/champion/ref-1",
        "/toy/champion/",
        "/toy",
    ] {
        let (head, body) = get(&site, &format!("{path}?market=1&id=1&type=begin")).await;
        assert_eq!((status(&head), body.as_str()), (200, ""), "{path}");
        assert!(
            head.contains("content-type: text/plain; charset=utf-8"),
            "{head}"
        );
        let (head, body) = get(&site, &format!("{path}?market=1&id=1&type=ask")).await;
        assert!(
            status(&head) == 200 && body.starts_with("?n="),
            "{path}: {head}{body}"
        );
    }
    // "/" and "/toy" are the default bot: "quick" by the same peer, begun again.
    assert_eq!(site.sessions.live(), 3);
    let (head, body) = get(&site, "/toy/nobody?market=1&id=1").await;
    assert_eq!(status(&head), 404);
    assert!(body.contains("filler, quick, champion"), "{body}");
    // Whatever is asked of it, that there is no such bot comes first.
    let (head, body) = get(&site, "/toy/nobody").await;
    assert_eq!(status(&head), 404);
    assert!(body.contains("filler, quick, champion"), "{body}");
    for (path, found) in [
        ("/toy/%71uick", 200),
        ("/%74oy/quick/", 200),
        ("/toy/champion/ref%2d1", 200),
        ("/toy/bot%3Anobody", 404),
        ("/toy%2Fquick", 404),
        ("/toy/quick%FF", 404),
    ] {
        let target = format!("{path}?market=2&id=1&type=begin");
        assert_eq!(status_of(&site, &target).await, found, "{path}");
    }
    for path in [
        "/poker/x",
        "/toy/quick/r/more",
        "/toy/quick/a%20b",
        "/toy/quick/ref-1:",
        "/toy/quick/ref-2",
    ] {
        assert_eq!(
            status_of(&site, &format!("{path}?market=1&id=1")).await,
            404,
            "{path}"
        );
    }
}

#[tokio::test]
async fn bad_input_gets_a_plain_sentence_and_the_connection_lives_on() {
    let site = site(options(), SessionOptions::default()).await;
    let mut client = Client::new(&site).await;
    for query in [
        "",
        "?",
        "?id=1",
        "?market=0&id=1",
        "?market=-1&id=1",
        "?market=x&id=1",
        "?market=1",
    ] {
        let (head, body) = client.get(&format!("/toy/quick{query}")).await;
        assert_eq!(status(&head), 400, "{query}");
        assert!(!body.contains(['=', '?', '&']) && body.len() > 10, "{body}");
    }
    client
        .send("POST /toy/quick HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab")
        .await;
    let (head, _) = client.read().await;
    assert!(
        status(&head) == 405 && head.contains("allow: get"),
        "{head}"
    );
    let (head, body) = client.get("/toy/quick?market=1&id=1&type=unread").await;
    assert_eq!((status(&head), body.as_str()), (200, ""));
    let (head, body) = client.get("/toy/quick?market=1&id=1&type=ask").await;
    assert!(
        status(&head) == 200 && body.starts_with("?n="),
        "{head}{body}"
    );
}

#[tokio::test]
async fn a_request_line_too_long_is_refused_with_a_sentence() {
    let site = site(options(), SessionOptions::default()).await;
    for length in [9_000, 60_000, 65_536, 100_000, 200_000] {
        let target = format!("/toy/quick?market=1&id=1&x={}", "a".repeat(length));
        let mut client = Client::new(&site).await;
        let (head, body) = client.get(&target).await;
        assert!(matches!(status(&head), 414 | 431), "{length}: {head}");
        assert!(
            !body.contains(['=', '?', '&']) && body.len() > 10,
            "{length}: {body}"
        );
    }
    assert_eq!(
        status_of(&site, "/toy/quick?market=1&id=1&type=begin").await,
        200
    );
}

#[tokio::test]
async fn http_1_0_and_its_keep_alive_are_spoken() {
    let site = site(options(), SessionOptions::default()).await;
    let mut client = Client::new(&site).await;
    let target = "/toy/quick?market=1&id=1&type=ask";
    for _ in 0..2 {
        client
            .send(&format!(
                "GET {target} HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"
            ))
            .await;
        assert!(client.read().await.1.starts_with("?n="));
    }
    client.send(&format!("GET {target} HTTP/1.0\r\n\r\n")).await;
    assert!(client.read().await.1.starts_with("?n="));
    assert_eq!(client.0.read(&mut [0; 8]).await.unwrap(), 0, "closed");
}

#[tokio::test]
async fn a_slow_sender_is_cut_off() {
    let quick = Duration::from_millis(100);
    let site = site(
        CallbackOptions {
            header_read_timeout: quick,
            ..options()
        },
        SessionOptions::default(),
    )
    .await;
    let mut client = Client::new(&site).await;
    client.send("GET /toy/quick?market=1").await;
    let mut rest = Vec::new();
    let cut = tokio::time::timeout(Duration::from_secs(5), client.0.read_to_end(&mut rest)).await;
    cut.expect("the connection is closed").ok();
}

#[tokio::test]
async fn connections_and_requests_of_a_peer_are_bounded() {
    let site = site(
        CallbackOptions {
            connections_per_peer_max: 2,
            requests_per_peer_max: 1,
            ..options()
        },
        SessionOptions {
            budget_default: Duration::from_millis(400),
            ..SessionOptions::default()
        },
    )
    .await;
    let (mut first, mut second) = (Client::new(&site).await, Client::new(&site).await);
    assert_eq!(
        first
            .status_of("/toy/champion?market=1&id=1&type=begin")
            .await,
        200
    );
    assert_eq!(
        second
            .status_of("/toy/champion?market=2&id=1&type=begin")
            .await,
        200
    );
    let mut third = Client::new(&site).await;
    assert_eq!(
        third.0.read(&mut [0; 8]).await.unwrap_or(0),
        0,
        "closed at once"
    );
    first
        .send("GET /toy/champion?market=1&id=1&type=ask&how=long HTTP/1.1\r\nHost: x\r\n\r\n")
        .await;
    let begun = Instant::now();
    while second
        .status_of("/toy/champion?market=2&id=1&type=info")
        .await
        != 429
    {
        assert!(begun.elapsed() < Duration::from_millis(350), "no bound");
    }
    assert!(first.read().await.1.starts_with("?n="));
    assert_eq!(
        second
            .status_of("/toy/champion?market=2&id=1&type=info")
            .await,
        200
    );
}

#[tokio::test]
async fn a_full_house_says_when_to_come_back() {
    let site = site(
        options(),
        SessionOptions {
            sessions_max: 1,
            ..SessionOptions::default()
        },
    )
    .await;
    let mut client = Client::new(&site).await;
    assert_eq!(client.status_of("/?market=1&id=1&type=begin").await, 200);
    let (head, body) = client.get("/?market=1&id=2&type=begin").await;
    assert!(
        status(&head) == 503 && head.contains("retry-after: 10"),
        "{head}"
    );
    assert!(!body.contains(['=', '?', '&']), "{body}");
    assert!(
        client
            .get("/?market=1&id=1&type=ask")
            .await
            .1
            .starts_with("?n=")
    );
}

#[tokio::test]
async fn a_beginning_that_cannot_be_stored_is_refused() {
    let site = site(options(), SessionOptions::default()).await;
    let mut client = Client::new(&site).await;
    site.store.alter("PRAGMA query_only = 1").await;
    let (head, body) = client.get("/?market=1&id=1&type=begin").await;
    assert_eq!(status(&head), 503, "{head}");
    assert!(body.contains("cannot be stored"), "{body}");
    site.store.alter("PRAGMA query_only = 0").await;
    assert_eq!(client.status_of("/?market=1&id=1&type=begin").await, 200);
    assert_eq!(site.sessions.live(), 1);
}

#[tokio::test]
async fn an_answer_lost_with_its_connection_is_given_again() {
    let site = site(options(), SessionOptions::default()).await;
    get(&site, "/toy/champion?market=1&id=1&type=begin").await;
    let ask = "GET /toy/champion?market=1&id=1&type=ask&stuck=200 HTTP/1.1\r\nHost: x\r\n\r\n";
    let mut hasty = Client::new(&site).await;
    hasty.send(ask).await;
    drop(hasty);
    let mut patient = Client::new(&site).await;
    patient.send(ask).await;
    let (_, body) = patient.read().await;
    assert!(body.starts_with("?n="), "{body}");
    assert_eq!(site.sessions.list(1).first().unwrap().entries, 3);
}

#[tokio::test]
async fn a_trusted_proxy_names_the_referee() {
    let trusting = CallbackOptions {
        trusted_proxies: vec!["127.0.0.1/32".parse().unwrap()],
        ..options()
    };
    let site = site(trusting, SessionOptions::default()).await;
    let mut client = Client::new(&site).await;
    for address in ["203.0.113.7", "203.0.113.8", "junk, 203.0.113.8"] {
        let head = format!("Host: x\r\nX-Forwarded-For: {address}\r\n\r\n");
        client
            .send(&format!("GET /?market=1&id=1&type=info HTTP/1.1\r\n{head}"))
            .await;
        assert_eq!(status(&client.read().await.0), 200);
    }
    assert_eq!(site.sessions.live(), 2);
}

#[tokio::test]
async fn through_an_unlisted_proxy_next_to_us_nobody_has_its_address() {
    let named = |name: &str, secret: &str, addresses: &[&str]| PathReferee {
        name: name.to_owned(),
        addresses: addresses.iter().map(|net| net.parse().unwrap()).collect(),
        secret: crate::config::Secret::new(secret.to_owned()),
        secret_file: None,
    };
    let options = CallbackOptions {
        referees: vec![
            named("here", "", &["127.0.0.1/32"]),
            named("cup", "s3cret", &[]),
        ],
        ..options()
    };
    let site = site(options, SessionOptions::default()).await;
    let visit = async |path: &str, header: &str| {
        let mut client = Client::new(&site).await;
        let head =
            format!("GET {path}?market=1&id=1&type=info HTTP/1.1\r\nHost: x\r\n{header}\r\n");
        client.send(&head).await;
        status(&client.read().await.0)
    };
    assert_eq!(visit("/toy/quick/here", "").await, 200);
    for header in ["X-Forwarded-For: 192.0.2.7\r\n", "Via: 1.1 proxy\r\n"] {
        assert_eq!(visit("/toy/quick/here", header).await, 404, "{header}");
        assert_eq!(visit("/toy/quick/cup:s3cret", header).await, 200);
    }
}

#[tokio::test]
async fn a_secret_path_hides_everything_else() {
    let secret = CallbackOptions {
        secret_path: "/s3cret".into(),
        ..options()
    };
    let site = site(secret, SessionOptions::default()).await;
    assert_eq!(
        status_of(&site, "/s3cret/toy/quick?market=1&id=1").await,
        200
    );
    assert_eq!(status_of(&site, "/s3cret?market=1&id=1").await, 200);
    for path in ["/", "/toy/quick", "/s3cretly"] {
        let (head, body) = get(&site, &format!("{path}?market=1&id=1")).await;
        assert!(
            status(&head) == 404 && !body.contains("quick"),
            "{path}: {head}{body}"
        );
    }
}

#[tokio::test]
async fn at_a_stop_matches_go_on_until_they_end() {
    let site = site(options(), SessionOptions::default()).await;
    let mut client = Client::new(&site).await;
    client.get("/?market=1&id=1&type=begin").await;
    site.stop.cancel();
    while !site.sessions.draining() {
        tokio::task::yield_now().await;
    }
    assert_eq!(status_of(&site, "/?market=2&id=1&type=begin").await, 503);
    assert!(
        get(&site, "/?market=1&id=1&type=ask")
            .await
            .1
            .starts_with("?n=")
    );
    assert_eq!(client.status_of("/?market=1&id=1&type=end").await, 200);
    tokio::time::timeout(Duration::from_secs(5), site.serving)
        .await
        .unwrap()
        .unwrap();
}

#[tokio::test]
async fn a_request_that_never_arrives_whole_does_not_keep_the_stop() {
    let short = CallbackOptions {
        finish: Duration::from_millis(100),
        ..options()
    };
    let site = site(short, SessionOptions::default()).await;
    let mut client = Client::new(&site).await;
    client.get("/?market=1&id=1&type=nonsense").await;
    client.send("GET /?mark").await;
    let begun = Instant::now();
    for session in site.sessions.list(10) {
        let end = format!("/?market={}&id={}&type=end", session.market, session.player);
        get(&site, &end).await;
    }
    site.stop.cancel();
    site.serving.await.unwrap();
    assert!(
        begun.elapsed() < Duration::from_secs(10),
        "{:?}",
        begun.elapsed()
    );
}

//! What strangers, their pages and their proxies may do at the listeners of REST and referee.

use crate::app::{
    Answer, PATIENCE, TestApp, WITH_REFEREE, connected, dial_from, folder, refused, request, run,
    serve, set, with_files,
};
use drover::link::{Caller, HttpIn, PeerAddress};
use futures_util::{StreamExt as _, stream};
use http_body_util::StreamBody;
use hyper::body::{Bytes, Frame};
use hyper::{Request, Response};
use std::convert::Infallible;
use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;

/// The setting with which anybody may call the referee.
const OPEN: (&str, &str) = (WITH_REFEREE.0, "0.0.0.0:0");
/// The setting with which this machine's own callers are a proxy.
const BY_PROXY: (&str, &str) = ("REFEREE__KOEHANDEL__TRUSTED_PROXIES", "127.0.0.0/8");
/// The setting with which players of this machine may be called.
const NEAR: (&str, &str) = ("REFEREE__KOEHANDEL__ALLOW", "127.0.0.0/8");

/// The referee of an app, from this machine.
fn referee(app: &TestApp) -> SocketAddr {
    (Ipv4Addr::LOCALHOST, app.referee.unwrap().port()).into()
}

fn ask(address: SocketAddr, path: &str, headers: &[&str]) -> Answer {
    request(address, "GET", path, headers, "")
}

fn check(answer: &Answer, status: u16, said: &str) {
    assert_eq!(answer.status, status, "{answer:?}");
    assert!(answer.body.contains(said), "{answer:?} lacks {said}");
}

#[test]
fn a_page_under_a_rebound_name_drains_nobody() {
    let app = TestApp::new(&[WITH_REFEREE]);
    let drain = |headers: &[&str]| request(app.api, "POST", "/api/v1/drain", headers, "");
    let rebound = drain(&["Host: evil.example"]);
    check(&rebound, 421, "api.hosts");
    assert_eq!(rebound.json()["type"], "urn:drover:problem:misdirected");
    for path in ["/api/v1/matches", "/metrics", "/readyz", "/nowhere"] {
        check(
            &ask(app.api, path, &["Host: evil.example:8081"]),
            421,
            "evil.example",
        );
    }
    check(&drain(&["Sec-Fetch-Site: cross-site"]), 403, "another site");
    check(&drain(&["Sec-Fetch-Site: same-site"]), 403, "another site");
    check(&drain(&["Origin: http://127.0.0.1:3000"]), 403, "api.hosts");
    check(&drain(&["Origin: null"]), 403, "null");
    check(&ask(app.api, "/readyz", &[]), 200, "");
    for host in ["Host: localhost:1", "Host: 192.0.2.1", "Host: [::1]"] {
        check(&ask(app.api, "/readyz", &[host]), 200, "");
    }

    // The referee's own page may start matches, a foreign one may not.
    let referee = referee(&app);
    let start = format!(
        "/?connect&url1=http://{}/koehandel/filler/drover",
        app.callbacks
    );
    for path in ["/", &start, "/?log=1"] {
        let rebound = ask(referee, path, &["Host: evil.example"]);
        check(&rebound, 421, "referee.koehandel.hosts");
    }
    for (path, header, status, said) in [
        (&*start, "Sec-Fetch-Site: cross-site", 403, "another site"),
        (&start, "Origin: http://evil.example", 403, "evil.example"),
        ("/", "Sec-Fetch-Site: cross-site", 200, "<form"),
        (&start, "Sec-Fetch-Site: same-origin", 200, "?market="),
        (&start, "Sec-Fetch-Site: none", 200, "?market="),
    ] {
        check(&ask(referee, path, &[header]), status, said);
    }
    check(&ask(referee, &start, &[]), 200, "?market=");

    let own = format!("Origin: http://{}", app.api);
    check(&drain(&[&own, "Sec-Fetch-Site: same-origin"]), 202, "");
}

#[test]
fn names_that_are_listed_are_answered() {
    let hosts = ("API__HOSTS", "drover, bots.example");
    let of_referee = ("REFEREE__KOEHANDEL__HOSTS", "games.example");
    let app = TestApp::new(&[WITH_REFEREE, hosts, of_referee]);
    for (host, status) in [
        ("Host: drover:8081", 200),
        ("Host: Bots.Example", 200),
        ("Host: games.example", 421),
    ] {
        check(&ask(app.api, "/readyz", &[host]), status, "");
    }
    let referee = referee(&app);
    check(&ask(referee, "/", &["Host: games.example"]), 200, "<form");
    check(&ask(referee, "/", &["Host: drover"]), 421, "drover");
    // A proxy may change Host and keep Origin.
    let origin = ["Origin: https://bots.example"];
    let drain = request(app.api, "POST", "/api/v1/drain", &origin, "");
    check(&drain, 202, "");
}

#[test]
fn a_match_reads_nothing_that_only_this_machine_reaches() {
    let app = TestApp::new(&[OPEN]);
    let referee = referee(&app);
    let connect = |url: &str| ask(referee, &format!("/?connect&url2={url}"), &[]);
    let port = app.api.port();
    for host in [
        "127.0.0.1",
        "localhost",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "0.0.0.0",
        "[::]",
        "2130706433",
        "127.1",
        "192.168.0.1",
        "169.254.169.254",
        "[64:ff9b::7f00:1]",
    ] {
        let refused = connect(&format!("http://{host}:{port}/metrics"));
        check(&refused, 400, "referee.koehandel.allow");
        assert!(refused.body.starts_with("url2: "), "{refused:?}");
    }
    check(
        &connect("http://no.such.host.invalid/"),
        400,
        "url2: cannot connect",
    );
    // Nothing has begun.
    check(
        &ask(referee, "/?log=1", &[]),
        404,
        "no player has had the id",
    );
    // Our own bots are there for everybody, at their own paths alone.
    let door = app.callbacks;
    check(
        &connect(&format!("http://{door}/metrics/koehandel")),
        400,
        "referee.koehandel.allow",
    );
    check(
        &connect(&format!("http://{door}/koehandel/filler/drover")),
        200,
        "?market=",
    );
}

#[test]
fn listed_targets_and_a_local_referees_neighbours_may_be_called() {
    let app = TestApp::new(&[OPEN, NEAR]);
    let url = "/?connect&url1=http://127.0.0.1:9/";
    check(&ask(referee(&app), url, &[]), 200, "?market=");
    drop(app);

    // Who names a seat may read its hand: a stranger does not name our own bot.
    let app = TestApp::new(&[WITH_REFEREE, BY_PROXY]);
    let ours = format!("/?connect&url1=http://{}/koehandel/champion", app.callbacks);
    let stranger = ["X-Forwarded-For: 203.0.113.9"];
    let named = format!("{ours}&name1=mallory");
    check(
        &ask(referee(&app), &named, &stranger),
        400,
        "leave out name1",
    );
    let referee = referee(&app);
    check(&ask(referee, &ours, &stranger), 200, "?market=");
    // A caller behind the proxy is not on this machine.
    check(
        &ask(referee, url, &stranger),
        400,
        "referee.koehandel.allow",
    );
    check(
        &ask(referee, url, &["X-Forwarded-For: 127.0.0.1"]),
        400,
        "allow",
    );
    check(&ask(referee, url, &[]), 400, "allow");
    drop(app);

    let app = TestApp::new(&[WITH_REFEREE]);
    let referee = self::referee(&app);
    check(&ask(referee, url, &[]), 200, "?market=");
    check(&ask(referee, url, &stranger), 403, "trusted_proxies");
}

#[test]
fn the_verb_takes_its_targets_from_a_flag() {
    let line = "referee koehandel --listen 127.0.0.1:0 --allow public,10.0.0.0/99";
    let said = refused(run(&line.split(' ').collect::<Vec<_>>()), 2);
    assert!(
        said.contains("--allow") && said.contains("10.0.0.0/99"),
        "{said}"
    );
}

/// A match of one player who never answers: it runs for as long as is needed. Its seats are the player
/// and three fillers; their ids.
fn running_match(app: &TestApp) -> (std::net::TcpListener, Vec<u64>) {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("/?connect&url1=http://{}/", silent.local_addr().unwrap());
    (silent, connected(referee(app), &url).1)
}

#[test]
fn behind_a_proxy_nobody_is_the_local_player() {
    let folder = folder();
    let app = TestApp::with(folder.path(), &[WITH_REFEREE]);
    let (_silent, ids) = running_match(&app);
    let log = |id: u64, headers: &[&str]| ask(referee(&app), &format!("/?log={id}"), headers);
    for id in [ids[0], ids[1]] {
        for header in [
            "X-Forwarded-For: 203.0.113.9",
            "X-Forwarded-For: 127.0.0.1",
            "Forwarded: for=203.0.113.9",
            "X-Real-IP: 203.0.113.9",
            "Via: 1.1 proxy",
        ] {
            check(&log(id, &[header]), 403, "trusted_proxies");
        }
        check(&log(id, &[]), 200, "time\tquery");
    }
    drop(app);

    // From a trusted proxy, the forwarded address counts.
    let other = crate::app::folder();
    let app = TestApp::with(other.path(), &[WITH_REFEREE, BY_PROXY, NEAR]);
    let (_silent, ids) = running_match(&app);
    let log = |id: u64, headers: &[&str]| ask(referee(&app), &format!("/?log={id}"), headers);
    for id in [ids[0], ids[1]] {
        for header in ["X-Forwarded-For: 203.0.113.9", "X-Forwarded-For: 127.0.0.1"] {
            check(&log(id, &[header]), 403, "only the host");
        }
    }
}

/// Half of a head on each of n connections of one stranger.
fn half_heads(address: SocketAddr, count: usize) -> Vec<std::net::TcpStream> {
    (0..count)
        .map(|_| {
            let mut stream = dial_from([127, 0, 0, 9], address);
            // A listener that is full may have closed it already.
            let _ = stream.write_all(b"GET /healthz HTTP/1.1\r\nHo");
            stream
        })
        .collect()
}

#[test]
fn half_heads_at_rest_and_referee_stop_neither_them_nor_callbacks() {
    const DESCRIPTORS: u32 = 600;
    const HALVES: usize = 600;
    let folder = folder();
    let command = set(serve(folder.path()), &[WITH_REFEREE]);
    let app = TestApp::spawn(with_files(&command, DESCRIPTORS), folder.path());
    let halves = [app.api, referee(&app)].map(|address| half_heads(address, HALVES));
    let begun = Instant::now();
    let callback = app.call("/koehandel/champion?market=7&id=1&type=information&message=begin");
    assert_eq!(callback.status, 200, "{callback:?}");
    check(&app.get("/healthz"), 200, "");
    check(&ask(referee(&app), "/", &[]), 200, "<form");
    let took = begun.elapsed();
    assert!(took < Duration::from_secs(8), "they waited for {took:?}");
    // They end by themselves, though nobody else comes.
    for mut half in halves.into_iter().flatten() {
        let mut rest = Vec::new();
        // Reset or closed: it has ended.
        if let Err(error) = half.read_to_end(&mut rest) {
            assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset, "{error}");
        }
    }
}

/// A listener of the library that answers with n parts, its stop, and what shows that an answer has
/// gone or been given up.
async fn listener(
    http: HttpIn,
    parts: usize,
) -> (SocketAddr, CancellationToken, CancellationToken) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, gone) = (CancellationToken::new(), CancellationToken::new());
    let token = gone.clone();
    let answer = move |request: Request<hyper::body::Incoming>| {
        assert!(request.extensions().get::<Caller>().unwrap().is_local());
        assert!(
            request
                .extensions()
                .get::<PeerAddress>()
                .unwrap()
                .0
                .is_loopback()
        );
        let message = token.clone().drop_guard();
        let part = move |_| {
            let _guard = &message;
            Ok::<_, Infallible>(Frame::data(Bytes::from_static(&[b'x'; 4096])))
        };
        let body = StreamBody::new(stream::iter(0..parts).map(part));
        std::future::ready(Response::new(body))
    };
    tokio::spawn(http.serve(listener, answer, stop.clone()));
    (address, stop, gone)
}

/// What comes until the connection ends, within the patience of tests.
async fn until_closed(socket: &mut TcpStream) -> String {
    let mut said = Vec::new();
    let reading = socket.read_to_end(&mut said);
    let read = tokio::time::timeout(PATIENCE, reading).await;
    // A reset ends it just as well.
    let _ = read.expect("it is closed");
    String::from_utf8_lossy(&said).into_owned()
}

#[tokio::test]
async fn slow_heads_and_idle_connections_end() {
    let http = HttpIn {
        head_timeout: Duration::from_millis(100),
        ..HttpIn::default()
    };
    let (address, _stop, _gone) = listener(http, 1).await;
    let mut silent = TcpStream::connect(address).await.unwrap();
    let mut half = TcpStream::connect(address).await.unwrap();
    half.write_all(b"GET / HT").await.unwrap();
    let mut idle = TcpStream::connect(address).await.unwrap();
    idle.write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        .await
        .unwrap();
    until_closed(&mut silent).await;
    until_closed(&mut half).await;
    let said = until_closed(&mut idle).await;
    assert!(said.starts_with("HTTP/1.1 200 OK"), "{said}");
}

#[tokio::test]
async fn an_answer_that_is_not_read_holds_no_connection() {
    let http = HttpIn {
        connection_timeout: Duration::from_millis(100),
        finish: Duration::from_millis(100),
        ..HttpIn::default()
    };
    let (address, _stop, gone) = listener(http, usize::MAX).await;
    let mut reader = TcpStream::connect(address).await.unwrap();
    reader
        .write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        .await
        .unwrap();
    let given_up = tokio::time::timeout(PATIENCE, gone.cancelled()).await;
    given_up.expect("an answer that nobody reads is given up");
}

#[tokio::test]
async fn a_stop_ends_idle_connections_at_once() {
    let (address, stop, _gone) = listener(HttpIn::default(), 1).await;
    let mut idle = TcpStream::connect(address).await.unwrap();
    idle.write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        .await
        .unwrap();
    idle.readable().await.unwrap();
    let begun = Instant::now();
    stop.cancel();
    until_closed(&mut idle).await;
    assert!(begun.elapsed() < HttpIn::default().head_timeout / 2);
}

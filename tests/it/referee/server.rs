//! The referee's HTTP server, spoken to over bare TCP.

use super::players::{Manner, Player};
use super::{host, players};
use drover::link::{Hosts, HttpIn};
use drover::referee::{Host, HostSettings, MatchInfo, ServerSettings, serve};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

async fn start(settings: HostSettings) -> (SocketAddr, Arc<Host>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let host = host(settings).await;
    let settings = ServerSettings {
        http: HttpIn::default(),
        hosts: Hosts::new([], "referee.koehandel.hosts"),
        pages: None,
        for_others: None,
    };
    let stop = CancellationToken::new();
    let serving = serve(Arc::clone(&host), listener, settings, stop);
    tokio::spawn(serving);
    (address, host)
}

/// Status and body.
async fn ask(address: SocketAddr, method: &str, target: &str) -> (u16, String) {
    let mut socket = TcpStream::connect(address).await.unwrap();
    let request = format!("{method} {target} HTTP/1.0\r\n\r\n");
    socket.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    socket.read_to_string(&mut answer).await.unwrap();
    let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
    (status, answer.split_once("\r\n\r\n").unwrap().1.to_owned())
}

/// The market and the players' ids in the reply to `connect`.
fn numbers(reply: &str) -> (u64, Vec<u64>) {
    let fields = reply.trim_start_matches('?').split('&');
    let mut all = fields.map(|field| field.split_once('=').unwrap());
    let (name, market) = all.next().unwrap();
    assert_eq!(name, "market");
    let ids = (1..).zip(all).map(|(place, (name, id))| {
        assert_eq!(name, format!("id{place}"));
        id.parse().unwrap()
    });
    (market.parse().unwrap(), ids.collect())
}

fn encoded(url: &str) -> String {
    url.replace(':', "%3A")
        .replace('/', "%2f")
        .replace('?', "%3F")
        .replace('=', "%3D")
}

fn log_lines(log: &str) -> Vec<Vec<&str>> {
    log.lines()
        .skip(1)
        .map(|line| line.split('\t').collect())
        .collect()
}

#[tokio::test]
async fn connect_answers_with_numbers_and_log_shows_all() {
    let message: Arc<Mutex<Vec<MatchInfo>>> = Arc::default();
    let sender = Arc::clone(&message);
    let (address, host) = start(HostSettings {
        on_match: Some(Arc::new(move |info| {
            sender.lock().unwrap().push(info.clone())
        })),
        ..HostSettings::default()
    })
    .await;
    let permits = Arc::new(Semaphore::new(0));
    let players = players([Manner::Held(Arc::clone(&permits)), Manner::KeepAlive]).await;
    let query = format!(
        "/?connect&url1={}&url3={}&name3=Anna+B&rounds=3&seed=8",
        encoded(&players[0].url),
        encoded(&players[1].url),
    );
    // The reply comes while the first player still holds the first callback.
    let (status, reply) = ask(address, "GET", &query).await;
    assert_eq!(status, 200);
    let (market, ids) = numbers(&reply);
    assert_eq!(ids.len(), 4);
    players[0].has_received(1).await;
    assert_eq!(
        ask(address, "GET", &format!("/?log={}", ids[0])).await,
        (200, "time\tquery\treply\tms\n".to_owned())
    );
    {
        let message = message.lock().unwrap();
        assert_eq!(
            (message[0].market, message[0].ids.clone()),
            (market, ids.clone())
        );
        assert_eq!(message[0].names[2].as_deref(), Some("Anna B"));
        assert_eq!(message[0].seats[1], "filler");
    }

    permits.add_permits(100);
    players[0].has_received(5).await;
    players[1].has_received(5).await;
    host.drain(std::time::Duration::from_secs(20)).await;
    let (_, log) = ask(address, "GET", &format!("/?log={}", ids[2])).await;
    let lines = log_lines(&log);
    assert_eq!(lines.len(), 5, "three notes, a question and the end: {log}");
    assert!(lines[3][1].ends_with("type=ask&round=2"), "{log}");
    assert_eq!(lines[3][2], "?n=5");
    assert!(
        lines
            .iter()
            .all(|line| line.len() == 4 && line[3].parse::<f64>().is_ok()),
        "{log}"
    );
    assert!(lines.iter().all(|line| line[0].ends_with('Z')), "{log}");
    // Fillers have logs too.
    let log = ask(address, "GET", &format!("/?log={}", ids[1])).await.1;
    assert_eq!(log_lines(&log).len(), 5);
}

#[tokio::test]
async fn bad_requests_get_a_sentence() {
    let (address, _host) = start(HostSettings::default()).await;
    for (target, status, said) in [
        ("/?connect", 400, "url1 to url4"),
        ("/?connect=&url1=&url2=", 400, "url1 to url4"),
        (
            "/?connect&url1=http%3A%2F%2Fa&url2=nonsense",
            400,
            "url2: nonsense",
        ),
        (
            "/?connect&url4=https://a/",
            400,
            "url4: https://a/ is an https URL",
        ),
        ("/?connect&url5=http://a/", 400, "unknown key \"url5\""),
        (
            "/?connect&url1=http://a/&url1=http://a/",
            400,
            "url1 is given more than once",
        ),
        ("/?connect&url1=%ff", 400, "url1 is not UTF-8"),
        ("/?connect&url1=http://a/&seed=-1", 400, "seed"),
        (
            "/?connect&url1=http://a/&rounds=many",
            400,
            "toy options: rounds",
        ),
        ("/?connect&url1=http://a/&name1=%00", 400, "name1"),
        ("/?log=0", 400, "log"),
        ("/?log=x", 400, "log"),
        ("/?log=99999999999999999999", 400, "log"),
        ("/?log=17", 404, "no player has had the id 17"),
        ("/?hello", 400, "unknown key \"hello\""),
        ("/elsewhere", 404, "start page"),
    ] {
        let answer = ask(address, "GET", target).await;
        assert_eq!(answer.0, status, "{target}: {}", answer.1);
        assert!(answer.1.contains(said), "{target}: {}", answer.1);
    }
    let (status, said) = ask(address, "POST", "/?connect").await;
    assert_eq!(status, 405);
    assert!(said.contains("GET"), "{said}");
    let long = format!("/?connect&url1=http://a/{}", "a".repeat(40_000));
    assert_eq!(ask(address, "GET", &long).await.0, 431);
}

#[tokio::test]
async fn a_full_referee_says_so_and_recovers() {
    let (address, host) = start(HostSettings {
        matches_max: 1,
        ..HostSettings::default()
    })
    .await;
    let permits = Arc::new(Semaphore::new(0));
    let player = Player::start(Manner::Held(Arc::clone(&permits))).await;
    let query = format!("/?connect&url1={}", encoded(&player.url));
    assert_eq!(ask(address, "GET", &query).await.0, 200);
    let (status, said) = ask(address, "GET", &query).await;
    assert_eq!(status, 503);
    assert!(said.contains("1 matches are running"), "{said}");
    permits.add_permits(100);
    host.drain(std::time::Duration::from_secs(20)).await;
    let (status, said) = ask(address, "GET", &query).await;
    assert_eq!((status, said.contains("stopping")), (503, true));
}

#[tokio::test]
async fn the_start_page_is_safe_and_shows_matches() {
    let (address, host) = start(HostSettings::default()).await;
    let player = Player::start(Manner::KeepAlive).await;
    let query = format!(
        "/?connect&url1={0}&url2={0}&name2=%3Cb%3E&rounds=4",
        encoded(&player.url)
    );
    let (status, reply) = ask(address, "GET", &query).await;
    assert_eq!(status, 200);
    let second = numbers(&reply).1[1];
    host.drain(std::time::Duration::from_secs(20)).await;
    let (status, page) = ask(address, "GET", "/market.html").await;
    assert_eq!(status, 200);
    for seat in 1..=4 {
        assert!(
            page.contains(&format!("for=\"url{seat}\">Player {seat}<input")),
            "{page}"
        );
    }
    assert!(
        page.contains("How many &#60;rounds&#62; &#38; more."),
        "{page}"
    );
    assert!(
        page.contains(&format!(
            "<li>&#60;b&#62; <span class=\"soft\">5 points</span> <a href=\"/?log={second}\">log</a></li>"
        )),
        "{page}"
    );
    let address = player.url.replace("/bot?key=1", "");
    assert!(
        page.contains("<li>url <span class=\"soft\">5 points</span> <a"),
        "{page}"
    );
    assert!(!page.contains(&address), "its address is its own: {page}");
}

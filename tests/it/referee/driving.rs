//! Matches over HTTP against players of every manner.

use super::players::{Manner, Player};
use super::{IMPATIENT, host, players, request, scores, url};
use super::{begun, played};
use drover::link::{Allowed, CallError, HttpOptions, HttpOut, Reach, Target};
use drover::referee::{HostSettings, MatchRequest};
use games::Seat;
use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

fn impatient() -> HostSettings {
    HostSettings {
        http: IMPATIENT,
        ..HostSettings::default()
    }
}

/// Plays four rounds in which everybody is asked, and gives the scores (5 an answer) and the logs.
async fn check(
    settings: HostSettings,
    manners: [Manner; 4],
) -> (Vec<i64>, Vec<Player>, Vec<String>) {
    let players = players(manners).await;
    let host = host(settings).await;
    let wanted = request(&players, json!({"all": true, "failures_max": 3}));
    let hosted = played(&host, wanted).await;
    let logs = (0..4).map(|seat| {
        let lines = hosted.log.lines(Seat(seat));
        lines
            .iter()
            .map(|line| line.reply.clone())
            .collect::<Vec<_>>()
            .join("|")
    });
    (scores(&hosted), players, logs.collect())
}

#[tokio::test]
async fn every_kind_of_proper_server_is_understood() {
    let manners = [
        Manner::KeepAlive,
        Manner::Http10,
        Manner::ChunkedClose,
        Manner::StrayLines,
    ];
    let (scores, players, _) = check(impatient(), manners).await;
    assert_eq!(scores, [20, 20, 20, 20]);
    // Four notes, four questions and the end.
    for player in &players {
        assert_eq!(player.received().len(), 9);
    }
    let connections: Vec<u32> = players
        .iter()
        .map(|player| *player.connections.lock().unwrap())
        .collect();
    assert_eq!(connections[..3], [1, 9, 9]);
}

#[tokio::test]
async fn a_byte_order_mark_is_no_part_of_an_answer() {
    let player = Player::start(Manner::Marked).await;
    let target = Target::parse(&player.url).unwrap();
    let mut client = HttpOut::new(target, HttpOptions::default());
    let answer = client.get("a=1", Duration::from_secs(5)).await.unwrap();
    assert_eq!(answer.body, "?n=5");
}

#[tokio::test]
async fn closing_and_dribbling_servers_are_understood() {
    let manners = [
        Manner::Unfaithful,
        Manner::Dribble,
        Manner::Status500,
        Manner::CutsFirst,
    ];
    let (scores, players, logs) = check(HostSettings::default(), manners).await;
    assert_eq!(scores, [20, 20, 0, 20]);
    assert!(logs[2].contains("(status 500)"), "{}", logs[2]);
    // Cut before a byte of the answer, every callback was sent again, word for word.
    let received = players[3].received();
    assert_eq!(received.len(), 18);
    assert!(
        received.chunks(2).all(|pair| pair[0] == pair[1]),
        "{received:?}"
    );
}

#[tokio::test]
async fn broken_players_become_fillers() {
    let manners = [
        Manner::Garbage,
        Manner::Short,
        Manner::Cuts,
        Manner::KeepAlive,
    ];
    let (scores, players, logs) = check(impatient(), manners).await;
    assert_eq!(scores, [0, 0, 0, 20]);
    for (player, log) in players.iter().zip(&logs).take(3) {
        assert_eq!(player.received().len(), 3, "dead after three failures");
        assert_eq!(log.matches("(failed: ").count(), 3, "{log}");
        assert_eq!(log.matches("treated as a filler").count(), 6, "{log}");
    }
}

#[tokio::test]
async fn silent_players_cost_their_time_only_until_they_are_dead() {
    let manners = [
        Manner::Silent,
        Manner::Silent,
        Manner::Endless,
        Manner::KeepAlive,
    ];
    let began = Instant::now();
    let (scores, players, logs) = check(impatient(), manners).await;
    assert_eq!(scores, [0, 0, 0, 20]);
    assert_eq!(logs[0].matches("(late)").count(), 3);
    assert_eq!(players[0].received().len(), 3);
    // Nine calls would have taken nine limits, and two silent players together the same as one.
    assert!(
        began.elapsed() < 6 * drover_toy::WITHIN,
        "{:?}",
        began.elapsed()
    );
    // A response, however long, is a sign of life.
    assert_eq!(players[2].received().len(), 9);
    assert!(logs[2].contains("more than 65536 bytes"), "{}", logs[2]);
}

#[tokio::test]
async fn refusing_players_fail_at_once_or_when_their_time_is_over() {
    let closed = TcpListener::bind("127.0.0.1:0")
        .await
        .unwrap()
        .local_addr()
        .unwrap();
    let seat = || url(&format!("http://{closed}/"));
    for settings in [impatient(), HostSettings::default()] {
        let patient = settings.http.reconnects_max > 0;
        let host = host(settings).await;
        let wanted = MatchRequest {
            seats: vec![seat()],
            options: json!({"failures_max": 2, "rounds": 2}),
            ..MatchRequest::default()
        };
        let hosted = played(&host, wanted).await;
        let lines = hosted.log.lines(Seat(0));
        assert!(
            lines[0].reply.contains("cannot connect: "),
            "{}",
            lines[0].reply
        );
        assert_eq!(
            lines[0].took_us >= drover_toy::WITHIN.as_micros() as i64,
            patient
        );
        assert!(lines[2].reply.contains("filler"));
    }
}

#[tokio::test]
async fn each_player_receives_everything_in_order() {
    let permits = Arc::new(Semaphore::new(0));
    let players = players([Manner::Held(Arc::clone(&permits)), Manner::KeepAlive]).await;
    let host = host(HostSettings::default()).await;
    let ending = begun(&host, request(&players, json!({}))).await;
    // The other player goes on receiving while the first has not let go of its first note.
    players[1].has_received(1).await;
    players[0].has_received(1).await;
    assert_eq!(players[0].received().len(), 1);
    permits.add_permits(100);
    let hosted = ending.wait().await;
    let kinds = |player: &Player| -> Vec<String> {
        let kind = |target: String| target.split("type=").nth(1).unwrap().to_owned();
        player.received().into_iter().map(kind).collect()
    };
    assert_eq!(
        kinds(&players[0]),
        [
            "note&round=0",
            "ask&round=0",
            "note&round=1",
            "note&round=2",
            "note&round=3",
            "end&5,5,0,0"
        ]
    );
    assert_eq!(
        kinds(&players[1])[..3],
        ["note&round=0", "note&round=1", "ask&round=1"]
    );
    let target = &players[0].received()[0];
    let (market, id) = (hosted.info.market, hosted.info.ids[0]);
    let begin = format!("/bot?key=1&market={market}&id={id}&type=");
    assert!(target.starts_with(&begin), "{target}");
    assert_eq!(scores(&hosted), [5, 5, 0, 0]);
}

#[tokio::test]
async fn players_are_called_in_parallel() {
    // Nobody is released before everybody has been called.
    let permits = Arc::new(Semaphore::new(0));
    let players = players(std::array::from_fn::<_, 4, _>(|_| {
        Manner::Held(Arc::clone(&permits))
    }))
    .await;
    let host = host(HostSettings::default()).await;
    let ending = begun(&host, request(&players, json!({"all": true}))).await;
    for player in &players {
        player.has_received(1).await;
    }
    permits.add_permits(100);
    assert_eq!(scores(&*ending.wait().await), [20, 20, 20, 20]);
}

#[tokio::test]
async fn nothing_is_called_before_the_match_begins() {
    let players = players([Manner::KeepAlive]).await;
    let host = host(HostSettings::default()).await;
    let started = host.start(request(&players, json!({}))).await.unwrap();
    let other = host.start(MatchRequest::default()).await.unwrap();
    let _ended = other.begin().wait().await;
    assert_eq!(*players[0].connections.lock().unwrap(), 0);
    let _ended = started.begin().wait().await;
    assert_eq!(players[0].received().len(), 6);
}

#[tokio::test]
async fn a_player_who_restarts_loses_nothing() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let target = Target::parse(&format!("http://{address}/bot")).unwrap();
    let mut client = HttpOut::new(target, HttpOptions::default());
    let mut call = std::pin::pin!(client.get("a=1", Duration::from_secs(5)));
    let early = tokio::time::timeout(Duration::from_millis(120), call.as_mut()).await;
    assert!(early.is_err(), "refused, and still trying");
    let player = Player::on(TcpListener::bind(address).await.unwrap(), Manner::KeepAlive);
    assert_eq!(call.await.unwrap().body, "?n=5");
    assert_eq!(player.received(), ["/bot?a=1"]);
}

#[tokio::test]
async fn only_loopback_is_called_when_set_so() {
    let options = HttpOptions {
        reach: Reach::Only(Arc::new(Allowed {
            loopback: true,
            ..Allowed::default()
        })),
        ..IMPATIENT
    };
    let mut away = HttpOut::new(Target::parse("http://192.0.2.1/").unwrap(), options.clone());
    let refused = away.get("", Duration::from_secs(5)).await.unwrap_err();
    assert_eq!(
        refused,
        CallError::OutOfReach("192.0.2.1".to_owned(), "koehandel")
    );
    let player = Player::start(Manner::KeepAlive).await;
    let mut near = HttpOut::new(Target::parse(&player.url).unwrap(), options);
    assert_eq!(
        near.get("", Duration::from_secs(5)).await.unwrap().status,
        200
    );
}

#[tokio::test]
async fn a_name_is_called_at_allowed_addresses_only_and_redirects_are_not_followed() {
    let elsewhere = Player::start(Manner::KeepAlive).await;
    let public = HttpOptions {
        reach: Reach::Only(Arc::new(Allowed {
            public: true,
            ..Allowed::default()
        })),
        ..IMPATIENT
    };
    let named = elsewhere.url.replace("127.0.0.1", "localhost");
    let mut hidden = HttpOut::new(Target::parse(&named).unwrap(), public);
    let refused = hidden.get("", Duration::from_secs(5)).await.unwrap_err();
    assert_eq!(
        refused,
        CallError::OutOfReach("localhost".to_owned(), "koehandel")
    );

    let moved = Player::start(Manner::Moved(elsewhere.url.clone())).await;
    let mut client = HttpOut::new(Target::parse(&moved.url).unwrap(), IMPATIENT);
    let answer = client.get("a=1", Duration::from_secs(5)).await.unwrap();
    assert_eq!(answer.status, 302);
    assert_eq!(elsewhere.received(), [""; 0]);
}

//! The demonstration.

use super::players::Manner;
use super::{host, players, url};
use drover::referee::HostSettings;
use drover::referee::demo::{DemoSettings, demo};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

#[tokio::test]
async fn matches_follow_each_other_until_it_stops() {
    let players = players([Manner::KeepAlive, Manner::KeepAlive]).await;
    let named =
        |(number, url_of): (usize, &super::Player)| (format!("bot{number}"), url(&url_of.url));
    let settings = DemoSettings {
        pause: Duration::from_millis(1),
        between: Duration::from_millis(1),
        ..DemoSettings::new(players.iter().enumerate().map(named).collect())
    };
    let host = host(HostSettings::default()).await;
    let stop = CancellationToken::new();
    let running = tokio::spawn(demo(Arc::clone(&host), settings, stop.clone()));
    // Four seats a match, six messages a seat, two players: more than two matches.
    players[0].has_received(40).await;
    stop.cancel();
    running.await.unwrap();
    host.drain(Duration::from_secs(20)).await;
    let matches = host.matches();
    assert!(matches.len() >= 3);
    let mut names = matches[0]
        .info
        .names
        .clone()
        .into_iter()
        .flatten()
        .collect::<Vec<_>>();
    names.sort();
    assert_eq!(names, ["bot0", "bot0", "bot1", "bot1"]);
}

//! What only a server has, and replicas over one. Run by the name of their module, with `DROVER_TEST_SERVER` set.

use super::{Client, Site, options, site_of, status};
use crate::cluster::LeaseSettings;
use crate::config::Secret;
use crate::gateway::Callbacks;
use crate::history;
use crate::secrets::SealKey;
use crate::session::tests::world::dependencies_at;
use crate::session::{SessionOptions, Sessions};
use crate::store::tests::fake::{leased, settings};
use crate::toy;
use games::Cause;
use std::time::Duration;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// The key that all replicas share.
const KEY: &str = "a key of all replicas";

/// One replica of the database in this folder, with a lease.
struct One {
    site: Site,
    renewing: CancellationToken,
}

impl One {
    async fn new(folder: &TempDir, id: &str) -> Self {
        Self::with(folder, id, SessionOptions::default()).await
    }

    async fn with(folder: &TempDir, id: &str, options: SessionOptions) -> Self {
        let mut parts = dependencies_at(&settings(folder.path()), toy::find).await;
        let store = parts.store.database().unwrap().clone();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (replica, renewing) = leased(&store, id, &address.to_string()).await;
        parts.replica = Some(replica);
        let sessions = Sessions::open(options, parts);
        let sessions = sessions.await.unwrap();
        let options = super::CallbackOptions {
            replicas_key: Secret::new(KEY.to_owned()),
            trusted_proxies: vec!["127.0.0.1/32".parse().unwrap()],
            ..super::options()
        };
        let callbacks = Callbacks::new(options, sessions.clone(), &[toy::kit()]).unwrap();
        let stop = CancellationToken::new();
        let serve = callbacks.serve(listener, stop.clone());
        let site = Site {
            address,
            sessions,
            store,
            stop,
            serving: tokio::spawn(async move { serve.await.unwrap() }),
            _folder: tempfile::tempdir().unwrap(),
        };
        Self { site, renewing }
    }

    async fn asks(&self, rest: &str) -> (u16, String) {
        let target = format!("/toy/champion?market=1&id=1&type={rest}");
        let (head, body) = Client::new(&self.site).await.get(&target).await;
        (status(&head), body)
    }

    /// The same of what a proxy received then, in milliseconds since 1970.
    async fn asks_late(&self, started_ms: i64, rest: &str) -> (u16, String) {
        let mut client = Client::new(&self.site).await;
        let request = format!(
            "GET /toy/champion?market=1&id=1&type={rest} HTTP/1.1\r\nHost: x\r\nX-Request-Start: t={started_ms}\r\n\r\n"
        );
        client.send(&request).await;
        let (head, body) = client.read().await;
        (status(&head), body)
    }

    /// It is gone, and says so to nobody.
    fn dies(&self) {
        self.renewing.cancel();
        self.site.serving.abort();
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a server: DROVER_TEST_SERVER"]
async fn a_message_reaches_its_sessions_owner_and_another_replica_goes_on_when_that_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let (one, other) = (One::new(&folder, "a").await, One::new(&folder, "b").await);
    assert_eq!(one.asks("begin").await, (200, String::new()));
    let (status, first) = other.asks("ask").await;
    assert!(
        status == 200 && first.starts_with("?n="),
        "{status} {first}"
    );
    assert_eq!(one.site.sessions.live(), 1, "it was forwarded");
    assert_eq!(other.site.sessions.live(), 0);
    one.dies();
    let gone = Instant::now();
    let (status, second) = other.asks("ask&x=2").await;
    assert!(
        status == 200 && second.starts_with("?n="),
        "{status} {second}"
    );
    let length = LeaseSettings::default().length;
    let most = length + Duration::from_secs(1);
    assert!(gone.elapsed() < most, "{:?}", gone.elapsed());
    let live = other.site.store.live().await.unwrap();
    let [session] = &live[..] else {
        panic!("{live:?}");
    };
    assert_eq!(session.seq, 5, "begin, two questions and their answers");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a server: DROVER_TEST_SERVER"]
async fn what_a_broken_network_delivers_late_is_not_taken_for_another_message() {
    let folder = tempfile::tempdir().unwrap();
    let (one, other) = (One::new(&folder, "a").await, One::new(&folder, "b").await);
    let now_ms = || crate::clock::now_us() / 1_000;
    let first_ms = now_ms();
    let begun = one.asks_late(first_ms, "begin").await;
    assert_eq!(begun, (200, String::new()));
    assert_eq!(other.asks_late(now_ms(), "ask").await.0, 200);
    tokio::time::sleep(Duration::from_millis(300)).await;
    let live = async || {
        let live = other.site.store.live().await.unwrap();
        live.into_iter()
            .map(|session| (session.id, session.seq))
            .collect::<Vec<_>>()
    };
    let before = live().await;
    // As a message of its own it would begin another match.
    assert_eq!(other.asks_late(first_ms, "begin").await, begun);
    // Its sender waits no more.
    let (status, why) = other.asks_late(first_ms - 6_000, "begin").await;
    assert!(status == 503 && why.contains("in time"), "{status} {why}");
    assert_eq!(live().await, before);
    // What is new is new, though it was said before.
    assert_eq!(other.asks_late(now_ms(), "begin").await, begun);
    assert_ne!(live().await, before);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a server: DROVER_TEST_SERVER"]
async fn what_no_replica_has_sealed_is_not_forwarded() {
    let folder = tempfile::tempdir().unwrap();
    let one = One::new(&folder, "a").await;
    let forwarded = r#"{"game":"toy","bot":"champion","referee":"r","origin":{"peer":null,"short":false},"age_ms":0,"left_ms":4000,"resent":false}"#;
    let query = "market=1&id=1&type=begin";
    let key = SealKey::new(KEY.as_bytes()).seal(&[b"replicas"]);
    let sealed = |query: &str| {
        let words = [
            b"forwarded\n",
            forwarded.as_bytes(),
            b"\n",
            query.as_bytes(),
        ];
        SealKey::new(key.as_bytes()).seal(&words)
    };
    let right = sealed(query);
    let other = sealed("market=2&id=1&type=begin");
    for (seal, wanted) in [("", 403), ("00", 403), (&*other, 403), (&*right, 200)] {
        assert_eq!(one.site.sessions.live(), 0);
        let mut client = Client::new(&one.site).await;
        let request = format!(
            "GET /?{query} HTTP/1.1\r\nHost: x\r\nx-drover-forwarded: {forwarded}\r\nx-drover-seal: {seal}\r\n\r\n"
        );
        client.send(&request).await;
        assert_eq!(status(&client.read().await.0), wanted, "{seal}");
    }
    assert_eq!(one.site.sessions.live(), 1);
}

#[tokio::test]
#[ignore = "needs a server: DROVER_TEST_SERVER"]
async fn while_nothing_can_be_stored_a_message_is_refused_and_then_answered() {
    let folder = tempfile::tempdir().unwrap();
    let parts = dependencies_at(&settings(folder.path()), toy::find).await;
    let site = site_of(options(), SessionOptions::default(), parts, folder).await;
    let mut client = Client::new(&site).await;
    assert_eq!(client.status_of("/?market=1&id=1&type=begin").await, 200);
    // As a standby that was a primary: the writer connects again after it.
    site.store
        .alter("SET default_transaction_read_only = on")
        .await;
    let (head, body) = client.get("/?market=1&id=1&type=ask").await;
    assert_eq!(status(&head), 503, "{head}");
    assert!(body.contains("cannot be stored"), "{body}");
    let (head, body) = client.get("/?market=1&id=1&type=ask").await;
    assert_eq!(status(&head), 200, "{head}");
    assert!(body.starts_with("?n=") && body != "?n=0", "{body}");
    assert_eq!(site.store.health().failing, None);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a server: DROVER_TEST_SERVER"]
async fn what_nobody_owns_any_more_and_nobody_asks_for_is_ended() {
    let folder = tempfile::tempdir().unwrap();
    let idle = SessionOptions {
        idle_limit: Duration::from_millis(500),
        ..SessionOptions::default()
    };
    let one = One::new(&folder, "a").await;
    let other = One::with(&folder, "b", idle).await;
    assert_eq!(one.asks("begin").await.0, 200);
    let store = &other.site.store;
    let id = store.live().await.unwrap().pop().unwrap().id;
    tokio::time::sleep(Duration::from_secs(1)).await;
    other.site.sessions.end_abandoned().await.unwrap();
    assert_eq!(store.live().await.unwrap().len(), 1, "it has an owner");
    one.dies();
    let gone = Instant::now();
    while !store.live().await.unwrap().is_empty() {
        assert!(gone.elapsed() < Duration::from_secs(10));
        other.site.sessions.end_abandoned().await.unwrap();
    }
    let row = history::session(store.reader(), id).await.unwrap().unwrap();
    assert_eq!(row.cause, Some(Cause::Unterminated));
}

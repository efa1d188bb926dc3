//! Players that report afterwards what they received and what they answered.

use bytes::Bytes;
use games::seat::{OwnSeat, Settings};
use games::{DialogueSetup, Kit};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;

/// The bot that plays.
const BOT: &str = "guide";

/// What one player received and what it answered, each message once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Account {
    exchanges: Vec<(String, String)>,
    /// The scores that it was sent at the end, its own first.
    pub(crate) ending: Option<Vec<i64>>,
}

impl Account {
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        self.exchanges.iter().map(|(text, _)| text.as_str())
    }

    pub(crate) fn answers(&self) -> impl Iterator<Item = &str> {
        self.exchanges.iter().map(|(_, answer)| answer.as_str())
    }
}

/// By market and number.
type Players = BTreeMap<(u64, u64), (Account, OwnSeat)>;

/// Players behind one address, as many as are called.
pub(crate) struct Tellers {
    pub(crate) address: SocketAddr,
    players: Arc<Mutex<Players>>,
}

impl Tellers {
    pub(crate) async fn start(kit: &'static dyn Kit) -> anyhow::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let players: Arc<Mutex<Players>> = Arc::default();
        let accounts = Arc::clone(&players);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let accounts = Arc::clone(&accounts);
                let service = service_fn(move |request: Request<Incoming>| {
                    let said = answer_of(kit, &mut accounts.lock(), request.uri().query());
                    async move { Ok::<_, Infallible>(Response::new(Full::new(Bytes::from(said)))) }
                });
                tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
            }
        });
        Ok(Self { address, players })
    }

    /// What each player received, by market and number.
    pub(crate) fn accounts(&self) -> BTreeMap<(u64, u64), Account> {
        let players = self.players.lock();
        let accounts = players
            .iter()
            .map(|(key, (accounts, _))| (*key, accounts.clone()));
        accounts.collect()
    }
}

/// The answer to a message; the same again where it comes again.
fn answer_of(kit: &dyn Kit, players: &mut Players, query: Option<&str>) -> String {
    let text = query.unwrap_or_default();
    let Ok(route) = kit.card().dialect.route(text.as_bytes()) else {
        return String::new();
    };
    let key = (route.market, route.id);
    if !players.contains_key(&key)
        && let Ok(dialogue) = kit.dialogue(&DialogueSetup::of(BOT, route.id))
    {
        let mut seat = OwnSeat::new(Settings::nodes(1), None);
        seat.wake(dialogue);
        players.insert(key, (Account::default(), seat));
    }
    let Some((accounts, seat)) = players.get_mut(&key) else {
        return String::new();
    };
    if let Some((last, said)) = accounts.exchanges.last()
        && last == text
    {
        return said.clone();
    }
    let said = match seat.play(text, "", &|| Duration::ZERO) {
        Ok(reply) => {
            if let Some(ending) = reply.ending {
                accounts.ending = Some(ending.scores);
            }
            reply.text
        }
        Err(_) => String::new(),
    };
    accounts.exchanges.push((text.to_owned(), said.clone()));
    said
}

//! Our own Koehandel referee inside the daemon, and the demonstration.

use crate::cluster::Replica;
use crate::config::{Config, Secret};
use crate::daemon::replica::every_look;
use crate::identities::{Identities, KnownMatch};
use crate::link::{Hosts, HttpIn, OwnDoor};
use crate::programs::Bots;
use crate::referee::budget::ThinkBudget;
use crate::referee::demo::{DemoSettings, demo};
use crate::referee::seat_builtin::Builtins;
use crate::referee::{
    Host, HostSettings, MatchInfo, OnMatch, OwnAddress, Reaches, RecordError, Recording,
    SeatPrograms, SeatSpec, ServerSettings, serve,
};
use crate::store::Store;
use anyhow::Context as _;
use games::Kit;
use parking_lot::Mutex;
use serde_json::Value;
use std::collections::VecDeque;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// How many of our own matches beyond those running sessions can still join.
const KNOWN_SPARE: usize = 1_024;

/// A running referee.
pub(super) struct RunningReferee {
    pub(super) host: Arc<Host>,
    pub(super) server: JoinHandle<std::io::Result<()>>,
    pub(super) demo: Option<JoinHandle<()>>,
}

/// Where it listens, where it stores matches, and where our bots are called.
pub(super) struct RefereePlan<'a> {
    pub(super) config: &'a Config,
    pub(super) kit: &'static dyn Kit,
    pub(super) store: Store,
    pub(super) identities: Identities,
    pub(super) bots: Bots,
    pub(super) callbacks: SocketAddr,
    /// Where the pages are.
    pub(super) api: SocketAddr,
    /// What our referee uses in place of its name when it calls our own bots.
    pub(super) nonce: Secret,
    pub(super) connections_max: usize,
    /// Where others share the store.
    pub(super) replica: Option<Arc<Replica>>,
    pub(super) demo: bool,
}

impl RefereePlan<'_> {
    /// Starts it: interrupted matches are resumed first.
    pub(super) async fn start(
        self,
        listener: TcpListener,
        stop: CancellationToken,
    ) -> anyhow::Result<RunningReferee> {
        let durability = self.config.store.durability_of(self.kit.card().name);
        let recording = Recording::new(self.store.clone(), durability);
        let recording = recording.shared_by(self.replica.as_ref());
        let is_shared = recording.is_shared();
        let allow = &self.config.referee.koehandel.allow;
        let reaches = Reaches::new(allow, listener.local_addr()?, self.own_doors());
        let mut settings = self.settings();
        settings.http.reach = reaches.local.clone();
        let host = Host::new(self.kit, settings, recording);
        let resume = async |host: &Arc<Host>| {
            let resumed = host.resume().await?;
            if resumed > 0 {
                tracing::info!(matches = resumed, "interrupted matches are resumed");
            }
            Ok::<_, RecordError>(())
        };
        match is_shared {
            // Once this replica has a lease, and whenever another has none any more.
            true => {
                let (host, stop) = (Arc::clone(&host), stop.clone());
                tokio::spawn(every_look(stop, async move || resume(&host).await));
            }
            false => resume(&host)
                .await
                .context("cannot read the matches of the last run")?,
        }
        let server = tokio::spawn(serve(
            Arc::clone(&host),
            listener,
            server_settings(self.config, self.connections_max, reaches, Some(self.api)),
            stop.clone(),
        ));
        let demo = match self.demo {
            true => Some(tokio::spawn(demo(
                Arc::clone(&host),
                DemoSettings::new(self.players()?),
                stop,
            ))),
            false => None,
        };
        Ok(RunningReferee { host, server, demo })
    }

    fn settings(&self) -> HostSettings {
        let options = &self.config.referee.koehandel;
        let budgets = &self.config.thinking.budget_ms_by_game;
        let budget = budgets.get(self.kit.card().name).copied();
        HostSettings {
            builtins: Some(Builtins {
                budget: ThinkBudget::Time(budget.unwrap_or_else(|| self.kit.card().limits.budget)),
                models: self.config.thinking.models,
                permits: Arc::new(Semaphore::new(1)),
                programs: SeatPrograms {
                    bots: self.bots.clone(),
                    notes: true,
                    ..SeatPrograms::default()
                },
            }),
            own: Some(self.own_address()),
            on_match: Some(introduce(
                self.identities.clone(),
                options.name.clone(),
                options.matches_max,
            )),
            ..HostSettings::from(options)
        }
    }

    /// The path that the names of our own bots follow.
    fn own_path(&self) -> String {
        let secret = self.config.callbacks.secret_path.reveal();
        let secret = secret.map_or(String::new(), |secret| format!("/{secret}"));
        format!("{secret}/{}/", self.kit.card().name)
    }

    /// Where matches may always call our own bots.
    fn own_doors(&self) -> Vec<OwnDoor> {
        let path = self.own_path();
        let at = |ip: IpAddr| OwnDoor {
            address: SocketAddr::new(ip, self.callbacks.port()),
            path: path.clone(),
        };
        match self.callbacks.ip() {
            ip if ip.is_unspecified() => {
                vec![
                    at(Ipv4Addr::LOCALHOST.into()),
                    at(Ipv6Addr::LOCALHOST.into()),
                ]
            }
            ip => vec![at(ip)],
        }
    }

    /// Where our own bots are called, including the secrets of that address.
    fn own_address(&self) -> OwnAddress {
        let callbacks = &self.config.callbacks;
        OwnAddress {
            listener: self.callbacks,
            secret_path: callbacks.secret_path.clone(),
            game: self.kit.card().name,
            default_bot: callbacks.default_bot.clone(),
            nonce: self.nonce.clone(),
        }
    }

    /// Every built-in bot, called over HTTP like any other player.
    fn players(&self) -> anyhow::Result<Vec<(String, SeatSpec)>> {
        let base = OwnAddress::reached(self.callbacks);
        let path = self.own_path();
        let player = |bot: &games::BotCard| {
            let url = format!("url:http://{base}{path}{}", bot.name);
            Ok((bot.name.to_owned(), url.parse()?))
        };
        self.kit.card().bots.iter().map(player).collect()
    }
}

/// The settings of the referee's server from the configuration.
#[must_use]
pub fn server_settings(
    config: &Config,
    connections_max: usize,
    reaches: Reaches,
    pages: Option<SocketAddr>,
) -> ServerSettings {
    let options = &config.referee.koehandel;
    ServerSettings {
        http: HttpIn {
            name: "referee",
            connections_max,
            trusted_proxies: options.trusted_proxies.clone().into(),
            ..HttpIn::default()
        },
        hosts: Hosts::new(options.hosts.iter().cloned(), "referee.koehandel.hosts"),
        pages,
        for_others: reaches.for_others,
    }
}

/// Registers the players of each of our own referee's matches for our sessions, and forgets the oldest.
fn introduce(identities: Identities, referee: String, matches_max: usize) -> OnMatch {
    let known = Mutex::new(VecDeque::new());
    Arc::new(move |info: &MatchInfo| {
        identities.register(&referee, info.market, known_match(info, &referee));
        let mut known = known.lock();
        known.push_back(info.market);
        if known.len() > matches_max + KNOWN_SPARE
            && let Some(oldest) = known.pop_front()
        {
            identities.forget(&referee, oldest);
        }
    })
}

/// What our sessions learn of one of our own referee's matches. The referee has already written the row
/// itself: this one only names the same match and seats.
#[must_use]
pub fn known_match(info: &MatchInfo, referee: &str) -> KnownMatch {
    KnownMatch {
        row: Arc::new(info.row(referee, Value::Null)),
        ids: info.ids.clone(),
    }
}

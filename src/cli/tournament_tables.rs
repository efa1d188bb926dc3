//! How a tournament's matches are played in this process: what plays them, for each kind of wire.

use super::common::notify;
use crate::link::HttpOptions;
use crate::link::program::{Guard, Held, Machine, adopt_orphans};
use crate::referee::arbiter::ProgramRules;
use crate::referee::hub::{HubServer, HubSettings, Invited};
use crate::referee::seat_builtin::Builtins;
use crate::referee::{Host, HostSettings, HubPorts, InProcess, Pipes, Ports, Recording};
use crate::tournament::{Cup, Models, Referees};
use anyhow::Context as _;
use games::Wire;
use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

/// How long matches on the hub may go on at a stop.
const DRAINED_WITHIN: Duration = Duration::from_secs(1);
/// How often a refused connection is tried again at most: a player that is not there must not hold up the others.
const RECONNECTS_MAX: u32 = 5;

/// How the programs of a tournament are run; `isolates`: whether from each other.
pub(super) fn rules(cup: &Cup, replays_max: u32, isolates: bool) -> anyhow::Result<ProgramRules> {
    adopt_orphans().context("programs' orphans cannot be adopted")?;
    Ok(ProgramRules {
        bots: cup.users_bots.clone(),
        memory: cup.kit.card().stdio.memory,
        fair: true,
        machine: Some(Machine::watch()),
        replays_max,
        goes_on: true,
        guard: Some(Guard {
            isolates,
            must: Held::default(),
        }),
        ..ProgramRules::default()
    })
}

/// The tables of one tournament in this process.
pub(super) struct Tables<'a> {
    pub(super) cup: &'a Cup,
    pub(super) concurrency: NonZeroUsize,
    /// How often a match is played again at most since the machine made a program late.
    pub(super) replays_max: u32,
    /// Whether programs are isolated from each other.
    pub(super) isolates: bool,
    /// How long an entrant that dials is waited for.
    pub(super) within: Duration,
    /// Under which name its matches are stored.
    pub(super) referee: &'a str,
    /// Where the hub stores its matches.
    pub(super) recording: &'a Recording,
}

impl Tables<'_> {
    /// What plays the tournament's matches: a clock runs wherever the contest has one.
    pub(super) async fn player(
        &self,
        listener: &mut Option<TcpListener>,
    ) -> anyhow::Result<(Referees, Server)> {
        match self.cup.kit.card().wire {
            Wire::Stdio => self.over_pipes(),
            Wire::Callbacks => Ok(self.over_http()),
            // Where nobody dials, the order in which lines arrive is not left to chance.
            Wire::Hub if !self.cup.is_dialled() && !self.cup.has_users_bots() => {
                let players = InProcess {
                    budget: self.cup.budget,
                    models: self.models(),
                    timed: false,
                };
                Ok((Referees::new(Ports::Process(players)), Server::None))
            }
            Wire::Hub => self.on_hub(listener).await,
        }
    }

    fn models(&self) -> bool {
        self.cup.models != Models::None
    }

    fn over_pipes(&self) -> anyhow::Result<(Referees, Server)> {
        let rules = rules(self.cup, self.replays_max, self.isolates)?;
        let machine = rules.machine.clone();
        let pipes = Pipes {
            budget: self.cup.budget,
            models: self.models(),
            rules,
        };
        let server = machine.map_or(Server::None, Server::Machine);
        Ok((Referees::new(Ports::Pipes(pipes)), server))
    }

    fn over_http(&self) -> (Referees, Server) {
        let settings = HostSettings {
            referee: self.referee.to_owned(),
            // Its own bound is the runner's: one that has just ended may still be there.
            matches_max: 2 * self.concurrency.get(),
            ended_kept: 0,
            builtins: Some(self.builtins()),
            http: HttpOptions {
                reconnects_max: RECONNECTS_MAX,
                ..HttpOptions::default()
            },
            ..HostSettings::default()
        };
        // Its matches are stored as all others are, with their places in the tournament.
        let host = Host::new(self.cup.kit, settings, Recording::none());
        let ports = Ports::Callbacks(Arc::clone(&host));
        let player = Referees::remembering(ports, HashMap::new());
        (player, Server::Host(host))
    }

    async fn on_hub(
        &self,
        listener: &mut Option<TcpListener>,
    ) -> anyhow::Result<(Referees, Server)> {
        let listener = match self.cup.is_dialled() {
            true => Some(listener.take().context("one game a file is dialled")?),
            false => None,
        };
        let (hub, stop) = self.hub(listener).await?;
        let players = HubPorts {
            hub: Arc::clone(&hub),
            builtins: self.builtins(),
            within: self.within,
        };
        Ok((Referees::new(Ports::Hub(players)), Server::Hub(hub, stop)))
    }

    /// The hub that entrants of a game dial whose players do so; without a listener, our bots alone play there.
    async fn hub(
        &self,
        listener: Option<TcpListener>,
    ) -> anyhow::Result<(Arc<HubServer>, CancellationToken)> {
        let invited = self.cup.entrants.iter().filter_map(|entrant| {
            Some(Invited {
                name: entrant.name.clone(),
                token: entrant.token?,
            })
        });
        let settings = HubSettings {
            referee: self.referee.to_owned(),
            matches_max: self.concurrency.get(),
            invited: invited.collect(),
            ..HubSettings::new(self.cup.kit)
        };
        let hub = HubServer::open(settings, self.recording.clone()).await?;
        let stop = CancellationToken::new();
        let Some(listener) = listener else {
            return Ok((hub, stop));
        };
        notify(&format!(
            "listening for {} players on {}",
            self.cup.kit.card().name,
            listener.local_addr()?
        ));
        let (serving, stopped) = (Arc::clone(&hub), stop.clone());
        tokio::spawn(async move {
            if let Err(error) = serving.serve(listener, stopped).await {
                notify(&format!("the hub ended: {error}"));
            }
        });
        Ok((hub, stop))
    }

    fn builtins(&self) -> Builtins {
        Builtins {
            budget: self.cup.budget,
            models: self.models(),
            permits: Arc::new(Semaphore::new(self.concurrency.get())),
            programs: self.cup.users_bots.clone(),
        }
    }
}

/// What runs during a tournament's matches.
pub(super) enum Server {
    None,
    /// What watches the machine, where programs play.
    Machine(Machine),
    Host(Arc<Host>),
    Hub(Arc<HubServer>, CancellationToken),
}

impl Server {
    pub(super) async fn stop(self) {
        match self {
            Self::None => {}
            Self::Machine(machine) => notify(&machine.report().to_string()),
            Self::Host(host) => host.stop().await,
            Self::Hub(hub, stop) => {
                stop.cancel();
                hub.drain(DRAINED_WITHIN).await;
            }
        }
    }
}

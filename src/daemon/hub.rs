//! Our own hub inside the daemon, and the hubs that it dials.

use crate::config::Config;
use crate::daemon::replica::every_look;
use crate::identities::Identities;
use crate::referee::Recording;
use crate::referee::hub::{HubServer, HubSettings, OnLine, Room, read_maps};
use crate::session::Dependencies;
use anyhow::Context as _;
use games::Kit;
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// A running hub.
pub(super) struct RunningHub {
    pub(super) hub: Arc<HubServer>,
    pub(super) server: JoinHandle<std::io::Result<()>>,
}

impl RunningHub {
    /// Starts it.
    pub(super) async fn start(
        kit: &'static dyn Kit,
        config: &Config,
        connections_max: usize,
        parts: &Dependencies,
        listener: TcpListener,
        stop: CancellationToken,
    ) -> anyhow::Result<Self> {
        let durability = config.store.durability_of(kit.card().name);
        let recording = Recording::new(parts.store.clone(), durability);
        let recording = recording.shared_by(parts.replica.as_ref());
        let is_shared = recording.is_shared();
        let settings = HubSettings {
            on_line: Some(introduce(parts.identities.clone())),
            connections_max,
            ..hub_settings(kit, config)?
        };
        let hub = HubServer::open(settings, recording).await?;
        if is_shared {
            let (hub, stop) = (Arc::clone(&hub), stop.clone());
            tokio::spawn(every_look(stop, async move || hub.close_cut().await));
        }
        let serving = Arc::clone(&hub);
        let server = tokio::spawn(async move { serving.serve(listener, stop).await });
        Ok(Self { hub, server })
    }
}

/// Lets sessions that play on our own hub join its match.
fn introduce(identities: Identities) -> OnLine {
    Arc::new(move |line, seated| match seated {
        Some((row, seat)) => identities.register_line(line, row, seat.0),
        None => identities.forget_line(line),
    })
}

/// The hub's settings from the configuration.
///
/// # Errors
/// A sentence naming the hub or folder that cannot be used.
pub fn hub_settings(kit: &'static dyn Kit, config: &Config) -> anyhow::Result<HubSettings> {
    let set = &config.referee.smartdog;
    Ok(HubSettings {
        rooms: Room::with(&set.hubs, kit).context("`referee.smartdog.hubs`")?,
        maps: match &set.maps {
            Some(folder) => read_maps(folder).context("`referee.smartdog.maps`")?,
            None => Vec::new(),
        },
        seed: ulid::Ulid::generate().random() as u64,
        ..HubSettings::configured(kit, set)
    })
}

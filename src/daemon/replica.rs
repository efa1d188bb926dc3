//! This process as one of several that share a server's database.

use crate::cluster::{Clock, Kind, LeaseSettings, Replica, Resource, keep};
use crate::config::Config;
use crate::referee::RecordError;
use crate::session::Sessions;
use crate::simulated;
use crate::store::{Leases, Store};
use rustix::time::{ClockId, clock_gettime};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

/// A replica whose lease is renewed.
pub(super) struct RunningReplica {
    pub(super) replica: Arc<Replica>,
    leases: Arc<Leases>,
    renewing: JoinHandle<()>,
    /// Cancelled when its lease is renewed no more.
    stop: CancellationToken,
}

impl RunningReplica {
    /// Renews a lease from now on; `None` where the database is a file, which one process has. `address`: where other
    /// replicas reach it.
    pub(super) fn start(store: &Store, address: &str) -> Option<Self> {
        let id = simulated::ulid().to_string();
        let leases = Arc::new(store.leases(&id, address)?);
        tracing::info!(id, address, "this is one of the replicas of a database");
        let port = Arc::clone(&leases);
        let replica = Replica::new(port, LeaseSettings::default(), clock());
        let stop = CancellationToken::new();
        let renewing = tokio::spawn({
            let (replica, stop) = (Arc::clone(&replica), stop.clone());
            async move { replica.renew_until(&stop).await }
        });
        Some(Self {
            replica,
            leases,
            renewing,
            stop,
        })
    }

    /// Ends abandoned sessions and forgets replicas that are gone, in one replica at a time, until `stop`.
    pub(super) fn keep_house(&self, sessions: &Sessions, stop: &CancellationToken) {
        let (replica, leases) = (Arc::clone(&self.replica), Arc::clone(&self.leases));
        let (sessions, stop) = (sessions.clone(), stop.clone());
        tokio::spawn(async move {
            let run = async |_| loop {
                sleep(LEFT_OVER_EVERY).await;
                if let Err(error) = sessions.end_abandoned().await {
                    tracing::debug!(%error, "abandoned sessions could not be read");
                }
                if let Err(error) = leases.forget_lapsed().await {
                    tracing::debug!(%error, "lapsed leases could not be removed");
                }
            };
            let resource = Resource::new(Kind::Housekeeping, "sessions");
            let kept = keep(&replica, &resource, &stop, run);
            stop.run_until_cancelled(kept).await;
        });
    }

    /// Gives up the lease: other replicas go on with what it owned.
    pub(super) async fn leave(self) {
        self.stop.cancel();
        // How it ended no longer matters.
        let _ = self.renewing.await;
        self.replica.leave().await;
    }
}

/// Where other replicas reach this one, which listens for callbacks there: unless configured, a listener on all addresses is
/// reached by the machine's name.
pub(super) fn replica_address(config: &Config, callbacks: SocketAddr) -> String {
    if let Some(address) = &config.cluster.address {
        return address.clone();
    }
    match callbacks.ip().is_unspecified() {
        true => {
            let name = rustix::system::uname();
            let name = name.nodename().to_string_lossy().into_owned();
            format!("{name}:{}", callbacks.port())
        }
        false => callbacks.to_string(),
    }
}

/// Time since the machine's start, with the time in which it was suspended.
fn clock() -> Clock {
    Arc::new(|| {
        let now = clock_gettime(ClockId::Boottime);
        Duration::new(
            u64::try_from(now.tv_sec).unwrap_or_default(),
            u32::try_from(now.tv_nsec).unwrap_or_default(),
        )
    })
}

/// How often one of the replicas looks for what is left over.
const LEFT_OVER_EVERY: Duration = Duration::from_secs(60);

/// How often it is looked whether another replica has left something to this one.
const LOOK_EVERY: Duration = Duration::from_secs(3);

/// Looks for what another replica has left to this one, until `stop`.
pub(super) async fn every_look(
    stop: CancellationToken,
    mut look: impl AsyncFnMut() -> Result<(), RecordError>,
) {
    while stop.run_until_cancelled(sleep(LOOK_EVERY)).await.is_some() {
        if let Err(error) = look().await {
            tracing::debug!(%error, "what other replicas left could not be read");
        }
    }
}

//! Runs what runs once in the whole cluster.

use super::keeper::{Duty, Keeper};
use super::port::{Epoch, Resource};
use super::replica::{Busy, Replica};
use std::sync::Arc;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

/// The right to run something, given to what runs.
#[derive(Clone)]
pub struct Tenure {
    replica: Arc<Replica>,
    resource: Resource,
    epoch: Epoch,
}

impl Tenure {
    /// Since when it runs here.
    #[must_use]
    pub fn epoch(&self) -> Epoch {
        self.epoch
    }

    /// Whether nobody else can be running it now. To be asked before each effect that no fence in the database guards: a
    /// line to a hub, a call to a player.
    #[must_use]
    pub fn may_act(&self) -> bool {
        self.replica.view(&self.resource).held == Some(self.epoch)
    }
}

/// Keeps `run` running in one replica at a time: here whenever its resource has no other living owner. It is dropped when
/// another replica has claimed the resource. Returns when it has ended by itself, after its resource was released, or,
/// while it does not run here, at `stop`; what runs sees `stop` by itself.
pub async fn keep<R: Future<Output = ()>>(
    replica: &Arc<Replica>,
    resource: &Resource,
    stop: &CancellationToken,
    run: impl Fn(Tenure) -> R,
) {
    let mut keeper = Keeper::new(&replica.settings);
    loop {
        let started = stop.run_until_cancelled(attend(replica, &mut keeper, resource));
        let epoch = match started.await {
            Some(Duty::Start(epoch)) => epoch,
            Some(_) => continue,
            None => return,
        };
        let tenure = Tenure {
            replica: Arc::clone(replica),
            resource: resource.clone(),
            epoch,
        };
        tracing::info!(%resource, epoch = epoch.0, "runs here now");
        let busy = Busy::new(&**replica, resource);
        tokio::select! {
            biased;
            () = run(tenure) => break drop(busy),
            _ = attend(replica, &mut keeper, resource) => {
                tracing::warn!(%resource, epoch = epoch.0, "another replica has claimed it: it is stopped here");
            }
        }
    }
    replica.release(vec![resource.clone()]).await;
}

/// Does the keeper's duties until it starts or stops what it keeps.
async fn attend(replica: &Replica, keeper: &mut Keeper, resource: &Resource) -> Duty {
    loop {
        match keeper.next(&replica.view(resource)) {
            Duty::Claim => {
                let outcome = replica.claim(resource, None).await;
                keeper.claimed(replica.now(), &outcome);
            }
            Duty::Wait(wait) => sleep(wait).await,
            duty => return duty,
        }
    }
}

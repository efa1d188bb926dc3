//! Stopping: no new matches; running ones finish within the limit; then listeners, sessions and the store
//! end, in this order.

use super::Daemon;
use crate::daemon::hub::RunningHub;
use crate::daemon::referee::RunningReferee;
use crate::daemon::signals::Signals;
use crate::gateway::CallbacksError;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinHandle;

/// How long the current answers may take once everything else has ended.
const LAST_ANSWERS: Duration = Duration::from_secs(6);

impl Daemon {
    /// Stops. `broken`: there is nothing to wait for.
    pub(super) async fn stop(mut self, broken: bool, mut signals: Signals) {
        self.readiness
            .refuse("the daemon is draining: it takes no new matches");
        self.sessions.drain();
        self.drain.cancel();
        let handing = self.replica.as_ref().map(|running| {
            let (replica, end) = (Arc::clone(&running.replica), self.end.clone());
            tokio::spawn(async move { replica.hand_over_until(&end).await })
        });
        if !broken {
            let cut = tokio::select! {
                () = finish(self.referee.as_ref(), self.hub.as_ref(), &mut self.callbacks, self.drain_limit) => false,
                name = signals.next() => {
                    tracing::info!(by = name, "ending at once");
                    true
                }
            };
            tracing::info!(
                cut,
                sessions = self.sessions.live(),
                "matches are over or left to the next start"
            );
        }
        self.close().await;
        // It ended with `end`.
        drop(handing);
    }

    async fn close(self) {
        if let Some(referee) = self.referee {
            referee.host.stop().await;
            referee.server.abort();
            if let Some(demo) = referee.demo {
                demo.abort();
            }
        }
        if let Some(hub) = self.hub {
            hub.hub.drain(Duration::ZERO).await;
            hub.server.abort();
        }
        self.callbacks.abort();
        self.end.cancel();
        let last = async {
            self.sessions.close().await;
            // An error here means that the listener ended before us, which has already been reported.
            let _ = self.api.await;
            if let Some(shims) = self.shims {
                let _ = shims.await;
            }
        };
        if tokio::time::timeout(LAST_ANSWERS, last).await.is_err() {
            tracing::warn!("some answers were cut off");
        }
        self.pool.close();
        if let Some(replica) = self.replica {
            replica.leave().await;
        }
        self.store.close().await;
        tracing::info!("stopped");
    }
}

/// Waits until our own matches and all sessions are over, at most the drain limit.
async fn finish(
    referee: Option<&RunningReferee>,
    hub: Option<&RunningHub>,
    callbacks: &mut JoinHandle<Result<(), CallbacksError>>,
    limit: Duration,
) {
    let ours = async {
        if let Some(referee) = referee {
            referee.host.drain(limit).await;
        }
    };
    let hub = async {
        if let Some(hub) = hub {
            hub.hub.drain(limit).await;
        }
    };
    // How the listener ended no longer matters: it ends now in any case.
    let (_, _, _) = tokio::join!(ours, hub, callbacks);
}

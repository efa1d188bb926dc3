//! Running: waits for a reason to stop, and keeps the service manager informed.

use super::{Daemon, Stopping};
use crate::daemon::signals::Signals;
use sd_notify::NotifyState;
use tokio_util::sync::CancellationToken;

/// Why the daemon stops.
enum Reason {
    Asked(&'static str),
    Broken(anyhow::Error),
}

impl Daemon {
    /// Runs until one of these signals or a drain request, then stops cleanly. The second signal cuts what is still
    /// running; the next start resumes it. What a clean stop waits for is passed on to `stopping`.
    ///
    /// # Errors
    /// A listener that failed permanently.
    pub async fn run(
        mut self,
        mut signals: Signals,
        stopping: impl FnOnce(Stopping),
    ) -> anyhow::Result<()> {
        let alive = CancellationToken::new();
        let every = sd_notify::watchdog_enabled().map(|limit| limit / 2);
        if let Some(every) = every.filter(|every| !every.is_zero()) {
            tokio::spawn(live(every, alive.clone()));
        }
        notify(NotifyState::Ready);
        let reason = self.wait(&mut signals).await;
        notify(NotifyState::Stopping);
        let result = match reason {
            Reason::Asked(by) => {
                tracing::info!(by, limit_s = self.drain_limit.as_secs(), "draining");
                stopping(self.stopping());
                Ok(())
            }
            Reason::Broken(error) => Err(error),
        };
        self.stop(result.is_err(), signals).await;
        alive.cancel();
        result
    }

    fn stopping(&self) -> Stopping {
        let referee = self.referee.as_ref();
        let hub = self.hub.as_ref();
        let hosted = referee.map_or(0, |referee| referee.host.running());
        Stopping {
            matches: hosted + hub.map_or(0, |hub| hub.hub.running()),
            sessions: self.sessions.live(),
            limit: self.drain_limit,
        }
    }

    async fn wait(&mut self, signals: &mut Signals) -> Reason {
        let mut readiness = self.readiness.subscribe();
        tokio::select! {
            name = signals.next() => Reason::Asked(name),
            _ = readiness.wait_for(Option::is_some) => Reason::Asked("POST /api/v1/drain"),
            ended = &mut self.callbacks => Reason::Broken(broken("callback", ended)),
            ended = &mut self.api => Reason::Broken(broken("REST", ended)),
        }
    }
}

fn broken<E>(what: &str, ended: Result<Result<(), E>, tokio::task::JoinError>) -> anyhow::Error
where
    E: std::error::Error + Send + Sync + 'static,
{
    match ended {
        Ok(Ok(())) => anyhow::anyhow!("the {what} listener ended unexpectedly"),
        Ok(Err(error)) => anyhow::Error::new(error).context(format!("the {what} listener failed")),
        Err(error) => anyhow::Error::new(error).context(format!("the {what} listener panicked")),
    }
}

/// Reports the daemon's state to systemd, if it was started with `Type=notify`.
fn notify(state: NotifyState<'_>) {
    if let Err(error) = sd_notify::notify(&[state]) {
        tracing::warn!(%error, "cannot notify the service manager");
    }
}

/// Watchdog notifications to the service manager.
async fn live(every: std::time::Duration, stop: CancellationToken) {
    let mut ticks = tokio::time::interval(every);
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            _ = ticks.tick() => notify(NotifyState::Watchdog),
        }
    }
}

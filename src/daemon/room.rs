//! How full the daemon is, for `/readyz` and the metrics.

use super::descriptors;
use crate::api::Room;
use crate::link::Shares;
use crate::metrics as names;
use crate::session::Sessions;
use metrics::{counter, gauge};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Everything that is limited.
#[derive(Clone)]
pub(super) struct Gauged {
    pub(super) sessions: Sessions,
    pub(super) callbacks: Arc<Shares>,
    pub(super) hub: Option<Arc<Shares>>,
}

impl Gauged {
    /// Whether a new match would be refused, and what is scarce.
    pub(super) fn room(&self) -> Room {
        let refusal = self.sessions.refusal().map(|why| why.to_string());
        let refusal = refusal
            .or_else(|| {
                let max = self.callbacks.max();
                let why = || format!("all {max} connections of the callbacks are taken");
                self.callbacks.is_full().then(why)
            })
            .or_else(no_files);
        let mut scarce = Vec::new();
        if self.sessions.is_short() {
            let (live, max) = (self.sessions.live(), self.sessions.max());
            scarce.push(format!(
                "sessions or thinking are scarce ({live} of {max} sessions are live): a caller gets its \
                 share of new matches"
            ));
        }
        for (name, connections) in self.listeners() {
            if connections.is_short() {
                let (open, max) = (connections.taken(), connections.max());
                scarce.push(format!(
                    "connections of the {name} are scarce ({open} of {max} are open): a caller gets its \
                     share of them"
                ));
            }
        }
        Room { refusal, scarce }
    }

    /// Sets the metrics that show it.
    pub(super) fn measure(&self) {
        gauge!(names::SESSIONS_MAX).set(self.sessions.max() as f64);
        for (listener, connections) in self.listeners() {
            let (open, max) = (connections.taken(), connections.max());
            let turned_away = connections.turned_away.load(Ordering::Relaxed);
            let sent_away = connections.sent_away.load(Ordering::Relaxed);
            gauge!(names::LISTENER_OPEN, "listener" => listener).set(open as f64);
            gauge!(names::CONNECTIONS_MAX, "listener" => listener).set(max as f64);
            counter!(names::TURNED_AWAY, "listener" => listener).absolute(turned_away);
            counter!(names::SENT_AWAY, "listener" => listener).absolute(sent_away);
        }
    }

    /// Those whose connections are shared, with their names.
    fn listeners(&self) -> impl Iterator<Item = (&'static str, &Shares)> {
        let hub = self.hub.as_ref().map(|hub| ("hub", &**hub));
        [("callbacks", &*self.callbacks)].into_iter().chain(hub)
    }
}

fn no_files() -> Option<String> {
    let (open, limit) = descriptors::open().zip(descriptors::limit())?;
    descriptors::nearly_exhausted(open, limit)
        .then(|| format!("{open} files are open, and only {limit} may be"))
}

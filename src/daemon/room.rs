//! How full the daemon is, for `/readyz` and the metrics.

use super::descriptors;
use crate::api::Room;
use crate::link::{Crowd, Fullness};
use crate::metrics as names;
use crate::session::Sessions;
use metrics::{counter, gauge};

/// Everything that is limited.
#[derive(Clone)]
pub(super) struct Gauged {
    pub(super) sessions: Sessions,
    pub(super) callbacks: Crowd,
    pub(super) hub: Option<Crowd>,
}

impl Gauged {
    /// Whether a new match would be refused, and what is scarce.
    pub(super) fn room(&self) -> Room {
        let callbacks = self.callbacks.fullness();
        let refusal = self.sessions.refusal().map(|why| why.to_string());
        let refusal = refusal
            .or_else(|| {
                let max = callbacks.max;
                let why = || format!("all {max} connections of the callbacks are taken");
                callbacks.is_full().then(why)
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
        let hub = self.hub.as_ref().map(Crowd::fullness);
        for (name, fullness) in [("callbacks", Some(callbacks)), ("hub", hub)] {
            if let Some(Fullness { open, max, .. }) = fullness.filter(Fullness::is_short) {
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
        for (listener, crowd) in [
            ("callbacks", Some(&self.callbacks)),
            ("hub", self.hub.as_ref()),
        ] {
            let Some(crowd) = crowd else { continue };
            let Fullness {
                open,
                max,
                turned_away,
                sent_away,
            } = crowd.fullness();
            gauge!(names::LISTENER_OPEN, "listener" => listener).set(open as f64);
            gauge!(names::CONNECTIONS_MAX, "listener" => listener).set(max as f64);
            counter!(names::TURNED_AWAY, "listener" => listener).absolute(turned_away);
            counter!(names::SENT_AWAY, "listener" => listener).absolute(sent_away);
        }
    }
}

fn no_files() -> Option<String> {
    let (open, limit) = descriptors::open().zip(descriptors::limit())?;
    descriptors::nearly_exhausted(open, limit)
        .then(|| format!("{open} files are open, and only {limit} may be"))
}

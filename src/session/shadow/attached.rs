//! A shadow seen from its session: it is handed what was stored, and what it found is stored when the session ends.

use super::findings::Findings;
use super::mind::{self, Terms};
use crate::metrics::SHADOWS_LEFT_OUT;
use crate::programs::Bots;
use crate::session::options::ShadowPlan;
use crate::session::registry::Registry;
use crate::store::types::{EntryId, NewEntry, NewSession, SessionId};
use crate::store::{ShadowRun, ShadowTally};
use games::Cause;
use games::neutral::is_meant;
use parking_lot::Mutex;
use serde_json::json;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::sync::mpsc::{self, Sender};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio_util::sync::CancellationToken;

/// Shadows that run at once at most; further sessions have none.
pub(in crate::session) const RUNNING_MAX: usize = 64;
/// Messages that may wait for a shadow. One that is further behind hears no more.
pub(in crate::session) const WAITING_MAX: usize = 256;
/// Searches recurse deeply.
const STACK_BYTES: usize = 8 << 20;

/// What was stored at once.
pub(in crate::session) struct Heard {
    /// Entries of the transcript with their numbers.
    pub(in crate::session) entries: Vec<(EntryId, NewEntry)>,
    /// How long the playing bot took for the decision among them, if there is one.
    pub(in crate::session) took: Option<Duration>,
}

/// What all shadows share.
pub(in crate::session) struct Shadows {
    places: Arc<Semaphore>,
    /// How many built-in ones search at once: the lowest priority of many is not low.
    searching: Arc<Semaphore>,
    /// The same programs as sessions', but those of shadows take no places from them.
    bots: Bots,
}

/// A shadow of a live session.
pub(in crate::session) struct Shadow {
    heard: Sender<Arc<Heard>>,
    shared: Arc<Shared>,
}

/// What the session and the shadow's thread share.
#[derive(Default)]
pub(super) struct Shared {
    pub(super) findings: Mutex<Findings>,
    /// Whether it missed something and hears no more.
    deaf: AtomicBool,
    /// Whether it is to stop at once.
    quits: AtomicBool,
    /// Why the session ended.
    pub(super) cause: OnceLock<Cause>,
    over: CancellationToken,
}

impl Shared {
    pub(super) fn quits(&self) -> bool {
        self.quits.load(Ordering::Relaxed)
    }
}

impl Shadows {
    pub(in crate::session) fn new(bots: &Bots) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        Self {
            places: Arc::new(Semaphore::new(RUNNING_MAX)),
            searching: Arc::new(Semaphore::new((cores / 2).max(1))),
            bots: bots.apart(RUNNING_MAX),
        }
    }

    /// How many more may run.
    #[cfg(test)]
    pub(in crate::session) fn free(&self) -> usize {
        self.places.available_permits()
    }
}

impl Registry {
    /// The shadows that a session which has just begun is to have.
    pub(in crate::session) fn shadows_of(
        &self,
        session: SessionId,
        opened: &NewSession,
    ) -> Vec<Shadow> {
        let plans = self.options.shadows.iter();
        let mut meant: Vec<&ShadowPlan> = plans
            .filter(|plan| plan.game == opened.game && is_meant(&plan.bot, &opened.bot))
            .collect();
        // One that is named for the bot and for a version of it is one.
        meant.sort_by(|one, other| one.shadow.cmp(&other.shadow));
        meant.dedup_by(|one, other| one.shadow == other.shadow);
        let plans = meant.into_iter();
        let shadows = plans.filter_map(|plan| self.shadow(session, opened, plan));
        shadows.collect()
    }

    fn shadow(&self, session: SessionId, opened: &NewSession, plan: &ShadowPlan) -> Option<Shadow> {
        let left_out = || metrics::counter!(SHADOWS_LEFT_OUT).increment(1);
        let Ok(place) = Arc::clone(&self.shadows.places).try_acquire_owned() else {
            left_out();
            return None;
        };
        let shared = Arc::new(Shared::default());
        shared.findings.lock().tally = ShadowTally {
            game: opened.game.clone(),
            bot: opened.bot.clone(),
            shadow: plan.shadow.clone(),
            whole: true,
            ..ShadowTally::default()
        };
        let terms = Terms {
            kit: (self.dependencies.find)(&opened.game)?,
            bots: self.shadows.bots.clone(),
            searching: Arc::clone(&self.shadows.searching),
            store: self.dependencies.store.clone(),
            runtime: self.runtime.clone(),
            opened: opened.clone(),
            shadow: plan.shadow.clone(),
            nodes: self.options.nodes.unwrap_or(u64::MAX),
            ceiling: self.options.ceiling(&opened.game),
            margin: self.options.margin,
            nice: self.options.shadow_nice,
        };
        let (heard, waiting) = mpsc::channel(WAITING_MAX);
        let (done, finished) = oneshot::channel();
        let of_thread = (Arc::clone(&shared), place);
        let work = move || {
            let (shared, _place): (Arc<Shared>, OwnedSemaphorePermit) = of_thread;
            mind::run(terms, &shared, waiting);
            // Whoever kept it may have given up.
            let _ = done.send(());
        };
        let thread = std::thread::Builder::new().name("shadow".to_owned());
        if let Err(error) = thread.stack_size(STACK_BYTES).spawn(work) {
            tracing::warn!(%error, "no thread for a shadow");
            left_out();
            return None;
        }
        self.keep(session, Arc::clone(&shared), finished);
        Some(Shadow { heard, shared })
    }

    /// Stores what a shadow found once it has finished after its session's end, or this process stops.
    fn keep(&self, session: SessionId, shared: Arc<Shared>, finished: oneshot::Receiver<()>) {
        let (store, stop) = (self.dependencies.store.clone(), self.stop.clone());
        let finish_within = self.options.shadow_finish_within;
        self.tracker.spawn(async move {
            let given_up = async {
                shared.over.cancelled().await;
                tokio::time::sleep(finish_within).await;
            };
            let why = tokio::select! {
                done = finished => done.err().map(|_| "it broke down"),
                () = given_up => Some("it did not finish: it hung, or was too slow"),
                () = stop.cancelled() => Some("the daemon stopped"),
            };
            shared.quits.store(true, Ordering::Relaxed);
            let mut findings = std::mem::take(&mut *shared.findings.lock());
            if shared.deaf.load(Ordering::Relaxed) {
                findings.break_off("it fell too far behind to hear the rest");
            }
            if let Some(why) = why {
                // Who is interrupted by a stop has not failed.
                if !stop.is_cancelled() {
                    findings.lose();
                }
                findings.break_off(why);
            }
            let Findings { tally, report, .. } = findings;
            let report = json!(report);
            let run = ShadowRun {
                session,
                tally,
                report,
            };
            if let Err(error) = store.shadow_ran(run).await {
                let session = session.0;
                tracing::warn!(session, %error, "what a shadow said could not be stored");
            }
        });
    }
}

impl Shadow {
    /// Hands it what was stored. It never waits.
    pub(in crate::session) fn hear(&self, heard: &Arc<Heard>) {
        let deaf = &self.shared.deaf;
        if deaf.load(Ordering::Relaxed) || self.heard.try_send(Arc::clone(heard)).is_ok() {
            return;
        }
        // A thread that ended has said why. What it holds is not waited for here.
        if !self.heard.is_closed() {
            deaf.store(true, Ordering::Relaxed);
        }
    }

    /// Its session has ended.
    pub(in crate::session) fn end(self, cause: Cause) {
        // Only the first cause counts.
        let _ = self.shared.cause.set(cause);
        self.shared.over.cancel();
    }
}

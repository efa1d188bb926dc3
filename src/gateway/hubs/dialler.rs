//! Keeps every connection going: dials, plays, waits, dials again.

use super::backoff::Backoff;
use super::dial::{Dial, tcp};
use super::game::{GameFault, Joined, Played, Seat, words};
use super::status::{HubStatus, Phase};
use crate::clock::now_us;
use crate::cluster::{Kind, Resource, Tenure, keep};
use crate::config::Hub;
use crate::metrics::{HUB_FAULTS, HUB_GAMES};
use crate::session::{BotAddress, Ended, Sessions};
use crate::simulated;
use games::Cause;
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// How often it is looked whether a hub may be joined.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// How many reconnection times are kept.
const BACK_MAX: usize = 20;

/// All connections. Cheap to clone.
#[derive(Clone, Default)]
pub struct Hubs {
    seats: Arc<Vec<Arc<Mutex<HubStatus>>>>,
    tasks: TaskTracker,
}

impl Hubs {
    /// Dials them all. At `stop`, connections that are not playing end at once, the others after their game.
    /// Hubs whose game or bot does not exist are left out.
    #[must_use]
    pub fn start(hubs: &[Hub], sessions: &Sessions, stop: &CancellationToken) -> Self {
        Self::dialling(hubs, &tcp(), sessions, stop)
    }

    /// The same over other connections than TCP's.
    #[must_use]
    pub fn dialling(
        hubs: &[Hub],
        dial: &Dial,
        sessions: &Sessions,
        stop: &CancellationToken,
    ) -> Self {
        let tasks = TaskTracker::new();
        let mut all = Vec::new();
        for plan in hubs {
            let referee = format!("{}/{}", plan.address, plan.hub.trim_start_matches('#'));
            let found = games::find(&plan.game).and_then(|kit| {
                let bot = BotAddress::configured(kit, &plan.bot, &referee, sessions.bots());
                Some((kit, Arc::new(bot?)))
            });
            let Some((kit, bot)) = found else {
                let (bot, address) = (&plan.bot, &plan.address);
                tracing::error!(bot, address, "there is no such bot");
                continue;
            };
            for connection in 1..=plan.seats {
                let status = Arc::new(Mutex::new(HubStatus {
                    address: plan.address.clone(),
                    game: plan.game.clone(),
                    hub: plan.hub.clone(),
                    name: plan.name.clone(),
                    bot: plan.bot.clone(),
                    connection,
                    since_us: now_us(),
                    ..HubStatus::default()
                }));
                let number = all.len() as u64 + 1;
                let seat = Seat {
                    kit,
                    bot: Arc::clone(&bot),
                    address: plan.address.clone(),
                    dial: Arc::clone(dial),
                    words: words(&plan.name, &plan.hub),
                    number,
                };
                let seed = simulated::ulid().random() as u64;
                let dialler = Dialler {
                    seat,
                    tenure: None,
                    sessions: sessions.clone(),
                    status: Arc::clone(&status),
                    backoff: Backoff::new(seed, number),
                    lost: None,
                    up: None,
                };
                tasks.spawn(kept(dialler, stop.clone()));
                all.push(status);
            }
        }
        tasks.close();
        Self {
            seats: Arc::new(all),
            tasks,
        }
    }

    /// The status of every connection.
    #[must_use]
    pub fn list(&self) -> Vec<HubStatus> {
        self.seats
            .iter()
            .map(|status| status.lock().clone())
            .collect()
    }

    /// Waits until every connection has ended, which requires the stop that [`Hubs::start`] was given.
    pub async fn ended(&self) {
        self.tasks.wait().await;
    }
}

/// Keeps a connection going; where several replicas share the store, in one of them.
async fn kept(dialler: Dialler, stop: CancellationToken) {
    let Some(replica) = dialler.sessions.replica().cloned() else {
        return dialler.run(stop).await;
    };
    let seat = &dialler.seat;
    let name = format!("{}/{}", seat.bot.referee(), seat.number);
    dialler.enters(Phase::Elsewhere);
    let run = |tenure| {
        let dialler = Dialler {
            tenure: Some(tenure),
            ..dialler.clone()
        };
        dialler.run_here(stop.clone())
    };
    keep(&replica, &Resource::new(Kind::Hub, name), &stop, run).await;
    dialler.enters(Phase::Stopped);
}

/// While this lasts, a connection is kept here.
struct Here(Dialler);

impl Drop for Here {
    fn drop(&mut self) {
        self.0.enters(Phase::Elsewhere);
    }
}

#[derive(Clone)]
struct Dialler {
    seat: Seat,
    /// Where another replica may keep the connection: that this one does.
    tenure: Option<Tenure>,
    sessions: Sessions,
    status: Arc<Mutex<HubStatus>>,
    backoff: Backoff,
    /// When the last line was lost without a game having ended normally.
    lost: Option<Instant>,
    /// Whether games are played there, as was last reported.
    up: Option<bool>,
}

impl Dialler {
    /// The same, where another replica may have kept it before.
    async fn run_here(self, stop: CancellationToken) {
        let _here = Here(self.clone());
        let former = self.sessions.end_games(&self.seat.bot, self.seat.number);
        if let Err(error) = former.await {
            tracing::warn!(%error, "a game that another replica has left cannot be ended");
        }
        self.run(stop).await;
    }

    async fn run(mut self, stop: CancellationToken) {
        while !stop.is_cancelled() {
            let joined = tokio::select! {
                biased;
                joined = self.join() => joined,
                () = stop.cancelled() => break,
            };
            let wait = match joined {
                Ok(joined) => self.play(joined).await,
                Err(fault) => {
                    self.failed(fault.to_string());
                    self.lost.get_or_insert_with(Instant::now);
                    self.backoff.after_failure()
                }
            };
            self.waits(wait);
            tokio::select! {
                biased;
                () = tokio::time::sleep(wait) => {}
                () = stop.cancelled() => break,
            }
        }
        self.enters(Phase::Stopped);
    }

    /// Joins a game.
    async fn join(&self) -> Result<Joined, GameFault> {
        // With a lease that is not sure another replica may have joined.
        while self.tenure.as_ref().is_some_and(|tenure| !tenure.may_act()) {
            tokio::time::sleep(LOOK_EVERY).await;
        }
        self.enters(Phase::Connecting);
        let connected = || {
            self.status.lock().connects += 1;
        };
        let joining = self.seat.join(&self.sessions, connected).await?;
        self.enters(Phase::Queued);
        joining.wait(self.seat.kit).await
    }

    /// Plays a game; returns the wait before the next one.
    async fn play(&mut self, joined: Joined) -> Duration {
        self.enters(Phase::Playing);
        if self.up.replace(true) != Some(true) {
            let (address, connection) = (&self.seat.address, self.seat.number);
            tracing::info!(address, connection, "a hub is up: we play there");
        }
        {
            let mut status = self.status.lock();
            status.games += 1;
            status.failures = 0;
            (status.last_error, status.last_error_us) = (None, None);
            if let Some(lost) = self.lost.take() {
                let after = u64::try_from(lost.elapsed().as_millis()).unwrap_or(u64::MAX);
                status.back_after_ms.push(after);
                let more = status.back_after_ms.len().saturating_sub(BACK_MAX);
                status.back_after_ms.drain(..more);
            }
        }
        let Played { ended, answered } = self.seat.play(&self.sessions, joined).await;
        let Ended { cause, detail } = ended;
        metrics::counter!(HUB_GAMES, "cause" => cause.word()).increment(1);
        *self.status.lock().ended.entry(cause.word()).or_default() += 1;
        // A hub that only announces games is no better than one that cannot be reached.
        if answered {
            self.backoff.began();
        }
        if cause == Cause::Normal && answered {
            return self.backoff.after_game();
        }
        self.failed(detail);
        self.lost = Some(Instant::now());
        self.backoff.after_failure()
    }

    fn failed(&mut self, why: String) {
        metrics::counter!(HUB_FAULTS).increment(1);
        let (address, connection) = (&self.seat.address, self.seat.number);
        if self.up.replace(false) != Some(false) {
            tracing::warn!(
                address,
                connection,
                why,
                "a hub is down: it is dialled again and again"
            );
        } else {
            tracing::info!(address, connection, why, "a hub is still down");
        }
        let mut status = self.status.lock();
        status.last_error = Some(why);
        status.last_error_us = Some(now_us());
    }

    fn waits(&self, wait: Duration) {
        self.enters(Phase::Waiting);
        let mut status = self.status.lock();
        let wait_us = i64::try_from(wait.as_micros()).unwrap_or(i64::MAX);
        status.next_retry_us = Some(now_us().saturating_add(wait_us));
        status.failures = self.backoff.failures();
    }

    fn enters(&self, phase: Phase) {
        let mut status = self.status.lock();
        status.phase = phase;
        status.since_us = now_us();
        status.next_retry_us = None;
    }
}

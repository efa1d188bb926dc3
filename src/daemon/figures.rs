//! The metrics that are not counted as they happen: read from their sources on request.

use super::room::Gauged;
use crate::metrics as names;
use crate::session::Sessions;
use crate::store::{BATCH_BOUNDS, Store};
use crate::thinking::Pool;
use metrics::{counter, gauge};
use metrics_exporter_prometheus::PrometheusHandle;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// How often histograms are folded if nothing requests them: they would grow otherwise.
const UPKEEP: Duration = Duration::from_secs(5);

/// Renders all metrics as Prometheus text.
pub(super) fn renderer(
    handle: PrometheusHandle,
    store: Store,
    pool: Pool,
    gauged: Gauged,
) -> Arc<dyn Fn() -> String + Send + Sync> {
    Arc::new(move || {
        gauged.measure();
        read(&store, &pool, &gauged.sessions);
        handle.render()
    })
}

/// Folds histograms until `stop`.
pub(super) async fn upkeep(handle: PrometheusHandle, stop: CancellationToken) {
    let mut ticks = tokio::time::interval(UPKEEP);
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            _ = ticks.tick() => handle.run_upkeep(),
        }
    }
}

fn read(store: &Store, pool: &Pool, sessions: &Sessions) {
    let health = store.health();
    gauge!(names::SESSIONS_LIVE).set(sessions.live() as f64);
    gauge!(names::THINKING_JOBS).set(pool.jobs() as f64);
    if let Ok(runtime) = tokio::runtime::Handle::try_current() {
        gauge!(names::TASKS).set(runtime.metrics().num_alive_tasks() as f64);
    }
    gauge!(names::STORE_QUEUE).set(health.queue_depth as f64);
    gauge!(names::STORE_FAILING).set(if health.failing.is_some() { 1.0 } else { 0.0 });
    counter!(names::APPENDS).absolute(health.appends);
    counter!(names::COMMITS).absolute(health.commits);
    let mut up_to = 0;
    let bounds = BATCH_BOUNDS
        .iter()
        .map(ToString::to_string)
        .chain(["+Inf".to_owned()]);
    for (count, bound) in health.batches.iter().zip(bounds) {
        up_to += count;
        counter!(names::BATCHES, "le" => bound).absolute(up_to);
    }
}

//! The metrics that are not counted as they happen: read from their sources on request.

use super::process::{Process, Usage};
use super::room::Gauged;
use crate::logs;
use crate::metrics as names;
use crate::session::Sessions;
use crate::store::{BATCH_BOUNDS, Health, Store};
use crate::thinking::Pool;
use metrics::{counter, gauge};
use metrics_exporter_prometheus::PrometheusHandle;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::task::spawn_blocking;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

/// How often histograms are folded if nothing requests them (they would grow otherwise), and the disk is looked at
/// (of which requests show the last figures).
const UPKEEP: Duration = Duration::from_secs(5);

/// Renders all metrics as Prometheus text.
pub(super) fn renderer(
    handle: PrometheusHandle,
    store: Store,
    pool: Pool,
    gauged: Gauged,
    runtimes: [Handle; 2],
) -> Arc<dyn Fn() -> String + Send + Sync> {
    let process = Process::started();
    Arc::new(move || {
        gauged.measure();
        process.measure();
        let health = store.health();
        read(&health, &pool, &gauged.sessions, &runtimes);
        let mut text = handle.render();
        batches(&mut text, &health);
        if let Some(usage) = Usage::now() {
            let samples = [(String::new(), usage.cpu_s)];
            family(&mut text, names::PROCESS_CPU, "counter", samples);
        }
        text
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

/// Looks at a disk until `stop`, never twice at a time: one that hangs costs a thread that nobody else needs.
pub(super) async fn watch(mut look: impl FnMut() + Send + 'static, stop: CancellationToken) {
    let mut ticks = tokio::time::interval(UPKEEP);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let looks = async {
        loop {
            ticks.tick().await;
            let looked = spawn_blocking(move || {
                look();
                look
            });
            match looked.await {
                Ok(again) => look = again,
                Err(error) => return tracing::error!(%error, "the disk is watched no more"),
            }
        }
    };
    // A look that hangs is left behind.
    stop.run_until_cancelled(looks).await;
}

fn read(health: &Health, pool: &Pool, sessions: &Sessions, runtimes: &[Handle]) {
    gauge!(names::SESSIONS_LIVE).set(sessions.live() as f64);
    gauge!(names::THINKING_JOBS).set(pool.jobs() as f64);
    let tasks = runtimes.iter().map(|one| one.metrics().num_alive_tasks());
    gauge!(names::TASKS).set(tasks.sum::<usize>() as f64);
    gauge!(names::STORE_QUEUE).set(health.queue_depth as f64);
    gauge!(names::STORE_FAILING).set(f64::from(u8::from(health.failing.is_some())));
    gauge!(names::STORE_DAMAGED).set(f64::from(u8::from(health.damaged.is_some())));
    counter!(names::LOG_DROPPED).absolute(logs::dropped());
    counter!(names::APPENDS).absolute(health.appends);
    counter!(names::COMMITS).absolute(health.commits);
    counter!(names::SYNCS).absolute(health.syncs);
}

/// The store's histogram of batches.
fn batches(text: &mut String, health: &Health) {
    let bounds = BATCH_BOUNDS.iter().map(ToString::to_string);
    let bounds = bounds.chain(["+Inf".to_owned()]);
    let mut up_to = 0;
    let buckets = health.batches.iter().zip(bounds).map(|(count, bound)| {
        up_to += count;
        (format!("_bucket{{le=\"{bound}\"}}"), up_to as f64)
    });
    let mut samples: Vec<_> = buckets.collect();
    samples.push(("_sum".to_owned(), health.appends as f64));
    samples.push(("_count".to_owned(), up_to as f64));
    family(text, names::BATCHES, "histogram", samples);
}

/// Adds a family of a type that the recorder does not have, in Prometheus's text format.
fn family(
    text: &mut String,
    name: &str,
    kind: &str,
    samples: impl IntoIterator<Item = (String, f64)>,
) {
    let help = names::help(name);
    let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
    for (suffix, value) in samples {
        let _ = writeln!(text, "{name}{suffix} {value}");
    }
}

#[cfg(test)]
mod tests {
    use super::{UPKEEP, watch};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::sync::mpsc;
    use tokio_util::sync::CancellationToken;

    #[tokio::test(start_paused = true)]
    async fn a_disk_that_hangs_is_looked_at_once_and_stops_nobody() {
        let (goes_on, hangs) = mpsc::channel::<()>();
        let (looks, stop) = (Arc::new(AtomicU32::new(0)), CancellationToken::new());
        let counted = Arc::clone(&looks);
        let look = move || {
            counted.fetch_add(1, Ordering::SeqCst);
            let _ = hangs.recv();
        };
        let watching = tokio::spawn(watch(look, stop.clone()));
        // The runtime's only thread is never held up.
        let looked = async |count| {
            while looks.load(Ordering::SeqCst) < count {
                tokio::time::advance(UPKEEP).await;
            }
        };
        looked(1).await;
        for _ in 0..100 {
            tokio::time::advance(UPKEEP).await;
        }
        assert_eq!(looks.load(Ordering::SeqCst), 1);
        goes_on.send(()).unwrap();
        looked(2).await;
        stop.cancel();
        watching.await.unwrap();
        assert_eq!(looks.load(Ordering::SeqCst), 2);
    }
}

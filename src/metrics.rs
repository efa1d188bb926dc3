//! The names of all metrics, and the one place that installs the recorder.

use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusHandle};

/// Sessions that have not ended.
pub const SESSIONS_LIVE: &str = "drover_sessions_live";
/// The most sessions that may live at once.
pub const SESSIONS_MAX: &str = "drover_sessions_max";
/// Sessions opened, by `game`.
pub const SESSIONS_OPENED: &str = "drover_sessions_opened_total";
/// Sessions ended, by `cause`.
pub const SESSIONS_ENDED: &str = "drover_sessions_ended_total";
/// Sessions refused, by `why`.
pub const SESSIONS_REFUSED: &str = "drover_sessions_refused_total";
/// Messages that reached a session.
pub const CALLBACKS: &str = "drover_callbacks_total";
/// Messages that a session answered by its game's default, by `why`.
pub const DEFAULTS: &str = "drover_callbacks_defaulted_total";
/// Repeated messages that were answered from the log.
pub const REPEATED: &str = "drover_callbacks_repeated_total";
/// Requests that no session could take, by `status`.
pub const REJECTED: &str = "drover_requests_rejected_total";
/// Connections that are open.
pub const CONNECTIONS: &str = "drover_connections_open";
/// Connections that are open, by `listener`.
pub const LISTENER_OPEN: &str = "drover_listener_connections_open";
/// The most connections that may be open, by `listener`.
pub const CONNECTIONS_MAX: &str = "drover_connections_max";
/// Connections closed at once because their peer had its share, by `listener`.
pub const TURNED_AWAY: &str = "drover_connections_turned_away_total";
/// Idle connections closed to make room for others.
pub const SENT_AWAY: &str = "drover_connections_sent_away_total";
/// Files and sockets that are open.
pub const FILES_OPEN: &str = "drover_files_open";
/// The most files and sockets that may be open.
pub const FILES_MAX: &str = "drover_files_max";
/// Decisions answered.
pub const DECISIONS: &str = "drover_decisions_total";
/// Decisions answered by the fallback, by `cause`.
pub const FALLBACKS: &str = "drover_fallbacks_total";
/// Seconds that decisions spent in each `step`: queued, thought, committed, sent.
pub const LEDGER: &str = "drover_ledger_seconds";
/// Appends that the store refused.
pub const APPENDS_FAILED: &str = "drover_appends_failed_total";
/// Appends committed.
pub const APPENDS: &str = "drover_store_appends_total";
/// Commits.
pub const COMMITS: &str = "drover_store_commits_total";
/// Commits by the number of appends in them: `le` as in a histogram.
pub const BATCHES: &str = "drover_store_batch_appends";
/// Commands waiting for the writer.
pub const STORE_QUEUE: &str = "drover_store_queue_depth";
/// 1 while nothing can be written.
pub const STORE_FAILING: &str = "drover_store_failing";
/// Decisions in the thinking pool.
pub const THINKING_JOBS: &str = "drover_thinking_jobs";

/// Tasks of the asynchronous runtime that are alive.
pub const TASKS: &str = "drover_tasks";
/// Games that ended on hubs that we dial, by `cause`.
pub const HUB_GAMES: &str = "drover_hub_games_total";
/// Lines to hubs that could not be made or were lost.
pub const HUB_FAULTS: &str = "drover_hub_faults_total";

/// Bounds of the ledger's histograms, in seconds.
const LEDGER_BOUNDS: [f64; 14] = [
    0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0,
];

/// Installs the process's recorder. Call once, before anything is counted.
///
/// # Errors
/// [`BuildError`] if a recorder is installed already.
pub fn install() -> Result<PrometheusHandle, BuildError> {
    let handle = builder()?.install_recorder()?;
    describe();
    Ok(handle)
}

fn builder() -> Result<PrometheusBuilder, BuildError> {
    PrometheusBuilder::new()
        .set_buckets_for_metric(Matcher::Full(LEDGER.to_owned()), &LEDGER_BOUNDS)
}

fn describe() {
    use metrics::{describe_counter, describe_gauge, describe_histogram};
    describe_gauge!(SESSIONS_LIVE, "Sessions that have not ended");
    describe_gauge!(SESSIONS_MAX, "The most sessions that may live at once");
    describe_counter!(SESSIONS_OPENED, "Sessions opened");
    describe_counter!(SESSIONS_ENDED, "Sessions ended, by cause");
    describe_counter!(SESSIONS_REFUSED, "Sessions refused");
    describe_counter!(CALLBACKS, "Messages that reached a session");
    describe_counter!(DEFAULTS, "Messages answered by their game's default");
    describe_counter!(REPEATED, "Repeated messages answered from the log");
    describe_counter!(REJECTED, "Requests that no session could take");
    describe_gauge!(CONNECTIONS, "Connections that are open");
    describe_gauge!(LISTENER_OPEN, "Connections that are open, by listener");
    describe_gauge!(CONNECTIONS_MAX, "The most connections, by listener");
    describe_counter!(
        TURNED_AWAY,
        "Connections closed at once because their peer had its share"
    );
    describe_counter!(SENT_AWAY, "Idle connections closed for others' sake");
    describe_gauge!(FILES_OPEN, "Files and sockets that are open");
    describe_gauge!(FILES_MAX, "The most files and sockets that may be open");
    describe_counter!(DECISIONS, "Decisions answered");
    describe_counter!(FALLBACKS, "Decisions answered by the fallback, by cause");
    describe_histogram!(LEDGER, "Seconds a decision spent in each step");
    describe_counter!(APPENDS_FAILED, "Appends that the store refused");
    describe_counter!(APPENDS, "Appends committed");
    describe_counter!(COMMITS, "Commits");
    describe_counter!(
        BATCHES,
        "Commits by the number of appends in them, cumulative"
    );
    describe_gauge!(STORE_QUEUE, "Commands waiting for the writer");
    describe_gauge!(STORE_FAILING, "1 while nothing can be written");
    describe_counter!(HUB_GAMES, "Games that ended on hubs that we dial, by cause");
    describe_counter!(
        HUB_FAULTS,
        "Lines to hubs that could not be made or were lost"
    );
    describe_gauge!(TASKS, "Tasks of the asynchronous runtime that are alive");
    describe_gauge!(THINKING_JOBS, "Decisions in the thinking pool");
}

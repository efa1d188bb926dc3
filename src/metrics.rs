//! The names of all metrics, and the one place that installs the recorder.

use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusHandle};

/// Defines each metric's name and describes them all to the recorder. What is not in the description stands
/// above the name.
macro_rules! metrics {
    ($($(#[$doc:meta])* $name:ident = $text:literal, $describe:ident: $help:literal;)*) => {
        $($(#[$doc])* #[doc = concat!($help, ".")] pub const $name: &str = $text;)*

        fn describe() {
            $(::metrics::$describe!($name, $help);)*
        }

        /// What a metric is, for families that the recorder does not write.
        pub fn help(name: &str) -> &'static str {
            match name {
                $($text => $help,)*
                _ => "",
            }
        }
    };
}

metrics! {
    SESSIONS_LIVE = "drover_sessions_live", describe_gauge: "Sessions that have not ended";
    SESSIONS_MAX = "drover_sessions_max", describe_gauge: "The most sessions that may live at once";
    /// By `game`.
    SESSIONS_OPENED = "drover_sessions_opened_total", describe_counter: "Sessions opened";
    /// By `cause`.
    SESSIONS_ENDED = "drover_sessions_ended_total", describe_counter: "Sessions ended, by cause";
    /// By `why`.
    SESSIONS_REFUSED = "drover_sessions_refused_total", describe_counter: "Sessions refused";
    MATCHES_DISCARDED = "drover_matches_discarded_total", describe_counter: "Matches that strangers merely began, removed from the database";
    CALLBACKS = "drover_callbacks_total", describe_counter: "Messages that reached a session";
    /// By `why`.
    DEFAULTS = "drover_callbacks_defaulted_total", describe_counter: "Messages answered by their game's default";
    REPEATED = "drover_callbacks_repeated_total", describe_counter: "Repeated messages answered from the log";
    /// By `status`.
    REJECTED = "drover_requests_rejected_total", describe_counter: "Requests that no session could take";
    CONNECTIONS = "drover_connections_open", describe_gauge: "Connections that are open";
    /// By `listener`.
    LISTENER_OPEN = "drover_listener_connections_open", describe_gauge: "Connections that are open, by listener";
    /// By `listener`.
    CONNECTIONS_MAX = "drover_connections_max", describe_gauge: "The most connections, by listener";
    /// By `listener`.
    TURNED_AWAY = "drover_connections_turned_away_total", describe_counter: "Connections closed at once because their peer had its share";
    SENT_AWAY = "drover_connections_sent_away_total", describe_counter: "Idle connections closed for others' sake";
    FILES_OPEN = "drover_files_open", describe_gauge: "Files and sockets that are open";
    FILES_MAX = "drover_files_max", describe_gauge: "The most files and sockets that may be open";
    DECISIONS = "drover_decisions_total", describe_counter: "Decisions answered";
    /// By `cause`.
    FALLBACKS = "drover_fallbacks_total", describe_counter: "Decisions answered by the fallback, by cause";
    /// Seconds that decisions spent in each `step`: queued, thought, committed, sent.
    LEDGER = "drover_ledger_seconds", describe_histogram: "Seconds a decision spent in each step";
    APPENDS_FAILED = "drover_appends_failed_total", describe_counter: "Appends that the store refused";
    APPENDS = "drover_store_appends_total", describe_counter: "Appends committed";
    COMMITS = "drover_store_commits_total", describe_counter: "Commits";
    SYNCS = "drover_store_syncs_total", describe_counter: "Syncs of the log, each for all commits since the last one";
    /// A histogram, counted by the store itself.
    BATCHES = "drover_store_batch_appends", describe_histogram: "Commits by the number of appends in them";
    STORE_BYTES = "drover_store_database_bytes", describe_gauge: "Bytes of the database's file";
    STORE_LOG_BYTES = "drover_store_wal_bytes", describe_gauge: "Bytes of the database's write-ahead log";
    DISK_FREE = "drover_store_disk_free_bytes", describe_gauge: "Bytes that are free on the database's disk";
    STORE_QUEUE = "drover_store_queue_depth", describe_gauge: "Commands waiting for the writer";
    STORE_FAILING = "drover_store_failing", describe_gauge: "1 while nothing can be written";
    STORE_DAMAGED = "drover_store_damaged", describe_gauge: "1 if the check of the database found it damaged";
    LOG_DROPPED = "drover_log_lines_dropped_total", describe_counter: "Log lines that were not written because nothing took them in time";
    THINKING_JOBS = "drover_thinking_jobs", describe_gauge: "Decisions in the thinking pool";
    TASKS = "drover_tasks", describe_gauge: "Tasks of the asynchronous runtimes that are alive";
    /// A counter with fractions, which the recorder has not.
    PROCESS_CPU = "process_cpu_seconds_total", describe_counter: "Processor time of the process in seconds";
    PROCESS_RESIDENT = "process_resident_memory_bytes", describe_gauge: "Bytes of memory in use";
    PROCESS_VIRTUAL = "process_virtual_memory_bytes", describe_gauge: "Bytes of address space in use";
    PROCESS_FDS = "process_open_fds", describe_gauge: "Open file descriptors";
    PROCESS_FDS_MAX = "process_max_fds", describe_gauge: "The most file descriptors that may be open";
    PROCESS_THREADS = "process_threads", describe_gauge: "Threads of the process";
    PROCESS_START = "process_start_time_seconds", describe_gauge: "When the process started, in seconds since 1970-01-01 UTC";
    /// By `cause`.
    HUB_GAMES = "drover_hub_games_total", describe_counter: "Games that ended on hubs that we dial, by cause";
    HUB_FAULTS = "drover_hub_faults_total", describe_counter: "Lines to hubs that could not be made or were lost";
}

/// Bounds of the ledger's histograms, in seconds.
const LEDGER_BOUNDS: [f64; 14] = [
    0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0,
];

/// Installs the process's recorder. Call once, before anything is counted.
///
/// # Errors
/// [`BuildError`] if a recorder is installed already.
pub fn install(replica: Option<&str>) -> Result<PrometheusHandle, BuildError> {
    let mut builder = builder()?;
    if let Some(replica) = replica {
        builder = builder.add_global_label("replica", replica);
    }
    let handle = builder.install_recorder()?;
    describe();
    Ok(handle)
}

fn builder() -> Result<PrometheusBuilder, BuildError> {
    PrometheusBuilder::new()
        .set_buckets_for_metric(Matcher::Full(LEDGER.to_owned()), &LEDGER_BOUNDS)
}

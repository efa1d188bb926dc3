//! Where log lines go and their format.

use crate::config::{Log, LogFormat};
use crate::logs;
use anyhow::Context as _;
use std::io::IsTerminal as _;
use tracing_subscriber::EnvFilter;

/// Sets up the process's logging, on standard error. Call once.
///
/// # Errors
/// There is no room for the thread that writes.
pub(super) fn start(log: &Log) -> anyhow::Result<()> {
    logs::start(std::io::stderr()).context("the thread of the log cannot be started")?;
    let filter = EnvFilter::builder().parse_lossy(&log.level);
    let lines = tracing_subscriber::fmt()
        .with_env_filter(filter)
        // What it has to say of itself it would print past the queue.
        .log_internal_errors(false)
        .with_writer(|| logs::Lines);
    match log.format {
        LogFormat::Json => lines.json().flatten_event(true).init(),
        LogFormat::Text => lines.with_ansi(std::io::stderr().is_terminal()).init(),
    }
    std::panic::set_hook(Box::new(|panic| {
        let at = panic.location().map(ToString::to_string);
        let what = panic.payload_as_str();
        tracing::error!(at, what, "a thread panicked");
        if std::thread::current().name() == Some("main") {
            logs::flush();
        }
    }));
    Ok(())
}

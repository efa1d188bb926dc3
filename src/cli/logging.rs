//! Where log lines go and their format.

use crate::config::{Log, LogFormat};
use std::io::IsTerminal as _;
use tracing_subscriber::EnvFilter;

/// Sets up the process's logging, on standard error. Call once.
pub(super) fn start(log: &Log) {
    let filter = EnvFilter::builder().parse_lossy(&log.level);
    let lines = tracing_subscriber::fmt()
        .with_env_filter(filter)
        // Nobody reads it or its disk is full: that costs lines, where a complaint about it would panic.
        .log_internal_errors(false)
        .with_writer(std::io::stderr);
    match log.format {
        LogFormat::Json => lines.json().flatten_event(true).init(),
        LogFormat::Text => lines.with_ansi(std::io::stderr().is_terminal()).init(),
    }
}

//! Where log lines go and their format.

use crate::config::{ConfigError, Log, LogFormat};
use std::io::IsTerminal as _;
use tracing_subscriber::EnvFilter;

/// Sets up the process's logging, on standard error. Call once.
pub(super) fn start(log: &Log) -> Result<(), ConfigError> {
    let filter = EnvFilter::builder()
        .parse(&log.level)
        .map_err(|error| ConfigError::BadValue {
            origin: "default".to_owned(),
            key: "log.level".to_owned(),
            value: format!("{:?} ({error})", log.level),
            allowed: "a level such as \"info\", or several such as \"info,drover::session=debug\""
                .to_owned(),
        })?;
    let lines = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr);
    match log.format {
        LogFormat::Json => lines.json().flatten_event(true).init(),
        LogFormat::Text => lines.with_ansi(std::io::stderr().is_terminal()).init(),
    }
    Ok(())
}

//! Stopping on a signal.

use super::common::notify;
use crate::daemon::Signals;
use crate::link::program::kill_all;
use std::io::IsTerminal as _;
use tokio_util::sync::CancellationToken;

/// The exit code after Ctrl-C or SIGTERM.
pub(super) const STOPPED: u8 = 130;

/// What a second signal does.
pub(super) const AGAIN: &str = "Ctrl-C again ends at once";

/// Cancelled by the first Ctrl-C or SIGTERM; the second one ends the process, and programs with it.
pub(super) fn on_signal() -> CancellationToken {
    let stop = CancellationToken::new();
    let cancel = stop.clone();
    tokio::spawn(async move {
        if let Ok(mut signals) = Signals::new() {
            signals.next().await;
            cancel.cancel();
            if std::io::stderr().is_terminal() {
                notify(&format!(
                    "stopping; a match that has not ended does not count; {AGAIN}"
                ));
            }
            signals.next().await;
            kill_all();
            std::process::exit(STOPPED.into());
        }
    });
    stop
}

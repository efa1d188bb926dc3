//! Stopping on a signal.

use crate::daemon::Signals;
use crate::link::program::kill_all;
use tokio_util::sync::CancellationToken;

/// The exit code after Ctrl-C or SIGTERM.
pub(super) const STOPPED: u8 = 130;

/// Cancelled by the first Ctrl-C or SIGTERM; the second one ends the process, and programs with it.
pub(super) fn on_signal() -> CancellationToken {
    let stop = CancellationToken::new();
    let cancel = stop.clone();
    tokio::spawn(async move {
        if let Ok(mut signals) = Signals::new() {
            signals.next().await;
            cancel.cancel();
            signals.next().await;
            kill_all();
            std::process::exit(STOPPED.into());
        }
    });
    stop
}

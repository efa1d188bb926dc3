//! The limit on this process's open files and sockets.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// As many as the system allows, up to this; a shell's usual limit is too low for a thousand players.
const OPEN_FILES: u64 = 65_536;

/// Raises the limit as far as the system allows. Best effort: with fewer, connections wait.
pub fn raise() {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    // No limit at all is enough.
    let (Some(current), hard) = (current, maximum.unwrap_or(u64::MAX)) else {
        return;
    };
    let raised = Rlimit {
        current: Some(OPEN_FILES.min(hard).max(current)),
        maximum,
    };
    if let Err(error) = setrlimit(Resource::Nofile, raised) {
        tracing::warn!(%error, "cannot raise the limit on open files");
    }
}

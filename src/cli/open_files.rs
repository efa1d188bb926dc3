//! How many files and sockets this process may have open.

use nix::sys::resource::{Resource, getrlimit, setrlimit};

/// As many as the system allows, up to this; a shell's usual limit is too few for a thousand players.
const OPEN_FILES: u64 = 65_536;

/// Raises the limit as far as the system allows. Best effort: with fewer, connections wait.
pub fn raise() {
    let raised = getrlimit(Resource::RLIMIT_NOFILE).and_then(|(soft, hard)| {
        let wanted = OPEN_FILES.min(hard).max(soft);
        setrlimit(Resource::RLIMIT_NOFILE, wanted, hard)
    });
    if let Err(error) = raised {
        tracing::warn!(%error, "the limit of open files cannot be raised");
    }
}

//! Who reads what: all that a page or an answer depends on besides its parameters.

use super::sight::Sight;
use super::state::ApiState;

/// One caller's view of the daemon.
#[derive(Clone, Debug)]
pub(super) struct Reader {
    pub(super) state: ApiState,
    /// What the caller may see.
    pub(super) sight: Sight,
}

impl Reader {
    /// The view that `sight` allows.
    pub(super) fn new(state: ApiState, sight: Sight) -> Self {
        Self { state, sight }
    }
}

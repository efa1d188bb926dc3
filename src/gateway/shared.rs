//! What all connections of the callback listener share.

use super::limits::Peers;
use super::options::CallbackOptions;
use super::routes::Routes;
use crate::link::Crowd;
use crate::session::Sessions;

/// What they share.
pub(super) struct Gateway {
    pub(super) options: CallbackOptions,
    pub(super) sessions: Sessions,
    pub(super) routes: Routes,
    pub(super) peers: Peers,
    pub(super) crowd: Crowd,
}

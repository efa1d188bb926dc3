//! What all connections of the callback listener share.

use super::options::CallbackOptions;
use super::replicas::Replicas;
use super::routes::Routes;
use super::waited::Waited;
use crate::link::Shares;
use crate::session::Sessions;
use std::sync::Arc;

/// What they share.
pub(super) struct Gateway {
    pub(super) options: CallbackOptions,
    pub(super) sessions: Sessions,
    pub(super) routes: Routes,
    /// Where several share the store.
    pub(super) replicas: Option<Replicas>,
    pub(super) waited: Waited,
    /// All connections.
    pub(super) connections: Arc<Shares>,
    /// The same by peer, exempt ones too.
    pub(super) connections_by_peer: Arc<Shares>,
    pub(super) requests: Arc<Shares>,
}

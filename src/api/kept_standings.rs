//! Standings that were asked for lately.

use crate::store::TournamentRow;
use crate::tournament::standings::{History, Standings};
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::{Mutex, OnceCell};

/// The standings that were asked for last.
#[derive(Clone, Debug, Default)]
pub struct KeptStandings {
    pub(super) kept: Arc<Mutex<Vec<Arc<Kept>>>>,
    /// Who won each tournament that has ended, as lists name them, by its id.
    pub(super) winners: Arc<Mutex<HashMap<String, String>>>,
    /// Whose standings are computed.
    pub(super) turn: Arc<Mutex<()>>,
}

/// A tournament's standings as soon as they are computed.
#[derive(Debug)]
pub(super) struct Kept {
    pub(super) row: TournamentRow,
    pub(super) computed: OnceCell<Arc<Computed>>,
}

/// A tournament with its standings.
#[derive(Debug)]
pub(super) struct Computed {
    pub(super) row: TournamentRow,
    pub(super) standings: Standings,
    pub(super) history: OnceCell<Arc<History>>,
}

//! [`Reader`]: the connections that everything above reads by.

use super::error::StoreError;
use super::rules::Rules;
use crate::store::sql::Pool;
use std::sync::Arc;

/// Reads what is stored. Cheap to clone; all clones share a few connections.
#[derive(Clone, Debug)]
pub struct Reader {
    pub(super) pool: Pool,
    /// Of folds: listing and showing cannot keep a callback waiting.
    pub(super) folders: Pool,
    pub(super) rules: Arc<dyn Rules>,
}

impl Reader {
    /// Connections.
    pub(crate) const fn pool(&self) -> &Pool {
        &self.pool
    }

    /// Connections for reads that a callback waits for.
    pub(crate) const fn folders(&self) -> &Pool {
        &self.folders
    }

    /// The game with this name.
    #[must_use]
    pub fn kit(&self, game: &str) -> Option<&'static dyn games::Kit> {
        self.rules.kit(game)
    }

    /// The same, where there must be one.
    ///
    /// # Errors
    /// [`StoreError::Unknown`] if no game has this name.
    pub fn known_kit(&self, game: &str) -> Result<&'static dyn games::Kit, StoreError> {
        let (what, id) = ("game", game.to_owned());
        self.kit(game).ok_or(StoreError::Unknown { what, id })
    }

    /// Closes the connections.
    pub(super) async fn close(&self) {
        self.pool.close().await;
        self.folders.close().await;
    }
}

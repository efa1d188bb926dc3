//! All matches as they begin and end.

use super::shared::{Part, Source};
use crate::history;
use crate::store::{Bell, MatchRow, Store, StoreError};

/// Changes that are read at once.
pub(super) const AT_ONCE: u32 = 256;

/// All matches of a store. A place is the number of a change.
pub(super) struct AllMatches {
    store: Store,
}

impl AllMatches {
    pub(super) fn new(store: Store) -> Self {
        Self { store }
    }
}

impl Source for AllMatches {
    type Mark = i64;
    /// Each match as it is since, with the number of its last change.
    type Rows = Vec<(i64, MatchRow)>;

    fn name(&self) -> &str {
        "all matches"
    }

    async fn read(&self, after: i64, _: &Bell) -> Result<Part<Self>, StoreError> {
        let (rows, upto) = history::changed(self.store.reader(), after, AT_ONCE).await?;
        let more = upto - after >= i64::from(AT_ONCE);
        Ok(Part { rows, upto, more })
    }
}

//! A record that waits for its match's end.

use super::recording::MatchRecord;
use parking_lot::Mutex;
use std::fmt;
use std::sync::Arc;

/// The record of a match that is over: all that was said is stored, and its end is still to be. One of its copies has it.
#[derive(Clone)]
pub struct OpenRecord(Arc<Mutex<Option<MatchRecord>>>);

impl OpenRecord {
    /// Lets the record wait.
    #[must_use]
    pub fn new(record: MatchRecord) -> Self {
        Self(Arc::new(Mutex::new(Some(record))))
    }

    /// The record, unless it was taken before.
    #[must_use]
    pub fn take(&self) -> Option<MatchRecord> {
        self.0.lock().take()
    }
}

impl fmt::Debug for OpenRecord {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("OpenRecord").finish_non_exhaustive()
    }
}

//! What a session has acknowledged before it is stored: plain acknowledgements, and only to an edge that can
//! deliver the messages again. Whatever is decided or learnt waits until all before it is stored.

use crate::store::StoreError;
use crate::store::types::{NewEntry, Receipt};
use tokio::sync::oneshot;

/// Entries that may wait for those on their way; a message that would be one more waits itself.
const WAITING_MAX: usize = 64;

/// Entries that are acknowledged and not known to be stored.
#[derive(Default)]
pub(super) struct Behind {
    /// Those on their way to the store.
    pub(super) flight: Option<Flight>,
    /// Those after them.
    pub(super) waiting: Vec<NewEntry>,
}

/// Reports how storing entries ended.
pub(super) type Storing = oneshot::Sender<Result<Receipt, StoreError>>;

/// Entries on their way to the store.
pub(super) struct Flight {
    /// How many.
    pub(super) entries: u64,
    /// What comes of it.
    pub(super) stored: oneshot::Receiver<Result<Receipt, StoreError>>,
}

impl Behind {
    /// Whether everything is stored.
    pub(super) fn is_empty(&self) -> bool {
        self.flight.is_none() && self.waiting.is_empty()
    }

    /// Whether `more` entries may be acknowledged before they are stored.
    pub(super) fn has_room(&self, more: usize) -> bool {
        self.waiting.len() + more <= WAITING_MAX
    }
}

//! What readers of the log have in common.

use super::types::EntryId;

/// A session's last entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) entry: i64,
    pub(crate) count: u64,
    pub(crate) at_us: i64,
}

/// A part of a transcript.
pub(crate) struct Part {
    /// The transcript's last entry.
    pub(crate) head: EntryId,
    /// How many entries it has.
    pub(crate) count: u64,
    /// Only entries with higher numbers.
    pub(crate) after: i64,
    /// The first `n` of these.
    pub(crate) most: usize,
}

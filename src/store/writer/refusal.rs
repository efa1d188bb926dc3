//! Why a match that is in the database cannot be ended so.

use crate::store::error::StoreError;

/// Why a match cannot be ended so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// There is no such match.
    Unknown,
    /// It was played by a claim that is not the last one.
    Lapsed,
}

impl Refusal {
    /// What the caller receives who wanted to end the match with this id.
    pub(super) const fn error(self, id: String) -> StoreError {
        match self {
            Self::Unknown => StoreError::Unknown { what: "match", id },
            Self::Lapsed => StoreError::Lapsed { id },
        }
    }
}

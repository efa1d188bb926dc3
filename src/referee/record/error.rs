//! Why a match is not stored.

use crate::store::StoreError;

/// Why a match is not stored, as a sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// Nothing can be written at present: what was to be stored may be tried again.
    #[error("the match cannot be recorded: {0}")]
    Unwritable(String),
    /// It is stored, but fills no place in its tournament: another worker plays it.
    #[error("{0}")]
    Lapsed(String),
    /// Another replica goes on with it.
    #[error("another replica goes on with the match")]
    Elsewhere,
    /// It will never be stored.
    #[error("the match cannot be recorded: {0}")]
    Failed(String),
}

impl From<StoreError> for RecordError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Unwritable(_) => Self::Unwritable(error.to_string()),
            StoreError::Lapsed { .. } => Self::Lapsed(error.to_string()),
            StoreError::Fenced => Self::Elsewhere,
            _ => Self::Failed(error.to_string()),
        }
    }
}

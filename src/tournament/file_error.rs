//! What is wrong with a tournament's file.

/// Why a tournament's file cannot be used, as a sentence that names the place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct FileError(pub(super) String);

pub(super) fn refuse<T>(why: String) -> Result<T, FileError> {
    Err(FileError(why))
}

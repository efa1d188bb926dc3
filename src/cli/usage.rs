//! A command line that cannot be carried out.

/// What is wrong with it, as a sentence. The process ends with exit code 2.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct UsageError(pub String);

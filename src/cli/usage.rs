//! A command line that cannot be carried out.

/// The exit code of a wrong command line, and of a file that it or the configuration names and that cannot be used.
pub(super) const USAGE: u8 = 2;

/// What is wrong with it, as a sentence. The process ends with exit code 2.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct UsageError(pub String);

/// Refuses a command line for this reason.
pub(super) fn refuse<T, E: From<UsageError>>(why: impl Into<String>) -> Result<T, E> {
    Err(UsageError(why.into()).into())
}

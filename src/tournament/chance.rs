//! What chance decides in a tournament follows from its secret.

use super::file_error::FileError;
use crate::secrets::Secret;
use serde_json::Value;

/// The key in a setup for the secret.
pub(super) const SECRET: &str = "secret";

/// What a tournament begins with: a secret of its own, or the file's seed in its place.
pub(super) fn begun_with(seed: Option<u64>) -> Result<Secret, FileError> {
    match seed {
        Some(seed) => Ok(Secret::of_seed(seed)),
        None => Secret::drawn().map_err(|why| FileError::one(why.to_string())),
    }
}

/// The secret in a stored setup.
#[must_use]
pub fn secret_of(setup: &Value) -> Option<Secret> {
    Secret::read(setup.get(SECRET)?.as_str()?)
}

//! The key that seals the passes of browsers. It is not in the database: a reader of that, or of a backup,
//! cannot make passes.

use super::private_file::{PrivateFile, PrivateFileError};
use crate::secrets::{NoRandomness, SealKey, nonce};
use crate::store::Store;
use std::path::Path;

/// Added to the name of the database.
const SUFFIX: &str = ".passkey";

/// The key. Cheap to clone.
#[derive(Clone)]
pub struct PassKey(SealKey);

/// Why there is no key.
#[derive(Debug, thiserror::Error)]
pub enum PassKeyError {
    /// Its file gives none.
    #[error(transparent)]
    File(#[from] PrivateFileError),
    /// No key can be made.
    #[error(transparent)]
    Random(#[from] NoRandomness),
}

impl PassKey {
    /// The configured key, or else the one in the file next to this database, which is made if it is missing. A server's
    /// database has no such place: without a configured key one is drawn, for this process alone.
    ///
    /// # Errors
    /// [`PassKeyError`] says how to get one.
    pub fn load(configured: Option<&str>, store: &Store) -> Result<Self, PassKeyError> {
        match (configured, store.location().file()) {
            (Some(key), _) => Ok(Self::from_bytes(key.as_bytes())),
            (None, Some(database)) => Self::next_to(database),
            (None, None) => {
                tracing::warn!(
                    "browsers' passes end with this process, and other replicas do not know them: set api.pass_key"
                );
                Ok(Self::from_bytes(
                    format!("{}{}", nonce()?, nonce()?).as_bytes(),
                ))
            }
        }
    }

    fn next_to(database: &Path) -> Result<Self, PassKeyError> {
        let mut path = database.as_os_str().to_owned();
        path.push(SUFFIX);
        let file = PrivateFile {
            path: path.into(),
            secret: "the key of browsers' passes",
            remedy: "remove it, and a new one is made (browsers sign in again), or set api.pass_key",
        };
        if let Some(key) = file.read()? {
            return Ok(Self::from_bytes(&key));
        }
        let key = format!("{}{}", nonce()?, nonce()?);
        file.make(&key)?;
        Ok(Self::from_bytes(key.as_bytes()))
    }

    fn from_bytes(key: &[u8]) -> Self {
        Self(SealKey::new(key))
    }

    /// The seal of these words, in hexadecimal digits.
    pub(super) fn seal(&self, words: &[&[u8]]) -> String {
        self.0.seal(words)
    }
}

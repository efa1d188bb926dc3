//! The key that seals the passes of browsers. It is not in the database: a reader of that, or of a backup,
//! cannot make passes.

use crate::secrets::{KEY_BYTES_MIN, SealKey, nonce};
use crate::store::Store;
use std::fs::{self, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

const KEY_BYTES_MAX: u64 = 4_096;
/// Added to the name of the database.
const SUFFIX: &str = ".passkey";
const OTHERS: u32 = 0o077;

/// The key. Cheap to clone.
#[derive(Clone)]
pub struct PassKey(SealKey);

/// Why there is no key.
#[derive(Debug, thiserror::Error)]
pub enum PassKeyError {
    /// Others know it.
    #[error(
        "{path} holds the key of browsers' passes, and its mode {mode:04o} lets other users read it: remove it, and a \
         new one is made (browsers sign in again), or set api.pass_key"
    )]
    Open {
        /// The file.
        path: PathBuf,
        /// Its mode.
        mode: u32,
    },
    /// It holds something else.
    #[error(
        "{path} holds no key of browsers' passes, which has {KEY_BYTES_MIN} to {KEY_BYTES_MAX} bytes: remove it, and a \
         new one is made (browsers sign in again), or set api.pass_key"
    )]
    NoKey {
        /// The file.
        path: PathBuf,
    },
    /// It cannot be read or written.
    #[error(
        "{path}, the file for the key of browsers' passes, cannot be used ({why}); api.pass_key takes its place"
    )]
    File {
        /// The file.
        path: PathBuf,
        /// The system's error.
        why: io::Error,
    },
    /// No key can be made.
    #[error(transparent)]
    Random(#[from] crate::secrets::NoRandomness),
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
        let path = PathBuf::from(path);
        let failed = |why| PassKeyError::File {
            path: path.clone(),
            why,
        };
        let found = match fs::symlink_metadata(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let key = format!("{}{}", nonce()?, nonce()?);
                write_new(&path, &key).map_err(failed)?;
                return Ok(Self::from_bytes(key.as_bytes()));
            }
            found => found.map_err(failed)?,
        };
        let mode = found.mode() & 0o777;
        if found.is_file() && mode & OTHERS != 0 {
            return Err(PassKeyError::Open { path, mode });
        }
        if !found.is_file() || !(KEY_BYTES_MIN as u64..=KEY_BYTES_MAX).contains(&found.len()) {
            return Err(PassKeyError::NoKey { path });
        }
        Ok(Self::from_bytes(&fs::read(&path).map_err(failed)?))
    }

    fn from_bytes(key: &[u8]) -> Self {
        Self(SealKey::new(key))
    }

    /// The seal of these words, in hexadecimal digits.
    pub(super) fn seal(&self, words: &[&[u8]]) -> String {
        self.0.seal(words)
    }
}

/// Writes a private file that is complete once it has its name.
fn write_new(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new()
        .permissions(Permissions::from_mode(0o600))
        .tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    file.persist_noclobber(path)?;
    Ok(())
}

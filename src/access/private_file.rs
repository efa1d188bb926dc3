//! A secret in a file that only our own user can read.

use crate::secrets::KEY_BYTES_MIN;
use std::fs::{self, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

const BYTES_MAX: u64 = 4_096;
const OTHERS: u32 = 0o077;

/// A file for a secret.
#[derive(Debug)]
pub(super) struct PrivateFile {
    pub(super) path: PathBuf,
    /// The secret, in words.
    pub(super) secret: &'static str,
    /// How to get another one.
    pub(super) remedy: &'static str,
}

/// Why a private file gives no secret.
#[derive(Debug, thiserror::Error)]
pub enum PrivateFileError {
    /// Others know it.
    #[error("{} holds {secret}, and its mode {mode:04o} lets other users read it: {remedy}", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// The secret, in words.
        secret: &'static str,
        /// Its mode.
        mode: u32,
        /// What to do.
        remedy: &'static str,
    },
    /// It holds something else.
    #[error("{} does not hold {secret}, which has {KEY_BYTES_MIN} to {BYTES_MAX} bytes: {remedy}", path.display())]
    Other {
        /// The file.
        path: PathBuf,
        /// The secret, in words.
        secret: &'static str,
        /// What to do.
        remedy: &'static str,
    },
    /// It cannot be read or written.
    #[error("{}, the file for {secret}, cannot be used: {why}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The secret, in words.
        secret: &'static str,
        /// The system's error.
        why: io::Error,
    },
}

impl PrivateFile {
    /// What it holds; `None` if there is no such file.
    ///
    /// # Errors
    /// [`PrivateFileError`].
    pub(super) fn read(&self) -> Result<Option<Vec<u8>>, PrivateFileError> {
        let (path, secret, remedy) = (self.path.clone(), self.secret, self.remedy);
        let found = match fs::symlink_metadata(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            found => found.map_err(|why| self.failed(why))?,
        };
        let mode = found.mode() & 0o777;
        if found.is_file() && mode & OTHERS != 0 {
            return Err(PrivateFileError::Open {
                path,
                secret,
                mode,
                remedy,
            });
        }
        if !found.is_file() || !(KEY_BYTES_MIN as u64..=BYTES_MAX).contains(&found.len()) {
            return Err(PrivateFileError::Other {
                path,
                secret,
                remedy,
            });
        }
        fs::read(&path).map(Some).map_err(|why| self.failed(why))
    }

    /// Makes it; it is complete once it has its name.
    ///
    /// # Errors
    /// [`PrivateFileError::File`], also if it is there already.
    pub(super) fn make(&self, text: &str) -> Result<(), PrivateFileError> {
        write_new(&self.path, text).map_err(|why| self.failed(why))
    }

    fn failed(&self, why: io::Error) -> PrivateFileError {
        PrivateFileError::File {
            path: self.path.clone(),
            secret: self.secret,
            why,
        }
    }
}

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

//! What is wrong with a manifest.

use crate::config::ConfigError;
use std::path::PathBuf;

/// The longest manifest, in bytes.
pub(super) const LEN_MAX: u64 = 64 << 10;

/// Why a manifest cannot be used: what, where, and what is allowed.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    /// The file is missing or unreadable.
    #[error("{} cannot be read: {why}{}", path.display(), found_by(why))]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        why: std::io::Error,
    },
    /// The file is longer than any manifest needs to be.
    #[error("{} has {bytes} bytes; a manifest has at most {LEN_MAX}", path.display())]
    TooLong {
        /// The file.
        path: PathBuf,
        /// Its size.
        bytes: u64,
    },
    /// What is written there is wrong.
    #[error(transparent)]
    Wrong(#[from] ConfigError),
}

/// How a manifest that is not there is found.
fn found_by(why: &std::io::Error) -> &'static str {
    use std::io::ErrorKind::{NotADirectory, NotFound};
    match why.kind() {
        NotFound | NotADirectory => {
            "; a bot is a folder with a bot.toml, such as drover bot new writes"
        }
        _ => "",
    }
}

//! What is wrong with a manifest.

use crate::config::listed;
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
    /// It is not TOML.
    #[error("{origin}: this is not TOML: {why}")]
    Syntax {
        /// The file and line.
        origin: String,
        /// The parser's reason.
        why: String,
    },
    /// A key that does not exist.
    #[error("{origin}: there is no key `{key}`; there are: {known}")]
    UnknownKey {
        /// The file and line.
        origin: String,
        /// The key, dotted.
        key: String,
        /// Those that exist there.
        known: String,
    },
    /// A key that must be there is not.
    #[error("{}: `{key}` is missing; it must be {allowed}", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
        /// The key.
        key: &'static str,
        /// What is allowed.
        allowed: String,
    },
    /// A key that has no meaning next to another one.
    #[error("{origin}: `{key}` {why}")]
    Misplaced {
        /// The file and line.
        origin: String,
        /// The key.
        key: &'static str,
        /// Why it has none.
        why: String,
    },
    /// A value of the wrong type or outside its range.
    #[error("{origin}: `{key}` is {value}, but must be {allowed}")]
    BadValue {
        /// The file and line.
        origin: String,
        /// The key, dotted.
        key: String,
        /// The value as written.
        value: String,
        /// What is allowed.
        allowed: String,
    },
    /// More than one mistake.
    #[error("{}", listed(.0))]
    Several(Vec<ManifestError>),
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

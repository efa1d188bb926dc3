//! What the shelf holds.

use super::super::manifest::{Manifest, ManifestError};
use serde::{Deserialize, Serialize};

/// A version that was added.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Version {
    /// Its name.
    pub version: String,
    /// When it was added, in microseconds since 1970.
    pub added_us: i64,
    /// The digest of the folder that was added.
    pub digest: String,
}

/// A bot on the shelf.
#[derive(Debug)]
pub struct Kept {
    /// Its name.
    pub name: String,
    /// Its version and when it was added.
    pub version: Version,
    /// Whether it was added last, so that its name alone means it.
    pub is_last: bool,
    /// Its manifest; an error if it cannot be used any more.
    pub manifest: Result<Manifest, ManifestError>,
}

/// The outcome of adding a bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Added {
    /// It is on the shelf now.
    New {
        /// Its files, folders and links.
        files: u64,
        /// Their bytes.
        bytes: u64,
    },
    /// The same content was there under this version; now it is the one added last.
    Again,
}

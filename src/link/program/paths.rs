//! Paths as the system has them, which need not be text.

use serde::{Deserialize, Deserializer, Serializer};
use std::ffi::OsString;
use std::path::PathBuf;

pub(super) fn serialize<S: Serializer>(
    paths: &[PathBuf],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(paths.iter().map(|path| path.as_os_str()))
}

pub(super) fn deserialize<'a, D: Deserializer<'a>>(
    deserializer: D,
) -> Result<Vec<PathBuf>, D::Error> {
    let paths = Vec::<OsString>::deserialize(deserializer)?;
    Ok(paths.into_iter().map(PathBuf::from).collect())
}

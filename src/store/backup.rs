//! Copying the database while it is in use.

use super::error::StoreError;
use super::files;
use super::reader::Reader;
use super::sql::query;
use std::path::Path;

/// Writes a complete, compact copy to `to`, which must not exist. The daemon may keep writing: the copy
/// is a snapshot. It is written to a temporary file and renamed, so an interrupted copy is never taken
/// for a complete one.
///
/// # Errors
/// [`StoreError::Backup`] says what prevents it.
pub async fn backup(reader: &Reader, to: &Path) -> Result<(), StoreError> {
    let failed = |why: String| StoreError::Backup {
        path: to.to_path_buf(),
        why,
    };
    let part = files::part_of(to)?;
    let text = part
        .to_str()
        .ok_or_else(|| failed("its name is not valid Unicode".into()))?;
    query("VACUUM INTO $1")
        .bind(text)
        .execute(reader.pool())
        .await
        .map_err(|error| failed(error.to_string()))?;
    files::finish(part, to).await
}

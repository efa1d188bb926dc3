//! Copying the database while it is in use.

use super::error::StoreError;
use super::handle::Store;
use std::path::Path;

impl Store {
    /// Writes a complete, compact copy to `to`, which must not exist. The daemon may keep writing: the copy
    /// is a snapshot. It is written to a temporary file and renamed, so an interrupted copy is never taken
    /// for a complete one.
    ///
    /// # Errors
    /// [`StoreError::Backup`] says what prevents it.
    pub async fn backup(&self, to: &Path) -> Result<(), StoreError> {
        let failed = |why: String| StoreError::Backup {
            path: to.to_path_buf(),
            why,
        };
        if to.exists() {
            return Err(failed("it exists already; name a new file".into()));
        }
        let part = super::files::beside(to, ".part");
        if part.exists() {
            std::fs::remove_file(&part).map_err(|error| failed(error.to_string()))?;
        }
        let text = part
            .to_str()
            .ok_or_else(|| failed("its name is not valid Unicode".into()))?;
        sqlx::query("VACUUM INTO ?")
            .bind(text.to_owned())
            .execute(self.readers())
            .await
            .map_err(|error| failed(error.to_string()))?;
        let synced = tokio::task::spawn_blocking({
            let (part, to) = (part.clone(), to.to_path_buf());
            move || {
                std::fs::File::open(&part)?
                    .sync_all()
                    .and_then(|()| std::fs::rename(&part, &to))
            }
        });
        match synced.await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err(failed(error.to_string())),
            Err(error) => Err(failed(error.to_string())),
        }
    }
}

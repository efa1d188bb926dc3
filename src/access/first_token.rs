//! The token of an admin that the daemon makes for itself where others can reach it and nobody has one yet.

use super::private_file::{PrivateFile, PrivateFileError};
use super::scope::Scope;
use super::tokens::draw;
use crate::history;
use crate::secrets::NoRandomness;
use crate::store::{Store, StoreError};
use std::fmt;
use std::path::{Path, PathBuf};

/// A token of an admin in a file (`api.first_token_file`).
pub struct FirstToken {
    /// The file.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
    /// Whether it was made just now.
    pub is_new: bool,
}

/// Without its text.
impl fmt::Debug for FirstToken {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = out.debug_struct("FirstToken");
        out.field("path", &self.path).finish_non_exhaustive()
    }
}

/// Why there is no first token.
#[derive(Debug, thiserror::Error)]
pub enum FirstTokenError {
    /// Its file gives none.
    #[error(transparent)]
    File(#[from] PrivateFileError),
    /// It holds more than a token.
    #[error("{} must hold a token on one line: remove it, and a new one is made", .0.display())]
    Lines(PathBuf),
    /// One would open this replica alone.
    #[error(
        "replicas of one database need one token: give each the same `api.token` (or `api.token_file`), or add an \
         admin's to the database: drover token add NAME --scope admin"
    )]
    Replicas,
    /// None can be made.
    #[error(transparent)]
    Random(#[from] NoRandomness),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl FirstToken {
    /// The token that an earlier start has made; `None` if there is no such file.
    ///
    /// # Errors
    /// [`FirstTokenError`] if the file holds something else, or others can read it.
    pub fn read(path: &Path) -> Result<Option<Self>, FirstTokenError> {
        let Some(bytes) = file(path).read()? else {
            return Ok(None);
        };
        let text = String::from_utf8(bytes).unwrap_or_default();
        let text = text.trim_end_matches(['\r', '\n']);
        if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(FirstTokenError::Lines(path.to_owned()));
        }
        Ok(Some(Self {
            path: path.to_owned(),
            text: text.to_owned(),
            is_new: false,
        }))
    }

    /// Makes one, unless the database has a token of an admin.
    ///
    /// # Errors
    /// [`FirstTokenError::Replicas`] over a server; otherwise [`FirstTokenError`] if it cannot be made or kept.
    pub async fn make(path: &Path, store: &Store) -> Result<Option<Self>, FirstTokenError> {
        let admin = Scope::Admin.to_string();
        let tokens = history::tokens(store.reader()).await?;
        if tokens.iter().any(|row| row.scopes.contains(&admin)) {
            return Ok(None);
        }
        if store.location().file().is_none() {
            return Err(FirstTokenError::Replicas);
        }
        let (text, _) = draw()?;
        file(path).make(&format!("{text}\n"))?;
        tracing::info!(path = %path.display(), "the first token, an admin's, was made");
        Ok(Some(Self {
            path: path.to_owned(),
            text,
            is_new: true,
        }))
    }
}

fn file(path: &Path) -> PrivateFile {
    PrivateFile {
        path: path.to_owned(),
        secret: "the first token",
        remedy: "remove it, and a new one is made, or set api.token",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::tests::fake::settings;

    /// A file's daemon makes one; over a server each replica would make another. Run with `DROVER_TEST_SERVER` set, too.
    #[tokio::test(flavor = "multi_thread")]
    async fn replicas_of_a_server_make_no_token_of_their_own() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("api_token");
        let store = Store::open(&settings(folder.path())).await.unwrap();
        let made = FirstToken::make(&path, &store).await;
        match store.location().file() {
            Some(_) => assert!(made.unwrap().unwrap().is_new && path.exists()),
            None => {
                assert!(matches!(made, Err(FirstTokenError::Replicas)), "{made:?}");
                assert!(!path.exists());
            }
        }
    }
}

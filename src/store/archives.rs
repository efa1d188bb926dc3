//! [`Archives`]: files that machines exchange by way of the database. Each is uploaded once, in parts, by the process that
//! claims that first, and is there for the others once it is whole.

use super::error::StoreError;
use super::handle::Store;
use super::queue::{NOW, microseconds};
use super::sql::{Query, Row, query};
use super::writer::Command;
use crate::secrets;
use std::io::{self, Read, Write};
use std::time::Duration;
use tokio::time::MissedTickBehavior;

/// Bytes of a part.
const PART: usize = 1 << 20;
/// An upload that does not go on for this time is begun again by somebody else.
const LEASE: Duration = Duration::from_secs(20);
/// How often an upload says that it goes on.
const BEAT: Duration = Duration::from_secs(4);
/// An archive that nobody has asked for since is removed.
const KEPT: Duration = Duration::from_secs(30 * 24 * 3_600);

/// The archives of this database. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Archives {
    store: Store,
}

/// What an archive holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchiveKey {
    /// The digest of what was packed.
    pub digest: String,
    /// On which machines it runs; empty: on all.
    pub platform: String,
}

/// Whether an archive is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It is.
    Whole,
    /// Another process is uploading it, or making it for that.
    Awaited,
    /// It is not, and is for the caller to upload.
    Ours(Upload),
}

/// An upload that was begun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Upload {
    key: ArchiveKey,
    number: String,
}

/// Why an archive cannot be exchanged.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// The database refuses.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The file refuses.
    #[error(transparent)]
    File(#[from] io::Error),
    /// It is larger than it may be.
    #[error("it has more than {0} bytes")]
    TooLarge(u64),
    /// There is none of these.
    #[error("the database does not have it any more")]
    Gone,
}

impl Archives {
    /// Those of this database.
    #[must_use]
    pub const fn new(store: Store) -> Self {
        Self { store }
    }

    /// Whether this one is there; if not, whose it is to upload. It counts as asked for.
    ///
    /// # Errors
    /// As [`Store::append`].
    pub async fn claim(&self, key: &ArchiveKey) -> Result<Standing, StoreError> {
        let number = secrets::bits().map_err(|why| StoreError::Unwritable(why.to_string()))?;
        let number = format!("{number:016x}");
        let lapsed = format!("archives.parts IS NULL AND archives.used_us < {NOW} - $4");
        let claim = query(format!(
            "INSERT INTO archives (digest, platform, upload, used_us) VALUES ($1, $2, $3, {NOW})
             ON CONFLICT (digest, platform) DO UPDATE SET
                 upload = CASE WHEN {lapsed} THEN excluded.upload ELSE archives.upload END,
                 used_us = CASE WHEN archives.parts IS NOT NULL OR {lapsed} THEN excluded.used_us ELSE archives.used_us END
             RETURNING upload, parts"
        ));
        let claim = claim.bind(&key.digest).bind(&key.platform).bind(&number);
        let rows = self.run(claim.bind(microseconds(LEASE))).await?;
        let row = rows.first().ok_or(StoreError::Closed)?;
        let (upload, parts): (String, Option<i64>) = (row.try_get(0)?, row.try_get(1)?);
        Ok(match parts {
            Some(_) => Standing::Whole,
            None if upload == number => Standing::Ours(Upload {
                key: key.clone(),
                number,
            }),
            None => Standing::Awaited,
        })
    }

    /// Does this, while others know that the upload goes on.
    pub async fn during<T>(&self, upload: &Upload, work: impl Future<Output = T>) -> T {
        let mut work = std::pin::pin!(work);
        let mut beat = tokio::time::interval(BEAT);
        beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                done = &mut work => return done,
                _ = beat.tick() => {
                    let change = format!("UPDATE archives SET used_us = {NOW}");
                    if let Err(error) = self.run(unfinished(&change, upload)).await {
                        tracing::warn!(%error, "an upload cannot be kept");
                    }
                }
            }
        }
    }

    /// Uploads a file; whether it counts: if it was too slow, another process has begun it again.
    ///
    /// # Errors
    /// [`ArchiveError`]; [`Self::abandon`] lets somebody else upload it at once.
    pub async fn put(&self, upload: &Upload, mut file: impl Read) -> Result<bool, ArchiveError> {
        let mut parts: i64 = 0;
        loop {
            let mut content = Vec::new();
            file.by_ref().take(PART as u64).read_to_end(&mut content)?;
            if content.is_empty() {
                break;
            }
            let put = query(
                "INSERT INTO archive_parts (upload, part, content) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
            );
            let put = put.bind(&upload.number).bind(parts).bind(content);
            self.run(put).await?;
            parts += 1;
        }
        let whole = format!("UPDATE archives SET used_us = {NOW}, parts = $4");
        let whole = unfinished(&whole, upload).bind(parts);
        Ok(!self.run(whole).await?.is_empty())
    }

    /// Ends an upload that cannot be done.
    pub async fn abandon(&self, upload: &Upload) {
        let abandon = unfinished("DELETE FROM archives", upload);
        if let Err(error) = self.run(abandon).await {
            tracing::warn!(%error, "an upload cannot be ended: it will lapse");
        }
    }

    /// Removes an archive that is not what its key says, so that it can be uploaded again.
    ///
    /// # Errors
    /// As [`Store::append`].
    pub async fn discard(&self, key: &ArchiveKey) -> Result<(), StoreError> {
        let discard = query("DELETE FROM archives WHERE digest = $1 AND platform = $2");
        let discard = discard.bind(&key.digest).bind(&key.platform);
        self.run(discard).await.map(drop)
    }

    /// Writes an archive of at most `most` bytes to a file. It counts as asked for.
    ///
    /// # Errors
    /// [`ArchiveError`]; something may have been written.
    pub async fn get(
        &self,
        key: &ArchiveKey,
        most: u64,
        mut to: impl Write,
    ) -> Result<(), ArchiveError> {
        let known = query(format!(
            "UPDATE archives SET used_us = {NOW} WHERE digest = $1 AND platform = $2 AND parts IS NOT NULL
             RETURNING upload, parts"
        ));
        let known = known.bind(&key.digest).bind(&key.platform);
        let rows = self.run(known).await?;
        let row = rows.first().ok_or(ArchiveError::Gone)?;
        let upload: String = row.try_get(0).map_err(StoreError::from)?;
        let parts: i64 = row.try_get(1).map_err(StoreError::from)?;
        let mut left = most;
        for part in 0..parts {
            let content =
                query("SELECT content FROM archive_parts WHERE upload = $1 AND part = $2");
            let content = self.first(content.bind(&upload).bind(part)).await?;
            let content = content.ok_or(ArchiveError::Gone)?;
            let content: Vec<u8> = content.try_get(0).map_err(StoreError::from)?;
            let rest = left.checked_sub(content.len() as u64);
            left = rest.ok_or(ArchiveError::TooLarge(most))?;
            to.write_all(&content)?;
        }
        Ok(to.flush()?)
    }

    /// Removes what nobody has asked for in a month, and what uploads have left that were not ended.
    ///
    /// # Errors
    /// As [`Store::append`].
    pub async fn tidy(&self) -> Result<(), StoreError> {
        let old = query(format!("DELETE FROM archives WHERE used_us < {NOW} - $1"));
        self.run(old.bind(microseconds(KEPT))).await?;
        let left = "DELETE FROM archive_parts WHERE NOT EXISTS
                        (SELECT 1 FROM archives WHERE archives.upload = archive_parts.upload)";
        self.run(query(left)).await.map(drop)
    }

    async fn first(&self, query: Query) -> Result<Option<Row>, StoreError> {
        let rows = query.fetch_all(self.store.reader().pool()).await?;
        Ok(rows.into_iter().next())
    }

    async fn run(&self, statement: Query) -> Result<Vec<Row>, StoreError> {
        let run = |reply| Command::Run(statement, reply);
        self.store.ask(run).await
    }
}

/// A change of an upload, as long as it goes on; further parameters begin with `$4`.
fn unfinished(change: &str, upload: &Upload) -> Query {
    let change = query(format!(
        "{change} WHERE digest = $1 AND platform = $2 AND upload = $3 AND parts IS NULL RETURNING upload"
    ));
    let key = &upload.key;
    change
        .bind(&key.digest)
        .bind(&key.platform)
        .bind(&upload.number)
}

//! What the writer has committed, told in that order to whoever follows it. As with all readers, what a power cut
//! may still take is told too.

use super::error::StoreError;
use super::handle::Store;
use super::records::MatchEntry;
use super::records::SessionRow;
use super::startup;
use super::transcript::{self, Part};
use super::types::{EntryId, SessionId};
use serde_json::json;
use std::sync::Arc;
use tokio::sync::broadcast;

/// Commits that a follower may be behind before it misses some.
const COMMITS_MAX: usize = 4_096;

/// One transaction, as far as it is about matches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Commit {
    /// The sessions that it added to.
    pub sessions: Vec<Grown>,
    /// The matches that it opened or ended.
    pub matches: Vec<String>,
}

/// A session that a commit added to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grown {
    /// The session.
    pub session: SessionId,
    /// Its match, if the commit opened it.
    pub opened: Option<String>,
    /// Its last entry, if it has any.
    pub last: Option<EntryId>,
    /// How many entries it has now.
    pub entries: u64,
    /// Whether the commit ended it.
    pub ended: bool,
    /// Whether the commit added bluffs.
    pub bluffs: bool,
}

/// Tells followers; nothing is made for them while there are none.
pub(super) type Teller = broadcast::Sender<Arc<Commit>>;

/// Follows the writer.
pub type Follower = broadcast::Receiver<Arc<Commit>>;

pub(super) fn teller() -> Teller {
    broadcast::Sender::new(COMMITS_MAX)
}

impl Store {
    /// The last entry's and the last fact's number.
    ///
    /// # Errors
    /// [`StoreError::Read`].
    pub async fn last_numbers(&self) -> Result<(EntryId, i64), StoreError> {
        let mut connection = self.readers().acquire().await?;
        let entry = sqlx::query_scalar(startup::LAST_ENTRY).fetch_one(&mut *connection);
        let entry = EntryId(entry.await?);
        let fact = sqlx::query_scalar("SELECT coalesce(max(id), 0) FROM facts");
        Ok((entry, fact.fetch_one(&mut *connection).await?))
    }

    /// The number of the last entry and of the last fact of these sessions.
    ///
    /// # Errors
    /// [`StoreError::Read`], [`StoreError::Corrupt`].
    pub async fn last_numbers_of(
        &self,
        sessions: &[SessionRow],
    ) -> Result<(EntryId, i64), StoreError> {
        let mut last = EntryId(0);
        for session in sessions {
            let head = self.head(session).await?;
            last = last.max(head.map_or(last, |(entry, _)| entry));
        }
        let sessions: Vec<_> = sessions.iter().map(|session| session.id).collect();
        let fact = sqlx::query_scalar(
            "SELECT coalesce(max(id), 0) FROM facts WHERE session IN (SELECT value FROM json_each(?))",
        )
        .bind(json!(sessions).to_string());
        Ok((last, fact.fetch_one(self.readers()).await?))
    }

    /// Every commit from now on.
    #[must_use]
    pub fn commits(&self) -> Follower {
        self.teller().subscribe()
    }

    /// How many follow the commits.
    #[cfg(test)]
    pub(crate) fn followers(&self) -> usize {
        self.teller().receiver_count()
    }

    /// A session's entries from after `after` to its entry `last`, which is the `count`th; in order.
    ///
    /// # Errors
    /// [`StoreError::Read`], [`StoreError::Corrupt`].
    pub async fn entries_between(
        &self,
        session: &SessionRow,
        after: EntryId,
        (last, count): (EntryId, u64),
    ) -> Result<Vec<MatchEntry>, StoreError> {
        if last <= after {
            return Ok(Vec::new());
        }
        let mut connection = self.readers().acquire().await?;
        let part = Part {
            head: last,
            count,
            after: after.0,
            most: usize::MAX,
        };
        let entries = transcript::read_part(&mut connection, session.id, &part).await?;
        Ok(entries
            .into_iter()
            .map(|entry| MatchEntry::of(session, entry))
            .collect())
    }
}

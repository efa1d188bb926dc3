//! One match as it goes on: what commits add to it is read once, for all who watch it.

use super::ring::Ring;
use crate::store::{
    EntryId, FactRow, Grown, MatchEntry, MatchRow, SessionId, SessionRow, Store, StoreError,
};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;
use tokio_util::sync::{CancellationToken, DropGuard};

/// How long commits are gathered: one read serves them all.
pub(super) const GATHER: Duration = Duration::from_millis(25);
/// How long a match is left alone that cannot be read.
pub(super) const RETRY: Duration = Duration::from_secs(1);

/// How far a match has been followed: its last entry and its last fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) entry: EntryId,
    pub(super) fact: i64,
}

/// What commits have added to a match.
#[derive(Debug, Default)]
pub(super) struct News {
    /// In the order in which they were committed, each with its session.
    pub(super) entries: Vec<(Arc<SessionRow>, MatchEntry)>,
    pub(super) facts: Vec<(Arc<SessionRow>, FactRow)>,
    /// The match, once it and all its sessions have ended.
    pub(super) over: Option<MatchRow>,
}

impl News {
    fn bytes(&self) -> usize {
        let entries = self.entries.iter().map(|(_, entry)| entry.text.len());
        let rows = self.entries.len() + self.facts.len() + 1;
        entries.sum::<usize>() + rows * size_of::<MatchEntry>()
    }
}

/// A match that is watched, for as long as anybody holds it.
#[derive(Debug)]
pub(super) struct Feed {
    match_id: String,
    board: Arc<Board>,
    watched: DropGuard,
}

/// What its reading shares with those who watch.
#[derive(Debug, Default)]
pub(super) struct Board {
    pub(super) ring: Ring<News>,
    waiting: Mutex<Waiting>,
    pinged: Notify,
}

/// What is yet to be read.
#[derive(Debug, Default)]
struct Waiting {
    /// The sessions that have grown, as they are now.
    grown: HashMap<SessionId, Grown>,
    /// Commits were missed: everything is to be looked at.
    all: bool,
}

impl Board {
    /// A session of the match has grown.
    pub(super) fn grew(&self, grown: &Grown) {
        let mut waiting = self.waiting.lock();
        waiting.grown.insert(grown.session, grown.clone());
        drop(waiting);
        self.pinged.notify_one();
    }

    /// The match was opened or has ended; with `all`, anything else may have happened.
    pub(super) fn changed(&self, all: bool) {
        self.waiting.lock().all |= all;
        self.pinged.notify_one();
    }
}

impl Feed {
    /// A match that is to be followed.
    pub(super) fn new(match_id: &str) -> Self {
        Self {
            match_id: match_id.to_owned(),
            board: Arc::default(),
            watched: CancellationToken::new().drop_guard(),
        }
    }

    /// Follows it from `mark` on.
    pub(super) fn start(&self, store: Store, sessions: Vec<SessionRow>, mark: Mark) {
        let mut reading = Reading {
            board: Arc::clone(&self.board),
            store,
            match_id: self.match_id.clone(),
            sessions: HashMap::new(),
            mark,
        };
        reading.know(sessions);
        let until = self.watched.token().clone();
        tokio::spawn(async move { until.run_until_cancelled(reading.run()).await });
    }

    pub(super) fn board(&self) -> &Board {
        &self.board
    }
}

/// What reads a watched match.
struct Reading {
    board: Arc<Board>,
    store: Store,
    match_id: String,
    sessions: HashMap<SessionId, Arc<SessionRow>>,
    mark: Mark,
}

impl Reading {
    async fn run(mut self) {
        loop {
            self.board.pinged.notified().await;
            tokio::time::sleep(GATHER).await;
            let waiting = std::mem::take(&mut *self.board.waiting.lock());
            match self.read(&waiting).await {
                Ok(news) => {
                    let over = news.over.is_some();
                    if over || !news.entries.is_empty() || !news.facts.is_empty() {
                        let bytes = news.bytes();
                        self.board.ring.push(news, bytes);
                    }
                    if over {
                        return;
                    }
                }
                Err(error) => {
                    let match_id = self.match_id.as_str();
                    tracing::warn!(match_id, %error, "a match that is watched cannot be read");
                    tokio::time::sleep(RETRY).await;
                    self.board.changed(true);
                }
            }
        }
    }

    fn know(&mut self, sessions: Vec<SessionRow>) {
        let sessions = sessions.into_iter().map(Arc::new);
        self.sessions = sessions.map(|row| (row.id, row)).collect();
    }

    async fn read(&mut self, waiting: &Waiting) -> Result<News, StoreError> {
        let unknown = |grown: &Grown| grown.ended || !self.sessions.contains_key(&grown.session);
        let looks = waiting.all || waiting.grown.is_empty() || waiting.grown.values().any(unknown);
        if looks {
            self.know(self.store.sessions_of(&self.match_id).await?);
        }
        let mut entries = match waiting.all {
            true => self.all_entries().await?,
            false => self.grown_entries(&waiting.grown).await?,
        };
        entries.sort_unstable_by_key(|(_, entry)| entry.id);
        let facts = self.store.facts_after(&self.match_id, self.mark.fact);
        let facts = facts.await?.into_iter();
        let of_session =
            |fact: FactRow| Some((Arc::clone(self.sessions.get(&fact.session)?), fact));
        let facts: Vec<_> = facts.filter_map(of_session).collect();
        if let Some((_, last)) = entries.last() {
            self.mark.entry = last.id;
        }
        if let Some((_, last)) = facts.last() {
            self.mark.fact = last.id;
        }
        let ended = looks && self.sessions.values().all(|row| row.ended_us.is_some());
        let over = match ended {
            true => over(&self.store, &self.match_id).await?,
            false => None,
        };
        Ok(News {
            entries,
            facts,
            over,
        })
    }

    async fn grown_entries(
        &self,
        grown: &HashMap<SessionId, Grown>,
    ) -> Result<Vec<(Arc<SessionRow>, MatchEntry)>, StoreError> {
        let mut all = Vec::new();
        for grown in grown.values() {
            let session = self.sessions.get(&grown.session);
            if let Some((session, last)) = session.zip(grown.last) {
                let (store, upto) = (&self.store, (last, grown.entries));
                let entries = store
                    .entries_between(session, self.mark.entry, upto)
                    .await?;
                all.extend(
                    entries
                        .into_iter()
                        .map(|entry| (Arc::clone(session), entry)),
                );
            }
        }
        Ok(all)
    }

    async fn all_entries(&self) -> Result<Vec<(Arc<SessionRow>, MatchEntry)>, StoreError> {
        let sessions: Vec<SessionRow> = self.sessions.values().map(|row| (**row).clone()).collect();
        let mut entries = self.store.entries(&sessions).await?;
        entries.retain(|entry| entry.id > self.mark.entry);
        let of_session = |entry: MatchEntry| {
            let session = self.sessions.get(&entry.session)?;
            Some((Arc::clone(session), entry))
        };
        Ok(entries.into_iter().filter_map(of_session).collect())
    }
}

/// The match, if it is over for everyone. Its sessions have all ended.
pub(super) async fn over(store: &Store, match_id: &str) -> Result<Option<MatchRow>, StoreError> {
    let row = store.match_row(match_id).await?;
    Ok(row.filter(|row| row.over_us.is_some()))
}

//! One match as it goes on: what commits add to it is read once, for all who watch it.

use super::ring::{Reader, Ring};
use super::told::{Scribe, Then, Told, View, Views};
use crate::api::sight::Sight;
use crate::store::{
    EntryId, FactRow, Grown, MatchEntry, MatchRow, PageAt, SessionId, SessionRow, Store, StoreError,
};
use parking_lot::Mutex;
use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;
use tokio_util::sync::{CancellationToken, DropGuard};

/// How long commits are gathered: one read serves them all.
pub(super) const GATHER: Duration = Duration::from_millis(25);
/// How long a match is left alone that cannot be read.
pub(super) const RETRY: Duration = Duration::from_secs(1);
/// What a reader of a stream is told at once of what is there already: so many entries or facts, or about so many
/// bytes. A reader that takes nothing holds no more.
const PAGE_ROWS: u32 = 500;
const PAGE_BYTES: usize = 512 << 10;
/// Pages kept for others that come soon.
const PAGES_MAX: usize = 4;

/// How far a match has been followed: its last entry and its last fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) entry: EntryId,
    pub(super) fact: i64,
}

impl Mark {
    /// Before everything.
    pub(super) const START: Self = Self {
        entry: EntryId(0),
        fact: 0,
    };
}

impl fmt::Display for Mark {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}-{}", self.entry.0, self.fact)
    }
}

/// What commits have added to a match.
#[derive(Debug, Default)]
pub(super) struct News {
    /// In the order in which they were committed, each with its session.
    pub(super) entries: Vec<(Arc<SessionRow>, MatchEntry)>,
    pub(super) facts: Vec<(Arc<SessionRow>, FactRow)>,
    /// The match, once it and all its sessions have ended.
    pub(super) over: Option<MatchRow>,
    views: Views,
}

impl News {
    /// What of it is new to readers that have had all up to `mark`.
    pub(super) fn told(&self, sight: &Sight, mark: Mark) -> Arc<Told> {
        // All its sessions were read at once: one of them tells whether the match was over then.
        let entries = self.entries.iter().map(|(session, _)| session);
        let sessions = entries.chain(self.facts.iter().map(|(session, _)| session));
        let sessions = sessions.take(1).map(|session| session.secrecy.over_us);
        let over = self.over.iter().map(|row| row.over_us);
        let view = View::new(sight, sessions.chain(over), mark);
        self.views.told(view, || {
            let mut scribe = Scribe::new(sight, mark);
            for (session, entry) in &self.entries {
                if entry.id > mark.entry && sight.sees(&session.secrecy) {
                    scribe.entry(entry.clone());
                }
            }
            for (session, fact) in &self.facts {
                if fact.id > mark.fact && sight.sees(&session.secrecy) {
                    scribe.fact(fact.clone());
                }
            }
            self.over.iter().for_each(|row| scribe.end(row.clone()));
            scribe.told(match self.over {
                Some(_) => Then::Nothing,
                None => Then::News,
            })
        })
    }

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
    /// The last pages that were told of what is there already. One is made at a time.
    pages: tokio::sync::Mutex<VecDeque<Page>>,
    pinged: Notify,
}

/// A page of what is there already.
#[derive(Debug)]
struct Page {
    view: View,
    told: Arc<Told>,
    /// How many news there were before it was made.
    news: u64,
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
        let (board, until) = (Arc::clone(&self.board), self.watched.token().clone());
        tokio::spawn(async move {
            let both = async { tokio::join!(reading.run(), board.ring.take_turns()) };
            until.run_until_cancelled(both).await
        });
    }

    pub(super) fn board(&self) -> &Board {
        &self.board
    }

    /// The next page of what is there already, and a reader of the news since.
    pub(super) async fn page(
        &self,
        store: &Store,
        sight: &Sight,
        mark: Mark,
    ) -> Result<(Arc<Told>, Reader), StoreError> {
        let mut pages = self.board.pages.lock().await;
        // Before anything is read: what is committed meanwhile comes as news.
        let reader = self.board.ring.reader();
        let over = over(store, &self.match_id).await?;
        let over_us = over.as_ref().and_then(|row| row.over_us);
        let view = View::new(sight, [over_us], mark);
        // What was full stays so.
        let known = pages.iter().find(|page| {
            page.view == view && (page.told.then == Then::More || page.news == reader.read())
        });
        if let Some(page) = known {
            return Ok((Arc::clone(&page.told), reader));
        }
        let told = Arc::new(self.read_page(store, sight, mark, over).await?);
        pages.truncate(PAGES_MAX - 1);
        pages.push_front(Page {
            view,
            told: Arc::clone(&told),
            news: reader.read(),
        });
        Ok((told, reader))
    }

    async fn read_page(
        &self,
        store: &Store,
        sight: &Sight,
        mark: Mark,
        over: Option<MatchRow>,
    ) -> Result<Told, StoreError> {
        let mut sessions = store.sessions_of(&self.match_id).await?;
        sight.keep(&mut sessions);
        let after = |number: i64| PageAt {
            after: Some(number.to_string()),
            ..PageAt::first(PAGE_ROWS)
        };
        let mut scribe = Scribe::new(sight, mark);
        let entries = store.entries_page(&sessions, &after(mark.entry.0)).await?;
        for entry in entries.items {
            if scribe.bytes() >= PAGE_BYTES {
                return Ok(scribe.told(Then::More));
            }
            scribe.entry(entry);
        }
        if entries.next.is_some() {
            return Ok(scribe.told(Then::More));
        }
        let sessions: Vec<_> = sessions.iter().map(|session| session.id).collect();
        let facts = store.facts_page(&sessions, None, &after(mark.fact)).await?;
        for fact in facts.items {
            if scribe.bytes() >= PAGE_BYTES {
                return Ok(scribe.told(Then::More));
            }
            scribe.fact(fact);
        }
        if facts.next.is_some() {
            return Ok(scribe.told(Then::More));
        }
        Ok(match over {
            Some(row) => {
                scribe.end(row);
                scribe.told(Then::Nothing)
            }
            None => scribe.told(Then::News),
        })
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
            views: Views::default(),
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

#[cfg(test)]
mod tests {
    use super::{Feed, Mark, PAGE_BYTES, PAGE_ROWS};
    use crate::access::{Rights, Scope};
    use crate::api::events::told::Then;
    use crate::api::sight::Sight;
    use crate::store::tests::fake::{Pen, match_id, opened, said};
    use std::sync::Arc;
    use std::time::Duration;

    fn sight(scope: Scope) -> Sight {
        Sight::new(Rights::of([scope]), Duration::ZERO)
    }

    #[tokio::test]
    async fn what_is_there_is_told_page_by_page_and_made_once_for_equal_eyes() {
        let (_folder, store) = opened().await;
        let mut pen = Pen::player(&store, 1);
        let long = "x".repeat(PAGE_BYTES / 4);
        let mut texts: Vec<_> = (0..10).map(|n| format!("{n} {long}")).collect();
        texts.extend((10..2 * u64::from(PAGE_ROWS)).map(|n| n.to_string()));
        for texts in texts.chunks(50) {
            let entries = texts.iter().map(|text| said(text)).collect();
            pen.write(&store, entries).await;
        }
        let feed = Feed::new(&match_id(1));
        let (admin, stranger) = (sight(Scope::Admin), sight(Scope::Read));
        let (mut mark, mut all, mut pages) = (Mark::START, String::new(), 0);
        loop {
            let (told, _) = feed.page(&store, &admin, mark).await.unwrap();
            let (again, _) = feed.page(&store, &admin.clone(), mark).await.unwrap();
            assert!(Arc::ptr_eq(&told, &again));
            let most = PAGE_BYTES + long.len() + 1_000;
            assert!(told.events.len() < most, "{}", told.events.len());
            all.push_str(std::str::from_utf8(&told.events).unwrap());
            (mark, pages) = (told.mark, pages + 1);
            if told.then == Then::News {
                break;
            }
        }
        assert_eq!(pages, 4);
        let told = all.matches("event: entry\n").count();
        assert_eq!(told, texts.len());
        for text in &texts {
            assert_eq!(all.matches(&format!("\"text\":\"{text}\"")).count(), 1);
        }
        let (nothing, _) = feed.page(&store, &stranger, Mark::START).await.unwrap();
        assert_eq!(nothing.events.len(), 0);
        assert_eq!((nothing.mark, nothing.then), (Mark::START, Then::News));
    }
}

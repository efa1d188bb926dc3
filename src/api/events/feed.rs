//! One match as it goes on: what commits add to it is read once, for all who watch it.

use super::ring::{Reader, Ring};
use super::told::{Scribe, Then, Told, View, Views};
use crate::api::sight::Sight;
use crate::store::{
    self, EntryId, FactRow, Grown, MatchEntry, MatchRow, PageAt, SessionId, SessionRow, Store,
    StoreError,
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
pub(in crate::api) struct News {
    /// In the order in which they were committed, each with its session.
    pub(in crate::api) entries: Vec<(Arc<SessionRow>, MatchEntry)>,
    pub(in crate::api) facts: Vec<(Arc<SessionRow>, FactRow)>,
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
pub(super) struct Waiting {
    /// The sessions that have grown, as they are now.
    pub(super) grown: HashMap<SessionId, Grown>,
    /// Commits were missed: everything is to be looked at.
    all: bool,
}

impl Board {
    /// These sessions of the match have grown in one commit. All at once: what is read of one of them leads past what
    /// the others have before it.
    pub(super) fn grew<'a>(&self, grown: impl IntoIterator<Item = &'a Grown>) {
        let mut waiting = self.waiting.lock();
        let grown = grown.into_iter();
        let grown = grown.map(|grown| (grown.session, grown.clone()));
        waiting.grown.extend(grown);
        drop(waiting);
        self.pinged.notify_one();
    }

    /// What is to be read next.
    pub(super) fn take(&self) -> Waiting {
        std::mem::take(&mut self.waiting.lock())
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

    pub(super) fn match_id(&self) -> &str {
        &self.match_id
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
        let mut seen = store.contents(&self.match_id).await?;
        sight.keep(&mut seen.sessions);
        let after = |number: i64| PageAt {
            after: Some(number.to_string()),
            ..PageAt::first(PAGE_ROWS)
        };
        let mut scribe = Scribe::new(sight, mark);
        let entries = store.entries_page(&seen, &after(mark.entry.0)).await?;
        if !fill(&mut scribe, entries, Scribe::entry) {
            return Ok(scribe.told(Then::More));
        }
        let facts = store.facts_page(&seen, None, &after(mark.fact)).await?;
        if !fill(&mut scribe, facts, Scribe::fact) {
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

/// Writes these rows until there is a page of them. Whether that was all there is.
fn fill<'a, T>(
    scribe: &mut Scribe<'a>,
    rows: store::Page<T>,
    write: fn(&mut Scribe<'a>, T),
) -> bool {
    for row in rows.items {
        if scribe.bytes() >= PAGE_BYTES {
            return false;
        }
        write(scribe, row);
    }
    rows.next.is_none()
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
            let waiting = self.board.take();
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
        let (over, entries, facts) = match looks {
            true => self.look().await?,
            false => {
                let facts = self.store.facts_after(&self.match_id, self.mark.fact);
                let entries = self.grown_entries(&waiting.grown).await?;
                (None, entries, facts.await?)
            }
        };
        let with_session = |id: SessionId| self.sessions.get(&id).map(Arc::clone);
        let entries: Vec<_> = entries
            .into_iter()
            .filter_map(|entry| Some((with_session(entry.session)?, entry)))
            .collect();
        // One that is of a session not known yet, and what follows it, is read when that one's commit is told.
        let facts: Vec<_> = facts
            .into_iter()
            .map_while(|fact| Some((with_session(fact.session)?, fact)))
            .collect();
        // Nothing fails any more: what is read is told.
        if let Some((_, last)) = entries.last() {
            self.mark.entry = last.id;
        }
        if let Some((_, last)) = facts.last() {
            self.mark.fact = last.id;
        }
        Ok(News {
            entries,
            facts,
            over,
            views: Views::default(),
        })
    }

    /// Looks at all of the match: which sessions there are, what is new, and whether it is over.
    async fn look(
        &mut self,
    ) -> Result<(Option<MatchRow>, Vec<MatchEntry>, Vec<FactRow>), StoreError> {
        // First: what was committed before the end is read after it.
        let over = over(&self.store, &self.match_id).await?;
        let found = self.store.contents(&self.match_id).await?;
        let all_after = |number: i64| PageAt {
            after: Some(number.to_string()),
            ..PageAt::first(u32::MAX - 1)
        };
        let (entries, facts) = (all_after(self.mark.entry.0), all_after(self.mark.fact));
        let entries = self.store.entries_page(&found, &entries).await?;
        let facts = self.store.facts_page(&found, None, &facts).await?;
        self.know(found.sessions);
        Ok((over, entries.items, facts.items))
    }

    /// What has come to sessions that are known, in order.
    async fn grown_entries(
        &self,
        grown: &HashMap<SessionId, Grown>,
    ) -> Result<Vec<MatchEntry>, StoreError> {
        let mut all = Vec::new();
        for grown in grown.values() {
            let session = self.sessions.get(&grown.session);
            if let Some((session, last)) = session.zip(grown.last) {
                let upto = (last, grown.entries);
                let entries = self.store.entries_between(session, self.mark.entry, upto);
                all.extend(entries.await?);
            }
        }
        all.sort_unstable_by_key(|entry| entry.id);
        Ok(all)
    }
}

/// The match, if it is over for everyone and all its sessions have ended.
pub(super) async fn over(store: &Store, match_id: &str) -> Result<Option<MatchRow>, StoreError> {
    let row = store.match_row(match_id).await?;
    let Some(row) = row.filter(|row| row.over_us.is_some()) else {
        return Ok(None);
    };
    let sessions = store.sessions_of(match_id).await?;
    let ended = sessions.iter().all(|session| session.ended_us.is_some());
    Ok(ended.then_some(row))
}

#[cfg(test)]
mod tests {
    use super::{Feed, Mark, News, PAGE_BYTES, PAGE_ROWS, Reading, Waiting};
    use crate::access::{Rights, Scope};
    use crate::api::events::told::Then;
    use crate::api::sight::Sight;
    use crate::store::tests::fake::{Pen, match_id, new_match, new_session, opened, said};
    use crate::store::{Grown, Side};
    use std::collections::HashMap;
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

    /// A commit that added to one session.
    fn grew(pen: &Pen, ended: bool) -> Waiting {
        let grown = Grown {
            session: pen.id,
            opened: None,
            last: pen.previous,
            entries: pen.seq,
            ended,
            bluffs: false,
        };
        Waiting {
            grown: [(pen.id, grown)].into(),
            all: false,
        }
    }

    fn texts(news: &News) -> Vec<&str> {
        let entries = news.entries.iter();
        entries.map(|(_, entry)| entry.text.as_str()).collect()
    }

    #[tokio::test]
    async fn what_the_store_has_beyond_the_commits_told_of_is_told_later_or_before_the_end() {
        let (_folder, store) = opened().await;
        let first = Some(new_match(1, false));
        let mut one = Pen::new(&store, first, new_session(1, Side::Player, 0));
        one.write(&store, vec![said("a")]).await;
        let feed = Feed::new(&match_id(1));
        let mut reading = Reading {
            board: Arc::clone(&feed.board),
            store: store.clone(),
            match_id: match_id(1),
            sessions: HashMap::new(),
            mark: Mark::START,
        };
        reading.know(store.sessions_of(&match_id(1)).await.unwrap());
        // Another session has come with a fact, and its commit is not told of yet.
        one.bluff(&store, "W 1").await;
        let mut two = Pen::new(&store, None, new_session(1, Side::Player, 1));
        two.bluff(&store, "W 2").await;
        let news = reading.read(&grew(&one, false)).await.unwrap();
        assert_eq!(
            (texts(&news), news.facts.len()),
            (vec!["a", "bluff W 1"], 1)
        );
        let news = reading.read(&grew(&two, false)).await.unwrap();
        assert_eq!((texts(&news), news.facts.len()), (vec!["bluff W 2"], 1));
        // Both have ended, and of the second end nothing is told yet.
        one.end(&store, vec![2, 1, 0, 0], 0).await;
        two.end(&store, vec![1, 0, 0, 2], 0).await;
        let news = reading.read(&grew(&one, true)).await.unwrap();
        assert!(news.over.is_some());
        assert_eq!(texts(&news), ["end 2,1,0,0", "end 1,0,0,2"]);
    }
}

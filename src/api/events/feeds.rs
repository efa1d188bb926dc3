//! Who watches what: commits are handed to the matches that are watched, and followed only while any is.

use super::everything::Everything;
use super::feed::{Feed, Mark};
use crate::store::{Commit, Follower, Grown, SessionId, SessionRow, Store, StoreError};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::sync::broadcast::error::RecvError;

/// How often it is looked whether anybody still watches.
const TIDY_EVERY: Duration = Duration::from_secs(5);

/// All that is watched of a store.
#[derive(Clone, Debug)]
pub struct Feeds(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    store: Store,
    watched: Mutex<Watched>,
    /// One at a time is opened, so that all who watch a match share its feed.
    opening: tokio::sync::Mutex<()>,
}

#[derive(Debug, Default)]
struct Watched {
    /// By id; before a feed has been started, its place is kept.
    matches: HashMap<String, Weak<Feed>>,
    /// The sessions of watched matches.
    sessions: HashMap<SessionId, Weak<Feed>>,
    everything: Weak<Everything>,
    follows: bool,
}

impl Feeds {
    /// Of this store.
    #[must_use]
    pub fn of(store: Store) -> Self {
        Self(Arc::new(Inner {
            store,
            watched: Mutex::default(),
            opening: tokio::sync::Mutex::default(),
        }))
    }

    /// A match as it goes on from now.
    pub(super) async fn of_match(&self, id: &str) -> Result<Arc<Feed>, StoreError> {
        let inner = &self.0;
        let _opening = inner.opening.lock().await;
        if let Some(feed) = inner.watched.lock().matches.get(id).and_then(Weak::upgrade) {
            return Ok(feed);
        }
        let feed = Arc::new(Feed::new(id));
        inner
            .watched
            .lock()
            .matches
            .insert(id.to_owned(), Arc::downgrade(&feed));
        inner.follow();
        // From here on no commit is missed; what was told of before is read by whoever begins to watch.
        let sessions = inner.store.sessions_of(id).await?;
        inner.watched.lock().add(&sessions, &feed);
        let (entry, fact) = inner.store.last_numbers().await?;
        feed.start(inner.store.clone(), sessions, Mark { entry, fact });
        Ok(feed)
    }

    /// All matches as they begin and end from now on.
    pub(super) fn everything(&self) -> Arc<Everything> {
        let mut watched = self.0.watched.lock();
        if let Some(everything) = watched.everything.upgrade() {
            return everything;
        }
        let everything = Arc::new(Everything::start(self.0.store.clone()));
        watched.everything = Arc::downgrade(&everything);
        drop(watched);
        self.0.follow();
        everything
    }
}

impl Inner {
    /// Follows commits, if that is not done yet.
    fn follow(self: &Arc<Self>) {
        let mut watched = self.watched.lock();
        if !std::mem::replace(&mut watched.follows, true) {
            tokio::spawn(hand_out(Arc::clone(self), self.store.commits()));
        }
    }
}

/// Hands commits out until nobody watches any more or the store is closed.
async fn hand_out(feeds: Arc<Inner>, mut commits: Follower) {
    let mut tidies = tokio::time::interval(TIDY_EVERY);
    loop {
        tokio::select! {
            commit = commits.recv() => match commit {
                Ok(commit) => feeds.watched.lock().hand_out(&commit),
                Err(RecvError::Lagged(_)) => feeds.watched.lock().missed(),
                Err(RecvError::Closed) => return,
            },
            _ = tidies.tick() => {
                let mut watched = feeds.watched.lock();
                watched.follows = watched.tidy();
                if !watched.follows {
                    return;
                }
            }
        }
    }
}

impl Watched {
    fn add(&mut self, sessions: &[SessionRow], feed: &Arc<Feed>) {
        for session in sessions.iter().filter(|session| session.ended_us.is_none()) {
            self.sessions.insert(session.id, Arc::downgrade(feed));
        }
    }

    /// Forgets what nobody watches any more; whether anything is left.
    fn tidy(&mut self) -> bool {
        self.matches.retain(|_, feed| feed.strong_count() > 0);
        self.sessions.retain(|_, feed| feed.strong_count() > 0);
        !self.matches.is_empty() || self.everything.strong_count() > 0
    }

    fn hand_out(&mut self, commit: &Commit) {
        let mut grew: HashMap<String, (Arc<Feed>, Vec<&Grown>)> = HashMap::new();
        for grown in &commit.sessions {
            let opened = grown.opened.as_ref().and_then(|id| self.matches.get(id));
            if let Some(feed) = opened.cloned() {
                self.sessions.insert(grown.session, feed);
            }
            let watched = self.sessions.get(&grown.session);
            if let Some(feed) = watched.and_then(Weak::upgrade) {
                let known = grew.entry(feed.match_id().to_owned());
                let (_, all) = known.or_insert_with(|| (feed, Vec::new()));
                all.push(grown);
            }
        }
        for (feed, grown) in grew.into_values() {
            feed.board().grew(grown);
        }
        for id in &commit.matches {
            if let Some(feed) = self.matches.get(id).and_then(Weak::upgrade) {
                feed.board().changed(false);
            }
        }
        if let Some(everything) = self.everything.upgrade() {
            everything.board.note(commit);
        }
    }

    /// Commits were missed.
    fn missed(&self) {
        for feed in self.matches.values().filter_map(Weak::upgrade) {
            feed.board().changed(true);
        }
        if let Some(everything) = self.everything.upgrade() {
            everything.board.missed();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Feed, Watched};
    use crate::store::{Commit, EntryId, Grown, SessionId};
    use std::sync::Arc;

    #[test]
    fn all_that_a_commit_adds_to_a_match_is_handed_over_at_once() {
        const SESSIONS: i64 = 5_000;
        let feed = Arc::new(Feed::new("m"));
        let mut watched = Watched::default();
        let mut commit = Commit::default();
        for id in 1..=SESSIONS {
            let session = SessionId(id);
            watched.sessions.insert(session, Arc::downgrade(&feed));
            commit.sessions.push(Grown {
                session,
                opened: None,
                last: Some(EntryId(id)),
                entries: 1,
                ended: false,
                bluffs: false,
            });
        }
        std::thread::scope(|scope| {
            scope.spawn(|| watched.hand_out(&commit));
            let taken = loop {
                let taken = feed.board().take();
                if !taken.grown.is_empty() {
                    break taken;
                }
            };
            assert_eq!(taken.grown.len(), SESSIONS as usize);
        });
    }
}

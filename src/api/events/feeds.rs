//! All that is followed of a store; those who follow the same share it.

use super::all_matches::AllMatches;
use super::one_match::OneMatch;
use super::shared::Shared;
use crate::store::Store;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::{Arc, Weak};

/// All that is followed of a store.
#[derive(Clone)]
pub struct Feeds {
    store: Store,
    /// By id; for as long as anybody follows it.
    matches: Arc<Mutex<HashMap<String, Weak<Shared<OneMatch>>>>>,
    all: Arc<Shared<AllMatches>>,
}

impl Feeds {
    /// Of this store.
    #[must_use]
    pub fn new(store: Store) -> Self {
        let all = AllMatches::new(store.clone());
        Self {
            all: Shared::new(all, store.bells().changes_bell()),
            matches: Arc::default(),
            store,
        }
    }

    /// A match.
    pub(super) fn of_match(&self, id: &str) -> Arc<Shared<OneMatch>> {
        let mut matches = self.matches.lock();
        if let Some(shared) = matches.get(id).and_then(Weak::upgrade) {
            return shared;
        }
        matches.retain(|_, shared| shared.strong_count() > 0);
        let followed = OneMatch::new(self.store.clone(), id);
        let shared = Shared::new(followed, self.store.bells().match_bell(id));
        matches.insert(id.to_owned(), Arc::downgrade(&shared));
        shared
    }

    /// All matches as they begin and end.
    pub(super) fn all(&self) -> &Arc<Shared<AllMatches>> {
        &self.all
    }
}

#[cfg(test)]
mod tests {
    use super::Feeds;
    use crate::api::events::one_match::Mark;
    use crate::store::tests::fake::{Pen, match_id, opened, said};
    use std::sync::Arc;

    #[tokio::test]
    async fn what_comes_is_read_once_for_all_who_follow() {
        let (_folder, store) = opened().await;
        let mut pen = Pen::player(&store, 1);
        pen.write(&store, vec![said("0")]).await;
        let feeds = Feeds::new(store.clone());
        let feed = feeds.of_match(&match_id(1));
        let mut followers: Vec<_> = (0..200).map(|_| feed.follow(Mark::START)).collect();
        // A follower reads each time; the others are behind, some more and some less.
        let mut ahead = feed.follow(Mark::START);
        let mut read = vec![ahead.read().await.unwrap()];
        assert!(!ahead.is_behind());
        for number in 1..=5 {
            assert!(ahead.read().await.unwrap().rows.entries.is_empty());
            pen.write(&store, vec![said(&number.to_string())]).await;
            ahead.wait().await;
            read.push(ahead.read().await.unwrap());
            for follower in followers.iter_mut().skip(40 * number) {
                follower.read().await.unwrap();
            }
        }
        for (number, follower) in followers.iter_mut().enumerate() {
            for part in &read[number / 40..] {
                let again = follower.read().await.unwrap();
                assert!(Arc::ptr_eq(&again, part), "{number}");
            }
            assert!(!follower.is_behind());
        }
        let texts = read.iter().flat_map(|part| &part.rows.entries);
        let texts: Vec<_> = texts.map(|(_, entry)| entry.text.as_str()).collect();
        assert_eq!(texts, ["0", "1", "2", "3", "4", "5"]);
    }
}

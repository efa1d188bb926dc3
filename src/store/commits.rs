//! Wakes those who follow a match or a list when the writer has committed something to it. As with all readers, what a
//! power cut may still take is read too.

use super::types::{EntryId, SessionId};
use parking_lot::Mutex;
use std::collections::HashMap;
use tokio::sync::{Notify, watch};

/// Each session's last entry, and how many entries it has.
pub type Heads = HashMap<SessionId, (EntryId, u64)>;

/// What has been committed to a match or a list since somebody began to follow it.
#[derive(Clone, Debug, Default)]
pub struct Committed {
    /// The number of commits.
    pub commits: u64,
    /// How often it may have changed who may see what of the match: it or a session of it ended, a seat was named, a
    /// tournament began or ended.
    pub revealed: u64,
    /// The match's sessions that have grown, as they are after the last of these commits. Not of lists.
    pub heads: Heads,
}

/// Rings at each commit to what it is of; holds what has been committed.
pub type Bell = watch::Receiver<Committed>;

/// What one append, opening or closing in a commit added.
#[derive(Debug, Default)]
pub(super) struct Added<'a> {
    pub(super) match_id: &'a str,
    /// The session, its last entry, and its number of entries.
    pub(super) head: Option<(SessionId, EntryId, u64)>,
    /// Whether a match or a session began or ended.
    pub(super) changes: bool,
    pub(super) ends: bool,
    pub(super) bluffs: bool,
}

/// Everything that is followed.
#[derive(Debug, Default)]
pub struct Bells {
    /// By match.
    matches: Mutex<HashMap<String, watch::Sender<Committed>>>,
    /// Of matches and sessions as they begin and end.
    changes: watch::Sender<Committed>,
    bluffs: watch::Sender<Committed>,
    /// Woken by commits to a database that others write to, too.
    stirred: Notify,
}

impl Bells {
    /// Rings at each commit to this match from now on.
    #[must_use]
    pub fn match_bell(&self, id: &str) -> Bell {
        let mut matches = self.matches.lock();
        matches.retain(|_, bell| bell.receiver_count() > 0);
        matches.entry(id.to_owned()).or_default().subscribe()
    }

    /// Rings when matches or sessions begin or end.
    #[must_use]
    pub fn changes_bell(&self) -> Bell {
        self.changes.subscribe()
    }

    /// Rings when bluffs are stored.
    #[must_use]
    pub fn bluffs_bell(&self) -> Bell {
        self.bluffs.subscribe()
    }

    /// Something was committed to a database that others write to, too: what followers may read is for that to say.
    pub(super) fn stir(&self) {
        self.stirred.notify_one();
    }

    /// Returns after [`Self::stir`].
    pub(super) async fn stirred(&self) {
        self.stirred.notified().await;
    }

    /// Whether anything is followed.
    pub(super) fn are_followed(&self) -> bool {
        let lists = [&self.changes, &self.bluffs];
        lists.iter().any(|bell| bell.receiver_count() > 0) || !self.followed().is_empty()
    }

    /// The matches that are followed.
    pub(super) fn followed(&self) -> Vec<String> {
        let matches = self.matches.lock();
        let followed = matches.iter().filter(|(_, bell)| bell.receiver_count() > 0);
        followed.map(|(id, _)| id.clone()).collect()
    }

    /// How many matches are followed.
    #[cfg(test)]
    pub(crate) fn followed_matches(&self) -> usize {
        let matches = self.matches.lock();
        let followed = matches.values().filter(|bell| bell.receiver_count() > 0);
        followed.count()
    }

    /// What may be seen of this match, or of any, has changed: what was read of it must be read again.
    pub(super) fn reveal(&self, id: Option<&str>) {
        for (of, bell) in self.matches.lock().iter() {
            if id.is_none_or(|id| id == of) {
                bell.send_modify(|committed| {
                    committed.commits += 1;
                    committed.revealed += 1;
                });
            }
        }
    }

    /// Notes one commit; the bells given are yet to be rung. Commits must come in their order, and all that one adds to
    /// a match at once: what is read up to the entry of one session leads past earlier entries of the others.
    pub(super) fn note<'a>(&self, commit: impl Iterator<Item = Added<'a>>) -> Rung {
        let matches = self.matches.lock();
        let mut grown: HashMap<&str, Vec<Added<'a>>> = HashMap::new();
        let (mut changes, mut bluffs) = (false, false);
        for added in commit {
            changes |= added.changes;
            bluffs |= added.bluffs;
            if matches.contains_key(added.match_id) {
                grown.entry(added.match_id).or_default().push(added);
            }
        }
        let bells = grown.into_iter();
        let bells = bells.filter_map(|(id, all)| Some((matches.get(id)?, all)));
        let lists = [(&self.changes, changes), (&self.bluffs, bluffs)].into_iter();
        let lists = lists.filter_map(|(bell, rings)| rings.then_some((bell, Vec::new())));
        let noted = bells.chain(lists).map(|(bell, all)| {
            bell.send_if_modified(|committed| {
                committed.commits += 1;
                for added in all {
                    committed.revealed += u64::from(added.ends);
                    let head = added
                        .head
                        .map(|(session, last, count)| (session, (last, count)));
                    committed.heads.extend(head);
                }
                false
            });
            bell.clone()
        });
        Rung(noted.collect())
    }
}

/// Bells that are yet to be rung: waking hundreds of followers takes a while.
pub(super) struct Rung(Vec<watch::Sender<Committed>>);

impl Rung {
    pub(super) fn ring(self) {
        for bell in self.0 {
            bell.send_modify(|_| ());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Added, Bells};
    use crate::store::types::{EntryId, SessionId};

    #[test]
    fn all_that_a_commit_adds_to_a_match_is_there_at_once() {
        let bells = Bells::default();
        let mut bell = bells
            .matches
            .lock()
            .entry("m".into())
            .or_default()
            .subscribe();
        let others = bells.changes.subscribe();
        let added = |match_id, session| Added {
            match_id,
            head: Some((SessionId(session), EntryId(session), 1)),
            changes: session == 3,
            ends: session == 2,
            bluffs: true,
        };
        let rung = bells.note([added("m", 1), added("n", 3), added("m", 2)].into_iter());
        assert!(!bell.has_changed().unwrap());
        let committed = bell.borrow().clone();
        assert_eq!((committed.commits, committed.revealed), (1, 1));
        let mut heads: Vec<_> = committed.heads.into_iter().collect();
        heads.sort_unstable();
        let head = |id| (SessionId(id), (EntryId(id), 1));
        assert_eq!(heads, [head(1), head(2)]);
        rung.ring();
        assert!(bell.has_changed().unwrap() && others.has_changed().unwrap());
        bell.mark_unchanged();
        bells.note([added("n", 4)].into_iter()).ring();
        assert!(!bell.has_changed().unwrap(), "it is another's");
        assert_eq!(others.borrow().commits, 1, "nothing began or ended");
        assert_eq!(bells.bluffs.borrow().commits, 2);
    }
}

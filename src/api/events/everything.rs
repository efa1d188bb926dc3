//! All matches as they begin and end: changes are read once, for all who watch them.

use super::feed::{GATHER, Mark, RETRY};
use super::ring::Ring;
use super::told::{Then, Told, View, Views, write};
use crate::api::matches;
use crate::api::sight::Sight;
use crate::store::{Commit, EntryId, MatchRow, Store};
use std::sync::Arc;
use tokio::sync::{Notify, watch};
use tokio_util::sync::{CancellationToken, DropGuard};

/// Changes that are read at once.
pub(super) const AT_ONCE: u32 = 256;
/// About what a row takes, in bytes.
const ROW_BYTES: usize = 1_024;

/// What has become of matches.
#[derive(Debug)]
pub(super) struct Changed {
    /// After which change.
    pub(super) after: i64,
    /// Up to which one.
    pub(super) upto: i64,
    /// Each match as it is since, with the number of its last change.
    rows: Vec<(i64, MatchRow)>,
    views: Views,
}

impl Changed {
    pub(super) fn new(after: i64, upto: i64, rows: Vec<(i64, MatchRow)>) -> Self {
        let views = Views::default();
        Self {
            after,
            upto,
            rows,
            views,
        }
    }

    /// What of it is new to readers that have had all up to `mark`.
    pub(super) fn told(&self, sight: &Sight, mark: i64) -> Arc<Told> {
        let mark = Mark {
            entry: EntryId(mark),
            fact: 0,
        };
        let over = self.rows.iter().map(|(_, row)| row.over_us);
        self.views.told(View::new(sight, over, mark), || {
            let mut events = Vec::new();
            for (id, row) in self.rows.iter().filter(|(id, _)| *id > mark.entry.0) {
                let shown = matches::shown(sight, row.clone());
                write(&mut events, "match", &id.to_string(), &shown);
            }
            Told {
                events: events.into(),
                mark,
                then: Then::News,
            }
        })
    }
}

/// All matches, for as long as anybody watches them.
#[derive(Debug)]
pub(super) struct Everything {
    pub(super) board: Arc<Board>,
    _watched: DropGuard,
}

/// What its reading shares with those who watch.
#[derive(Debug, Default)]
pub(super) struct Board {
    pub(super) ring: Ring<Changed>,
    /// How often bluffs have come.
    pub(super) bluffs: watch::Sender<u64>,
    pinged: Notify,
}

impl Board {
    pub(super) fn note(&self, commit: &Commit) {
        let mut sessions = commit.sessions.iter();
        if !commit.matches.is_empty() || sessions.any(|grown| grown.ended || grown.opened.is_some())
        {
            self.pinged.notify_one();
        }
        if commit.sessions.iter().any(|grown| grown.bluffs) {
            self.bluffs.send_modify(|count| *count += 1);
        }
    }

    /// Commits were missed.
    pub(super) fn missed(&self) {
        self.pinged.notify_one();
        self.bluffs.send_modify(|count| *count += 1);
    }
}

impl Everything {
    pub(super) fn start(store: Store) -> Self {
        let stop = CancellationToken::new();
        let board = Arc::new(Board::default());
        let (until, reading) = (stop.clone(), Arc::clone(&board));
        tokio::spawn(async move {
            let both = async { tokio::join!(read(store, &reading), reading.ring.take_turns()) };
            until.run_until_cancelled(both).await
        });
        Self {
            board,
            _watched: stop.drop_guard(),
        }
    }
}

/// Reads what follows the last change. Where it begins is told too: who watches may have to read what was before.
async fn read(store: Store, board: &Board) {
    let mut last = None;
    loop {
        let read = match last {
            None => store.last_change().await.map(|upto| (Vec::new(), upto)),
            Some(last) => store.changed(last, AT_ONCE).await,
        };
        match read {
            Ok((rows, upto)) => {
                let after = last.unwrap_or(upto);
                if last != Some(upto) {
                    let bytes = rows.len() * ROW_BYTES;
                    board.ring.push(Changed::new(after, upto, rows), bytes);
                }
                last = Some(upto);
                if upto - after >= i64::from(AT_ONCE) {
                    continue;
                }
            }
            Err(error) => {
                tracing::warn!(%error, "matches that are watched cannot be read");
                tokio::time::sleep(RETRY).await;
                continue;
            }
        }
        board.pinged.notified().await;
        tokio::time::sleep(GATHER).await;
    }
}

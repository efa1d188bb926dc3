//! All matches as they begin and end.

use super::feed::GATHER;
use super::ring::Ring;
use crate::store::{Commit, MatchRow, SessionId, Store, StoreError};
use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::sync::Arc;
use tokio::sync::Notify;
use tokio_util::sync::{CancellationToken, DropGuard};

/// Matches that may wait to be read.
const WAITING_MAX: usize = 10_000;
/// About what a row takes, in bytes.
const ROW_BYTES: usize = 1_024;

/// What has become of a match.
#[derive(Debug)]
pub(super) enum Change {
    /// It has begun, or ended, or one of its sessions has ended.
    Match(Box<MatchRow>),
    /// More has happened than could be read.
    Missed,
}

/// What may have changed a list of all matches.
#[derive(Debug)]
pub(in crate::api) enum Move {
    /// A match has begun, or ended, or one of its sessions has.
    Match(String),
    /// A match's session has begun or ended.
    Session(String, SessionId),
    /// There are bluffs that were not there before.
    Bluffs,
    /// More has happened than could be read.
    Missed,
}

/// All matches, for as long as anybody watches them.
#[derive(Debug)]
pub(super) struct Everything {
    pub(super) board: Arc<Board>,
    /// Unlike that of any other: ids of its events mean nothing elsewhere.
    nonce: String,
    _watched: DropGuard,
}

/// What its reading shares with those who watch.
#[derive(Debug, Default)]
pub(super) struct Board {
    pub(super) ring: Ring<Change>,
    pub(super) moves: Ring<Move>,
    waiting: Mutex<Waiting>,
    pinged: Notify,
}

#[derive(Debug, Default)]
struct Waiting {
    matches: BTreeSet<String>,
    /// Sessions that have begun or ended.
    sessions: BTreeSet<SessionId>,
    bluffs: bool,
    missed: bool,
}

impl Board {
    pub(super) fn note(&self, commit: &Commit) {
        let opened = commit
            .sessions
            .iter()
            .filter_map(|grown| grown.opened.as_ref());
        let moved = commit.sessions.iter();
        let moved = moved.filter(|grown| grown.ended || grown.opened.is_some());
        let mut waiting = self.waiting.lock();
        waiting
            .matches
            .extend(commit.matches.iter().chain(opened).cloned());
        waiting.sessions.extend(moved.map(|grown| grown.session));
        waiting.bluffs |= commit.sessions.iter().any(|grown| grown.bluffs);
        let (matches, sessions) = (waiting.matches.len(), waiting.sessions.len());
        if matches + sessions == 0 && !waiting.bluffs {
            return;
        }
        if matches + sessions > WAITING_MAX {
            *waiting = Waiting {
                missed: true,
                ..Waiting::default()
            };
        }
        drop(waiting);
        self.pinged.notify_one();
    }

    /// Commits were missed.
    pub(super) fn missed(&self) {
        self.waiting.lock().missed = true;
        self.pinged.notify_one();
    }
}

impl Everything {
    pub(super) fn start(store: Store) -> Self {
        let stop = CancellationToken::new();
        let board = Arc::new(Board::default());
        let (until, reading) = (stop.clone(), Arc::clone(&board));
        tokio::spawn(async move { until.run_until_cancelled(read(store, &reading)).await });
        Self {
            board,
            nonce: ulid::Ulid::generate().to_string(),
            _watched: stop.drop_guard(),
        }
    }
}

impl Everything {
    /// The id of the event with this number.
    pub(super) fn id_of(&self, count: u64) -> String {
        format!("{}-{count}", self.nonce)
    }

    /// The number of the event with this id, if it is one of these.
    pub(super) fn count_of(&self, id: &str) -> Option<u64> {
        let (nonce, count) = id.split_once('-')?;
        count.parse().ok().filter(|_| nonce == self.nonce)
    }
}

async fn read(store: Store, board: &Board) {
    loop {
        board.pinged.notified().await;
        tokio::time::sleep(GATHER).await;
        let waiting = std::mem::take(&mut *board.waiting.lock());
        match changed(&store, &waiting).await {
            Ok((rows, moves)) if !waiting.missed => {
                for row in rows {
                    board.ring.push(Change::Match(Box::new(row)), ROW_BYTES);
                }
                for moved in moves {
                    board.moves.push(moved, size_of::<Move>());
                }
            }
            result => {
                if let Err(error) = result {
                    tracing::warn!(%error, "matches that are watched cannot be read");
                }
                board.ring.push(Change::Missed, 0);
                board.moves.push(Move::Missed, 0);
            }
        }
    }
}

async fn changed(
    store: &Store,
    waiting: &Waiting,
) -> Result<(Vec<MatchRow>, Vec<Move>), StoreError> {
    let mut matches = waiting.matches.clone();
    let mut moves: Vec<Move> = waiting.bluffs.then_some(Move::Bluffs).into_iter().collect();
    for session in &waiting.sessions {
        if let Some(row) = store.session(*session).await? {
            matches.insert(row.opened.match_id.clone());
            moves.push(Move::Session(row.opened.match_id, *session));
        }
    }
    let mut rows = Vec::with_capacity(matches.len());
    for id in &matches {
        rows.extend(store.match_row(id).await?);
    }
    moves.extend(matches.into_iter().map(Move::Match));
    Ok((rows, moves))
}

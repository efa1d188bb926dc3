//! The live sessions, as the writer knows them.

use crate::clock::now_us;
use crate::store::error::StoreError;
use crate::store::log::Head;
use crate::store::startup::Start;
use crate::store::types::{Append, Durability, LiveSession, NewSession};
use std::collections::HashMap;
use std::sync::Arc;

/// A session that has not ended, as the writer knows it.
#[derive(Debug)]
pub(super) struct Live {
    pub(super) head: Head,
    pub(super) match_id: Box<str>,
    pub(super) game: Arc<str>,
    pub(super) durability: Durability,
    /// The batch that last touched it.
    batch: u64,
}

/// The live sessions.
#[derive(Debug, Default)]
pub(super) struct Sessions {
    pub(super) live: HashMap<i64, Live>,
    games: HashMap<String, Arc<str>>,
    batch: u64,
}

impl Sessions {
    pub(super) fn new(start: &Start) -> Self {
        let mut sessions = Self::default();
        for found in &start.live {
            sessions.take_up(found);
        }
        sessions
    }

    /// Takes up a live session as it is stored, whatever was known of it.
    pub(super) fn take_up(&mut self, found: &LiveSession) {
        let head = Head {
            entry: found.head.map_or(0, |head| head.0),
            count: found.seq,
            at_us: found.last_us,
        };
        self.insert(found.id.0, head, &found.opened);
    }

    pub(super) fn heads(&self) -> impl Iterator<Item = (i64, Head)> {
        self.live
            .iter()
            .map(|(session, live)| (*session, live.head))
    }

    /// Another batch begins.
    pub(super) fn begin_batch(&mut self) {
        self.batch += 1;
    }

    /// Whether the current batch already holds an append of this session.
    pub(super) fn in_batch(&self, session: i64) -> bool {
        self.live
            .get(&session)
            .is_some_and(|live| live.batch == self.batch)
    }

    pub(super) fn insert(&mut self, id: i64, head: Head, opened: &NewSession) {
        let game = match self.games.get(&opened.game) {
            Some(game) => Arc::clone(game),
            None => {
                let game: Arc<str> = opened.game.as_str().into();
                self.games.insert(opened.game.clone(), Arc::clone(&game));
                game
            }
        };
        let live = Live {
            head,
            match_id: opened.match_id.as_str().into(),
            game,
            durability: opened.durability,
            batch: self.batch,
        };
        self.live.insert(id, live);
    }

    /// Marks the session as part of this batch, opening it if the append does.
    pub(super) fn touch(&mut self, append: &Append) -> Result<&Live, StoreError> {
        let id = append.session.0;
        let wrong = |why: String| StoreError::OutOfOrder { session: id, why };
        if let Some(opened) = append.open.as_deref() {
            if self.live.contains_key(&id) || append.previous.is_some() || append.seq != 0 {
                return Err(wrong("it was opened before".into()));
            }
            let at_us = append
                .entries
                .first()
                .map_or_else(now_us, |entry| entry.at_us);
            self.insert(
                id,
                Head {
                    entry: 0,
                    count: 0,
                    at_us,
                },
                opened,
            );
        }
        let batch = self.batch;
        let Some(live) = self.live.get_mut(&id) else {
            return Err(wrong("it has ended or was never opened".into()));
        };
        let head = (live.head.count > 0).then_some(live.head.entry);
        if head != append.previous.map(|entry| entry.0) || live.head.count != append.seq {
            return Err(wrong(format!(
                "its last entry is {head:?} of {}, not {:?} of {}",
                live.head.count, append.previous, append.seq
            )));
        }
        live.batch = batch;
        Ok(live)
    }
}

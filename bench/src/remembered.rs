//! A referee's record in memory: what it sent and what was acknowledged to it.

use drover::referee::{MatchRecord, RecordError, RecordLine, Recording, UnfinishedMatch};
use drover::store::{Direction, Entry, MatchResult, NewMatch};
use futures_util::future::BoxFuture;
use games::Seat;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What one player was sent, and what he answered (`None`: no whole answer came).
pub(crate) type Exchanges = Vec<(String, Option<String>)>;

/// All matches, by market and by the player's number on the wire.
#[derive(Clone, Default)]
pub(crate) struct Remembered(Arc<Mutex<BTreeMap<(u64, u64), Exchanges>>>);

struct Match {
    all: Remembered,
    market: u64,
    ids: Vec<u64>,
}

impl Remembered {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<(u64, u64), Exchanges>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Everything so far.
    pub(crate) fn take(&self) -> BTreeMap<(u64, u64), Exchanges> {
        std::mem::take(&mut *self.lock())
    }
}

impl Recording for Remembered {
    fn last_market<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<u64, RecordError>> {
        Box::pin(async { Ok(0) })
    }

    fn open<'a>(
        &'a self,
        new: NewMatch,
        ids: &'a [u64],
    ) -> BoxFuture<'a, Result<Box<dyn MatchRecord>, RecordError>> {
        let record = Match {
            all: self.clone(),
            market: new.market,
            ids: ids.to_vec(),
        };
        Box::pin(async { Ok(Box::new(record) as Box<dyn MatchRecord>) })
    }

    fn unfinished<'a>(
        &'a self,
        _: &'a str,
        _: &'a str,
    ) -> BoxFuture<'a, Result<Vec<UnfinishedMatch>, RecordError>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    fn transcript<'a>(
        &'a self,
        _: &'a str,
        _: u64,
        _: Seat,
    ) -> BoxFuture<'a, Result<Option<Vec<Entry>>, RecordError>> {
        Box::pin(async { Ok(None) })
    }
}

impl MatchRecord for Match {
    fn append(&mut self, lines: Vec<RecordLine>) -> BoxFuture<'_, Result<(), RecordError>> {
        let mut all = self.all.lock();
        for RecordLine { seat, entry } in lines {
            let Some(id) = self.ids.get(seat.index()) else {
                continue;
            };
            let exchanges = all.entry((self.market, *id)).or_default();
            match (entry.direction, exchanges.last_mut()) {
                (Direction::Out, _) => exchanges.push((entry.text, None)),
                (Direction::In, Some(last)) if !entry.text.starts_with('\u{1}') => {
                    last.1 = Some(entry.text);
                }
                (Direction::In, _) => {}
            }
        }
        Box::pin(async { Ok(()) })
    }

    fn close(self: Box<Self>, _: MatchResult) -> BoxFuture<'static, Result<(), RecordError>> {
        Box::pin(async { Ok(()) })
    }
}

//! Keeps matches in the store: one session per seat, seen from the referee's side.

use super::recording::{MatchRecord, RecordError, RecordLine, Recording, UnfinishedMatch};
use crate::referee::host::setup::ids;
use crate::store::types::{
    Append, Close, Direction, Durability, Entry, EntryId, MatchResult, NewEntry, NewMatch,
    NewSession, SessionId, Side,
};
use crate::store::{SessionRow, Store, StoreError};
use futures_util::future::{BoxFuture, try_join_all};
use games::{Bluff, Fact, Seat, Seats, Wire};
use serde_json::Value;
use std::collections::BTreeMap;

/// Keeps matches in a store.
#[derive(Clone)]
pub struct StoreRecording {
    store: Store,
    durability: Durability,
}

impl StoreRecording {
    /// Keeps matches in `store`, committed with this `durability`.
    #[must_use]
    pub fn new(store: Store, durability: Durability) -> Self {
        Self { store, durability }
    }

    fn sessions(&self, row: &NewMatch, ids: &[u64]) -> Vec<SeatSession> {
        let spec = |seat: usize| row.seats.get(seat).map(|seat| seat.spec.clone());
        let sessions = ids.iter().enumerate().map(|(seat, player)| SeatSession {
            id: self.store.next_session(),
            opened: NewSession {
                match_id: row.id.clone(),
                side: Side::Referee,
                game: row.game.clone(),
                bot: spec(seat).unwrap_or_default(),
                referee: row.referee.clone(),
                market: row.market,
                player: *player,
                seat: Some(seat as u8),
                seed: 0,
                setup: Value::Null,
                durability: self.durability,
            },
            last: None,
            seq: 0,
            written: false,
            closed: false,
        });
        sessions.collect()
    }

    async fn unfinished_match(&self, row: NewMatch) -> Result<UnfinishedMatch, StoreError> {
        let stored = self.store.sessions_of(&row.id).await?;
        let stored: Vec<SessionRow> = stored
            .into_iter()
            .filter(|session| session.opened.side == Side::Referee)
            .collect();
        let drawn = self.store.players_of(&row.id).await?;
        let ids = drawn.unwrap_or_else(|| ids(row.market, row.seats.len()));
        let mut sessions = self.sessions(&row, &ids);
        let mut past = Seats::from_fn(row.seats.len(), |_| Vec::new());
        for session in stored {
            let seat = Seat(session.opened.seat.unwrap_or(u8::MAX));
            let head = self.store.head(&session).await?;
            if let (Some(own), Some((last, seq))) = (sessions.get_mut(seat.index()), head) {
                past[seat] = self.store.transcript(session.id, last).await?;
                own.id = session.id;
                own.opened = session.opened;
                own.closed = session.ended_us.is_some();
                (own.last, own.seq, own.written) = (Some(last), seq, true);
            }
        }
        let seeds = sessions.iter().map(|session| session.opened.seed).collect();
        let record = Box::new(StoreRecord {
            store: self.store.clone(),
            row: row.clone(),
            sessions,
        });
        Ok(UnfinishedMatch {
            row,
            ids,
            seeds,
            past,
            record,
        })
    }
}

impl Recording for StoreRecording {
    fn last_market<'a>(&'a self, game: &'a str) -> BoxFuture<'a, Result<u64, RecordError>> {
        Box::pin(async move { self.store.last_market(game).await.map_err(refused) })
    }

    fn used<'a>(
        &'a self,
        game: &'a str,
        market: u64,
        ids: &'a [u64],
    ) -> BoxFuture<'a, Result<bool, RecordError>> {
        Box::pin(async move {
            let seats = ids.len() as u64;
            let used = self.store.numbers_used(game, market, ids, seats);
            used.await.map_err(refused)
        })
    }

    fn seat_of<'a>(
        &'a self,
        game: &'a str,
        id: u64,
        seats: usize,
    ) -> BoxFuture<'a, Result<Option<(u64, Seat)>, RecordError>> {
        Box::pin(async move {
            let found = self.store.seat_of_player(game, id, seats as u64).await;
            let found = found.map_err(refused)?;
            Ok(found.map(|(market, seat)| (market, Seat(seat))))
        })
    }

    fn open<'a>(
        &'a self,
        new: NewMatch,
        ids: &'a [u64],
    ) -> BoxFuture<'a, Result<Box<dyn MatchRecord>, RecordError>> {
        Box::pin(async move {
            let opened = self.store.open_numbered(new.clone(), ids.to_vec());
            opened.await.map_err(refused)?;
            let sessions = self.sessions(&new, ids);
            let store = self.store.clone();
            Ok(Box::new(StoreRecord {
                store,
                row: new,
                sessions,
            }) as Box<dyn MatchRecord>)
        })
    }

    fn unfinished<'a>(
        &'a self,
        game: &'a str,
        referee: &'a str,
    ) -> BoxFuture<'a, Result<Vec<UnfinishedMatch>, RecordError>> {
        Box::pin(async move {
            let mut unfinished = Vec::new();
            let rows = self.store.unfinished(game, referee).await;
            for row in rows.map_err(refused)? {
                unfinished.push(self.unfinished_match(row).await.map_err(refused)?);
            }
            Ok(unfinished)
        })
    }

    fn transcript<'a>(
        &'a self,
        game: &'a str,
        market: u64,
        seat: Seat,
    ) -> BoxFuture<'a, Result<Option<Vec<Entry>>, RecordError>> {
        Box::pin(async move {
            let Some(id) = self
                .store
                .match_of_market(game, market)
                .await
                .map_err(refused)?
            else {
                return Ok(None);
            };
            let own = |session: &SessionRow| {
                session.opened.side == Side::Referee && session.opened.seat == Some(seat.0)
            };
            let sessions = self.store.sessions_of(&id).await.map_err(refused)?;
            let Some(session) = sessions.into_iter().find(own) else {
                return Ok(Some(Vec::new()));
            };
            let Some((last, _)) = self.store.head(&session).await.map_err(refused)? else {
                return Ok(Some(Vec::new()));
            };
            self.store
                .transcript(session.id, last)
                .await
                .map(Some)
                .map_err(refused)
        })
    }
}

fn refused(error: StoreError) -> RecordError {
    RecordError(error.to_string())
}

/// Where one match is stored.
struct StoreRecord {
    store: Store,
    row: NewMatch,
    sessions: Vec<SeatSession>,
}

/// One seat's session.
struct SeatSession {
    id: SessionId,
    opened: NewSession,
    last: Option<EntryId>,
    seq: u64,
    /// Whether its row is written.
    written: bool,
    /// Whether an earlier run, interrupted while closing the match, has already closed it.
    closed: bool,
}

impl SeatSession {
    async fn append(
        &mut self,
        store: &Store,
        entries: Vec<NewEntry>,
        facts: Vec<(Fact, Option<Bluff>)>,
        close: Option<Box<Close>>,
    ) -> Result<(), RecordError> {
        let count = entries.len() as u64;
        let append = Append {
            session: self.id,
            previous: self.last,
            seq: self.seq,
            open: (!self.written).then(|| Box::new(self.opened.clone())),
            match_: None,
            entries,
            facts,
            close,
        };
        let receipt = store.append(append).await.map_err(refused)?;
        self.written = true;
        self.last = receipt.last;
        self.seq += count;
        Ok(())
    }
}

impl MatchRecord for StoreRecord {
    fn append(&mut self, lines: Vec<RecordLine>) -> BoxFuture<'_, Result<(), RecordError>> {
        Box::pin(async move {
            let mut by_seat: BTreeMap<usize, Vec<NewEntry>> = BTreeMap::new();
            for line in lines {
                by_seat
                    .entry(line.seat.index())
                    .or_default()
                    .push(line.entry);
            }
            let store = &self.store;
            let sessions = self.sessions.iter_mut().enumerate();
            let appends = sessions.filter_map(|(seat, session)| {
                by_seat
                    .remove(&seat)
                    .map(|entries| session.append(store, entries, Vec::new(), None))
            });
            try_join_all(appends).await.map(|_| ())
        })
    }

    fn seeded(&mut self, seeds: &[u64]) {
        for (session, seed) in self.sessions.iter_mut().zip(seeds) {
            session.opened.seed = *seed;
        }
    }

    fn note(&mut self, seat: Seat, fact: Fact) -> BoxFuture<'_, Result<(), RecordError>> {
        Box::pin(async move {
            match self.sessions.get_mut(seat.index()) {
                Some(session) if session.written => {
                    let facts = vec![(fact, None)];
                    session.append(&self.store, Vec::new(), facts, None).await
                }
                _ => Ok(()),
            }
        })
    }

    fn close(
        mut self: Box<Self>,
        result: MatchResult,
    ) -> BoxFuture<'static, Result<(), RecordError>> {
        Box::pin(async move {
            let store = self.store.clone();
            let written = self
                .sessions
                .iter_mut()
                .enumerate()
                .filter(|(_, seat)| seat.written && !seat.closed);
            let closes = written.map(|(seat, session)| {
                let mut scores = result.scores.clone();
                // Own seat first, then clockwise.
                if seat < scores.len() {
                    scores.rotate_left(seat);
                }
                let (cause, detail) = (result.cause, result.detail.clone());
                let close = Close {
                    at_us: result.at_us,
                    cause,
                    detail,
                    scores,
                    wins: Vec::new(),
                    lessons: Vec::new(),
                };
                session.append(&store, Vec::new(), Vec::new(), Some(Box::new(close)))
            });
            try_join_all(closes).await?;
            self.store
                .close_match(&self.row.id, result.clone())
                .await
                .map_err(refused)
        })
    }
}

/// Lines of a match that is over: a call and a reply each; where players are called, no call goes without a
/// reply. A reply is stamped as long after its call as it took, everything else one microsecond apart.
#[must_use]
pub fn lines_of(transcript: &[games::Exchange], wire: Wire, started_us: i64) -> Vec<RecordLine> {
    let mut lines = Vec::with_capacity(2 * transcript.len());
    let mut at_us = started_us;
    for heard in transcript {
        let called = wire == Wire::Callbacks;
        let reply = heard.reply.clone().or_else(|| called.then(String::new));
        let call = (Direction::Out, heard.call.clone());
        let reply = reply.map(|reply| (Direction::In, reply));
        for (direction, text) in std::iter::once(call).chain(reply) {
            at_us += match heard.took {
                Some(took) if direction == Direction::In => {
                    i64::try_from(took.as_micros()).unwrap_or(i64::MAX)
                }
                _ => 1,
            };
            let entry = NewEntry {
                at_us,
                direction,
                text,
            };
            lines.push(RecordLine {
                seat: heard.seat,
                entry,
            });
        }
    }
    lines
}

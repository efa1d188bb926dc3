//! Where matches are stored, one session per seat seen from the referee's side, and the writer that feeds it
//! without delaying the match.

use super::seats::{DecisionTimes, folded, rows};
use crate::referee::host::setup::ids;
use crate::replay::{SeatTold, keeps_facts, seat_setup};
use crate::store::types::{
    Append, Close, Direction, Durability, Entry, EntryId, MatchResult, NewEntry, NewMatch,
    NewSession, SessionId, Side,
};
use crate::store::{SessionRow, Store, StoreError};
use futures_util::future::try_join_all;
use games::{Cause, Fact, Kit, Seat, Seats, Wire};
use serde_json::Value;
use std::collections::BTreeMap;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

/// Lines that may wait for the writer; when the queue is full, the match slows to the store's pace.
const LINES_WAITING_MAX: usize = 1_024;
/// The maximum number of lines handed over at once.
const BATCH_MAX: usize = 64;

/// Why a match is not stored, as a sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the match cannot be recorded: {0}")]
pub struct RecordError(pub String);

impl From<StoreError> for RecordError {
    fn from(error: StoreError) -> Self {
        Self(error.to_string())
    }
}

/// One line of one seat's transcript, seen from the referee: `Out` is the call, `In` the reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordLine {
    /// Whose transcript.
    pub seat: Seat,
    /// The line.
    pub entry: NewEntry,
}

/// Stores matches, or none at all: local play, tests. Cheap to clone. Every error is the store's.
#[derive(Clone)]
pub struct Recording(Option<(Store, Durability)>);

impl Recording {
    /// Stores matches in `store`, committed with this `durability`.
    #[must_use]
    pub fn new(store: Store, durability: Durability) -> Self {
        Self(Some((store, durability)))
    }

    /// Stores nothing.
    #[must_use]
    pub fn none() -> Self {
        Self(None)
    }

    /// Closes the store, for all that share it: everything is in the database then, nothing in its log.
    pub async fn close(self) {
        if let Some((store, _)) = self.0 {
            store.close().await;
        }
    }

    fn store(&self) -> Option<&Store> {
        self.0.as_ref().map(|(store, _)| store)
    }

    /// The highest market number ever used for the game by our referees.
    ///
    /// # Errors
    /// [`RecordError`].
    pub async fn last_market(&self, game: &str) -> Result<u64, RecordError> {
        match self.store() {
            Some(store) => Ok(store.last_market(game).await?),
            None => Ok(0),
        }
    }

    /// Whether the number of one of our matches or its players was used before.
    ///
    /// # Errors
    /// [`RecordError`].
    pub async fn used(&self, game: &str, market: u64, ids: &[u64]) -> Result<bool, RecordError> {
        let seats = ids.len() as u64;
        match self.store() {
            Some(store) => Ok(store.numbers_used(game, market, ids, seats).await?),
            None => Ok(false),
        }
    }

    /// The market and seat of one of our players in a game with this many `seats`, by its number on the wire.
    ///
    /// # Errors
    /// [`RecordError`].
    pub async fn seat_of(
        &self,
        game: &str,
        id: u64,
        seats: usize,
    ) -> Result<Option<(u64, Seat)>, RecordError> {
        let Some(store) = self.store() else {
            return Ok(None);
        };
        let found = store.seat_of_player(game, id, seats as u64).await?;
        Ok(found.map(|(market, seat)| (market, Seat(seat))))
    }

    /// Opens a match. `ids`: each seat's number on the wire; `seeds`: those of the bots in this process, by
    /// seat; may be shorter.
    ///
    /// # Errors
    /// [`RecordError`].
    pub async fn open(
        &self,
        new: &NewMatch,
        ids: &[u64],
        seeds: &[u64],
    ) -> Result<MatchRecord, RecordError> {
        let mut record = self.record(new, ids);
        if let Some(store) = &record.store {
            store.open_numbered(new.clone(), ids.to_vec()).await?;
        }
        for (session, seed) in record.sessions.iter_mut().zip(seeds) {
            session.opened.seed = *seed;
        }
        Ok(record)
    }

    fn record(&self, row: &NewMatch, ids: &[u64]) -> MatchRecord {
        let session = |store: &Store, durability, (seat, player): (usize, &u64)| SeatSession {
            id: store.next_session(),
            opened: NewSession {
                match_id: row.id.clone(),
                side: Side::Referee,
                game: row.game.clone(),
                bot: row
                    .seats
                    .get(seat)
                    .map_or(String::new(), |seat| seat.spec.clone()),
                referee: row.referee.clone(),
                market: row.market,
                player: *player,
                seat: Some(seat as u8),
                seed: 0,
                setup: match store.kit(&row.game) {
                    Some(_) => seat_setup(),
                    None => Value::Null,
                },
                durability,
            },
            last: None,
            seq: 0,
            written: false,
            closed: false,
            kept: Vec::new(),
        };
        let sessions = self.0.iter().flat_map(|(store, durability)| {
            let seats = ids.iter().enumerate();
            seats.map(move |seat| session(store, *durability, seat))
        });
        MatchRecord {
            sessions: sessions.collect(),
            kit: self.store().and_then(|store| store.kit(&row.game)),
            store: self.store().cloned(),
            match_id: row.id.clone(),
            alone: None,
        }
    }

    /// The game's matches by this referee of ours that were never closed.
    ///
    /// # Errors
    /// [`RecordError`].
    pub async fn unfinished(
        &self,
        game: &str,
        referee: &str,
    ) -> Result<Vec<UnfinishedMatch>, RecordError> {
        let mut unfinished = Vec::new();
        if let Some(store) = self.store() {
            for row in store.unfinished(game, referee).await? {
                unfinished.push(self.unfinished_match(store, row).await?);
            }
        }
        Ok(unfinished)
    }

    async fn unfinished_match(
        &self,
        store: &Store,
        row: NewMatch,
    ) -> Result<UnfinishedMatch, StoreError> {
        let drawn = store.players_of(&row.id).await?;
        let ids = drawn.unwrap_or_else(|| ids(row.market, row.seats.len()));
        let mut record = self.record(&row, &ids);
        let mut past = Seats::from_fn(row.seats.len(), |_| Vec::new());
        let mut stored = store.sessions_of(&row.id).await?;
        stored.retain(|session| session.opened.side == Side::Referee);
        for session in stored {
            let seat = Seat(session.opened.seat.unwrap_or(u8::MAX));
            let head = store.head(&session).await?;
            if let (Some(own), Some((last, seq))) = (record.sessions.get_mut(seat.index()), head) {
                past[seat] = store.transcript(session.id, last).await?;
                own.id = session.id;
                own.opened = session.opened;
                own.closed = session.ended_us.is_some();
                (own.last, own.seq, own.written) = (Some(last), seq, true);
            }
        }
        let seeds = record.sessions.iter().map(|session| session.opened.seed);
        Ok(UnfinishedMatch {
            seeds: seeds.collect(),
            row,
            ids,
            past,
            record,
        })
    }

    /// One seat's transcript of one of our matches, if there is such a match.
    ///
    /// # Errors
    /// [`RecordError`].
    pub async fn transcript(
        &self,
        game: &str,
        market: u64,
        seat: Seat,
    ) -> Result<Option<Vec<Entry>>, RecordError> {
        let Some(store) = self.store() else {
            return Ok(None);
        };
        let Some(id) = store.match_of_market(game, market).await? else {
            return Ok(None);
        };
        let own = |session: &SessionRow| {
            session.opened.side == Side::Referee && session.opened.seat == Some(seat.0)
        };
        if let Some(session) = store.sessions_of(&id).await?.into_iter().find(own)
            && let Some((last, _)) = store.head(&session).await?
        {
            return Ok(Some(store.transcript(session.id, last).await?));
        }
        Ok(Some(Vec::new()))
    }
}

/// Where one match is stored.
pub struct MatchRecord {
    store: Option<Store>,
    kit: Option<&'static dyn Kit>,
    match_id: String,
    /// Set if it is also to hold what sessions of our own would.
    alone: Option<DecisionTimes>,
    /// By seat; none if nothing is stored.
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
    /// Its transcript, where it is kept in memory until its end.
    kept: Vec<Entry>,
}

impl SeatSession {
    async fn append(
        &mut self,
        store: &Store,
        entries: Vec<NewEntry>,
        facts: Vec<Fact>,
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
            facts: facts.into_iter().map(|fact| (fact, None)).collect(),
            close,
        };
        let receipt = store.append(append).await?;
        self.written = true;
        self.last = receipt.last;
        self.seq += count;
        Ok(())
    }
}

impl SeatSession {
    /// Appends entries; `keeps`: they are also kept in memory.
    async fn add(
        &mut self,
        store: &Store,
        entries: Vec<NewEntry>,
        keeps: bool,
    ) -> Result<(), RecordError> {
        let (seq, added) = (self.seq, if keeps { entries.clone() } else { Vec::new() });
        self.append(store, entries, Vec::new(), None).await?;
        let last = self.last.map_or(0, |last| last.0);
        let first = last + 1 - added.len() as i64;
        // The entries of one append have numbers in a row.
        let numbered = (first..).zip(seq..).zip(added);
        self.kept.extend(numbered.map(|((id, seq), entry)| Entry {
            id: EntryId(id),
            seq,
            at_us: entry.at_us,
            direction: entry.direction,
            text: entry.text,
        }));
        Ok(())
    }

    /// Its transcript, if its facts are to be stored at its end.
    async fn to_fold(&mut self, store: &Store) -> Result<Option<Vec<Entry>>, StoreError> {
        if !self.written || self.closed || !keeps_facts(&self.opened.setup) {
            return Ok(None);
        }
        match self.last {
            Some(last) if self.kept.is_empty() => store.transcript(self.id, last).await.map(Some),
            _ => Ok(Some(std::mem::take(&mut self.kept))),
        }
    }
}

impl MatchRecord {
    /// A record of nothing.
    pub(in crate::referee) fn none() -> Self {
        Self {
            store: None,
            kit: None,
            match_id: String::new(),
            alone: None,
            sessions: Vec::new(),
        }
    }

    /// Also records what sessions of our own would: lessons and the ledger of thinking times. Seats that have
    /// such a session are left out.
    #[must_use]
    pub fn alone(mut self, times: DecisionTimes) -> Self {
        self.alone = Some(times);
        self
    }

    /// Whether lines outlive this process, so that the match waits until they are stored.
    pub(in crate::referee) fn lasting(&self) -> bool {
        self.store.is_some()
    }

    /// Adds lines. Those of one seat are in order.
    ///
    /// # Errors
    /// [`RecordError`].
    pub async fn append(&mut self, lines: Vec<RecordLine>) -> Result<(), RecordError> {
        let Some(store) = &self.store else {
            return Ok(());
        };
        let mut by_seat: BTreeMap<usize, Vec<NewEntry>> = BTreeMap::new();
        for line in lines {
            let of_seat = by_seat.entry(line.seat.index()).or_default();
            of_seat.push(line.entry);
        }
        let keeps = self.alone.is_some();
        let sessions = self.sessions.iter_mut().enumerate();
        let appends = sessions.filter_map(|(seat, session)| {
            let entries = by_seat.remove(&seat)?;
            Some(session.add(store, entries, keeps))
        });
        try_join_all(appends).await.map(drop)
    }

    /// Keeps a fact about a seat whose transcript has begun.
    ///
    /// # Errors
    /// [`RecordError`].
    pub async fn note(&mut self, seat: Seat, fact: Fact) -> Result<(), RecordError> {
        match (&self.store, self.sessions.get_mut(seat.index())) {
            (Some(store), Some(session)) if session.written => {
                session.append(store, Vec::new(), vec![fact], None).await
            }
            _ => Ok(()),
        }
    }

    /// Closes the match and its seats' transcripts, with the facts that these tell.
    ///
    /// # Errors
    /// [`RecordError`].
    pub async fn close(mut self, result: MatchResult) -> Result<(), RecordError> {
        let Some(store) = self.store.clone() else {
            return Ok(());
        };
        let mut told = self.told(&store, result.cause).await?;
        let sessions = self.sessions.iter_mut().enumerate();
        let written = sessions.filter(|(_, seat)| seat.written && !seat.closed);
        let closes = written.map(|(seat, session)| {
            let mut scores = result.scores.clone();
            // Own seat first, then clockwise.
            if seat < scores.len() {
                scores.rotate_left(seat);
            }
            let told = told.get_mut(seat).map(std::mem::take).unwrap_or_default();
            let close = Close {
                detail: result.detail.clone(),
                scores,
                lessons: told.lessons,
                facts: told.facts,
                ..Close::of(result.at_us, result.cause)
            };
            session.append(&store, Vec::new(), Vec::new(), Some(Box::new(close)))
        });
        try_join_all(closes).await?;
        Ok(store.close_match(&self.match_id, result.clone()).await?)
    }

    /// What each seat's transcript tells, by seat. The ledger's rows are noted here.
    async fn told(&mut self, store: &Store, cause: Cause) -> Result<Vec<SeatTold>, RecordError> {
        let Some(kit) = self.kit else {
            return Ok(Vec::new());
        };
        let mut transcripts = Vec::with_capacity(self.sessions.len());
        for session in &mut self.sessions {
            transcripts.push(session.to_fold(store).await?.unwrap_or_default());
        }
        let folding = tokio::task::spawn_blocking(move || folded(kit, &transcripts, cause));
        let folded = folding.await;
        let mut told =
            folded.map_err(|error| RecordError(format!("folding it failed: {error}")))?;
        let Some(times) = &self.alone else {
            told.iter_mut().for_each(|told| told.lessons.clear());
            return Ok(told);
        };
        for session in store.sessions_of(&self.match_id).await? {
            let seat = session.opened.seat.map(usize::from);
            if let (Side::Player, Some(seat)) = (session.opened.side, seat)
                && let Some(told) = told.get_mut(seat)
            {
                told.lessons.clear();
                told.decisions.clear();
            }
        }
        for (seat, (told, session)) in told.iter().zip(&self.sessions).enumerate() {
            rows(session.id, &told.decisions, times.of(seat))
                .for_each(|row| store.note_ledger(row));
        }
        Ok(told)
    }
}

/// A match interrupted by a stop of the daemon.
pub struct UnfinishedMatch {
    /// Its row.
    pub row: NewMatch,
    /// Each seat's number on the wire.
    pub ids: Vec<u64>,
    /// The seed of each seat's bot, if it runs in this process.
    pub seeds: Vec<u64>,
    /// Each seat's transcript so far.
    pub past: Seats<Vec<Entry>>,
    /// Where its record continues.
    pub record: MatchRecord,
}

/// Lines of a match that is over: a call and a reply each; where players are called, no call goes without a
/// reply. A reply is stamped as long after its call as it took, everything else one microsecond apart.
#[must_use]
pub fn lines_of(transcript: &[games::Exchange], wire: Wire, started_us: i64) -> Vec<RecordLine> {
    let mut lines = Vec::with_capacity(2 * transcript.len());
    let mut at_us = started_us;
    for exchange in transcript {
        let called = wire == Wire::Callbacks;
        let reply = exchange.reply.clone().or_else(|| called.then(String::new));
        let call = (Direction::Out, exchange.call.clone());
        let reply = reply.map(|reply| (Direction::In, reply));
        for (direction, text) in std::iter::once(call).chain(reply) {
            at_us += match exchange.took {
                Some(took) if direction == Direction::In => {
                    i64::try_from(took.as_micros()).unwrap_or(i64::MAX)
                }
                _ => 1,
            };
            lines.push(RecordLine {
                seat: exchange.seat,
                entry: NewEntry::new(at_us, direction, text),
            });
        }
    }
    lines
}

/// A line on its way to the writer.
pub(in crate::referee) struct Queued {
    pub(in crate::referee) line: RecordLine,
    /// Notified when the line is stored, or cannot be.
    pub(in crate::referee) kept: Option<oneshot::Sender<()>>,
}

/// Writes one match's lines in the background.
pub(in crate::referee) struct Writer {
    lines: mpsc::Sender<Queued>,
    task: JoinHandle<(MatchRecord, Result<(), RecordError>)>,
}

impl Writer {
    /// Starts writing to `record`.
    pub(in crate::referee) fn start(record: MatchRecord) -> Self {
        let (lines, queue) = mpsc::channel(LINES_WAITING_MAX);
        Self {
            lines,
            task: tokio::spawn(write(record, queue)),
        }
    }

    /// Where lines go.
    pub(in crate::referee) fn lines(&self) -> mpsc::Sender<Queued> {
        self.lines.clone()
    }

    /// Waits until every line is stored. All other senders must be gone by now.
    pub(in crate::referee) async fn flush(self) -> Result<MatchRecord, RecordError> {
        drop(self.lines);
        let (record, written) = self
            .task
            .await
            .map_err(|error| RecordError(format!("its writer failed: {error}")))?;
        written.map(|()| record)
    }
}

async fn write(
    mut record: MatchRecord,
    mut queue: mpsc::Receiver<Queued>,
) -> (MatchRecord, Result<(), RecordError>) {
    let mut written = Ok(());
    let mut batch = Vec::with_capacity(BATCH_MAX);
    while queue.recv_many(&mut batch, BATCH_MAX).await > 0 {
        let (lines, waiting): (Vec<_>, Vec<_>) = batch
            .drain(..)
            .map(|queued: Queued| (queued.line, queued.kept))
            .unzip();
        if written.is_ok() {
            written = record.append(lines).await;
        }
        for kept in waiting.into_iter().flatten() {
            // The match may have been stopped meanwhile.
            let _ = kept.send(());
        }
    }
    (record, written)
}

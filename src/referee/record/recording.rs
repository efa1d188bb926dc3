//! Where matches are stored: one session per seat, seen from the referee's side.

mod orphans;
mod unfinished;

use super::error::RecordError;
use super::seat_session::SeatSession;
use super::seats::{DecisionTimes, folded, instead, noted, rows};
use super::tenancy::{Tenancies, Tenancy};
use crate::cluster::Replica;
use crate::referee::seat::seat_link::SeatRecord;
use crate::replay::FoldedSeat;
use crate::simulated;
use crate::store::StoreError;
use crate::store::types::{
    Close, Direction, Durability, Entry, MatchResult, MatchRow, NewEntry, NewSession, SessionRow,
    Side,
};
use crate::store::{Storage, Store};
use futures_util::future::join_all;
use games::match_::{Content, Recorded};
use games::seat::Taken;
use games::{Fact, Kit, Seat, Seats, Wire};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::Mutex;

/// What a match says that was played by a claim that had lapsed.
const VOID: &str = "counts for nothing: another worker was given this match meanwhile";

/// One line of one seat's transcript, seen from the referee: `Out` is the call, `In` the reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordLine {
    /// Whose transcript.
    pub seat: Seat,
    /// The line.
    pub entry: NewEntry,
}

impl From<Recorded> for RecordLine {
    fn from(line: Recorded) -> Self {
        let (direction, text) = match line.content {
            Content::Call(text) => (Direction::Out, text),
            Content::Reply(replied) => (Direction::In, replied.reply.encode()),
        };
        Self {
            seat: line.seat,
            entry: NewEntry::new(line.at_us, direction, text),
        }
    }
}

/// Stores matches, or none at all: local play, tests. Cheap to clone. Every error is the store's.
#[derive(Clone)]
pub struct Recording(Option<Stored>);

/// Where matches are stored, and how much of them.
#[derive(Clone)]
struct Stored {
    store: Arc<dyn Storage>,
    durability: Durability,
    transcripts: bool,
    /// The last number that [`Recording::next_market`] gave, by game.
    numbered: Arc<Mutex<HashMap<&'static str, u64>>>,
    /// Where other replicas share it.
    tenancies: Option<Arc<Tenancies>>,
}

impl Recording {
    /// Stores matches in `store`, committed with this `durability`.
    #[must_use]
    pub fn new(store: impl Into<Arc<dyn Storage>>, durability: Durability) -> Self {
        Self(Some(Stored {
            store: store.into(),
            durability,
            transcripts: true,
            numbered: Arc::default(),
            tenancies: None,
        }))
    }

    /// Stores matches, seats and results in `store`, but no transcripts, and nothing that they would show. Such
    /// a match cannot be resumed or verified.
    #[must_use]
    pub fn of_results(store: Store) -> Self {
        Self(Some(Stored {
            store: store.into(),
            durability: Durability::Process,
            transcripts: false,
            numbered: Arc::default(),
            tenancies: None,
        }))
    }

    /// Plays what it stores as one of the replicas that share the store, if it is one.
    #[must_use]
    pub fn shared_by(mut self, replica: Option<&Arc<Replica>>) -> Self {
        if let Some(stored) = &mut self.0 {
            stored.tenancies = replica.map(|replica| Tenancies::new(Arc::clone(replica)));
        }
        self
    }

    /// Whether other replicas may leave matches to this one at any time.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.tenancies().is_some()
    }

    fn tenancies(&self) -> Option<&Arc<Tenancies>> {
        self.0.as_ref()?.tenancies.as_ref()
    }

    /// Stores nothing.
    #[must_use]
    pub fn none() -> Self {
        Self(None)
    }

    /// Closes the store, for all that share it: everything is in the database then, nothing in its log.
    pub async fn close(self) {
        if let Some(Stored { store, .. }) = self.0 {
            store.close().await;
        }
    }

    /// The database, if anything is stored in one.
    #[must_use]
    pub fn store(&self) -> Option<&Store> {
        self.storage()?.database()
    }

    fn storage(&self) -> Option<&Arc<dyn Storage>> {
        self.0.as_ref().map(|stored| &stored.store)
    }

    /// The highest market number ever used for the game by our referees.
    ///
    /// # Errors
    /// [`RecordError`].
    pub async fn last_market(&self, game: &str) -> Result<u64, RecordError> {
        match self.storage() {
            Some(store) => Ok(store.last_market(game).await?),
            None => Ok(0),
        }
    }

    /// The number of the game's next match, where nobody else gives it numbers: one above the last.
    ///
    /// # Errors
    /// [`RecordError`].
    pub async fn next_market(&self, game: &'static str) -> Result<u64, RecordError> {
        let Some(stored) = &self.0 else {
            return Ok(1);
        };
        let mut numbered = stored.numbered.lock().await;
        let last = match numbered.get(game) {
            Some(last) => *last,
            None => stored.store.last_market(game).await?,
        };
        numbered.insert(game, last + 1);
        Ok(last + 1)
    }

    /// Whether the number of one of our matches or its players was used before.
    ///
    /// # Errors
    /// [`RecordError`].
    pub async fn used(&self, game: &str, market: u64, ids: &[u64]) -> Result<bool, RecordError> {
        match self.storage() {
            Some(store) => Ok(store.numbers_used(game, market, ids).await?),
            None => Ok(false),
        }
    }

    /// The market and seat of one of our players in a game, by its number on the wire.
    ///
    /// # Errors
    /// [`RecordError`].
    pub async fn seat_of(&self, game: &str, id: u64) -> Result<Option<(u64, Seat)>, RecordError> {
        let Some(store) = self.storage() else {
            return Ok(None);
        };
        let found = store.seat_of_player(game, id).await?;
        Ok(found.map(|(market, seat)| (market, Seat(seat))))
    }

    /// Opens a match. `ids`: each seat's number on the wire; `seeds`: those of the bots in this process, by
    /// seat; may be shorter.
    ///
    /// # Errors
    /// [`RecordError`].
    pub async fn open(
        &self,
        new: &MatchRow,
        ids: &[u64],
        seeds: &[u64],
    ) -> Result<MatchRecord, RecordError> {
        let mut record = self.record(new, ids);
        if let Some(tenancies) = self.tenancies() {
            record.tenancy = Some(tenancies.begin(&new.id).await?);
        }
        for (session, seed) in record.sessions.iter_mut().zip(seeds) {
            session.opened.seed = *seed;
            // Before its first line nothing else would give a bot's seed after a stop.
            session.written = *seed != 0;
        }
        if let Some(store) = &record.store {
            let bots = record.sessions.iter().filter(|session| session.written);
            let bots = bots.map(|session| (session.id, session.opened.clone()));
            store
                .open_hosted(new.clone(), ids.to_vec(), bots.collect())
                .await?;
        }
        Ok(record)
    }

    fn record(&self, row: &MatchRow, ids: &[u64]) -> MatchRecord {
        let session =
            |store: &Arc<dyn Storage>, durability, (seat, player): (usize, &u64)| SeatSession {
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
                    setup: Value::Null,
                    durability,
                },
                last: None,
                seq: 0,
                pending: Vec::new(),
                written: false,
                closed: false,
                keeps: false,
                kept: Vec::new(),
                ledger: Vec::new(),
                taken: Vec::new(),
            };
        let kept = self.0.iter().filter(|stored| stored.transcripts);
        let sessions = kept.flat_map(|stored| {
            let seats = ids.iter().enumerate();
            seats.map(move |seat| session(&stored.store, stored.durability, seat))
        });
        MatchRecord {
            sessions: sessions.collect(),
            kit: self.storage().and_then(|store| store.kit(&row.game)),
            tenancy: None,
            store: self.storage().cloned(),
            match_id: row.id.clone(),
            alone: None,
            folded: None,
        }
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
        let Some(store) = self.storage() else {
            return Ok(None);
        };
        let Some(id) = store.match_of_market(game, market).await? else {
            return Ok(None);
        };
        let own = |session: &&SessionRow| {
            session.opened.side == Side::Referee && session.opened.seat == Some(seat.0)
        };
        let sessions = store.sessions_of(&id).await?;
        let Some(session) = sessions.iter().find(own) else {
            return Ok(Some(Vec::new()));
        };
        Ok(Some(match store.head(session).await? {
            Some((head, _)) => store.transcript(session.id, head).await?,
            None => Vec::new(),
        }))
    }
}

/// Where one match is stored.
pub struct MatchRecord {
    /// That it is played here, where other replicas share the store.
    tenancy: Option<Tenancy>,
    store: Option<Arc<dyn Storage>>,
    kit: Option<&'static dyn Kit>,
    match_id: String,
    /// Set if it is also to hold what sessions of our own would.
    alone: Option<DecisionTimes>,
    /// What the seats' transcripts show, if they were folded ahead of the end.
    folded: Option<Vec<FoldedSeat>>,
    /// By seat; none if nothing is stored.
    sessions: Vec<SeatSession>,
}

/// All that were tried have an outcome: an error that may pass comes first, since trying again may fix it.
fn worst(outcomes: Vec<Result<(), RecordError>>) -> Result<(), RecordError> {
    let mut errors = outcomes.into_iter().filter_map(Result::err);
    let first = errors.next();
    let passing = |error: &RecordError| matches!(error, RecordError::Unwritable(_));
    match first {
        Some(first) if !passing(&first) => Err(errors.find(passing).unwrap_or(first)),
        Some(first) => Err(first),
        None => Ok(()),
    }
}

impl MatchRecord {
    /// A record of nothing.
    pub(in crate::referee) fn none() -> Self {
        Self {
            tenancy: None,
            store: None,
            kit: None,
            match_id: String::new(),
            alone: None,
            folded: None,
            sessions: Vec::new(),
        }
    }

    /// Also records what sessions of our own would: lessons and the ledger of thinking times. Seats that have
    /// such a session are left out.
    #[must_use]
    pub fn alone(mut self, times: DecisionTimes) -> Self {
        self.alone = Some(times);
        for session in &mut self.sessions {
            session.keeps = true;
        }
        self
    }

    /// Learns nothing from it after all: it was cut short, and may be played again.
    #[must_use]
    pub fn without_lessons(mut self) -> Self {
        self.alone = None;
        self
    }

    /// Notes the seeds of the bots in this process, by seat, in rows that are written with their first line.
    #[must_use]
    pub fn seeded(mut self, seeds: &[u64]) -> Self {
        for (session, seed) in self.sessions.iter_mut().zip(seeds) {
            session.opened.seed = *seed;
        }
        self
    }

    /// Notes who took the last decisions of each seat, by seat, before the end is stored.
    pub fn took(&mut self, taken: impl IntoIterator<Item = Vec<Taken>>) {
        for (session, taken) in self.sessions.iter_mut().zip(taken) {
            session.taken = taken;
        }
    }

    /// Whether lines outlive this process, so that the match waits until they are stored.
    pub(in crate::referee) fn lasting(&self) -> bool {
        self.store.is_some()
    }

    /// Where the outcome of this seat's program is stored, if transcripts are.
    pub(crate) fn session(&self, seat: Seat) -> Option<SeatRecord> {
        let session = self.sessions.get(seat.index())?;
        Some((self.store.clone()?, session.id))
    }

    /// Adds lines. Those of one seat are in order. What cannot be stored stays pending.
    ///
    /// # Errors
    /// [`RecordError`].
    pub async fn append(&mut self, lines: Vec<RecordLine>) -> Result<(), RecordError> {
        for line in lines {
            if let Some(session) = self.sessions.get_mut(line.seat.index()) {
                session.pending.push(line.entry);
            }
        }
        self.retry().await
    }

    /// Stores the lines that are pending, each once however often it is tried.
    pub(super) async fn retry(&mut self) -> Result<(), RecordError> {
        let Some(store) = &self.store else {
            return Ok(());
        };
        let sessions = self.sessions.iter_mut();
        let pending = sessions.filter(|session| !session.pending.is_empty());
        let appends = pending.map(|session| session.append(&**store, Vec::new(), None));
        worst(join_all(appends).await)
    }

    /// Keeps a fact about a seat whose transcript has begun.
    ///
    /// # Errors
    /// [`RecordError`].
    pub async fn note(&mut self, seat: Seat, fact: Fact) -> Result<(), RecordError> {
        match (&self.store, self.sessions.get_mut(seat.index())) {
            (Some(store), Some(session)) if session.written => {
                session.append(&**store, vec![fact], None).await
            }
            _ => Ok(()),
        }
    }

    /// Folds the seats' transcripts ahead of [`Self::close`], all of them stored and about to end with this
    /// `cause`: matches are closed one after the other, but folded side by side.
    ///
    /// # Errors
    /// [`RecordError`].
    pub async fn fold(&mut self, result: &MatchResult) -> Result<(), RecordError> {
        if let (Some(store), None) = (self.store.clone(), &self.folded) {
            self.folded = Some(self.fold_seats(&*store, result).await?);
        }
        Ok(())
    }

    /// Closes the match and its seats' transcripts, with the facts that these show.
    ///
    /// # Errors
    /// [`RecordError`].
    pub async fn close(mut self, result: MatchResult) -> Result<(), RecordError> {
        self.try_close(&result).await
    }

    /// The same, to be tried again after an error that may pass. Lines that are still pending are given up.
    pub(in crate::referee) async fn try_close(
        &mut self,
        result: &MatchResult,
    ) -> Result<(), RecordError> {
        let Some(store) = self.store.clone() else {
            return Ok(());
        };
        // The end counts without what the transcripts show, too.
        let fold = self.fold(result).await;
        let folded = self.folded.as_deref().unwrap_or_default();
        let sessions = self.sessions.iter_mut().enumerate();
        let open = sessions.filter(|(_, seat)| seat.written && !seat.closed);
        let closes = open.map(|(seat, session)| {
            let mut scores = result.scores.clone();
            // Own seat first, then clockwise.
            if seat < scores.len() {
                scores.rotate_left(seat);
            }
            // It stays for another try.
            let folded = folded.get(seat).cloned().unwrap_or_default();
            let close = Close {
                detail: result.detail.clone(),
                scores,
                lessons: folded.lessons,
                facts: folded.facts,
                ..Close::new(result.at_us, result.cause)
            };
            session.pending.clear();
            session.append(&*store, Vec::new(), Some(Box::new(close)))
        });
        let closed = worst(join_all(closes).await);
        for session in self.sessions.iter_mut().filter(|session| session.closed) {
            session
                .ledger
                .drain(..)
                .for_each(|row| store.note_ledger(row));
        }
        if let Err(RecordError::Unwritable(_)) = closed {
            return closed;
        }
        // A seat that cannot be closed must not leave the match to be played again.
        match store.close_match(&self.match_id, result.clone()).await {
            Err(lapsed @ StoreError::Lapsed { .. }) => {
                let void = MatchResult {
                    slot: None,
                    detail: VOID.to_owned(),
                    ..result.clone()
                };
                store.close_match(&self.match_id, void).await?;
                return Err(lapsed.into());
            }
            ended => ended?,
        }
        closed.and(fold)
    }

    /// Notifies the operator that the match waits.
    pub(super) fn note_wait(&self, why: &str) {
        let match_id = &self.match_id;
        tracing::warn!(match_id, why, "a match waits until it can be recorded");
    }

    /// Whether a seat's end is stored, so that the match can have no other.
    pub(in crate::referee) fn has_end(&self) -> bool {
        self.sessions.iter().any(|seat| seat.closed)
    }

    /// What each seat's transcript shows, by seat. The ledger's rows are noted here.
    async fn fold_seats(
        &mut self,
        store: &dyn Storage,
        result: &MatchResult,
    ) -> Result<Vec<FoldedSeat>, RecordError> {
        let Some(kit) = self.kit else {
            return Ok(Vec::new());
        };
        let mut transcripts = Vec::with_capacity(self.sessions.len());
        for session in &mut self.sessions {
            transcripts.push(session.take_transcript(store).await?.unwrap_or_default());
        }
        let (cause, scores) = (result.cause, result.scores.clone());
        let folding = simulated::apart(move || folded(kit, &transcripts, cause, &scores));
        let folded = folding.await;
        let mut folded =
            folded.map_err(|error| RecordError::Failed(format!("folding it failed: {error}")))?;
        let Some(times) = &self.alone else {
            folded.iter_mut().for_each(|folded| folded.lessons.clear());
            return Ok(folded);
        };
        for session in store.sessions_of(&self.match_id).await? {
            let seat = session.opened.seat.map(usize::from);
            if let (Side::Player, Some(seat)) = (session.opened.side, seat)
                && let Some(folded) = folded.get_mut(seat)
            {
                folded.lessons.clear();
                folded.decisions.clear();
            }
        }
        for (seat, (folded, session)) in folded.iter_mut().zip(&mut self.sessions).enumerate() {
            let instead = instead(&folded.decisions, &session.taken);
            folded.facts.extend(noted(&folded.decisions, &instead));
            folded.facts.sort_by_key(|fact| fact.entry);
            let (decisions, times) = (&folded.decisions, times.seat(seat));
            session.ledger = rows(session.id, decisions, &instead, times).collect();
        }
        Ok(folded)
    }
}

/// A match interrupted by a stop of the daemon.
pub struct UnfinishedMatch {
    /// Its row.
    pub row: MatchRow,
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

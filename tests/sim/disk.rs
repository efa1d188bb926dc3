//! The model of a store: requests in the order in which they came, of which the first ones are synced. It refuses them
//! while it is full, takes its time, and is killed between any two of its effects; of what was not synced the tail may
//! then be lost.

use crate::image::{Done, Image, Op};
use crate::world::{Fault, World};
use drover::store::{
    Append, Change, Entry, EntryId, LedgerRow, LiveSession, MatchResult, MatchRow, NewSession,
    Newest, NoteChange, Prune, Receipt, SessionId, SessionKey, SessionRow, Storage, Store,
    StoreError, Stored, StoredModel,
};
use futures_util::future::BoxFuture;
use games::Kit;
use parking_lot::Mutex;
use serde_json::Value;
use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

type Reply = oneshot::Sender<Result<Done, StoreError>>;

/// What survives the daemon.
#[derive(Default)]
pub struct Disk {
    ops: Vec<Arc<Op>>,
    synced: usize,
    /// All operations, in effect.
    pub image: Image,
    /// Entries of each session that are synced, and matches and sessions whose end is.
    pub durable: Image,
    /// Until when nothing can be written.
    pub full_until: Option<Instant>,
    /// Requests that were refused because of that.
    pub refused: u64,
}

impl Disk {
    /// The power goes: of what was not synced, only the first `kept` in a million parts stay.
    pub fn crash(&mut self, kept: u32) {
        let unsynced = self.ops.len() - self.synced;
        let stay = unsynced * kept as usize / 1_000_000;
        self.ops.truncate(self.synced + stay);
        self.synced = self.ops.len();
        self.image = Image::default();
        for op in &self.ops {
            // It was accepted before, after the same ones.
            let _ = self.image.apply(op);
        }
        self.durable = self.image.clone();
    }

    fn sync(&mut self) {
        for op in &self.ops[self.synced..] {
            let _ = self.durable.apply(op);
        }
        self.synced = self.ops.len();
    }
}

/// The store of one life of the daemon.
pub struct Port {
    world: Arc<World>,
    life: u64,
    queue: mpsc::UnboundedSender<(Op, Reply)>,
    next_session: AtomicI64,
}

impl Port {
    /// Opens it; its writer runs until this life ends.
    pub fn open(world: &Arc<World>, life: u64) -> Arc<dyn Storage> {
        let (queue, requests) = mpsc::unbounded_channel();
        let last = world.disk.lock().image.last_session();
        tokio::spawn(write(Arc::clone(world), life, requests));
        Arc::new(Self {
            world: Arc::clone(world),
            life,
            queue,
            next_session: AtomicI64::new(last + 1),
        })
    }

    async fn ask(&self, op: Op) -> Result<Done, StoreError> {
        if self.world.life() != self.life {
            return pending().await;
        }
        let (reply, answer) = oneshot::channel();
        let sent = self.queue.send((op, reply));
        match sent {
            Ok(()) => answer.await.unwrap_or(Err(StoreError::Closed)),
            Err(_) => Err(StoreError::Closed),
        }
    }

    /// Reads, after a moment.
    fn read<'a, T: Send + 'a>(&'a self, look: impl Fn(&Image) -> T + Send + 'a) -> Stored<'a, T> {
        Box::pin(async move {
            self.world.pause(Fault::SlowRead).await;
            if !self.world.effect(self.life) {
                return pending().await;
            }
            Ok(look(&self.world.disk.lock().image))
        })
    }
}

/// Writes what is asked for, in order, whatever is waiting at once, and answers when it is synced.
async fn write(world: Arc<World>, life: u64, mut queue: mpsc::UnboundedReceiver<(Op, Reply)>) {
    while let Some(first) = queue.recv().await {
        let mut batch = vec![first];
        while let Ok(more) = queue.try_recv() {
            batch.push(more);
        }
        // What is shown already must be stored before this.
        if let Some(daemon) = world.daemon() {
            daemon.note_ends(&world);
        }
        world.pause(Fault::SlowWrite).await;
        if !world.effect(life) {
            return pending().await;
        }
        let outcomes = commit(&world, batch);
        world.pause(Fault::SlowSync).await;
        if !world.effect(life) {
            return pending().await;
        }
        if world.strikes(Fault::FailedSync) {
            // The daemon ends itself: what is durable is not known.
            world.kill();
            return pending().await;
        }
        world.disk.lock().sync();
        if !world.effect(life) {
            return pending().await;
        }
        for (outcome, reply) in outcomes {
            // A caller that has gone does not need it.
            drop(reply.send(outcome));
        }
    }
}

fn commit(world: &World, batch: Vec<(Op, Reply)>) -> Vec<(Result<Done, StoreError>, Reply)> {
    let mut disk = world.disk.lock();
    let full = disk.full_until.is_some_and(|until| Instant::now() < until);
    let mut outcomes = Vec::new();
    for (op, reply) in batch {
        let outcome = match full {
            true => {
                disk.refused += 1;
                world.disturbed();
                Err(StoreError::Unwritable("the disk is full".to_owned()))
            }
            false => disk.image.apply(&op),
        };
        if outcome.is_ok() {
            disk.ops.push(Arc::new(op));
        }
        outcomes.push((outcome, reply));
    }
    outcomes
}

impl Storage for Port {
    fn database(&self) -> Option<&Store> {
        None
    }

    fn kit(&self, game: &str) -> Option<&'static dyn Kit> {
        games::find(game)
    }

    fn next_session(&self) -> SessionId {
        SessionId(self.next_session.fetch_add(1, Ordering::Relaxed))
    }

    fn append(&self, append: Append) -> Stored<'_, Receipt> {
        Box::pin(async move {
            let last = match self.ask(Op::Append(append)).await? {
                Done::Appended(last) => last,
                _ => None,
            };
            Ok(Receipt {
                last,
                committed: Instant::now(),
            })
        })
    }

    fn note_ledger(&self, _: LedgerRow) {}

    fn open_hosted(
        &self,
        row: MatchRow,
        players: Vec<u64>,
        sessions: Vec<(SessionId, NewSession)>,
    ) -> Stored<'_, ()> {
        let op = Op::Open {
            row,
            players,
            sessions,
        };
        Box::pin(async move { self.ask(op).await.map(drop) })
    }

    fn close_match(&self, id: &str, result: MatchResult) -> Stored<'_, ()> {
        let op = Op::Close(id.to_owned(), result);
        Box::pin(async move { self.ask(op).await.map(drop) })
    }

    fn rename_seat<'a>(
        &'a self,
        match_id: &'a str,
        seat: u8,
        name: Option<&'a str>,
    ) -> Stored<'a, ()> {
        let op = Op::Name(match_id.to_owned(), seat, name.map(str::to_owned));
        Box::pin(async move { self.ask(op).await.map(drop) })
    }

    fn change(&self, change: Change) -> Stored<'_, Option<i64>> {
        let op = match change {
            Change::Note(note) => match *note {
                NoteChange::Kept(note) => Op::Note(note),
                NoteChange::Given(session, note) => Op::Given(session, note),
            },
            _ => Op::Nothing,
        };
        Box::pin(async move { self.ask(op).await.map(|_| None) })
    }

    fn prune(&self, prune: Prune) -> Stored<'_, u64> {
        let op = match prune {
            Prune::Void(sessions) => Op::Void(sessions),
            Prune::Transcripts(_) | Prune::Match(_) => Op::Nothing,
        };
        Box::pin(async move { self.ask(op).await.map(|_| 0) })
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }

    fn live(&self) -> Stored<'_, Vec<LiveSession>> {
        self.read(Image::live)
    }

    fn newest<'a>(&'a self, _: &'a SessionKey) -> Stored<'a, Newest> {
        Box::pin(async { Ok(Newest::default()) })
    }

    fn take_up(&self, _: LiveSession) -> Stored<'_, ()> {
        Box::pin(async { Ok(()) })
    }

    fn ended_since(&self, since_us: i64) -> Stored<'_, Vec<SessionRow>> {
        self.read(move |image| {
            let mut rows = image.rows(|_| true);
            rows.retain(|row| row.ended_us.is_some_and(|ended| ended >= since_us));
            rows
        })
    }

    fn sessions_of<'a>(&'a self, match_id: &'a str) -> Stored<'a, Vec<SessionRow>> {
        self.read(move |image| image.rows(|session| session.opened.match_id == match_id))
    }

    fn head<'a>(&'a self, session: &'a SessionRow) -> Stored<'a, Option<(EntryId, u64)>> {
        self.read(|image| image.session(session.id)?.head())
    }

    fn transcript(&self, session: SessionId, head: EntryId) -> Stored<'_, Vec<Entry>> {
        Box::pin(async move {
            let found = self.read(move |image| image.transcript(session, head));
            found.await?
        })
    }

    fn has_fact<'a>(&'a self, session: SessionId, kind: &'a str) -> Stored<'a, bool> {
        self.read(move |image| {
            let found = image.session(session);
            found.is_some_and(|found| found.facts.iter().any(|fact| fact.kind == kind))
        })
    }

    fn unfinished<'a>(&'a self, game: &'a str, referee: &'a str) -> Stored<'a, Vec<MatchRow>> {
        self.read(move |image| {
            let rows = image.matches.values().map(|(row, _)| row);
            let ours = rows.filter(|row| row.ours && row.ended_us.is_none());
            let here = ours.filter(|row| row.game == game && row.referee == referee);
            here.cloned().collect()
        })
    }

    fn match_row<'a>(&'a self, id: &'a str) -> Stored<'a, Option<MatchRow>> {
        self.read(move |image| image.matches.get(id).map(|(row, _)| row.clone()))
    }

    fn match_of_market<'a>(&'a self, game: &'a str, market: u64) -> Stored<'a, Option<String>> {
        self.read(move |image| {
            let mut rows = image.ours(game).rev();
            let found = rows.find(|(row, _)| row.market == market);
            found.map(|(row, _)| row.id.clone())
        })
    }

    fn last_market<'a>(&'a self, game: &'a str) -> Stored<'a, u64> {
        self.read(move |image| {
            let markets = image.ours(game).map(|(row, _)| row.market);
            markets.max().unwrap_or(0)
        })
    }

    fn numbers_used<'a>(
        &'a self,
        game: &'a str,
        market: u64,
        players: &'a [u64],
    ) -> Stored<'a, bool> {
        self.read(move |image| {
            image.ours(game).any(|(row, ids)| {
                row.market == market || players.iter().any(|player| ids.contains(player))
            })
        })
    }

    fn seat_of_player<'a>(&'a self, game: &'a str, player: u64) -> Stored<'a, Option<(u64, u8)>> {
        self.read(move |image| {
            let seat = |ids: &Vec<u64>| ids.iter().position(|id| *id == player);
            let mut found = image.ours(game).rev();
            found.find_map(|(row, ids)| Some((row.market, seat(ids)? as u8)))
        })
    }

    fn players_of<'a>(&'a self, match_id: &'a str) -> Stored<'a, Vec<u64>> {
        self.read(move |image| {
            let found = image.matches.get(match_id);
            found.map_or_else(Vec::new, |(_, ids)| ids.clone())
        })
    }

    fn note<'a>(&'a self, bot: &'a str, game: &'a str) -> Stored<'a, Option<Value>> {
        let key = (bot.to_owned(), game.to_owned());
        self.read(move |image| image.notes.get(&key).cloned())
    }

    fn note_given(&self, session: SessionId) -> Stored<'_, Option<Value>> {
        self.read(move |image| image.given.get(&session.0).cloned())
    }

    fn models_now<'a>(&'a self, _: &'a str, _: &'a [&'a str], _: u32) -> Stored<'a, Vec<i64>> {
        self.read(|_| Vec::new())
    }

    fn model_versions<'a>(&'a self, _: &'a [i64]) -> Stored<'a, Vec<StoredModel>> {
        self.read(|_| Vec::new())
    }
}

/// A disk that several share.
pub type Shared = Mutex<Disk>;

//! The writer's loop.

use super::backend::Backend;
use super::batch::{self, Batch, Tables, Work, refuse};
use super::changes;
use super::command::{BATCH_MAX, Change, Command, gather};
use super::ending::{self, Endings};
use super::fault::{self, Verdict, judge, shown};
use super::live::Sessions;
use super::naming::{self, NamingError, SeatName};
use super::packing;
use super::prune::{self, Prune};
use super::reply::{Reply, answer};
use super::server::bounded;
use super::statements::{Database, Text};
use crate::clock::now_us;
use crate::store::commits::{Bells, Rung};
use crate::store::error::StoreError;
use crate::store::health::Gauges;
use crate::store::open::Settings;
use crate::store::rules::Rules;
use crate::store::sql::Connection;
use crate::store::startup::Start;
use crate::store::types::Durability;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, oneshot};

/// The live heads are stored each time this many entries were written.
const HEADS_EVERY: i64 = 10_000;
/// Ledger rows that are written at once.
const LEDGER_ROWS: usize = 512;
/// How long the ledger's remaining rows wait, and how often a failing writer tries again.
const TICK: Duration = Duration::from_secs(1);

/// The writer.
#[derive(Debug)]
pub(in crate::store) struct Writer {
    database: Database,
    backend: Backend,
    sessions: Sessions,
    gauges: Arc<Gauges>,
    bells: Arc<Bells>,
    rules: Arc<dyn Rules>,
    durability: Durability,
    /// The next entry's number; on a server each batch is given its own.
    next_entry: i64,
    heads_at: i64,
    failing: bool,
    /// Whether the page cache may hold anything.
    cached: bool,
    closing: Vec<oneshot::Sender<()>>,
}

/// What it works with.
#[derive(Debug)]
pub(in crate::store) struct Parts {
    pub(in crate::store) gauges: Arc<Gauges>,
    pub(in crate::store) bells: Arc<Bells>,
    pub(in crate::store) backend: Backend,
}

impl Writer {
    pub(in crate::store) fn new(
        connection: Connection,
        start: &Start,
        settings: &Settings,
        parts: Parts,
    ) -> Self {
        let Parts {
            gauges,
            bells,
            backend,
        } = parts;
        // Below 0: replaced by what the server gives.
        let next_entry = match backend {
            Backend::File(_) => start.last_entry + 1,
            Backend::Server(_) => i64::MIN,
        };
        Self {
            database: Database::new(connection),
            backend,
            sessions: Sessions::new(start),
            gauges,
            bells,
            rules: Arc::clone(&settings.rules),
            durability: settings.durability,
            next_entry,
            heads_at: start.heads_at,
            failing: false,
            cached: true,
            closing: Vec::new(),
        }
    }

    /// Runs until the store is closed or its last handle is dropped.
    pub(in crate::store) async fn run(mut self, mut queue: mpsc::Receiver<Command>) {
        self.backend.start();
        let mut commands = Vec::with_capacity(BATCH_MAX);
        loop {
            let waiting = queue.recv_many(&mut commands, BATCH_MAX);
            let taken = if self.failing || self.cached || self.gauges.ledger_waiting() > 0 {
                tokio::time::timeout(TICK, waiting).await.ok()
            } else {
                Some(waiting.await)
            };
            match taken {
                Some(0) => break,
                Some(_) => {
                    self.cached = true;
                    gather(&mut commands, &mut queue);
                    self.take(&mut commands, &mut queue).await;
                }
                None => self.tick().await,
            }
        }
        self.finish().await;
    }

    async fn take(&mut self, commands: &mut Vec<Command>, queue: &mut mpsc::Receiver<Command>) {
        let mut batch = Batch::new(self.next_entry, &mut self.sessions);
        for command in commands.drain(..) {
            match command {
                Command::Append(append, reply) => {
                    let full = batch.is_full_with(append.entries.len());
                    if full || self.sessions.in_batch(append.session.0) {
                        batch = self.flush(batch).await;
                    }
                    batch.add_append(&mut self.sessions, append, reply, &*self.rules);
                }
                Command::OpenMatch(new, reply) => {
                    batch.add_open(&mut self.sessions, new, self.durability, reply)
                }
                Command::CloseMatch(id, result, reply) => {
                    batch.add_close(id, result, self.durability, reply);
                }
                Command::NameSeat(named, reply) => {
                    batch = self.flush(batch).await;
                    let named = self.name_seat(&named).await;
                    answer(reply, named);
                }
                Command::Change(change, reply) => {
                    batch = self.flush(batch).await;
                    self.change(&change, reply).await;
                }
                Command::Pack(packing, reply) => {
                    batch = self.flush(batch).await;
                    let entries = packing.entries();
                    let moved = async |database: &mut _| packing::moved(database, packing).await;
                    answer(reply, self.unsynced(entries, moved).await);
                }
                Command::Prune(prune, reply) => {
                    batch = self.flush(batch).await;
                    // The numbers of entries that go are not given again.
                    self.store_heads().await;
                    let sessions = match &prune {
                        Prune::Transcripts(sessions) | Prune::Void(sessions) => sessions.len(),
                        Prune::Match(_) => 1,
                    };
                    let gone = async |database: &mut _| prune::go(database, &prune).await;
                    answer(reply, self.unsynced(sessions as u64, gone).await);
                }
                Command::Dictionary(game, content, reply) => {
                    batch = self.flush(batch).await;
                    let add = async |database: &mut _| {
                        packing::add_dictionary(database, game, content).await
                    };
                    answer(reply, self.unsynced(1, add).await);
                }
                Command::GiveBack(reply) => {
                    batch = self.flush(batch).await;
                    let given = async |database: &mut _| packing::shrunk(database).await;
                    answer(reply, self.unsynced(0, given).await);
                }
                Command::TakeUp(found, reply) => {
                    batch = self.flush(batch).await;
                    self.sessions.take_up(&found);
                    answer(reply, Ok(()));
                }
                Command::Run(statement, reply) => {
                    batch = self.flush(batch).await;
                    let run = async |database: &mut Connection| statement.fetch_all(database).await;
                    answer(reply, self.unsynced(0, run).await);
                }
                #[cfg(test)]
                Command::Alter(statement, reply) => {
                    batch = self.flush(batch).await;
                    let query = crate::store::sql::query_as(statement);
                    let _ = reply.send(
                        query
                            .fetch_optional(&mut self.database.connection)
                            .await
                            .expect("runs"),
                    );
                }
                Command::Close(reply) => {
                    queue.close();
                    self.closing.push(reply);
                }
            }
        }
        self.flush(batch).await;
        while self.gauges.ledger_waiting() >= LEDGER_ROWS {
            self.write_ledger().await;
        }
        if self.next_entry.saturating_sub(1 + self.heads_at) >= HEADS_EVERY {
            self.store_heads().await;
        }
        if let Err(error) = self.backend.keep_up(&mut self.database).await {
            self.judged(&error);
        }
    }

    /// Writes the ledger's remaining rows, or tests whether writing works again.
    async fn tick(&mut self) {
        if self.failing {
            self.store_heads().await;
        }
        while !self.failing && self.gauges.ledger_waiting() > 0 {
            self.write_ledger().await;
        }
        self.cached = false;
        if let Err(error) = self.backend.rest(&mut self.database).await {
            self.judged(&error);
        }
    }

    /// Writes the ledger's next rows: nobody waits for them, so they are not synced.
    async fn write_ledger(&mut self) {
        let rows = self.gauges.take_ledger(LEDGER_ROWS);
        let stored = batch::ledger_rows(&rows);
        let written = match self.prepare(Durability::Process).await {
            Ok(()) => bounded(self.is_server(), stored.write(&mut self.database)).await,
            Err(error) => Err(error),
        };
        match written {
            Ok(()) => {
                self.gauges.committed(0, 0, now_us(), 0);
                self.backend.committed(0);
            }
            Err(error) => {
                self.gauges.drop_ledger(rows.len());
                self.judged(&error);
            }
        }
    }

    /// Commits a batch and answers its callers; returns an empty one.
    async fn flush(&mut self, mut batch: Batch) -> Batch {
        if !batch.is_empty() {
            match self.write(&mut batch).await {
                Ok(()) => self.committed(batch).await,
                Err(error) => self.failed(batch, &error).await,
            }
        }
        Batch::new(self.next_entry, &mut self.sessions)
    }

    async fn committed(&mut self, batch: Batch) {
        if matches!(self.backend, Backend::File(_)) {
            self.next_entry = batch.next_entry;
        }
        self.backend.committed(batch.entry_count());
        if batch.ends {
            self.gauges.ended.notify_one();
        }
        if self.failing {
            self.recovered();
        }
        let durability = batch.durability;
        // In the order of commits, as no other thread could, and before the answers: a caller that
        // has one reads what was added. Watchers may have it later.
        // On a server, another replica's commits may come in between.
        let rung = (!self.is_server()).then(|| self.bells.note(batch.added(&self.sessions)));
        let answers = batch.committed(&mut self.sessions);
        self.backend.deliver(durability, answers).await;
        rung.map_or_else(|| self.bells.stir(), Rung::ring);
    }

    async fn failed(&mut self, batch: Batch, error: &sqlx::Error) {
        let verdict = self.judged(error);
        let why = error.to_string();
        let works = batch.rolled_back(&mut self.sessions);
        if verdict.concerns_one() && works.len() > 1 {
            // One of them is at fault; the others must not be affected.
            for work in works {
                let mut alone = Batch::new(self.next_entry, &mut self.sessions);
                self.add(&mut alone, work);
                match self.write(&mut alone).await {
                    Ok(()) => self.committed(alone).await,
                    Err(error) => {
                        let verdict = self.judged(&error);
                        refuse(
                            alone.rolled_back(&mut self.sessions),
                            verdict,
                            &error.to_string(),
                        );
                    }
                }
            }
            return;
        }
        refuse(works, verdict, &why);
    }

    fn add(&mut self, batch: &mut Batch, work: Work) {
        match work {
            Work::Append { append, reply, .. } => {
                batch.add_append(&mut self.sessions, append, reply, &*self.rules);
            }
            Work::Open { new, reply } => {
                batch.add_open(&mut self.sessions, new, self.durability, reply)
            }
            Work::Close { id, result, reply } => {
                batch.add_close(id, result, self.durability, reply);
            }
        }
    }

    /// Runs the batch's transaction. After an error nothing of it is stored.
    async fn write(&mut self, batch: &mut Batch) -> Result<(), sqlx::Error> {
        if batch.is_empty() {
            return Ok(());
        }
        // Its callers wait for a sync of their own.
        self.prepare(Durability::Process).await?;
        let begun = Instant::now();
        let written = self.write_rows(batch).await;
        match written {
            Ok(()) => {
                let took_us = begun.elapsed().as_micros() as u64;
                let appends = batch.works.len() as u64;
                self.gauges
                    .committed(appends, batch.entry_count(), now_us(), took_us);
                Ok(())
            }
            Err(error) => {
                self.note(&error);
                self.roll_back().await;
                Err(error)
            }
        }
    }

    async fn write_rows(&mut self, batch: &mut Batch) -> Result<(), sqlx::Error> {
        let is_server = self.is_server();
        match bounded(is_server, self.fill(batch)).await? {
            true => Ok(()),
            false => self.backend.commit(&mut self.database).await,
        }
    }

    /// Begins the batch's transaction and writes its rows; whether it is committed already.
    async fn fill(&mut self, batch: &mut Batch) -> Result<bool, sqlx::Error> {
        let mut text = Text::default();
        text.sql.push_str("BEGIN IMMEDIATE;");
        if let (Backend::Server(server), Connection::Postgres(link)) =
            (&mut self.backend, &mut self.database.connection)
        {
            let first = server.begin(link, batch.durability).await?;
            batch.place(first);
        }
        let Tables {
            mut entries,
            mut facts,
            matches,
            seats,
            sessions,
            newest,
            bluffs,
            changes,
        } = std::mem::take(&mut batch.tables);
        let database = &mut self.database;
        if let Some(connection) = database.connection.sqlite() {
            text.add(&mut entries, &mut database.texts);
            text.add(&mut facts, &mut database.texts);
            let rest = [
                &entries, &facts, &matches, &seats, &sessions, &bluffs, &changes,
            ];
            let is_whole = !batch.ends && rest.iter().all(|rows| rows.is_empty());
            if is_whole {
                text.sql.push_str("COMMIT");
            }
            text.write(connection).await?;
            if is_whole {
                return Ok(true);
            }
        }
        // Entries come last of what is fenced: a session's end is looked up for each.
        for rows in [
            matches, seats, sessions, newest, entries, facts, bluffs, changes,
        ] {
            rows.write(database).await?;
        }
        if batch.ends {
            self.write_endings(batch).await?;
        }
        Ok(false)
    }

    /// Writes what ends in a batch whose other rows are in the open transaction.
    async fn write_endings(&mut self, batch: &mut Batch) -> Result<(), sqlx::Error> {
        let database = &mut self.database;
        let endings = ending::gather(database, batch, &*self.rules).await?;
        let Endings {
            sessions,
            matches,
            results,
            participations,
            slots,
            lessons,
            models,
            refused,
            changes,
        } = endings;
        let all = [
            sessions,
            matches,
            results,
            participations,
            slots,
            lessons,
            models,
            changes,
        ];
        for rows in all {
            rows.write(database).await?;
        }
        changes::trim(&mut database.connection).await?;
        batch.refuse(&refused);
        Ok(())
    }

    /// Makes a change to what is in the log already, or that may be lost: it is not synced, and while it fails nothing
    /// else does. `rows`: about how many it adds to the log of the file.
    async fn unsynced<T>(
        &mut self,
        rows: u64,
        change: impl AsyncFnOnce(&mut Connection) -> Result<T, sqlx::Error>,
    ) -> Result<T, StoreError> {
        let done = match self.prepare(Durability::Process).await {
            Ok(()) => bounded(self.is_server(), change(&mut self.database.connection)).await,
            Err(error) => Err(error),
        };
        match done {
            Ok(done) => {
                self.backend.committed(rows);
                Ok(done)
            }
            Err(error) => {
                self.note(&error);
                self.roll_back().await;
                Err(fault::shown_alone(&error))
            }
        }
    }

    async fn prepare(&mut self, durability: Durability) -> Result<(), sqlx::Error> {
        self.backend.prepare(&mut self.database, durability).await
    }

    async fn name_seat(&mut self, named: &SeatName) -> Result<(), StoreError> {
        if let Err(error) = self.prepare(self.durability).await {
            return Err(shown(self.judged(&error), &error.to_string()));
        }
        let is_server = self.is_server();
        let naming = naming::name(&mut self.database, &*self.rules, named);
        let error = match bounded(is_server, naming).await {
            Ok(()) => {
                self.gauges.committed(1, 0, now_us(), 0);
                // It may have another owner now.
                self.bells.reveal(Some(&named.match_id));
                return Ok(());
            }
            Err(NamingError::Refused(error)) => error,
            Err(NamingError::Failed(error)) => shown(self.judged(&error), &error.to_string()),
        };
        self.roll_back().await;
        Err(error)
    }

    async fn change(&mut self, change: &Change, reply: Reply<Option<i64>>) {
        let is_server = self.is_server();
        let changed = match self.prepare(self.durability).await {
            Ok(()) => {
                bounded(
                    is_server,
                    changes::make(&mut self.database.connection, change),
                )
                .await
            }
            Err(error) => Err(error),
        };
        if let (Ok(_), Change::Tournament(_)) = (&changed, change) {
            // While one runs, what its matches hide is nobody else's.
            self.bells.reveal(None);
        }
        if let Err(error) = &changed {
            self.note(error);
            self.roll_back().await;
        }
        let result = changed.map_err(|error| shown(self.judged(&error), &error.to_string()));
        answer(reply, result);
    }

    async fn store_heads(&mut self) {
        let entry = self.next_entry.saturating_sub(1);
        let heads = self.sessions.heads();
        let stored = self.backend.store_heads(&mut self.database, entry, heads);
        match stored.await {
            Ok(()) => {
                self.heads_at = entry;
                if self.failing {
                    self.recovered();
                }
            }
            Err(error) => drop(self.judged(&error)),
        }
    }

    /// Classifies a failed write, reports it, and ends the process if nothing can be trusted any more.
    fn judged(&mut self, error: &sqlx::Error) -> Verdict {
        self.note(error);
        let verdict = judge(error);
        match verdict {
            Verdict::End => fault::end(error),
            Verdict::Unwritable => {
                self.failing = true;
                if self.gauges.set_failing(Some(error.to_string())) {
                    tracing::error!(%error, "the database cannot be written at present");
                }
            }
            Verdict::Refused => tracing::warn!(%error, "the database refused a row"),
            Verdict::Fenced | Verdict::Blocked => {}
        }
        verdict
    }

    fn recovered(&mut self) {
        self.failing = false;
        if self.gauges.set_failing(None) {
            tracing::info!("the database can be written again");
        }
    }

    const fn is_server(&self) -> bool {
        matches!(self.backend, Backend::Server(_))
    }

    /// Remembers what an error says of the connection.
    fn note(&mut self, error: &sqlx::Error) {
        if let Backend::Server(server) = &mut self.backend {
            server.note(error);
        }
    }

    async fn roll_back(&mut self) {
        match &self.backend {
            // With its connection its transaction is gone.
            Backend::Server(server) if server.is_lost() => {}
            Backend::Server(_) | Backend::File(_) => {
                let is_server = self.is_server();
                let connection = &mut self.database.connection;
                let rolled_back = async {
                    connection.roll_back().await;
                    Ok::<(), sqlx::Error>(())
                };
                if let Err(error) = bounded(is_server, rolled_back).await {
                    self.note(&error);
                }
            }
        }
    }

    async fn finish(mut self) {
        self.tick().await;
        self.store_heads().await;
        self.backend.finish(self.database).await;
        for reply in self.closing {
            // The requester may be gone.
            let _ = reply.send(());
        }
    }
}

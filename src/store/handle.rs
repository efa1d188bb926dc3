//! [`Store`]: the handle that everything else holds.

use super::commits::Bells;
use super::error::StoreError;
use super::files::{self, Lock};
use super::health::{Gauges, Health};
use super::leases::Leases;
use super::numbers::SessionNumbers;
use super::open::{self, Settings};
use super::packer::Packer;
use super::reader::Reader;
use super::rules::Rules;
use super::server::{self, Access};
use super::sql::{Connection, Pool};
use super::types::{
    Append, Durability, LedgerRow, LiveSession, MatchResult, MatchRow, NewSession, Receipt,
    SessionId,
};
use super::writer::{
    self, Backend, Change, Checkpoints, Command, OpenMatch, Prune, SeatName, Syncing,
};
use super::{damage, nonce, startup, watch};
use crate::config::{self, Location};
use crate::logs;
use futures_util::future::{AbortHandle, Aborted, abortable};
use parking_lot::Mutex;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio_util::sync::{CancellationToken, DropGuard};

/// Every match, for ever. Cheap to clone; all clones share one writer and a few readers.
#[derive(Clone, Debug)]
pub struct Store {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    location: Location,
    /// `None` when opened for reading only.
    queue: Option<mpsc::Sender<Command>>,
    capacity: usize,
    gauges: Arc<Gauges>,
    bells: Arc<Bells>,
    reader: Reader,
    numbers: SessionNumbers,
    /// What start-up found, until it is asked for.
    found: Mutex<Option<Vec<LiveSession>>>,
    packing: Mutex<Option<JoinHandle<()>>>,
    /// Ends the packing, also when the last handle is dropped.
    stop: DropGuard,
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "only tests cut the writer short")
    )]
    cut: Option<AbortHandle>,
    /// A file's, until all connections are closed.
    lock: Mutex<Option<Lock>>,
}

impl Store {
    /// Opens the database for writing: creates its folder, locks out other processes, migrates the schema and
    /// starts the writer. Must be called on a Tokio runtime.
    ///
    /// # Errors
    /// [`StoreError`] says what prevents it and how to fix it.
    pub async fn open(settings: &Settings) -> Result<Store, StoreError> {
        let gauges = Arc::new(Gauges::default());
        let bells = Arc::<Bells>::default();
        let stop = CancellationToken::new();
        let mut engine = match &settings.location {
            Location::File(path) => Engine::file(path, settings, &gauges).await?,
            Location::Server(server) => Engine::server(server, &stop).await?,
        };
        let damaged = |error| match &engine.location {
            Location::File(path) => damage::named(path, error),
            Location::Server(_) => error,
        };
        let start = startup::read(&mut engine.writer).await.map_err(damaged)?;
        let otherwise = startup::register_bots(&mut engine.writer, &settings.rules.bots()).await?;
        otherwise.iter().for_each(startup::warn_of);
        nonce::keep_nonce(&mut engine.writer).await?;
        let numbers = SessionNumbers::after(&mut engine.writer, start.last_session).await?;
        let capacity = settings.queue.max(1);
        let (queue, commands) = mpsc::channel(capacity);
        let reader = Reader {
            pool: engine.readers(settings.readers),
            folders: engine.readers(open::FOLDERS),
            rules: Arc::clone(&settings.rules),
        };
        let packing = settings.packs.then(|| {
            let packer = Packer::new(queue.downgrade(), engine.readers(1));
            tokio::spawn(packer.run(Arc::clone(&gauges), engine.checked, stop.clone()))
        });
        engine.watch(&bells, &stop);
        let writer = writer::Writer::new(
            engine.writer,
            &start,
            settings,
            writer::Parts {
                gauges: Arc::clone(&gauges),
                bells: Arc::clone(&bells),
                backend: engine.backend,
            },
        );
        let (run, cut) = abortable(writer.run(commands));
        on_own_thread(&engine.location, run)?;
        Ok(Store {
            inner: Arc::new(Inner {
                location: engine.location,
                queue: Some(queue),
                capacity,
                gauges,
                bells,
                reader,
                numbers,
                found: Mutex::new(Some(start.live)),
                packing: Mutex::new(packing),
                stop: stop.drop_guard(),
                cut: Some(cut),
                lock: Mutex::new(engine.lock),
            }),
        })
    }

    /// Opens the database for reading, even next to a running daemon.
    ///
    /// # Errors
    /// [`StoreError::Missing`] if there is none, [`StoreError::Newer`] and [`StoreError::Older`] if it is from another
    /// version.
    pub async fn open_readonly(
        location: impl Into<Location>,
        rules: Arc<dyn Rules>,
    ) -> Result<Store, StoreError> {
        let (location, readers) = match location.into() {
            Location::File(path) => {
                let path = files::canonical(&path);
                let readers = open::readers_only(&path, open::READERS_DEFAULT).await?;
                (Location::File(path), readers)
            }
            Location::Server(server) => {
                let access = Access::new(&server)?;
                let readers = server::open_readonly(&access, open::READERS_DEFAULT).await?;
                (Location::Server(server), readers)
            }
        };
        Ok(Store {
            inner: Arc::new(Inner {
                location,
                queue: None,
                capacity: 0,
                gauges: Arc::default(),
                bells: Arc::default(),
                reader: Reader {
                    folders: readers.clone(),
                    pool: readers,
                    rules,
                },
                numbers: SessionNumbers::default(),
                found: Mutex::new(None),
                packing: Mutex::new(None),
                stop: CancellationToken::new().drop_guard(),
                cut: None,
                lock: Mutex::new(None),
            }),
        })
    }

    /// Which replica of a server's database owns what, for the replica with this id, which is new at each start of a
    /// process, and this address; `None` of a file, which one process has.
    #[must_use]
    pub fn leases(&self, id: &str, address: &str) -> Option<Leases> {
        self.location().file().is_none().then(|| {
            let pool = self.reader().folders().clone();
            Leases::new(pool, id.to_owned(), address.to_owned())
        })
    }

    /// What wakes those who follow matches and lists.
    #[must_use]
    pub fn bells(&self) -> &Bells {
        &self.inner.bells
    }

    /// Where the database is.
    #[must_use]
    pub fn location(&self) -> &Location {
        &self.inner.location
    }

    /// A number for a new session. No row has it until the session's first [`Append`] writes it.
    #[must_use]
    pub fn next_session(&self) -> SessionId {
        self.inner.numbers.next()
    }

    /// Stores what one callback, line or reply adds to a session. Durable when it returns `Ok`. Waits while
    /// the queue is full.
    ///
    /// # Errors
    /// [`StoreError::Unwritable`] while the disk is full or read-only (nothing is stored, later appends are
    /// tried again), [`StoreError::OutOfOrder`] if it does not follow the session's last entry,
    /// [`StoreError::Refused`] if its match does not exist, [`StoreError::Closed`].
    pub async fn append(&self, append: Append) -> Result<Receipt, StoreError> {
        self.ask(|reply| Command::Append(append, reply)).await
    }

    /// Records one decision's timings. Never waits: dropped and counted when the writer lags behind.
    pub fn note_ledger(&self, row: LedgerRow) {
        self.inner.gauges.note_ledger(row);
    }

    /// Writes a match's row and seats; does nothing if it exists.
    ///
    /// # Errors
    /// As [`Store::append`].
    pub async fn open_match(&self, new: MatchRow) -> Result<(), StoreError> {
        self.open_hosted(new, Vec::new(), Vec::new()).await
    }

    /// Like [`Store::open_match`], with each seat's number on the wire, by seat, so that the match can be
    /// found by it (`history::seat_of_player`), and with these new sessions of it, in the same transaction.
    ///
    /// # Errors
    /// As [`Store::append`].
    pub async fn open_hosted(
        &self,
        new: MatchRow,
        players: Vec<u64>,
        sessions: Vec<(SessionId, NewSession)>,
    ) -> Result<(), StoreError> {
        let new = Box::new(OpenMatch {
            row: new,
            players,
            sessions,
        });
        self.ask(|reply| Command::OpenMatch(new, reply)).await
    }

    /// Ends a match that our referee ran. The first end stands; a later one is ignored.
    ///
    /// # Errors
    /// As [`Store::append`]; [`StoreError::Unknown`] if there is no such match.
    pub async fn close_match(&self, id: &str, result: MatchResult) -> Result<(), StoreError> {
        let id = id.to_owned();
        self.ask(|reply| Command::CloseMatch(id, Box::new(result), reply))
            .await
    }

    /// Names the player on a seat, during the match or after it; `None` takes its name away, as its player sits elsewhere.
    /// What was learnt about the seat in that match is merged into the named opponent's model in the same transaction,
    /// once; if the seat had another name, that opponent's model is rebuilt without it.
    ///
    /// # Errors
    /// As [`Store::append`]; [`StoreError::Unknown`] if there is no such match or seat.
    pub async fn rename_seat(
        &self,
        match_id: &str,
        seat: u8,
        name: Option<&str>,
    ) -> Result<(), StoreError> {
        let named = SeatName {
            match_id: match_id.to_owned(),
            seat,
            name: name.map(str::to_owned),
        };
        self.ask(|reply| Command::NameSeat(named, reply)).await
    }

    /// Makes a change that is a transaction of its own; the number of the row that was changed, if there is such a row.
    ///
    /// # Errors
    /// As [`Store::append`].
    pub async fn change(&self, change: Change) -> Result<Option<i64>, StoreError> {
        self.ask(|reply| Command::Change(change, reply)).await
    }

    /// Gives up what old or void matches hold, in one transaction; how many matches are gone.
    ///
    /// # Errors
    /// As [`Store::append`].
    pub async fn prune(&self, prune: Prune) -> Result<u64, StoreError> {
        self.ask(|reply| Command::Prune(prune, reply)).await
    }

    /// Gives the space of packed sessions back to the file system, if it is a quarter of the file or more:
    /// returns how many bytes it gave back. Needs twice as much free space next to the file as it has content, for a
    /// copy and for the log, and no memory for it.
    ///
    /// # Errors
    /// As [`Store::append`].
    pub async fn give_back(&self) -> Result<u64, StoreError> {
        self.ask(Command::GiveBack).await
    }

    /// Every session that has not ended: enough to route to it and to fold it later.
    ///
    /// # Errors
    /// [`StoreError::Read`], [`StoreError::Corrupt`].
    pub async fn live(&self) -> Result<Vec<LiveSession>, StoreError> {
        let found = self.inner.found.lock().take();
        match found {
            // Nobody else writes to a file.
            Some(live)
                if self.location().file().is_some()
                    && self.inner.gauges.health(0, 0).commits == 0 =>
            {
                Ok(live)
            }
            _ => {
                let mut connection = self.reader().pool().acquire().await?;
                Ok(startup::read(&mut connection).await?.live)
            }
        }
    }

    /// Goes on with a live session that another writer may have written to meanwhile, as it is stored now.
    ///
    /// # Errors
    /// As [`Store::append`].
    pub async fn take_up(&self, found: LiveSession) -> Result<(), StoreError> {
        let found = Box::new(found);
        self.ask(|reply| Command::TakeUp(found, reply)).await
    }

    /// The writer's health.
    #[must_use]
    pub fn health(&self) -> Health {
        let waiting = match &self.inner.queue {
            Some(queue) => self.inner.capacity.saturating_sub(queue.capacity()),
            None => 0,
        };
        let mut health = self.inner.gauges.health(waiting, self.inner.capacity);
        if self
            .inner
            .queue
            .as_ref()
            .is_some_and(mpsc::Sender::is_closed)
        {
            health.failing = Some("the store's writer has ended".to_owned());
        }
        health
    }

    /// Closes the store: commits everything queued, stores the live heads, checkpoints the log and releases
    /// the database. Later calls on other clones fail with [`StoreError::Closed`].
    pub async fn close(self) {
        self.inner.stop.token().cancel();
        let packing = self.inner.packing.lock().take();
        if let Some(packing) = packing
            && let Err(error) = packing.await
        {
            tracing::warn!(%error, "packing failed");
        }
        if let Some(queue) = &self.inner.queue {
            let (reply, done) = oneshot::channel();
            if queue.send(Command::Close(reply)).await.is_ok() {
                // An error here means that the writer ended before us: closed as well.
                let _ = done.await;
            }
        }
        self.inner.reader.close().await;
        drop(self.inner.lock.lock().take());
    }

    /// The writer's queue, for one that must not keep the writer alive.
    pub(super) fn weak_queue(&self) -> Result<mpsc::WeakSender<Command>, StoreError> {
        let queue = self.inner.queue.as_ref().ok_or(StoreError::ReadOnly)?;
        Ok(queue.downgrade())
    }

    /// What is stored, for reading.
    #[must_use]
    pub fn reader(&self) -> &Reader {
        &self.inner.reader
    }

    pub(super) async fn ask<T>(
        &self,
        command: impl FnOnce(oneshot::Sender<Result<T, StoreError>>) -> Command,
    ) -> Result<T, StoreError> {
        let queue = self.inner.queue.as_ref().ok_or(StoreError::ReadOnly)?;
        let place = queue.reserve().await.map_err(|_| StoreError::Closed)?;
        let (reply, answer) = oneshot::channel();
        place.send(command(reply));
        answer.await.map_err(|_| StoreError::Closed)?
    }
}

/// What the two engines are opened as.
struct Engine {
    location: Location,
    writer: Connection,
    backend: Backend,
    /// Whether its structure was checked.
    checked: bool,
    lock: Option<Lock>,
    access: Option<Access>,
}

impl Engine {
    /// Wakes those who follow what other processes write, until `stop`.
    fn watch(&self, bells: &Arc<Bells>, stop: &CancellationToken) {
        if let Location::Server(_) = self.location {
            tokio::spawn(watch::run(Arc::clone(bells), self.readers(1), stop.clone()));
        }
    }

    async fn file(
        path: &Path,
        settings: &Settings,
        gauges: &Arc<Gauges>,
    ) -> Result<Self, StoreError> {
        let opened = open::writer(path, settings.checked_bytes_max).await?;
        let checkpoints = Checkpoints::new(open::checkpointer(&opened.path).await?);
        let syncing = Syncing::start(&opened.path, Arc::clone(gauges))?;
        let lock = Some(opened.lock.clone());
        Ok(Self {
            location: Location::File(opened.path),
            writer: Connection::Sqlite(opened.writer),
            backend: Backend::File(writer::File {
                syncing,
                checkpoints,
                synchronous: Durability::Power,
                lock: opened.lock,
            }),
            checked: opened.checked,
            lock,
            access: None,
        })
    }

    async fn server(server: &config::Server, stop: &CancellationToken) -> Result<Self, StoreError> {
        let access = Access::new(server)?;
        let writer = server::open(&access).await?;
        let backend = writer::Server::new(access.clone(), stop.clone());
        Ok(Self {
            location: Location::Server(server.clone()),
            writer: Connection::Postgres(writer),
            backend: Backend::Server(Box::new(backend)),
            checked: true,
            lock: None,
            access: Some(access),
        })
    }

    fn readers(&self, count: u32) -> Pool {
        match (&self.location, &self.access) {
            (Location::File(path), _) => open::readers(path, count),
            (Location::Server(_), Some(access)) => server::readers(access, count),
            (Location::Server(_), None) => unreachable!("a server is opened with its access"),
        }
    }
}

/// Runs the writer on a separate thread: woken from SQLite's thread it waits for a core, not behind the tasks
/// that wait for it. A panic ends the process: a daemon that can store nothing must not look alive.
fn on_own_thread(
    location: &Location,
    writer: impl Future<Output = Result<(), Aborted>> + Send + 'static,
) -> Result<(), StoreError> {
    let cannot = |error: std::io::Error| StoreError::Open {
        path: location.to_string().into(),
        why: format!("its writer cannot be started: {error}"),
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(cannot)?;
    let run = move || {
        let ended = catch_unwind(AssertUnwindSafe(|| runtime.block_on(writer)));
        if ended.is_err() {
            let exit = writer::EXIT_LOG_FAILED;
            tracing::error!(exit, "the store's writer panicked: exiting");
            logs::exit(exit);
        }
    };
    let thread = std::thread::Builder::new().name("store".into());
    thread.spawn(run).map(drop).map_err(cannot)
}

#[cfg(test)]
impl Store {
    /// Ends the writer as `kill -9` would, between two polls.
    pub(crate) fn cut(self) {
        if let Some(cut) = &self.inner.cut {
            cut.abort();
        }
    }

    /// Runs a statement on the writer's connection.
    pub(crate) async fn alter(&self, statement: &str) -> Option<i64> {
        let (reply, done) = oneshot::channel();
        let queue = self.inner.queue.as_ref().expect("a writer");
        queue
            .send(Command::Alter(statement.to_owned(), reply))
            .await
            .expect("the writer lives");
        done.await.expect("the writer lives")
    }

    /// Stops the database from growing (its pages are more than one), or removes the limit.
    pub(crate) async fn limit_pages(&self, pages: Option<u32>) {
        let pages = pages.unwrap_or(u32::MAX - 1);
        self.alter(&format!("PRAGMA max_page_count = {pages}"))
            .await;
    }

    /// Takes all connections used for folding.
    pub(crate) async fn hold_folders(&self) -> Vec<Connection> {
        let mut held = Vec::new();
        for _ in 0..open::FOLDERS {
            held.push(
                self.reader()
                    .folders()
                    .acquire()
                    .await
                    .expect("a connection"),
            );
        }
        held
    }
}

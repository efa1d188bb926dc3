//! Packs sessions that have ended: in the background, at most for a fifth of the time, and by
//! `drover db migrate` without a pause. Each step is whole by itself, so it may stop at any moment.

use super::damage;
use super::error::StoreError;
use super::handle::Store;
use super::health::Gauges;
use super::packed::{self, Dictionary, Packed};
use super::transcript;
use super::types::{EntryId, SessionId};
use super::writer::{Command, Packing, Reply};
use sqlx::SqliteConnection;
use sqlx::sqlite::SqlitePool;
use std::collections::{HashMap, hash_map};
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

/// Sessions packed in one transaction at most, and entries after which no further session joins it.
const SESSIONS_AT_ONCE: i64 = 8;
const ENTRIES_AT_ONCE: u64 = 4096;
/// In the background, the pause after each step is this many times what the step took.
const PAUSE: u32 = 4;
/// How long the background waits after a step that failed.
const RETRY: Duration = Duration::from_secs(30);

/// A game's dictionary is trained on its first sessions.
pub(super) const TRAINING_SESSIONS: i64 = 32;
/// Bytes of a dictionary at most, and of each session that it is trained on.
const DICTIONARY_BYTES_MAX: usize = 16 << 10;
const SAMPLE_BYTES_MAX: usize = 64 << 10;

const DUE: &str = "
    SELECT id, game, last_entry, entries FROM sessions
    WHERE packed IS NULL AND ended_us IS NOT NULL AND last_entry IS NOT NULL AND id > ?
    ORDER BY id LIMIT ?";

/// A row of [`DUE`].
type Due = (i64, String, i64, Option<i64>);

/// What packs.
#[derive(Debug)]
pub(super) struct Packer {
    /// Does not keep the writer alive.
    queue: mpsc::WeakSender<Command>,
    readers: SqlitePool,
    games: HashMap<String, Known>,
}

/// What the packer knows of a game.
#[derive(Debug, Default)]
struct Known {
    dictionary: Option<Arc<Dictionary>>,
    /// Packed sessions without a dictionary.
    samples: i64,
    /// Whether training was tried, once per process.
    tried: bool,
}

/// How far [`Store::pack`] has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Packs {
    /// Sessions packed so far.
    pub packed: u64,
    /// Sessions that stay as they are, because their entries are not whole.
    pub left: u64,
}

impl Packer {
    pub(super) fn new(queue: mpsc::WeakSender<Command>, readers: SqlitePool) -> Self {
        Self {
            queue,
            readers,
            games: HashMap::new(),
        }
    }

    /// Packs what is due, again each time sessions have ended, until `stop`. Checks the file first, if that
    /// was not done: a damaged one is left as it is.
    pub(super) async fn run(mut self, gauges: Arc<Gauges>, checked: bool, stop: CancellationToken) {
        let work = async {
            if !checked && !self.is_sound().await {
                return;
            }
            loop {
                self.pass().await;
                gauges.ended.notified().await;
            }
        };
        stop.run_until_cancelled(work).await;
        self.readers.close().await;
    }

    async fn is_sound(&self) -> bool {
        tracing::info!("the database is too large to be checked before the start: checking it now");
        let Ok(mut connection) = self.readers.acquire().await else {
            return true;
        };
        match damage::check(&mut connection).await {
            None => true,
            Some(why) => {
                tracing::error!(
                    why,
                    "the database is damaged: see `drover db verify` and `drover db salvage`"
                );
                false
            }
        }
    }

    async fn pass(&mut self) {
        let mut after = 0;
        loop {
            let begun = Instant::now();
            match self.step(after).await {
                Ok((0, _)) | Err(StoreError::Closed) => return,
                Ok((last, _)) => {
                    after = last;
                    tokio::time::sleep(begun.elapsed() * PAUSE).await;
                }
                Err(error) => {
                    tracing::warn!(%error, "ended sessions cannot be packed at present");
                    tokio::time::sleep(RETRY).await;
                }
            }
        }
    }

    /// Packs the next few sessions after the session `after`; returns the last of them, 0 if there are none.
    async fn step(&mut self, after: i64) -> Result<(i64, Packs), StoreError> {
        let mut connection = self.readers.acquire().await?;
        let due: Vec<Due> = sqlx::query_as(DUE)
            .bind(after)
            .bind(SESSIONS_AT_ONCE)
            .fetch_all(&mut *connection)
            .await?;
        let (mut last, mut entries) = (0, 0);
        let mut packing = Packing::default();
        for session in due {
            last = session.0;
            match self.pack(&mut connection, session).await? {
                Some(packed) => {
                    entries += packed.entries;
                    packing.packed.push(packed);
                }
                None => packing.left.push(last),
            }
            if entries >= ENTRIES_AT_ONCE {
                break;
            }
        }
        let done = Packs {
            packed: packing.packed.len() as u64,
            left: packing.left.len() as u64,
        };
        if last > 0 {
            ask(&self.queue, |reply| Command::Pack(packing, reply)).await?;
        }
        Ok((last, done))
    }

    /// Reads and compresses a session; `None` if its entries are not whole.
    async fn pack(
        &mut self,
        connection: &mut SqliteConnection,
        (id, game, head, count): Due,
    ) -> Result<Option<Packed>, StoreError> {
        let session = SessionId(id);
        let entries = match transcript::walk(connection, session, EntryId(head)).await {
            Ok(entries) => entries.unwrap_or_default(),
            Err(StoreError::Corrupt(why)) => {
                tracing::warn!(
                    session = id,
                    why,
                    "a session is not whole and is not packed"
                );
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        if Some(entries.len() as i64) != count {
            let linked = entries.len();
            tracing::warn!(
                session = id,
                linked,
                "a session is not whole and is not packed"
            );
            return Ok(None);
        }
        let dictionary = self.dictionary(connection, &game).await?;
        off_runtime(move || Packed::new(session, &entries, dictionary.as_deref())).await
    }

    /// The game's dictionary, trained once there are sessions enough.
    async fn dictionary(
        &mut self,
        connection: &mut SqliteConnection,
        game: &str,
    ) -> Result<Option<Arc<Dictionary>>, StoreError> {
        let known = match self.games.entry(game.to_owned()) {
            hash_map::Entry::Occupied(known) => known.into_mut(),
            hash_map::Entry::Vacant(new) => new.insert(Known::read(connection, game).await?),
        };
        if known.dictionary.is_none() && known.samples >= TRAINING_SESSIONS && !known.tried {
            known.tried = true;
            if let Some(content) = train(connection, game).await? {
                let (game, stored) = (game.to_owned(), content.clone());
                let id = ask(&self.queue, |reply| {
                    Command::Dictionary(game, stored, reply)
                })
                .await?;
                known.dictionary = Some(Arc::new(Dictionary { id, content }));
            }
        }
        known.samples += 1;
        Ok(known.dictionary.clone())
    }
}

impl Known {
    async fn read(connection: &mut SqliteConnection, game: &str) -> Result<Self, StoreError> {
        let newest: Option<(i64, Vec<u8>)> = sqlx::query_as(
            "SELECT id, content FROM dictionaries WHERE game = ? ORDER BY id DESC LIMIT 1",
        )
        .bind(game.to_owned())
        .fetch_optional(&mut *connection)
        .await?;
        let samples = sqlx::query_scalar(
            "SELECT count(*) FROM packed p JOIN sessions s ON s.id = p.session WHERE s.game = ?",
        )
        .bind(game.to_owned())
        .fetch_one(connection)
        .await?;
        Ok(Self {
            dictionary: newest.map(|(id, content)| Arc::new(Dictionary { id, content })),
            samples,
            tried: false,
        })
    }
}

/// Trains a dictionary on a game's first packed sessions; `None` if that gives none.
async fn train(
    connection: &mut SqliteConnection,
    game: &str,
) -> Result<Option<Vec<u8>>, StoreError> {
    let rows: Vec<(Vec<u8>, i64)> = sqlx::query_as(
        "SELECT p.content, p.bytes FROM packed p JOIN sessions s ON s.id = p.session
         WHERE s.game = ? AND p.dictionary IS NULL ORDER BY p.session LIMIT ?",
    )
    .bind(game.to_owned())
    .bind(TRAINING_SESSIONS)
    .fetch_all(connection)
    .await?;
    let trained = off_runtime(move || {
        let mut samples = Vec::with_capacity(rows.len());
        for (content, bytes) in &rows {
            let mut sample = packed::decompress(content, &[], *bytes).map_err(io::Error::other)?;
            sample.truncate(SAMPLE_BYTES_MAX);
            samples.push(sample);
        }
        zstd::dict::from_samples(&samples, DICTIONARY_BYTES_MAX)
    });
    match trained.await {
        Ok(dictionary) => Ok(Some(dictionary)),
        // They may be too few or too much alike: packing goes on without one.
        Err(error) => {
            tracing::debug!(%error, game, "no dictionary could be trained");
            Ok(None)
        }
    }
}

async fn off_runtime<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> Result<T, StoreError> {
    let failed =
        |why: &dyn std::fmt::Display| StoreError::Corrupt(format!("packing failed: {why}"));
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| failed(&error))?
        .map_err(|error| failed(&error))
}

async fn ask<T>(
    queue: &mpsc::WeakSender<Command>,
    command: impl FnOnce(Reply<T>) -> Command,
) -> Result<T, StoreError> {
    let (reply, answer) = oneshot::channel();
    let sender = queue.upgrade().ok_or(StoreError::Closed)?;
    let sent = sender.send(command(reply)).await;
    sent.map_err(|_| StoreError::Closed)?;
    answer.await.map_err(|_| StoreError::Closed)?
}

impl Store {
    /// Packs every session that has ended, telling how far it has come after each step. It may be stopped and
    /// begun again at any time.
    ///
    /// # Errors
    /// [`StoreError::ReadOnly`], [`StoreError::Unwritable`], [`StoreError::Read`].
    pub async fn pack(&self, mut progress: impl FnMut(Packs)) -> Result<Packs, StoreError> {
        let mut packer = Packer::new(self.weak_queue()?, self.readers().clone());
        let (mut all, mut after) = (Packs::default(), 0);
        loop {
            let (last, done) = packer.step(after).await?;
            if last == 0 {
                return Ok(all);
            }
            after = last;
            all.packed += done.packed;
            all.left += done.left;
            progress(all);
        }
    }

    /// How many sessions wait to be packed.
    ///
    /// # Errors
    /// [`StoreError::Read`].
    pub async fn unpacked(&self) -> Result<u64, StoreError> {
        let count: i64 = sqlx::query_scalar(
            "SELECT count(*) FROM sessions
             WHERE packed IS NULL AND ended_us IS NOT NULL AND last_entry IS NOT NULL",
        )
        .fetch_one(self.readers())
        .await?;
        Ok(count as u64)
    }

    /// Gives the space of packed sessions back to the file system, if it is a quarter of the file or more:
    /// returns how many bytes it gave back. Needs as much free space as the file has content.
    ///
    /// # Errors
    /// As [`Store::append`].
    pub async fn give_back(&self) -> Result<u64, StoreError> {
        self.ask(Command::GiveBack).await
    }
}

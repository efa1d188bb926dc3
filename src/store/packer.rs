//! Packs sessions that have ended: in the background, at most for a fifth of the time, and by
//! `drover db migrate` without a pause. Each step is whole by itself, so it may stop at any moment.

use super::damage;
use super::error::StoreError;
use super::health::Gauges;
use super::packed::{self, Dictionary, Packed};
use super::transcript;
use super::types::{EntryId, SessionId};
use super::writer::{Command, Packing, Reply};
use crate::seldom;
use crate::store::sql::{Connection, Pool, query_as};
use std::collections::{HashMap, HashSet, hash_map};
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
/// How long the background waits while nothing can be written.
const RETRY: Duration = Duration::from_secs(30);
/// Sessions that cannot be packed, after which none is any more.
const FAILED_MAX: usize = 1024;

/// A game's dictionary is trained on its first sessions.
pub(super) const TRAINING_SESSIONS: i64 = 32;
/// Bytes of a dictionary at most, and of each session that it is trained on.
const DICTIONARY_BYTES_MAX: usize = 16 << 10;
pub(super) const SAMPLE_BYTES_MAX: usize = 64 << 10;

const DUE: &str = "
    SELECT id, game, last_entry, entries FROM sessions
    WHERE packed IS NULL AND ended_us IS NOT NULL AND last_entry IS NOT NULL AND id > $1
    ORDER BY id LIMIT $2";

/// Of the replicas of a server's database one packs at a time, until its transaction ends.
const ONE_PACKER: &str = "SELECT pg_try_advisory_xact_lock(x'44525041434b' :: BIGINT)";

/// A row of [`DUE`].
type Due = (i64, String, i64, Option<i64>);

/// What packs.
#[derive(Debug)]
pub(super) struct Packer {
    /// Does not keep the writer alive.
    queue: mpsc::WeakSender<Command>,
    readers: Pool,
    games: HashMap<String, Known>,
    /// Sessions that cannot be packed: this packer ignores them.
    failed: HashSet<i64>,
    /// Up to this session each is packed alone: one of them was refused.
    alone_to: i64,
}

/// What the packer knows of a game.
#[derive(Debug, Default)]
struct Known {
    dictionary: Option<Arc<Dictionary>>,
    /// Its packed sessions.
    samples: i64,
    /// Whether training was tried, once per process.
    tried: bool,
}

/// How far [`super::pack`] has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Packs {
    /// Sessions packed so far.
    pub packed: u64,
    /// Sessions that stay as they are: their entries are not whole, or they cannot be packed.
    pub left: u64,
}

impl Packer {
    pub(super) fn new(queue: mpsc::WeakSender<Command>, readers: Pool) -> Self {
        Self {
            queue,
            readers,
            games: HashMap::new(),
            failed: HashSet::new(),
            alone_to: 0,
        }
    }

    /// Packs what is due, again each time sessions have ended, until `stop`. Checks the file first, if that
    /// was not done: a damaged one is left as it is.
    pub(super) async fn run(mut self, gauges: Arc<Gauges>, checked: bool, stop: CancellationToken) {
        let work = async {
            if !checked && !self.is_sound(&gauges, &stop).await {
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

    /// Checks the file; again later, where it cannot be checked.
    async fn is_sound(&self, gauges: &Gauges, stop: &CancellationToken) -> bool {
        tracing::info!("the database is too large to be checked before the start: checking it now");
        loop {
            let error = match self.check(stop).await {
                Ok(None) => return true,
                Ok(Some(why)) => {
                    tracing::error!(
                        why,
                        "the database is damaged: see `drover db verify` and `drover db salvage`"
                    );
                    gauges.set_damaged(why);
                    return false;
                }
                Err(error) => error,
            };
            tracing::warn!(%error, "the database cannot be checked, and is not packed until it is");
            tokio::time::sleep(RETRY).await;
        }
    }

    async fn check(&self, stop: &CancellationToken) -> Result<Option<String>, sqlx::Error> {
        let mut connection = self.readers.acquire().await?;
        match connection.sqlite() {
            Some(connection) => damage::check_in_use(connection, stop).await,
            None => Ok(None),
        }
    }

    async fn pass(&mut self) {
        let mut after = 0;
        loop {
            let begun = Instant::now();
            match self.step(after).await {
                Ok(Some((last, _))) => {
                    after = last;
                    tokio::time::sleep(begun.elapsed() * PAUSE).await;
                }
                Ok(None) | Err(StoreError::Closed) => return,
                Err(error @ StoreError::Unwritable(_)) => {
                    tracing::warn!(%error, "ended sessions cannot be packed at present");
                    tokio::time::sleep(RETRY).await;
                }
                // The next session that ends begins another pass.
                Err(error) => {
                    if seldom::is_due("packing", "failed") {
                        tracing::warn!(%error, "ended sessions cannot be packed");
                    }
                    return;
                }
            }
        }
    }

    /// Packs the next few sessions after the session `after`, ignoring those that cannot be packed. Returns
    /// after which session to go on; `None` if there is no further one.
    pub(super) async fn step(&mut self, after: i64) -> Result<Option<(i64, Packs)>, StoreError> {
        let mut connection = self.readers.acquire().await?;
        if !connection.is_postgres() {
            return self.step_locked(&mut connection, after).await;
        }
        connection.begin().await?;
        let done = match query_as(ONE_PACKER).fetch_one(&mut connection).await {
            Ok(true) => self.step_locked(&mut connection, after).await,
            // Another replica packs: what it has passed already waits for the next session that ends.
            Ok(false) => Ok(None),
            Err(error) => Err(error.into()),
        };
        connection.roll_back().await;
        done
    }

    async fn step_locked(
        &mut self,
        connection: &mut Connection,
        after: i64,
    ) -> Result<Option<(i64, Packs)>, StoreError> {
        let alone = after < self.alone_to;
        let mut due: Vec<Due> = query_as(DUE)
            .bind(after)
            .bind(if alone { 1 } else { SESSIONS_AT_ONCE })
            .fetch_all(&mut *connection)
            .await?;
        let Some(mut last) = due.last().map(|(id, ..)| *id) else {
            return Ok(None);
        };
        due.retain(|(id, ..)| !self.failed.contains(id));
        let (mut packing, mut games) = (Packing::default(), Vec::new());
        let (mut entries, mut done) = (0, Packs::default());
        for session in due {
            let (id, game) = (session.0, session.1.clone());
            match self.pack(connection, session).await {
                Ok(Some(packed)) => {
                    entries += packed.entries;
                    packing.packed.push(packed);
                    games.push(game);
                }
                Ok(None) => packing.left.push(id),
                Err(error) => {
                    self.give_up(id, error)?;
                    done.left += 1;
                }
            }
            if entries >= ENTRIES_AT_ONCE {
                last = id;
                break;
            }
        }
        match self.write(packing, games).await {
            Ok(packs) => {
                done.packed += packs.packed;
                done.left += packs.left;
            }
            // Which of them was it?
            Err(StoreError::Refused(_)) => (self.alone_to, last) = (last, after),
            Err(error) => return Err(error),
        }
        Ok(Some((last, done)))
    }

    /// Writes what a step has prepared: of these `games`, by session.
    ///
    /// # Errors
    /// [`StoreError::Refused`] if one of several sessions was refused.
    async fn write(&mut self, packing: Packing, games: Vec<String>) -> Result<Packs, StoreError> {
        let packed = packing.packed.iter().map(|packed| packed.session.0);
        let ids: Vec<i64> = packed.chain(packing.left.iter().copied()).collect();
        let mut packs = Packs::default();
        if ids.is_empty() {
            return Ok(packs);
        }
        match (
            ask(&self.queue, |reply| Command::Pack(packing, reply)).await,
            &ids[..],
        ) {
            (Ok(()), _) => {
                packs.packed = games.len() as u64;
                packs.left = (ids.len() - games.len()) as u64;
                for game in games {
                    self.games.entry(game).or_default().samples += 1;
                }
            }
            (Err(error), [only]) => {
                self.give_up(*only, error)?;
                packs.left = 1;
            }
            (Err(error), _) => return Err(error),
        }
        Ok(packs)
    }

    /// Ignores a session from now on. An error that is not the session's is returned.
    fn give_up(&mut self, session: i64, error: StoreError) -> Result<(), StoreError> {
        if may_pass(&error) || self.failed.len() >= FAILED_MAX {
            return Err(error);
        }
        tracing::warn!(session, %error, "a session cannot be packed and stays as it is until the next start");
        self.failed.insert(session);
        Ok(())
    }

    /// Reads and compresses a session; `None` if its entries are not whole.
    async fn pack(
        &mut self,
        connection: &mut Connection,
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
        connection: &mut Connection,
        game: &str,
    ) -> Result<Option<Arc<Dictionary>>, StoreError> {
        let known = match self.games.entry(game.to_owned()) {
            hash_map::Entry::Occupied(known) => known.into_mut(),
            hash_map::Entry::Vacant(new) => new.insert(Known::read(connection, game).await?),
        };
        if known.dictionary.is_none() && known.samples >= TRAINING_SESSIONS && !known.tried {
            match trained(connection, &self.queue, game).await {
                Ok(dictionary) => known.dictionary = dictionary.map(Arc::new),
                Err(error) if may_pass(&error) => return Err(error),
                // Packing goes on without one.
                Err(error) => tracing::warn!(%error, game, "no dictionary could be stored"),
            }
            known.tried = true;
        }
        Ok(known.dictionary.clone())
    }
}

impl Known {
    async fn read(connection: &mut Connection, game: &str) -> Result<Self, StoreError> {
        let newest: Option<(i64, Vec<u8>)> = query_as(
            "SELECT id, content FROM dictionaries WHERE game = $1 ORDER BY id DESC LIMIT 1",
        )
        .bind(game.to_owned())
        .fetch_optional(&mut *connection)
        .await?;
        let samples = query_as(
            "SELECT count(*) FROM packed p JOIN sessions s ON s.id = p.session WHERE s.game = $1",
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

/// Whether it says nothing of the session that was to be packed.
fn may_pass(error: &StoreError) -> bool {
    matches!(error, StoreError::Unwritable(_) | StoreError::Closed)
}

/// A game's new dictionary, stored; `None` if its sessions give none.
async fn trained(
    connection: &mut Connection,
    queue: &mpsc::WeakSender<Command>,
    game: &str,
) -> Result<Option<Dictionary>, StoreError> {
    let Some(content) = train(connection, game).await? else {
        return Ok(None);
    };
    let (game, stored) = (game.to_owned(), content.clone());
    let added = ask(queue, |reply| Command::Dictionary(game, stored, reply));
    let id = added.await?;
    Ok(Some(Dictionary { id, content }))
}

/// Trains a dictionary on a game's first packed sessions; `None` if that gives none.
async fn train(connection: &mut Connection, game: &str) -> Result<Option<Vec<u8>>, StoreError> {
    let rows: Vec<(Vec<u8>, i64)> = query_as(
        "SELECT p.content, p.bytes FROM packed p JOIN sessions s ON s.id = p.session
         WHERE s.game = $1 AND p.dictionary IS NULL ORDER BY p.session LIMIT $2",
    )
    .bind(game.to_owned())
    .bind(TRAINING_SESSIONS)
    .fetch_all(connection)
    .await?;
    let trained = off_runtime(move || {
        let mut samples = Vec::with_capacity(rows.len());
        for (content, bytes) in &rows {
            samples.push(sample(content, *bytes)?);
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

/// The beginning of a packed session, in no more memory than that takes.
pub(super) fn sample(content: &[u8], bytes: i64) -> io::Result<Vec<u8>> {
    let mut sample = packed::decompress(content, &[], bytes).map_err(io::Error::other)?;
    sample.truncate(SAMPLE_BYTES_MAX);
    sample.shrink_to_fit();
    Ok(sample)
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

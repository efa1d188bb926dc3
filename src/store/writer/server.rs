//! The writer's side of PostgreSQL: transactions whose outcome is known even where the connection breaks.
//!
//! The numbers of entries rise in the order of commits, as far as readers look: before it takes its numbers, a
//! transaction holds a lock named after the last one given, and nobody reads beyond the oldest such lock (`horizon` in the
//! schema).

use super::batch::Answers;
use super::fault::{self, Verdict};
use crate::simulated;
use crate::store::server::{self, Access};
use crate::store::sql::postgres::{BLOCK, PgLink};
use crate::store::sql::{Connection, query, query_as};
use crate::store::types::Durability;
use std::time::{Duration, Instant};
use tokio::runtime::Handle;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

/// How long one trip may take: a connection that is cut gives no sign.
const TRIP_MAX: Duration = Duration::from_secs(3);
/// How long no connection is tried after one has failed: those who wait meanwhile have deadlines.
const CONNECT_AGAIN: Duration = Duration::from_secs(1);
/// How often the outcome of a commit is asked for.
const OUTCOME_EVERY: Duration = Duration::from_millis(100);

/// Lets the writers of one database end tournaments' matches one after the other, each from here to its commit: they count
/// them in rows that they share. A file has one writer.
pub(super) async fn end_in_turn(connection: &mut Connection) -> Result<(), sqlx::Error> {
    if !connection.is_postgres() {
        return Ok(());
    }
    // Of two numbers: `horizon` in the schema counts those of one.
    let turn = query("SELECT pg_advisory_xact_lock(17490, 1)");
    turn.execute(connection).await.map(drop)
}

/// The writer's server.
#[derive(Debug)]
pub(in crate::store) struct Server {
    access: Access,
    callers: Handle,
    /// Its name in `batches`: of no other start of a process.
    writer: String,
    /// The block of numbers of the last transaction that was begun, by which it is found in `batches`.
    block: i64,
    /// Whether it has a row in `batches`: a lock on that shows that a transaction goes on.
    is_listed: bool,
    is_lost: bool,
    /// When a new connection failed last.
    failed: Option<Instant>,
    /// Nothing that is not known is waited for any more.
    stop: CancellationToken,
}

/// A batch does not wait for long for what another replica has written and not committed, and none that has stopped in a
/// transaction holds others up for long.
const BLOCKED: &str =
    "SET LOCAL lock_timeout TO '200ms'; SET LOCAL idle_in_transaction_session_timeout TO '1s';";

impl Server {
    /// Of a connection that was made with `access`. Must be called on the callers' runtime.
    pub(in crate::store) fn new(access: Access, stop: CancellationToken) -> Self {
        Self {
            access,
            callers: Handle::current(),
            writer: simulated::ulid().to_string(),
            block: 0,
            is_listed: false,
            is_lost: false,
            failed: None,
            stop,
        }
    }

    /// Answers a batch's callers.
    pub(super) fn answer(&self, answers: Answers) {
        self.callers.spawn(async move { answers.send() });
    }

    /// Remembers that the connection is of no use any more, if that is what the error means.
    pub(super) fn note(&mut self, error: &sqlx::Error) {
        self.is_lost |= fault::is_lost(error);
    }

    /// Whether the connection was lost.
    pub(super) const fn is_lost(&self) -> bool {
        self.is_lost
    }

    /// Connects again, if the connection was lost.
    pub(super) async fn connect(&mut self, connection: &mut Connection) -> Result<(), sqlx::Error> {
        if !self.is_lost {
            return Ok(());
        }
        if self
            .failed
            .is_some_and(|failed| failed.elapsed() < CONNECT_AGAIN)
        {
            return Err(std::io::Error::from(std::io::ErrorKind::NotConnected).into());
        }
        match server::connect(&self.access).await {
            Ok(link) => {
                *connection = Connection::Postgres(link);
                (self.is_lost, self.is_listed, self.failed) = (false, false, None);
                Ok(())
            }
            // Whatever the reason is, it is not the rows.
            Err(error) => {
                self.failed = Some(Instant::now());
                Err(std::io::Error::other(error.to_string()).into())
            }
        }
    }

    /// Tests whether rows can be written.
    pub(super) async fn probe(&mut self, connection: &mut Connection) -> Result<(), sqlx::Error> {
        self.connect(connection).await?;
        let probe = query("SELECT nextval('numbers')").execute(connection);
        in_time(probe).await.map(drop)
    }

    /// Begins a batch's transaction; gives the number of its first entry.
    pub(super) async fn begin(
        &mut self,
        link: &mut PgLink,
        durability: Durability,
    ) -> Result<i64, sqlx::Error> {
        self.list(link).await?;
        // A server may be set to more than `on`, and what must survive a power cut never has less.
        let synced = match durability {
            Durability::Power => {
                "SELECT set_config('synchronous_commit', 'on', true)
                 WHERE current_setting('synchronous_commit') = 'off';"
            }
            Durability::Process => "SET LOCAL synchronous_commit TO off;",
        };
        let begin = format!(
            "BEGIN; {synced} {} {BLOCKED}
             SELECT pg_advisory_xact_lock_shared(lock_of(last_value)) FROM numbers;
             INSERT INTO batches (writer, block) VALUES ('{}', nextval('numbers'))
             ON CONFLICT (writer) DO UPDATE SET block = excluded.block RETURNING block",
            self.access.limits(),
            self.writer
        );
        (self.block,) = in_time(link.begin_and_read(begin)).await?;
        Ok(self.block * BLOCK)
    }

    async fn list(&mut self, link: &mut PgLink) -> Result<(), sqlx::Error> {
        if !self.is_listed {
            let list = format!(
                "INSERT INTO batches (writer, block) VALUES ('{}', 0)
                 ON CONFLICT (writer) DO UPDATE SET block = batches.block RETURNING block",
                self.writer
            );
            let (_,): (i64,) = in_time(link.read(list)).await?;
            self.is_listed = true;
        }
        Ok(())
    }

    /// Commits. If the connection is lost meanwhile, the server is asked for the outcome, until it says so.
    pub(super) async fn commit(&mut self, connection: &mut Connection) -> Result<(), sqlx::Error> {
        let error = match in_time(connection.commit()).await {
            Err(error) if fault::is_lost(&error) => error,
            done => return done,
        };
        tracing::warn!(%error, "the connection was lost during a commit: asking for its outcome");
        loop {
            self.is_lost = true;
            match self.outcome(connection).await {
                Ok(Some(true)) => return Ok(()),
                Ok(Some(false)) => return Err(error),
                // It is still being committed, or nobody can say.
                Ok(None) | Err(_) => {}
            }
            let wait = tokio::time::sleep(OUTCOME_EVERY);
            if self.stop.run_until_cancelled(wait).await.is_none() {
                return Err(error);
            }
        }
    }

    /// Whether the last transaction was committed; `None` while it may still be. What it wrote says so, which is where the
    /// rest of it is: numbers of transactions are given again after a failover.
    async fn outcome(&mut self, connection: &mut Connection) -> Result<Option<bool>, sqlx::Error> {
        self.connect(connection).await?;
        let stored = query_as("SELECT block FROM batches WHERE writer = $1 FOR UPDATE NOWAIT");
        let stored = stored.bind(self.writer.as_str()).fetch_optional(connection);
        match in_time(stored).await {
            Ok(block) => Ok(Some(block == Some(self.block))),
            Err(error) if fault::judge(&error) == Verdict::Blocked => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// Limits work on a server to [`TRIP_MAX`]; a file has limits of its own.
pub(super) fn bounded<T, E: From<sqlx::Error>>(
    is_server: bool,
    work: impl Future<Output = Result<T, E>>,
) -> impl Future<Output = Result<T, E>> {
    // Some of these futures take 100 kB, and unboxed each caller's frame would hold copies.
    let work = Box::pin(work);
    async move {
        if !is_server {
            return work.await;
        }
        let done = timeout(TRIP_MAX, work).await;
        done.unwrap_or_else(|_| {
            let late = std::io::Error::from(std::io::ErrorKind::TimedOut);
            Err(sqlx::Error::from(late).into())
        })
    }
}

/// What a trip gives, if it ends in time.
pub(super) async fn in_time<T>(
    trip: impl Future<Output = Result<T, sqlx::Error>>,
) -> Result<T, sqlx::Error> {
    bounded(true, trip).await
}

#[cfg(test)]
mod tests {
    use super::{Server, server};
    use crate::config::Location;
    use crate::store::sql::Connection;
    use crate::store::tests::fake::opened;
    use crate::store::types::Durability;
    use tokio_util::sync::CancellationToken;

    #[tokio::test]
    #[ignore = "needs a server: DROVER_TEST_SERVER"]
    async fn a_transaction_that_goes_on_is_neither_committed_nor_aborted() {
        let (_folder, store) = opened().await;
        let Location::Server(location) = store.location() else {
            panic!("a server");
        };
        let access = server::Access::new(location).unwrap();
        let mut other = Connection::Postgres(server::connect(&access).await.unwrap());
        let mut writer = Server::new(access.clone(), CancellationToken::new());
        for commits in [true, false] {
            let mut link = server::connect(&access).await.unwrap();
            writer.begin(&mut link, Durability::Power).await.unwrap();
            let outcome = writer.outcome(&mut other).await.unwrap();
            assert_eq!(outcome, None, "it goes on");
            let mut connection = Connection::Postgres(link);
            match commits {
                true => connection.commit().await.unwrap(),
                false => connection.roll_back().await,
            }
            let outcome = writer.outcome(&mut other).await.unwrap();
            assert_eq!(outcome, Some(commits));
        }
        // Lost with a server that was ahead of this one: it has an earlier one of this writer, or none.
        writer.block += 1;
        assert_eq!(writer.outcome(&mut other).await.unwrap(), Some(false));
        let mut writer = Server::new(access, CancellationToken::new());
        writer.block = 1;
        assert_eq!(writer.outcome(&mut other).await.unwrap(), Some(false));
    }
}

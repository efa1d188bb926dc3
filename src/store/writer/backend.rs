//! What the writer's two engines do not have in common.

use super::batch::Answers;
use super::checkpoint::{CHECKPOINT, Checkpoints};
use super::server::Server;
use super::statements::{self, Database};
use super::syncing::Syncing;
use crate::store::files::Lock;
use crate::store::log::Head;
use crate::store::sql::query;
use crate::store::startup;
use crate::store::types::Durability;

/// What makes commits durable.
#[derive(Debug)]
pub(in crate::store) enum Backend {
    File(File),
    Server(Box<Server>),
}

/// SQLite's file.
#[derive(Debug)]
pub(in crate::store) struct File {
    pub(in crate::store) syncing: Syncing,
    pub(in crate::store) checkpoints: Checkpoints,
    /// The current `PRAGMA synchronous`.
    pub(in crate::store) synchronous: Durability,
    /// Released last, when the connection is closed.
    pub(in crate::store) lock: Lock,
}

impl Backend {
    pub(super) fn start(&mut self) {
        if let Self::File(file) = self {
            file.checkpoints.start();
        }
    }

    /// Counts one more commit.
    pub(super) fn committed(&mut self, entries: u64) {
        if let Self::File(file) = self {
            file.checkpoints.committed(entries);
        }
    }

    /// Makes a checkpoint, if one must be made now.
    pub(super) async fn keep_up(&mut self, database: &mut Database) -> Result<(), sqlx::Error> {
        match self {
            Self::File(file) if file.checkpoints.are_behind() => run(database, CHECKPOINT).await,
            Self::File(_) | Self::Server(_) => Ok(()),
        }
    }

    /// Prepares for a transaction that is to survive this: a server is connected again, if the connection was lost.
    pub(super) async fn prepare(
        &mut self,
        database: &mut Database,
        durability: Durability,
    ) -> Result<(), sqlx::Error> {
        match self {
            Self::File(file) if durability != file.synchronous => {
                let pragma = match durability {
                    Durability::Power => "PRAGMA synchronous = FULL",
                    Durability::Process => "PRAGMA synchronous = NORMAL",
                };
                run(database, pragma).await?;
                file.synchronous = durability;
                Ok(())
            }
            Self::File(_) => Ok(()),
            Self::Server(server) => server.connect(&mut database.connection).await,
        }
    }

    /// Answers a batch's callers once it will survive what it must.
    pub(super) async fn deliver(&self, durability: Durability, answers: Answers) {
        match self {
            Self::File(file) => match durability {
                Durability::Power => file.syncing.answer_synced(answers).await,
                Durability::Process => file.syncing.answer(answers),
            },
            Self::Server(server) => server.answer(answers),
        }
    }

    /// Commits the open transaction.
    pub(super) async fn commit(&mut self, database: &mut Database) -> Result<(), sqlx::Error> {
        match self {
            Self::File(_) => database.connection.commit().await,
            Self::Server(server) => server.commit(&mut database.connection).await,
        }
    }

    /// Tests whether writing works, by the live heads up to this entry where they are kept.
    pub(super) async fn store_heads(
        &mut self,
        database: &mut Database,
        entry: i64,
        heads: impl Iterator<Item = (i64, Head)>,
    ) -> Result<(), sqlx::Error> {
        match self {
            Self::File(_) => {
                let stored = query(statements::HEADS)
                    .bind(entry)
                    .bind(startup::pack(heads));
                stored.execute(&mut database.connection).await.map(drop)
            }
            Self::Server(server) => server.probe(&mut database.connection).await,
        }
    }

    /// Nothing has come for a while: the page cache, whose pages are read again from the system's in microseconds, is
    /// given back.
    pub(super) async fn rest(&self, database: &mut Database) -> Result<(), sqlx::Error> {
        match self {
            Self::File(_) => run(database, "PRAGMA shrink_memory").await,
            Self::Server(_) => Ok(()),
        }
    }

    /// Closes everything.
    pub(super) async fn finish(self, mut database: Database) {
        if let Self::File(mut file) = self {
            file.checkpoints.stop().await;
            // Last: readers still have the database open, so that closing leaves the log as it is.
            for statement in ["PRAGMA optimize", "PRAGMA wal_checkpoint(TRUNCATE)"] {
                if let Err(error) = run(&mut database, statement).await {
                    tracing::warn!(%error, statement, "a step of closing failed");
                }
            }
            close(database).await;
            file.syncing.stop();
            drop(file.lock);
        } else {
            close(database).await;
        }
    }
}

async fn close(database: Database) {
    if let Err(error) = database.connection.close().await {
        tracing::warn!(%error, "the database did not close cleanly");
    }
}

async fn run(database: &mut Database, statement: &'static str) -> Result<(), sqlx::Error> {
    let run = query(statement).execute(&mut database.connection);
    run.await.map(drop)
}

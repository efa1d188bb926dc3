//! SQLite behind one writer and many readers. Only this module and `history`, which reads, know SQL.
//!
//! # Writing
//!
//! The writer is a thread, not a task: woken from SQLite's thread, a task would queue behind everything that waits for it.
//! It takes all that is queued, yields its core a few times while that adds work, and commits once; another thread syncs the
//! log while the next batch is written, and replies. Checkpoints run on a connection of their own. A failed sync ends the
//! process.
//!
//! # Packing
//!
//! A session that has ended is packed: its entries become columns, compressed, in one row of `packed`, and their rows go, in
//! one transaction. `transcript` and `startup` are the only readers that know both places; numbers and cursors stay, and no
//! number is ever given twice. The packer takes a fifth of the time at most; `drover db migrate` takes all of it. A game's
//! first 32 sessions train its dictionary, and every version of it is kept. A session whose links are broken is evidence and
//! stays where it is. The space of packed entries is used again; the file itself shrinks only by `drover db migrate`
//! (`VACUUM`) and in backups: `auto_vacuum` would cost every file pages and every commit time, for what the log soon fills.
//!
//! # Opening
//!
//! One process at a time has a database, by whatever name: `files` locks the file and the name. The file is opened before
//! SQLite opens it and closed after, because closing any descriptor of it would drop SQLite's own locks. A file of up to
//! 8 MiB is checked before each start, and a damaged one is refused. A larger one is checked right after the start, table by
//! table; damage makes `/readyz` refuse and `drover_store_damaged` 1.

mod archives;
mod backup;
mod blobs;
mod commits;
mod copy;
pub(crate) mod damage;
mod error;
mod files;
mod handle;
mod health;
mod leases;
pub(crate) mod log;
mod nonce;
mod numbers;
mod open;
mod packed;
mod packer;
mod queue;
mod reader;
mod repack;
pub(crate) mod rows;
mod rules;
mod salvage;
mod server;
pub(crate) mod sql;
pub(crate) mod startup;
mod storage;
#[cfg(test)]
pub(crate) mod tests;
pub(crate) mod transcript;
pub mod types;
mod watch;
mod writer;

pub use archives::{ArchiveError, ArchiveKey, Archives, Standing, Upload};
pub use backup::backup;
pub use blobs::fuzz;
pub use commits::{Bell, Bells, Committed, Heads};
pub use copy::copy;
pub use error::StoreError;
pub use handle::Store;
pub use health::{BATCH_BOUNDS, Health};
pub use leases::Leases;
pub(crate) use nonce::NONCE;
pub use open::{QUEUE_DEFAULT, READERS_DEFAULT, Settings};
pub use packed::BulkPacker;
pub use packer::Packs;
pub use queue::{Claimed, Held, Offer, Queue, QueuedMatch, Waiting, Wanted};
pub use reader::Reader;
pub use repack::{pack, unpacked};
pub use rules::{BotVersion, Rules};
pub use salvage::{Salvaged, salvage};
pub use storage::{Storage, Stored};
pub use types::*;
#[cfg(test)]
pub(crate) use writer::KEPT;
pub(crate) use writer::TYPE_FIT_MIN;
pub(crate) use writer::kept;
pub use writer::{
    Change, DIGEST_LEN, ENTRIES_MAX, EXIT_LOG_FAILED, Note, NoteChange, ProgramRun, Prune,
    TokenChange, TokenRow, TournamentChange,
};

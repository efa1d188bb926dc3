//! SQLite behind one writer and many readers: the only place that knows SQL.

mod backup;
mod blobs;
mod error;
mod files;
mod fold;
mod handle;
mod health;
mod history;
mod ledger;
mod matches;
mod models;
mod numbers;
mod open;
mod pages;
mod records;
mod refold;
mod rows;
mod secrecy;
mod startup;
#[cfg(test)]
pub(crate) mod tests;
mod tokens;
mod transcript;
pub mod types;
mod verify;
mod writer;

pub use blobs::fuzz;
pub use error::StoreError;
pub use fold::{FAILED, LATE, dialogue_setup, reply_text, said_reply};
pub use handle::Store;
pub use health::{BATCH_BOUNDS, Health};
pub use open::{KitOf, QUEUE_DEFAULT, READERS_DEFAULT, Settings};
pub use records::*;
pub use secrecy::Secrecy;
pub use tokens::{DIGEST_LEN, NewToken, TokenRow};
pub use types::*;
pub use verify::{Checked, Difference, VerifySummary};
pub use writer::{ENTRIES_MAX, EXIT_LOG_FAILED};

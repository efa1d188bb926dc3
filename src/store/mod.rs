//! SQLite behind one writer and many readers: the only place that knows SQL.

mod backup;
mod blobs;
mod bots;
mod damage;
mod error;
mod files;
mod handle;
mod health;
mod history;
mod integrity;
mod ledger;
mod matches;
mod models;
mod numbers;
mod open;
mod packed;
mod packer;
mod pages;
mod records;
mod rows;
mod salvage;
mod secrecy;
mod startup;
#[cfg(test)]
pub(crate) mod tests;
mod tokens;
mod tournaments;
mod transcript;
pub mod types;
mod writer;

pub use blobs::fuzz;
pub use bots::BotRecord;
pub use error::StoreError;
pub use handle::Store;
pub use health::{BATCH_BOUNDS, Health};
pub use integrity::EntryCounts;
pub use open::{KitOf, QUEUE_DEFAULT, READERS_DEFAULT, Settings};
pub use packer::Packs;
pub use records::*;
pub use salvage::Salvaged;
pub use secrecy::Secrecy;
pub use tokens::{DIGEST_LEN, NewToken, TokenRow};
pub use tournaments::ALL_ROUNDS;
pub use types::*;
pub use writer::{ENTRIES_MAX, EXIT_LOG_FAILED};

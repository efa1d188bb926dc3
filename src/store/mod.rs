//! SQLite behind one writer and many readers: the only place that knows SQL.

mod backup;
mod error;
mod files;
mod fold;
mod handle;
mod health;
mod history;
mod matches;
mod models;
mod open;
mod pages;
mod records;
mod rows;
mod startup;
mod transcript;
pub mod types;
mod verify;
mod writer;

pub use error::StoreError;
pub use fold::{dialogue_setup, reply_text, said_reply, FAILED, LATE};
pub use handle::Store;
pub use health::{Health, BATCH_BOUNDS};
pub use open::{KitOf, Settings, QUEUE_DEFAULT, READERS_DEFAULT};
pub use records::*;
pub use types::*;
pub use verify::{Checked, Difference, VerifySummary};
pub use writer::EXIT_LOG_FAILED;

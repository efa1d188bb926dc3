//! The one writer: takes everything queued, commits once, replies.

mod batch;
mod checkpoint;
mod command;
mod ending;
mod fault;
mod learning;
mod naming;
mod packing;
mod refusal;
mod run;
mod statements;
mod syncing;

pub(super) use checkpoint::Checkpoints;
pub(super) use command::{Change, Command, OpenMatch, Reply};
pub use fault::EXIT_LOG_FAILED;
pub(super) use learning::TYPE_FIT_MIN;
pub(super) use packing::Packing;
pub(super) use run::Writer;
pub use statements::ENTRIES_MAX;
pub(super) use statements::PARTICIPATION_MERGED;
pub(super) use syncing::Syncing;

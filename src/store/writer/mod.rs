//! The one writer: takes everything queued, commits once, replies.

mod batch;
mod changes;
mod checkpoint;
mod command;
mod ending;
mod fault;
mod learning;
mod naming;
mod packing;
mod programs;
mod prune;
mod reply;
mod run;
mod statements;
mod syncing;
mod tokens;
mod tournaments;

#[cfg(test)]
pub(crate) use changes::KEPT;
pub(super) use checkpoint::Checkpoints;
pub use command::Change;
pub(super) use command::{Command, OpenMatch};
pub use fault::EXIT_LOG_FAILED;
pub(crate) use learning::TYPE_FIT_MIN;
pub(super) use naming::SeatName;
pub(super) use packing::Packing;
pub use programs::{Note, NoteChange, ProgramRun};
pub use prune::Prune;
pub(super) use reply::Reply;
pub(super) use run::{Parts, Writer};
pub use statements::ENTRIES_MAX;
pub(super) use syncing::Syncing;
pub use tokens::{DIGEST_LEN, TokenChange, TokenRow};
pub use tournaments::TournamentChange;

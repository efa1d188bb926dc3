//! The one writer: takes everything queued, commits once, replies.

mod backend;
mod batch;
mod changes;
mod checkpoint;
mod command;
mod ending;
mod fault;
mod learning;
mod live;
mod naming;
mod packing;
mod programs;
mod prune;
mod refusal;
mod reply;
mod run;
mod server;
mod statements;
mod syncing;
mod tokens;
mod tournaments;

pub(super) use backend::{Backend, File};
#[cfg(test)]
pub(crate) use changes::KEPT;
pub(crate) use changes::kept;
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
pub(super) use server::Server;
pub use statements::ENTRIES_MAX;
pub(super) use statements::{Database, ENTRIES, HEADS, PLACED_ENTRIES, Rows};
pub(super) use syncing::Syncing;
pub use tokens::{DIGEST_LEN, TokenChange, TokenRow};
pub use tournaments::TournamentChange;

//! One file a verb; the only place that prints to a terminal.

pub mod play;
pub mod play_args;
mod play_keep;
mod play_progress;
pub mod referee;
pub mod usage;

pub use usage::UsageError;

//! The command line: one file a verb. The only place that prints to a terminal.

mod api_call;
mod args;
mod completions;
mod configure;
mod database;
mod drain;
mod health;
mod logging;
mod matches;
mod output;
mod replay;
mod serve;
mod systemd;

pub use args::run;
//! One file a verb; the only place that prints to a terminal.

pub mod play;
pub mod play_args;
mod play_keep;
mod play_progress;
pub mod referee;
pub mod usage;

pub use usage::UsageError;

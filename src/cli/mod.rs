//! The command line: one file a verb. The only place that prints to a terminal.

mod api_call;
mod args;
pub mod bench;
mod completions;
mod configure;
mod database;
mod drain;
mod health;
mod logging;
mod map;
mod matches;
mod open_files;
mod output;
pub mod play;
pub mod play_args;
mod play_gateway;
mod play_progress;
pub mod referee;
mod referee_hub;
mod remote;
mod replay;
mod serve;
mod shim;
mod systemd;
mod tester;
mod token;
mod train;
pub mod usage;

pub use args::run;
pub use usage::UsageError;

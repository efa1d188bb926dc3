//! The command line: one file per verb. The only place that prints to a terminal.

mod api_call;
mod args;
mod common;
mod completions;
mod configure;
mod database;
mod drain;
mod health;
mod interactive;
mod logging;
mod map;
mod matches;
mod open_files;
mod output;
pub mod play;
pub mod play_args;
mod play_gateway;
mod play_progress;
mod referee;
pub mod referee_args;
mod referee_hub;
mod remote;
mod replay;
mod serve;
mod shim;
mod systemd;
mod token;
mod train;
pub mod usage;

pub use args::run;
pub use common::tell;
pub use open_files::raise as raise_open_files;
pub use usage::UsageError;

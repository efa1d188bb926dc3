//! The arbiter of games whose players are programs on pipes: starts them, drives a table against them and
//! built-in bots, keeps their clocks, and ends them without leaving anything behind. Runs on its own threads
//! with blocking calls: a lock-step game is thousands of round trips.

mod course;
mod from;
mod game;
mod interactive;
mod play;
mod players;
mod watch;

pub use crate::referee::seat::{Left, Unheard};
pub use from::{FromError, FromMatch, play_from};
pub use game::Ended;
pub use interactive::{InteractiveProgram, watch_game};
pub use play::{ArbiterMatch, play, try_out};
pub use players::{PlayError, ProgramRules};
pub use watch::Spoken;

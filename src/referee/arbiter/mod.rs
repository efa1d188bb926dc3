//! The arbiter of games whose players are programs on pipes: starts them, drives a table against them and
//! built-in bots, keeps their clocks, and ends them without leaving anything behind. Runs on its own threads
//! with blocking calls: a lock-step game is thousands of round trips.

mod game;
mod interactive;
mod play;
mod players;

pub use game::Ended;
pub use interactive::{InteractiveGame, InteractiveProgram, Spoken};
pub use play::{ArbiterMatch, play};
pub use players::{PlayError, ProgramRules};

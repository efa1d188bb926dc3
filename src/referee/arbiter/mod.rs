//! The arbiter of games whose players are programs on pipes: starts them, is the port between a match and them or built-in
//! bots, and ends them without leaving anything behind.
//!
//! `play` seats a match; `game` has it driven; `port` pumps lines, and sends what the match says. Programs are started and
//! ended on threads that may block (`players`). On wires without an end message, closing the pipe ends the session as
//! `Dialogue::hung_up` says. `watch` follows one seat for the interactive tester; `from` plays on from an entry of a stored
//! match, after it has sent every player what its seat had received by then.
//!
//! A reply is stamped as many microseconds after its call as it was charged, so that a replay reproduces the clocks.

mod from;
mod game;
mod interactive;
mod play;
mod players;
mod port;
mod watch;

pub use crate::referee::seat::{Discarded, Left};
pub use from::{FromError, FromMatch, play_from};
pub use interactive::{InteractiveProgram, watch_game};
pub use play::{Pipes, play, try_out};
pub use players::{PlayError, ProgramRules};
pub use watch::Spoken;

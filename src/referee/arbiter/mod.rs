//! The arbiter of games whose players are programs on pipes: starts them, drives a table against them and
//! built-in bots, keeps their clocks, and ends them without leaving anything behind. Runs on its own threads
//! with blocking calls: a lock-step game is thousands of round trips.
//!
//! `play` seats a match and ends its programs; `game` plays it: the table's calls go out, lines come back, and
//! `Table::spent` receives the time that each took. Several players may be asked at once, each with its own deadline. A
//! wire in lock step is watched where it is asked next: output before that is a fault (`Reply::Early`). `Table::blames`
//! names the players that get no further messages, whether that ends the match or not; their programs are ended at once,
//! on another thread (`players`). On wires without an end message, closing the pipe ends the session as
//! `Dialogue::hung_up` says. `watch` follows one seat for the interactive tester; `from` plays on from an entry of a stored
//! match, after it has sent every player what its seat had received by then.
//!
//! A reply is stamped as many microseconds after its call as it was charged, so that a replay reproduces the clocks.

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

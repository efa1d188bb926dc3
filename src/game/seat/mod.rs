//! Our side of a seat: everything between a frame and its answer. Callers wait for bytes and time.
//!
//! An [`OwnSeat`] owns the dialogue and receives what happens: a frame came, the bot has thought, the program has answered
//! or has not, the time is up. It says what is due ([`Due`]): an answer, thinking, or a question to the program. Fallbacks,
//! the only legal act, margins, repeats, quarantine, and who decided are settled here; a caller waits, and drives it. All
//! times are since the frame was received: the caller owns the clock.
//!
//! A caller whose bot may think on its own thread:
//!
//! ```
//! use drover_game::seat::{OwnSeat, Settings};
//! use drover_game::{DialogueSetup, TableSetup};
//! use serde_json::Value;
//! use std::time::Duration;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let kit = games::find("koehandel").expect("a game of this name");
//! let mut calls = Vec::new();
//! kit.table(&TableSetup::numbered(7, Value::Null, 4))?.calls(&mut calls);
//! let mut seat = OwnSeat::new(Settings::nodes(100), None);
//! seat.wake(kit.dialogue(&DialogueSetup::new("random", 1))?);
//! let reply = seat.play(&calls[0].text, "", &|| Duration::ZERO)?;
//! assert_eq!(reply.ending, None);
//! # Ok(())
//! # }
//! ```

mod decision;
mod last;
mod own_seat;
mod program;
#[cfg(test)]
mod tests;

pub use decision::{
    By, Decision, Due, Extent, Fallback, ProgramReply, Question, Reply, Search, Settings, Taken,
    Unanswered,
};
pub use last::{LastMessage, Order};
pub use own_seat::{OwnSeat, Quarantine};
pub use program::ProgramPart;

//! Who meets whom in each round of a tournament, by its format. The same seed and results give the same rounds.

mod factors;
mod format;
mod gauntlet;
mod groups;
mod history;
mod knock_out;
mod robin;
mod round;
mod seating;
mod swiss;

pub use format::{Format, FormatError, ROUNDS_MAX, SEATS_MAX};
pub use round::{Field, Past, Round};

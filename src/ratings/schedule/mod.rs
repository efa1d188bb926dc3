//! Who meets whom in each round of a tournament, by its format. The same seed and results give the same rounds.

mod format;
mod groups;
mod history;
mod robin;
mod round;

pub use format::{Format, FormatError, ROUNDS_MAX, SEATS_MAX};
pub use round::{Field, Past, Round};

//! Results from text: PGN, JSON lines, tab-separated values.

mod found;
mod json_lines;
mod pgn;
mod read;
mod reading;
mod tokens;
mod tsv;

pub use found::{ERRORS_MAX, Errors, Found, InputError, Note, Notes, Problem};
pub use read::read;

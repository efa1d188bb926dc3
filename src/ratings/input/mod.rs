//! Results from text: PGN, JSON lines, tab-separated values.

mod json_lines;
mod pgn;
mod read;
mod tsv;

pub use read::{InputError, Problem, read};

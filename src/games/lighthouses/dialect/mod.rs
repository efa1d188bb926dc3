//! The wire: one JSON object per line (README.md, section 3). `engine` reads and writes the engine's side,
//! `player` a bot's; `python` reads JSON and prints values as the engine does.

pub mod engine;
pub mod player;
mod python;

//! Rung 7: a beam search over errands — go somewhere, put energy in, link — that replans every turn.
//! How it plays and what was measured: README.md.

mod cells;
mod errands;
mod knobs;
mod legs;
mod player;
mod rivals;
mod search;
mod state;
mod terrain;
#[cfg(test)]
mod tests;
mod tours;
mod triangles;
mod wear;
mod worth;

pub use knobs::{CHAMPION, Knobs};
pub use player::{DESCRIPTION, champion, champion_with};

#[cfg(test)]
pub(crate) use rivals::Rivals;
#[cfg(test)]
pub(crate) use state::State;
#[cfg(test)]
pub(crate) use terrain::Terrain;
#[cfg(test)]
pub(crate) use worth::Worth;

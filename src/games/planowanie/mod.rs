//! Planowanie: tricks that are declared beforehand, two to four players, any deck.
//! Rules, wire and the readings chosen: README.md.

pub mod bots;
pub mod cards;
pub mod clock;
pub mod rules;

#[cfg(test)]
mod tests;

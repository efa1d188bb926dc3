//! Smart-dog: herding sheep on a torus, one to four players, commands in order of arrival.
//! Rules, maps and the readings chosen: README.md.

pub mod atlas;
pub mod bots;
pub mod cartographer;
pub mod generate;
pub mod known;
pub mod map;
pub mod options;
pub mod rules;

#[cfg(test)]
mod tests;

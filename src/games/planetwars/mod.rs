//! Planet Wars in teams: planets, fleets, and rings of words between allies who do not know each other.
//! Rules, wire and the readings chosen: README.md.

pub mod bots;
pub mod generate;
pub mod map;
pub mod rules;

#[cfg(test)]
mod tests;

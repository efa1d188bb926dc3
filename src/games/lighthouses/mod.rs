//! Lighthouses: an island of energy, lighthouses to be held and linked, triangles of light.
//! Rules, wire and the readings chosen: README.md.

pub mod bots;
pub mod map;
pub mod rules;

#[cfg(test)]
mod tests;

//! Lighthouses: an island of energy, lighthouses to be held and linked, triangles of light.
//! Rules, wire and the readings chosen: README.md.

pub mod atlas;
pub mod bots;
pub mod dialect;
pub mod facts;
pub mod generate;
mod kit;
pub mod map;
pub mod options;
pub mod player;
pub mod referee;
pub mod rules;

pub use kit::KIT;

#[cfg(test)]
mod tests;

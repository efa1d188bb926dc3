//! Tests of Lighthouses.

mod bots;
mod champion;
mod laws;
mod maps;
mod messages;
mod player;
mod recorded;
mod reference;
mod scenes;
mod wire;

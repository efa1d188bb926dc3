//! Tests of the game, by what they are about.

mod bots;
mod champion;
mod judge;
mod laws;
mod maps;
mod player;
mod reference;
mod ring;
mod rules;
mod scenes;
mod strangers;

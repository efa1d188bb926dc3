//! What the rules must give.

mod bots;
mod laws;
mod maps;
mod messages;
mod recorded;
mod reference;
mod wire;

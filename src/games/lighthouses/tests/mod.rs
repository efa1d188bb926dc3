//! What the rules must give.

mod bots;
mod maps;
mod messages;
mod recorded;

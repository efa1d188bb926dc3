//! What the rules must give.

mod maps;
mod messages;
mod recorded;

//! What the rules must give.

mod champion;
mod maps;
mod messages;
mod recorded;

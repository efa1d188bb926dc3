//! What the rules must give.

mod bots;
mod ring;

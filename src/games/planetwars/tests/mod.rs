//! What the rules must give.

mod bots;
mod champion;
mod ring;

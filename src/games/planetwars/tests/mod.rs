//! What the rules must give.

mod champion;
mod ring;

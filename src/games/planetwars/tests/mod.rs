//! What the rules must give.

mod ring;

//! Tests of Planowanie.

mod bots;
mod clock;
mod laws;

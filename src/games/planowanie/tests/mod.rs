//! Tests of Planowanie.

mod deals;
mod bots;
mod clock;
mod laws;
mod recorded;

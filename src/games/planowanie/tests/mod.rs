//! Tests of Planowanie.

mod bots;
mod clock;
mod deals;
mod laws;
mod recorded;
mod toll;

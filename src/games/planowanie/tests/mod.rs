//! Tests of Planowanie.

mod bots;
mod clock;
mod deals;
mod disturbed;
mod laws;
mod recorded;
mod scenes;
mod toll;
mod untimely;

//! Tests of Planowanie.

mod deals;
mod laws;
mod recorded;

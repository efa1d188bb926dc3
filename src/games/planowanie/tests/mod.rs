//! Tests of Planowanie.

mod laws;

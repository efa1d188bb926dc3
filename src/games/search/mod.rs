//! What searching bots of several games share.

pub mod interval;
mod race;

pub use race::{Race, Verdict};

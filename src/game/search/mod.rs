//! What searching bots of several games share.

mod race;

pub use race::{Race, Verdict};

//! Rung 9: the champion.

pub mod playout;

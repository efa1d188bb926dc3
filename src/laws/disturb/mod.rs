//! Disturbed matches: the messages to a dialogue are deleted, repeated, reordered, cut and changed at random,
//! by seed, and whatever it does about it is watched: no panic, no work without end, every answer legal in
//! form. For tests, for `--example corpus` and, bytes alone, for the fuzz targets.
//!
//! A [`Tape`] is one seat's side of a match among built-in bots. [`disturbed`] spoils it, [`Trial`] feeds
//! it to a fresh dialogue as a session would.

mod disturbance;
mod gate;
mod tape;
mod trial;

pub use disturbance::{Received, disturbed, mutate, undisturbed};
pub use gate::check;
pub use tape::{Line, Tape};
pub use trial::{Said, Trial};

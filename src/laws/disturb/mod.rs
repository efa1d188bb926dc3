//! Disturbed matches: what a dialogue hears is deleted, repeated, reordered, cut and changed at random,
//! by seed, and whatever it does about it is watched: no panic, no work without end, every answer legal in
//! form. For tests, for `--example disturb` and, bytes alone, for the fuzz targets.
//!
//! A [`Tape`] is one seat's side of a match among built-in bots. [`disturbed`] spoils it, [`Trial`] feeds
//! it to a fresh dialogue as a session would.

mod disturbance;
mod gate;
mod tape;
mod trial;

pub use disturbance::{BYTES_MAX, DISTURBANCES_MAX, Heard, disturbed, mutate, undisturbed};
pub use gate::check;
pub use tape::{Line, Tape};
pub use trial::{POLLS_AFTER_STOP_MAX, POLLS_MAX, SLICES_MAX, Said, Trial};

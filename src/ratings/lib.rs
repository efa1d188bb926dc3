//! Ratings of a field of players from the results between each two of them, who meets whom next, and the
//! statistics that say when enough has been played. Pure: no I/O, no clock, randomness seeded.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod exact;
mod fit;
mod matrix;
mod model;
mod results;
mod tables;

pub use fit::{Fit, FitError, Parameter, Settings, fit};
pub use model::Chances;
pub use results::{PairResult, Results, ResultsError, Score};

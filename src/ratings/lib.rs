//! Ratings of a field of players from the results between each two of them, who meets whom next, and the
//! statistics that say when enough has been played. Pure: no I/O, no clock, randomness seeded.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod fit;
pub mod input;
mod ladder;
mod matrix;
mod model;
pub mod pairing;
mod ranking;
mod results;
mod rungs;
pub mod schedule;
mod sequential;

pub use fit::{Fit, FitError, Parameter, Settings, fit};
pub use ladder::Ladder;
pub use model::Chances;
pub use ranking::{Intervals, Ranking, Rated};
pub use results::{PairResult, Results, ResultsError, Score};
pub use rungs::{Climb, Held};
pub use sequential::{SequentialTest, Verdict};

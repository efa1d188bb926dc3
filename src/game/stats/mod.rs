//! Statistics that games, tournaments and benches share.

mod beta;
mod clustered;
mod interval;
mod moments;
mod quantile;
mod student;

pub use beta::ln_gamma;
pub use clustered::ClusteredMean;
pub use interval::{Interval, Z95, events90, rate};
pub use moments::Moments;
pub use quantile::{median, quantile};
pub use student::t95;

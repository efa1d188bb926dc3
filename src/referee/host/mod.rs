//! Plays matches for others: draws their numbers, drives their tables, and resumes interrupted ones.

mod callbacks;
pub mod demo;
pub mod match_info;
mod matches;
pub mod numbers;
mod registry;
pub(super) mod setup;
pub mod started;

pub use match_info::{HostedMatch, MatchEnd, MatchInfo, MatchRequest, transcript};
pub use matches::{Call, Host, HostSettings, OnMatch};
pub use numbers::{Draw, Numbers};
pub use setup::merged;
pub use started::{Ending, StartError, Started};

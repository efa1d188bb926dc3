//! L7: knows what each planet will hold, what can leave it, and how to land exactly enough (README.md).

mod future;
mod habit;
mod plan;
mod raids;

pub(super) use habit::{DESCRIPTION, Surplus, TEAM_DESCRIPTION};

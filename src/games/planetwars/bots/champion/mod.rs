//! Rung 9: every planet's future, the steps that gain most, and one plan for a whole team. How it plays and
//! what was measured: README.md.

mod aims;
mod board;
mod calibration;
mod change;
mod chart;
mod contact;
mod ending;
mod habit;
mod knobs;
mod ledger;
mod line;
mod mind;
mod moves;
mod plan;
mod planner;
mod player;
mod rehearsal;
mod replies;
mod ships;
mod steps;
mod team;
mod timing;
mod upgrades;

pub use player::{DESCRIPTION, TEAM_DESCRIPTION, solo, team};

#[cfg(test)]
pub(crate) use player::timing_found;
#[cfg(test)]
pub(crate) use team::Team;
#[cfg(test)]
pub(crate) use timing::Timing;

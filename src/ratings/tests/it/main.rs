//! The package from outside: against BayesElo, an independent solver, and brute force.

#![allow(clippy::unwrap_used)]

mod golden;
mod input;
mod planowanie;
mod ranking;

//! The package from outside: against BayesElo, an independent solver, brute force and chance.

#![allow(clippy::unwrap_used)]

mod field;
mod golden;
mod input;
mod ladder;
mod laws;
mod pairing;
mod planowanie;
mod played;
mod ranking;
mod rungs;
mod schedule;
mod sequential;

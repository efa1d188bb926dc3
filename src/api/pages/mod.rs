//! Pages for people, made here from the same reads as the API's answers: they work without scripts, and load
//! nothing from elsewhere.

mod assets;
mod bots;
mod chart;
mod dashboard;
mod filters;
mod hubs;
mod layout;
mod login;
mod matches;
mod one_match;
mod opponents;
mod refused;
mod routes;
mod start;
mod tournaments;
mod view;
mod visit;

pub(super) use refused::dress;
pub(super) use routes::{admitted, open};

//! Pages for people, made here from the same reads as the API's answers: they work without scripts, and load
//! nothing from elsewhere.

mod about;
mod assets;
mod bots;
mod dashboard;
mod decisions;
mod docs;
mod embed;
mod entrants;
mod facts;
mod filters;
mod folded;
mod formats;
mod hubs;
mod layout;
mod leaders;
mod login;
mod matches;
mod one_match;
mod opponents;
mod programs;
mod refused;
mod routes;
mod stage;
mod start;
mod tournaments;
mod transcript;
mod turns;
mod versus;
mod view;
mod visit;
mod why;

pub(super) use refused::dress;
pub(super) use routes::{admitted, open};

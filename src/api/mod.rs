//! REST over the store: `/api/v1`, problem documents, health and metrics.

mod asked;
mod auth;
mod bluffs;
mod bots;
mod described;
mod drain;
mod endpoint;
mod entries;
mod facts;
mod fields;
mod health;
mod history;
mod hubs;
mod ledger;
mod listener;
mod lists;
mod matches;
mod openapi;
mod opponents;
mod params;
mod problem;
mod rated;
mod reader;
mod response;
mod routes;
mod seats;
mod sessions;
mod shapes;
mod sight;
mod state;
#[cfg(test)]
mod tests;
mod tokens;
mod tournaments;

pub use listener::serve;
pub use openapi::document;
pub use problem::Problem;
pub use routes::router;
pub use state::{ApiState, Readiness, Room};
pub use tournaments::KeptStandings;

//! REST over the store: `/api/v1`, problem documents, health and metrics.

mod asked;
mod auth;
mod bluffs;
mod bots;
mod drain;
mod entries;
mod facts;
mod health;
mod hubs;
mod listener;
mod matches;
mod opponents;
mod pages;
mod params;
mod problem;
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
pub use problem::Problem;
pub use routes::router;
pub use state::{ApiState, Doors, Readiness, Room};
pub use tournaments::KeptStandings;

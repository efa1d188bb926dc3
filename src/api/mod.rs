//! REST over the store: `/api/v1`, problem documents, health and metrics.

mod asked;
mod auth;
mod bluffs;
mod bots;
mod drain;
mod entries;
mod events;
mod explain;
mod facts;
mod health;
mod hubs;
mod listener;
mod matches;
mod opponents;
mod params;
mod problem;
mod prune;
mod reader;
mod replays;
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
mod versus;

pub use events::Feeds;
pub use explain::Explainer;
pub use listener::serve;
pub use problem::Problem;
pub use routes::router;
pub use state::{ApiState, Readiness, Room};
pub use tournaments::KeptStandings;

//! All of Drover's games. The daemon reaches a game only through its [`Kit`], found in [`ALL`] or by [`find`].
//!
//! A match between two built-in bots, at full speed in this process:
//!
//! ```
//! use games::{Nodes, PlaySetup};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let kit = games::find("planowanie").expect("a game of this name");
//! let setup = PlaySetup {
//!     bots: vec!["greedy".into(), "random".into()],
//!     seed: 7,
//!     options: serde_json::json!({ "deals": "3 0 5 1" }),
//!     ..PlaySetup::default()
//! };
//! let played = kit.play(&setup, &Nodes(100))?;
//! let shares = (kit.card().win_shares)(&played.outcome);
//! assert_eq!(shares.values().iter().sum::<f64>(), 1.0);
//! # Ok(())
//! # }
//! ```

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod fuzzing;

#[cfg(test)]
mod tests;

pub use drover_game::*;
pub use {
    drover_koehandel as koehandel, drover_lighthouses as lighthouses,
    drover_planetwars as planetwars, drover_planowanie as planowanie, drover_smartdog as smartdog,
};

/// Every game, in the order in which they are shown.
pub static ALL: &[&dyn Kit] = &[
    &koehandel::KIT,
    &smartdog::KIT,
    &planowanie::KIT,
    &lighthouses::KIT,
    &planetwars::KIT,
];

/// The first game whose players and referee meet so.
#[must_use]
pub fn met_by(wire: Wire) -> Option<&'static dyn Kit> {
    ALL.iter().copied().find(|kit| kit.card().wire == wire)
}

/// The game with this name.
#[must_use]
pub fn find(game: &str) -> Option<&'static dyn Kit> {
    ALL.iter().copied().find(|kit| kit.card().name == game)
}

/// How scores of the game with this name are worded; as points where there is no such game.
#[must_use]
pub fn scores(game: &str) -> Scores {
    find(game).map_or(Scores::POINTS, |kit| kit.card().scores)
}

/// The JSON Schemas of a game's lines: of `to_program` and of `from_program`. `None`: there is no such game.
#[must_use]
pub fn schema(game: &str) -> Option<serde_json::Value> {
    find(game).map(|kit| kit.schema())
}

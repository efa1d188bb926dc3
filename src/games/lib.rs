//! The rules, wires and bots of Drover's games. Pure: no I/O, no clock, no global randomness.
//!
//! The daemon reaches a game only through its [`Kit`], found in [`ALL`] or by [`find`].
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
//! let shares = kit.win_shares(&played.outcome);
//! assert_eq!(shares.values().iter().sum::<f64>(), 1.0);
//! # Ok(())
//! # }
//! ```

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod answer;
pub mod arena;
pub mod contest;
pub mod counts;
pub mod disturb;
pub mod explain;
pub mod fuzzing;
pub mod game;
pub mod kit;
mod knobs;
pub mod koehandel;
#[cfg(test)]
pub mod laws;
pub mod lighthouses;
pub mod neutral;
pub mod options;
mod participation;
pub mod planetwars;
pub mod planowanie;
pub mod reasons;
pub mod rng;
pub mod scene;
pub mod search;
pub mod smartdog;
pub mod stats;
mod teams;
pub mod text;
pub mod wire;

pub use contest::ladder;
pub use explain::{Candidate, Explanation};
pub use game::{Bot, Budget, Cause, Duel, Fork, Game, Illegal, Listener, Outcome, Seat, Seats};
pub use kit::{
    Bluff, BotCard, DialogueSetup, Exchange, Kit, Learnt, MapSize, MapStyle, Maps, Models, Nodes,
    OptionCard, Pace, PlaySetup, Played, Route, Seating, SetupError, StdioWire, TableSetup, Train,
    Training, Wire, bot_seed,
};
pub use participation::{Part, Participation, is_earned, judge};
pub use reasons::Belief;
pub use scene::{Picture, Scene};
pub use teams::are_mates;
pub use wire::{
    Arrival, Blame, Call, Dialogue, Ending, Fact, Frame, Lesson, Next, Noted, Progress, Reception,
    Reply, ReplyLine, Table, TeamFact, WireError,
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
    ALL.iter().copied().find(|kit| kit.wire() == wire)
}

/// The game with this name.
#[must_use]
pub fn find(game: &str) -> Option<&'static dyn Kit> {
    ALL.iter().copied().find(|kit| kit.game() == game)
}

//! The rules: deals, declarations, tricks, points (README.md, section 1).

mod deal;
mod game;
mod round;
mod setup;

pub use deal::deal;
pub use game::{Act, Ask, Event, LOSER, Planowanie, View};
pub use round::{Play, Round};
pub use setup::{DEALS_MAX, Dealt, Game, GameError, PLAYERS, PlannedDeal, Setup};

//! The standings of a tournament, computed from its matches alone: nothing of them is stored.

mod meetings;
mod order;
mod played;
mod records;
mod table;
mod text;

pub use order::TieBreak;
pub use played::{Named, PlayedGame, RankSettings, results};
pub use table::{OpponentSplit, RatingModel, SeatSplit, Standing, Standings};

#[cfg(test)]
mod tests;

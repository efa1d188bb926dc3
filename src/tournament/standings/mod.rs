//! The standings of a tournament, computed from its matches alone: nothing of them is stored.

mod export;
mod history;
mod league;
mod meetings;
mod order;
mod page;
mod played;
mod records;
mod table;
mod text;
mod until;

pub use export::pgn;
pub use history::{History, Live, RoundRatings};
pub use league::{Expected, League, LeagueLine};
pub use order::TieBreak;
pub use played::{Named, PlayedGame, RankSettings, of_decks, results};
pub use table::{OpponentSplit, RatingModel, SeatSplit, Standing, Standings};
pub use until::{Until, UntilError};

#[cfg(test)]
mod tests;

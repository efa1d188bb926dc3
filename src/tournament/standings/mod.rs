//! The standings of a tournament, computed from its matches alone: nothing of them is stored.

mod history;
mod league;
mod meetings;
mod order;
mod played;
mod records;
mod table;
mod tie_break;
mod until;

pub use history::{History, Live, RoundRatings};
pub use league::{Expected, League, LeagueLine};
pub(crate) use order::rating_key;
pub use played::{Named, PlayedGame, RankSettings, of_decks, results};
pub use table::export::pgn;
pub use table::{OpponentSplit, RatingModel, SeatSplit, Standing, Standings};
pub use tie_break::TieBreak;
pub use until::{Until, UntilError};

#[cfg(test)]
pub(crate) mod tests;

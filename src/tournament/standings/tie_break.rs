//! What decides between entrants.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What decides between entrants. More is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TieBreak {
    /// The sum of results against each other player of each match: 1 won, 0.5 drawn. Who sits out a round gets
    /// none for it: where byes occur, take the share.
    Points,
    /// The rating. Ratings of different components are not comparable: those of the largest come first.
    Rating,
    /// Points, as a share of all results.
    Share,
    /// The mean score of the game itself.
    Score,
    /// Shares of wins of whole matches, 1/k for one of k winners: the sum of them.
    Wins,
    /// The share of the results among those who are equal so far; half of them for who met none of those.
    HeadToHead,
    /// The mean share of those whom an entrant met, by results. With as many results each, this ranks as
    /// Buchholz's sum does.
    Buchholz,
    /// For knock-out: the last round played, then the share of results in it.
    Progress,
}

impl TieBreak {
    /// The word in files and tables, such as `head-to-head`.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Points => "points",
            Self::Rating => "rating",
            Self::Share => "share",
            Self::Score => "score",
            Self::Wins => "wins",
            Self::HeadToHead => "head-to-head",
            Self::Buchholz => "buchholz",
            Self::Progress => "progress",
        }
    }
}

//! What was played: the results between each two players of a table.

use serde::Serialize;
use std::collections::HashMap;

/// Players at most: the covariance of that many takes 32 MB.
pub const PLAYERS_MAX: usize = 2_000;
/// Pair results at most.
pub const RESULTS_MAX: usize = 10_000_000;
/// Characters of a player's name at most.
pub const NAME_CHARS_MAX: usize = 200;

/// A result as the first of two players sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Score {
    /// The second won.
    Loss,
    /// Neither.
    Draw,
    /// The first won.
    Win,
}

impl Score {
    /// All of them, by their number.
    pub(crate) const ALL: [Self; 3] = [Self::Loss, Self::Draw, Self::Win];

    /// The score of the first player's share: 1 won, 0.5 drawn, 0 lost.
    #[must_use]
    pub fn from_share(share: f64) -> Option<Self> {
        Self::ALL.into_iter().find(|score| score.share() == share)
    }

    /// The first player's share: 1 won, 0.5 drawn, 0 lost.
    #[must_use]
    pub const fn share(self) -> f64 {
        match self {
            Self::Loss => 0.0,
            Self::Draw => 0.5,
            Self::Win => 1.0,
        }
    }

    /// As the second player sees it.
    #[must_use]
    pub const fn turned(self) -> Self {
        match self {
            Self::Loss => Self::Win,
            Self::Draw => Self::Draw,
            Self::Win => Self::Loss,
        }
    }
}

/// One result between two players.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairResult {
    /// The number of the one.
    pub first: usize,
    /// The number of the other.
    pub second: usize,
    /// How the first one did.
    pub score: Score,
    /// The number of the table at which they met: results of one table are not independent.
    pub table: usize,
}

/// Why a result or a player is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ResultsError {
    /// A name without characters.
    #[error("a player has no name")]
    Nameless,
    /// A name of more than 200 characters.
    #[error("a player's name has {0} characters; at most {NAME_CHARS_MAX}")]
    LongName(usize),
    /// Too many players.
    #[error("there are more than {PLAYERS_MAX} players")]
    ManyPlayers,
    /// Too many results.
    #[error("there are more than {RESULTS_MAX} results")]
    ManyResults,
    /// A result of a player against itself.
    #[error("{0:?} plays against itself")]
    Itself(String),
}

/// Players, numbered from 0 in the order in which they appear, and their results.
#[derive(Clone, Debug, Default)]
pub struct Results {
    names: Vec<String>,
    numbers: HashMap<String, usize>,
    all: Vec<PairResult>,
    tables: usize,
}

impl Results {
    /// The number of the player with this name, who enters if new.
    ///
    /// # Errors
    /// [`ResultsError`] for an empty or long name or one player too many.
    pub fn player(&mut self, name: &str) -> Result<usize, ResultsError> {
        if let Some(number) = self.numbers.get(name) {
            return Ok(*number);
        }
        match name.chars().count() {
            0 => return Err(ResultsError::Nameless),
            long if long > NAME_CHARS_MAX => return Err(ResultsError::LongName(long)),
            _ if self.names.len() == PLAYERS_MAX => return Err(ResultsError::ManyPlayers),
            _ => {}
        }
        let number = self.names.len();
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        Ok(number)
    }

    /// Opens a table and gives its number.
    pub const fn open_table(&mut self) -> usize {
        self.tables += 1;
        self.tables - 1
    }

    /// Adds a result between players who have entered, at a table that is open.
    ///
    /// # Errors
    /// [`ResultsError`] for a player against itself or one result too many.
    ///
    /// # Panics
    /// If a number is unknown: that is a mistake in the caller.
    pub fn add(&mut self, result: PairResult) -> Result<(), ResultsError> {
        let PairResult {
            first,
            second,
            table,
            ..
        } = result;
        assert!(first.max(second) < self.names.len() && table < self.tables);
        if first == second {
            return Err(ResultsError::Itself(self.names[first].clone()));
        }
        if self.all.len() == RESULTS_MAX {
            return Err(ResultsError::ManyResults);
        }
        self.all.push(result);
        Ok(())
    }

    /// Keeps only the results for which `keep` holds; players and tables keep their numbers.
    pub fn retain(&mut self, keep: impl FnMut(&PairResult) -> bool) {
        self.all.retain(keep);
    }

    /// All names, by number.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// All results, in the order in which they were added.
    #[must_use]
    pub fn all(&self) -> &[PairResult] {
        &self.all
    }

    /// How many tables were opened.
    #[must_use]
    pub const fn tables(&self) -> usize {
        self.tables
    }
}

//! What standings are made of: entrants, matches, and how to rank.

use super::tie_break::TieBreak;
use crate::tournament::Counted;
use ratings::{PairResult, Results, ResultsError, Score, Settings};

/// An entrant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// Its name, unlike all others'.
    pub name: String,
    /// How it plays.
    pub spec: String,
    /// Whether it only fills up groups. It has no rank.
    pub house: bool,
}

/// One match of a tournament.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayedGame {
    /// Its number in the tournament, from 0: by round, table, deck and rotation.
    pub number: u64,
    /// The number of its round, from 0.
    pub round: u32,
    /// The number of its table in the round, from 0.
    pub table: u32,
    /// The seed of its deck. The matches of one table over one deck are one block of all intervals.
    pub seed: u64,
    /// What counts of it; `table` in it are entrants by their place in the list of all.
    pub counted: Counted,
}

/// How entrants are ranked.
#[derive(Clone, Debug, PartialEq)]
pub struct RankSettings {
    /// What decides, and what decides between those who are equal by then; equal by all of it, they share a rank.
    pub order: Vec<TieBreak>,
    /// How ratings are fitted.
    pub rating: Settings,
    /// What a reader must know, each a line below the table.
    pub remarks: Vec<String>,
    /// Why the tournament is over, if it is.
    pub over: Option<String>,
}

impl Default for RankSettings {
    /// By rating as the contest does, then by points and score. No seat has an advantage: all sit everywhere.
    fn default() -> Self {
        Self {
            order: vec![TieBreak::Rating, TieBreak::Points, TieBreak::Score],
            rating: Settings::default(),
            remarks: Vec::new(),
            over: None,
        }
    }
}

impl PlayedGame {
    /// The results between each two entrants of the match that count, as (first, second, how the first did).
    pub fn pairs(&self) -> impl Iterator<Item = (usize, usize, Score)> {
        let table = &self.counted.table;
        self.counted.duels.iter().filter_map(|duel| {
            let first = *table.get(duel.first.index())?;
            let second = *table.get(duel.second.index())?;
            let score = Score::from_share(duel.share)?;
            (first != second).then_some((first, second, score))
        })
    }

    /// What the matches over one deck at one table have in common.
    pub(super) const fn block(&self) -> (u32, u32, u64) {
        (self.round, self.table, self.seed)
    }
}

/// Matches by number. Those of one block follow each other.
pub(super) fn sorted(games: &[PlayedGame]) -> Vec<&PlayedGame> {
    let mut games: Vec<&PlayedGame> = games.iter().collect();
    games.sort_by_key(|game| game.number);
    games
}

/// Blocks of sorted matches.
pub(super) fn blocks<'a>(
    sorted: &'a [&'a PlayedGame],
) -> impl Iterator<Item = &'a [&'a PlayedGame]> {
    sorted.chunk_by(|one, other| one.block() == other.block())
}

/// Matches by number, each with the number of the first one of its block: that says nothing of the deck.
#[must_use]
pub fn of_decks(games: &[PlayedGame]) -> Vec<(u64, &PlayedGame)> {
    let games = sorted(games);
    let first = |block: &[&PlayedGame]| block.first().map_or(0, |game| game.number);
    let numbered = |block: &[&'_ PlayedGame]| vec![first(block); block.len()];
    let decks: Vec<u64> = blocks(&games).flat_map(numbered).collect();
    decks.into_iter().zip(games).collect()
}

/// The results as ratings are fitted to them. Players have the numbers of entrants; a block is a table.
///
/// # Errors
/// [`ResultsError`] for too many entrants or results, or a name that is empty or too long.
pub fn results(entrants: &[Named], games: &[PlayedGame]) -> Result<Results, ResultsError> {
    of_sorted(entrants, &sorted(games))
}

/// The same of sorted matches.
pub(super) fn of_sorted(
    entrants: &[Named],
    sorted: &[&PlayedGame],
) -> Result<Results, ResultsError> {
    let mut results = no_results(entrants)?;
    for block in blocks(sorted) {
        add_block(&mut results, block)?;
    }
    Ok(results)
}

/// No results yet, but players.
pub(super) fn no_results(entrants: &[Named]) -> Result<Results, ResultsError> {
    let mut results = Results::default();
    for entrant in entrants {
        results.player(&entrant.name)?;
    }
    Ok(results)
}

/// Adds the matches of one block as one table, and gives their results.
pub(super) fn add_block(
    results: &mut Results,
    block: &[&PlayedGame],
) -> Result<Vec<PairResult>, ResultsError> {
    let table = results.open_table();
    let pairs = block.iter().flat_map(|game| game.pairs());
    let pairs: Vec<PairResult> = pairs
        .map(|(first, second, score)| PairResult {
            first,
            second,
            score,
            table,
        })
        .collect();
    pairs.iter().try_for_each(|pair| results.add(*pair))?;
    Ok(pairs)
}

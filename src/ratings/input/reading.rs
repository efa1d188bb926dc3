//! What has been read of results.

use super::found::{Found, InputError, Problem};
use crate::results::Score;
use crate::{PairResult, ResultsError};
use std::collections::HashMap;

/// What one line or game says.
#[derive(Debug, Default)]
pub(super) struct Record {
    /// Who enters.
    pub players: Vec<String>,
    /// The results between two of `players`.
    pub results: Vec<(usize, usize, Score)>,
    /// The name of its table; without one it has its own.
    pub table: Option<String>,
}

/// What has been read so far.
#[derive(Default)]
pub(super) struct Reading {
    pub found: Found,
    pub(super) tables: HashMap<String, usize>,
}

impl Reading {
    /// Adds a record or a mistake; false if no more can be added.
    pub(super) fn add(&mut self, line: usize, read: Result<Record, Problem>) -> bool {
        if let Err(problem) = read.and_then(|record| self.enter(&record)) {
            self.found.errors.add(InputError { line, problem });
        }
        !self.found.errors.full
    }

    fn enter(&mut self, record: &Record) -> Result<(), Problem> {
        let results = &mut self.found.results;
        let numbers = record.players.iter().map(|name| results.player(name));
        let numbers = numbers.collect::<Result<Vec<usize>, _>>()?;
        let pairs = record.results.iter();
        let pairs = pairs.map(|(first, second, score)| (numbers[*first], numbers[*second], *score));
        if let Some((itself, ..)) = pairs.clone().find(|(first, second, _)| first == second) {
            return Err(ResultsError::Itself(results.names()[itself].clone()).into());
        }
        if record.results.is_empty() {
            return Ok(());
        }
        let table = match &record.table {
            Some(name) => *self
                .tables
                .entry(name.clone())
                .or_insert_with(|| results.open_table()),
            None => results.open_table(),
        };
        for (first, second, score) in pairs {
            results.add(PairResult {
                first,
                second,
                score,
                table,
            })?;
        }
        Ok(())
    }
}

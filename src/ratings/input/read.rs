//! Which format a text is in, and what all formats share.

use super::{json_lines, pgn, tsv};
use crate::results::{PairResult, Results, ResultsError, Score};
use std::collections::HashMap;

/// What is wrong, and where.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct InputError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong there.
    pub problem: Problem,
}

/// What is wrong with a line.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Problem {
    /// Bytes that are not UTF-8.
    #[error("this is not UTF-8 text")]
    Encoding,
    /// A PGN game that lacks a tag; the line is that of its first one.
    #[error("this game has no tag {0:?}")]
    NoTag(&'static str),
    /// A tag that cannot be read.
    #[error("{0:?} is not a tag; one is [Name \"value\"]")]
    Tag(String),
    /// A result of a PGN game that does not exist.
    #[error("{0:?} is not a result; there are 1-0, 0-1, 1/2-1/2 and *")]
    PgnResult(String),
    /// A line of tab-separated values with too few or too many of them.
    #[error(
        "there are {0} columns; give first player, second player, result and, if you like, table"
    )]
    Columns(usize),
    /// A result of tab-separated values that does not exist.
    #[error(
        "{0:?} is not a result; there are 2 (the first won), 1 (a draw) and 0 (the second won)"
    )]
    TsvResult(String),
    /// A JSON line that is not JSON or has other fields.
    #[error("{0}")]
    Json(String),
    /// A player or result that is refused.
    #[error("{0}")]
    Results(#[from] ResultsError),
}

/// Results as they are read.
#[derive(Default)]
pub(super) struct Reading {
    results: Results,
    tables: HashMap<String, usize>,
}

impl Reading {
    /// The number of a player.
    pub(super) fn player(&mut self, name: &str) -> Result<usize, Problem> {
        Ok(self.results.player(name)?)
    }

    /// The table called `name`, or one of its own.
    pub(super) fn table(&mut self, name: Option<&str>) -> usize {
        let Some(name) = name else {
            return self.results.open_table();
        };
        if let Some(table) = self.tables.get(name) {
            return *table;
        }
        let table = self.results.open_table();
        self.tables.insert(name.to_owned(), table);
        table
    }

    /// Adds one result.
    pub(super) fn add(
        &mut self,
        (first, second): (usize, usize),
        score: Score,
        table: usize,
    ) -> Result<(), Problem> {
        let result = PairResult {
            first,
            second,
            score,
            table,
        };
        Ok(self.results.add(result)?)
    }
}

/// Reads results. The format follows from the first character that is not blank: `[` begins a PGN tag, `{` a JSON
/// line, anything else tab-separated values.
///
/// # Errors
/// [`InputError`] names the line and what is wrong with it.
pub fn read(bytes: &[u8]) -> Result<Results, InputError> {
    let text = str::from_utf8(bytes).map_err(|error| {
        let before = &bytes[..error.valid_up_to()];
        InputError {
            line: 1 + before.iter().filter(|byte| **byte == b'\n').count(),
            problem: Problem::Encoding,
        }
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reading = Reading::default();
    let each = |reader: fn(&mut Reading, &str) -> Result<(), Problem>, reading: &mut Reading| {
        let lines = (1..).zip(text.lines());
        for (line, text) in lines.filter(|(_, text)| !text.trim().is_empty()) {
            reader(reading, text).map_err(|problem| InputError { line, problem })?;
        }
        Ok(())
    };
    match text.trim_start().chars().next() {
        Some('[') => pgn::read(&mut reading, text)?,
        Some('{') => each(json_lines::line, &mut reading)?,
        _ => each(tsv::line, &mut reading)?,
    }
    Ok(reading.results)
}

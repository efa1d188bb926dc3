//! Tab-separated values: first player, second player, result (2 the first won, 1 a draw, 0 the second won) and,
//! if there is one, the table. A line that begins with `#` is a comment.

use super::found::{Problem, shown};
use super::reading::Record;
use crate::results::Score;

/// What one line says.
pub(super) fn record(line: &str) -> Result<Record, Problem> {
    if line.starts_with('#') {
        return Ok(Record::default());
    }
    let columns: Vec<&str> = line.split('\t').collect();
    let (first, second, result, table) = match columns[..] {
        [first, second, result] => (first, second, result, None),
        [first, second, result, table] => (first, second, result, Some(table.to_owned())),
        _ => return Err(Problem::Columns(columns.len())),
    };
    let score = match result.trim() {
        "2" => Score::Win,
        "1" => Score::Draw,
        "0" => Score::Loss,
        other => return Err(Problem::TsvResult(shown(other))),
    };
    Ok(Record {
        players: vec![first.to_owned(), second.to_owned()],
        results: vec![(0, 1, score)],
        table,
    })
}

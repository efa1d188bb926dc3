//! Tab-separated values: first player, second player, result (2 the first won, 1 a draw, 0 the second won) and,
//! if there is one, the table. A line that begins with `#` is a comment.

use super::read::{Problem, Reading};
use crate::results::Score;

/// Reads one line.
pub(super) fn line(reading: &mut Reading, line: &str) -> Result<(), Problem> {
    if line.starts_with('#') {
        return Ok(());
    }
    let columns: Vec<&str> = line.split('\t').collect();
    let (first, second, result, table) = match columns[..] {
        [first, second, result] => (first, second, result, None),
        [first, second, result, table] => (first, second, result, Some(table)),
        _ => return Err(Problem::Columns(columns.len())),
    };
    let score = match result.trim() {
        "2" => Score::Win,
        "1" => Score::Draw,
        "0" => Score::Loss,
        other => return Err(Problem::TsvResult(other.to_owned())),
    };
    let pair = (reading.player(first)?, reading.player(second)?);
    let table = reading.table(table);
    reading.add(pair, score, table)
}

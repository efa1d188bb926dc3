//! Where something stands in a file: the origin of a value or a mistake.

use std::path::Path;

/// The lines of a file's text.
#[derive(Debug)]
pub struct Lines<'a> {
    path: String,
    text: &'a str,
    /// The end of each line, in bytes.
    ends: Vec<usize>,
}

impl<'a> Lines<'a> {
    /// The lines of this text, which `path` holds.
    #[must_use]
    pub fn new(path: &Path, text: &'a str) -> Self {
        Self {
            path: path.display().to_string(),
            text,
            ends: text.match_indices('\n').map(|(at, _)| at).collect(),
        }
    }

    /// The number of the line, from 1, in which this byte stands.
    #[must_use]
    pub fn line(&self, offset: usize) -> usize {
        1 + self.ends.partition_point(|end| *end < offset)
    }

    /// The file and the line of this byte.
    #[must_use]
    pub fn origin(&self, offset: usize) -> String {
        format!("{}, line {}", self.path, self.line(offset))
    }

    /// The same with the column, in characters.
    #[must_use]
    pub fn place(&self, offset: usize) -> String {
        let before = self.text.get(..offset).unwrap_or_default();
        let column = before.chars().rev().take_while(|char| *char != '\n');
        format!("{}, column {}", self.origin(offset), 1 + column.count())
    }
}

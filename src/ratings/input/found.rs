//! What a text holds: results, mistakes, and what its reader should know.

use crate::results::{Results, ResultsError};
use std::collections::BTreeMap;
use std::fmt;

/// Mistakes that are kept; further ones are counted.
pub const ERRORS_MAX: usize = 20;
/// Characters of a text that a message repeats.
const SHOWN_MAX: usize = 200;

/// What is wrong, and where.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct InputError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong there.
    pub problem: Problem,
}

/// What is wrong with a line, or with a PGN game.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Problem {
    /// Bytes that are not UTF-8.
    #[error("this is not UTF-8 text; `iconv -t UTF-8 -f` with the file's encoding makes it so")]
    Encoding,
    /// A PGN game that lacks a tag; the line is that of its beginning.
    #[error("this game has no tag {0:?}")]
    NoTag(&'static str),
    /// A PGN game without a result in tag and moves.
    #[error("this game has no result: neither a tag \"Result\" nor one that ends its moves")]
    NoResult,
    /// A PGN game whose player is "?".
    #[error("{0} is \"?\", which means that nobody knows who played")]
    Unknown(&'static str),
    /// A tag that is needed and cannot be read.
    #[error("{0:?} is not a tag; one is [Name \"value\"]")]
    Tag(String),
    /// A result of a PGN game that does not exist.
    #[error(
        "{0:?} is not a result; there are 1-0, 0-1, 1/2-1/2 and *, and a forfeit counts if it is written as one of them"
    )]
    PgnResult(String),
    /// A line of tab-separated values with too few or too many of them.
    #[error(
        "a line has three or four columns, not {0}: first player, second player, result and, if you like, table"
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

/// As much of a text as a message repeats.
pub(super) fn shown(text: &str) -> String {
    match text.char_indices().nth(SHOWN_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The mistakes of a text, in its order.
#[derive(Clone, Debug, Default, PartialEq, thiserror::Error)]
pub struct Errors {
    /// The first [`ERRORS_MAX`].
    pub first: Vec<InputError>,
    /// How many there are.
    pub count: usize,
    /// Whether the last one is a limit of all results: nothing was read after it.
    pub full: bool,
}

impl Errors {
    pub(super) fn add(&mut self, error: InputError) {
        self.count += 1;
        self.full = matches!(
            error.problem,
            Problem::Results(ResultsError::ManyPlayers | ResultsError::ManyResults)
        );
        if self.first.len() < ERRORS_MAX || self.full {
            self.first.push(error);
        }
    }
}

impl fmt::Display for Errors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let [only] = &self.first[..] {
            return only.fmt(f);
        }
        write!(f, "{} mistakes:", self.count)?;
        for error in &self.first {
            write!(f, "\n  {error}")?;
        }
        match self.count - self.first.len() {
            0 => Ok(()),
            more => write!(f, "\n  and {more} more"),
        }
    }
}

/// What is read, but perhaps not as meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Note {
    /// A name that is not UTF-8.
    Latin1,
    /// A comment of PGN that is never closed.
    CutComment,
    /// A comment of PGN that holds tags and is closed.
    TagsInComment,
    /// A game of PGN whose moves end with another result than its tag has.
    OtherResult,
    /// A game of PGN that is not over.
    Unfinished,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Latin1 => "this is not UTF-8 and was read as ISO 8859-1",
            Self::CutComment => {
                "this comment is never closed; it was taken to end where the tags of a game begin"
            }
            Self::TagsInComment => "this comment holds tags, which were not read",
            Self::OtherResult => "the moves end with another result than the tag, which counts",
            Self::Unfinished => "this game has no result yet (*)",
        })
    }
}

/// By kind: the first line with it, and how often it was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notes(BTreeMap<Note, (usize, usize)>);

impl Notes {
    pub(super) fn add(&mut self, note: Note, line: usize) {
        self.0.entry(note).or_insert((line, 0)).1 += 1;
    }

    /// A sentence for each kind.
    pub fn sentences(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(|(note, (line, count))| match count {
            1 => format!("line {line}: {note}"),
            _ => format!("line {line} and {} more: {note}", count - 1),
        })
    }
}

/// What a text holds.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// What can be read.
    pub results: Results,
    /// What cannot: a line, or a game of PGN, counts wholly or not at all.
    pub errors: Errors,
    /// What else its reader should know.
    pub notes: Notes,
}

impl Found {
    /// The results, if everything can be read.
    ///
    /// # Errors
    /// All mistakes.
    pub fn whole(self) -> Result<Results, Errors> {
        match self.errors.count {
            0 => Ok(self.results),
            _ => Err(self.errors),
        }
    }
}

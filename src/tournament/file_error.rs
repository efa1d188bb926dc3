//! What is wrong with a tournament's file.

use crate::config::listed;
use std::fmt;

/// Why a tournament's file cannot be used: sentences that name the places.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct FileError(Vec<String>);

impl FileError {
    /// One mistake.
    pub(super) fn one(why: impl Into<String>) -> Self {
        Self(vec![why.into()])
    }

    /// Each mistake with what this adds to it.
    #[must_use]
    pub fn map(self, add: impl Fn(&str) -> String) -> Self {
        Self(self.0.iter().map(|why| add(why)).collect())
    }

    /// All values, or all mistakes, each once.
    ///
    /// # Errors
    /// If there is any.
    pub fn all<T>(results: impl IntoIterator<Item = Result<T, Self>>) -> Result<Vec<T>, Self> {
        let (mut values, mut mistakes) = (Vec::new(), Vec::new());
        for result in results {
            match result {
                Ok(value) => values.push(value),
                Err(Self(further)) => mistakes.extend(further),
            }
        }
        let mut known: Vec<String> = Vec::new();
        for mistake in mistakes {
            if !known.contains(&mistake) {
                known.push(mistake);
            }
        }
        match known.is_empty() {
            true => Ok(values),
            false => Err(Self(known)),
        }
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_slice() {
            [only] => out.write_str(only),
            several => out.write_str(&listed(several)),
        }
    }
}

pub(super) fn refuse<T>(why: String) -> Result<T, FileError> {
    Err(FileError::one(why))
}

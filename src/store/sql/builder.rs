//! [`Builder`]: a statement put together.

use super::query::{Query, query};
use super::value::Value;
use std::fmt::{Display, Write as _};

/// A statement that is put together from parts.
#[derive(Debug, Default)]
pub(crate) struct Builder {
    text: String,
    values: Vec<Value>,
}

impl Builder {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        let (text, values) = (text.into(), Vec::new());
        Self { text, values }
    }

    /// Adds a part.
    pub(crate) fn push(&mut self, part: impl Display) -> &mut Self {
        write!(self.text, "{part}").expect("a String takes everything");
        self
    }

    /// Adds a parameter.
    pub(crate) fn push_bind(&mut self, value: impl Into<Value>) -> &mut Self {
        self.values.push(value.into());
        let number = self.values.len();
        self.push(format_args!("${number}"))
    }

    /// The statement.
    pub(crate) fn build(self) -> Query {
        self.values.into_iter().fold(query(self.text), Query::bind)
    }
}

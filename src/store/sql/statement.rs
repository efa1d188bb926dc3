//! [`Statement`]: a statement for rows.

/// A statement for any number of rows: its text before and after them.
#[derive(Debug)]
pub(in crate::store) struct Statement {
    pub(in crate::store) before: &'static str,
    /// The type of each column: `i`, a number; `r`, a real one; `t`, a text; `b`, a text of strangers; `B`, bytes.
    pub(in crate::store) kinds: &'static str,
    pub(in crate::store) after: &'static str,
    /// Whether its rows have numbers that rise in the order of commits, which SQLite gives by itself.
    pub(in crate::store) is_numbered: bool,
}

impl Statement {
    pub(in crate::store) const fn columns(&self) -> usize {
        self.kinds.len()
    }
}

//! Keyset pages: newest first, an id is a cursor.

use super::records::{Page, PageAt};
use crate::store::StoreError;
use serde_json::Value;

/// The number below which the page's rows are.
pub(super) fn number_before(at: &PageAt) -> Result<i64, StoreError> {
    match &at.after {
        None => Ok(i64::MAX),
        Some(cursor) => cursor.parse().map_err(|_| StoreError::Unknown {
            what: "cursor",
            id: cursor.clone(),
        }),
    }
}

/// The number above which the page's rows are, where the oldest come first.
pub(crate) fn number_after(at: &PageAt) -> Result<i64, StoreError> {
    at.after.as_ref().map_or(Ok(0), |_| number_before(at))
}

/// Cuts off the one row read beyond the limit, which shows whether there is a next page.
pub(crate) fn cut<T>(mut rows: Vec<T>, at: &PageAt, cursor: impl Fn(&T) -> String) -> Page<T> {
    let limit = at.limit as usize;
    let more = rows.len() > limit;
    rows.truncate(limit);
    let next = rows.last().filter(|_| more).map(cursor);
    Page { items: rows, next }
}

/// Ids of rows, newest first.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) ids: Vec<String>,
    /// The cursor to go on from; `None` if there are no others.
    pub(super) next: Option<String>,
}

impl Found {
    /// The ids as a JSON list.
    pub(super) fn json(&self) -> String {
        Value::from_iter(self.ids.iter().map(String::as_str)).to_string()
    }
}

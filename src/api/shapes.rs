//! What several answers have in common: lists, times, and beginnings of long texts.

use super::problem::Problem;
pub(super) use crate::clock::time;
use crate::history::{Page, PageAt};
use serde::Serialize;
use utoipa::ToSchema;

/// A list, or one page of it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(super) struct Listed<T> {
    /// The rows.
    pub items: Vec<T>,
    /// The `cursor` of the next page; `null` on the last one. A page with a next one may be short or empty.
    #[schema(required)]
    pub next: Option<String>,
    /// Why this list may be incomplete for this caller.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false)]
    pub withheld: Option<&'static str>,
    /// Whether all of the list is public and final.
    #[serde(skip)]
    pub lasting: bool,
}

/// A page that was read, or why it was not.
pub(super) type Paged<T> = Result<Listed<T>, Problem>;

impl<T> Listed<T> {
    /// These rows and the next page's cursor.
    pub(super) fn new(items: Vec<T>, next: Option<String>) -> Self {
        Self {
            items,
            next,
            withheld: None,
            lasting: false,
        }
    }

    /// The page with each row shown as `show` says.
    pub(super) fn page<R>(page: Page<R>, show: impl FnMut(R) -> T) -> Self {
        Self::new(page.items.into_iter().map(show).collect(), page.next)
    }

    /// A page of a list that is at hand. Its cursors count rows.
    pub(super) fn cut(items: impl IntoIterator<Item = T>, at: &PageAt) -> Paged<T> {
        let before = match &at.after {
            Some(cursor) => cursor.parse().map_err(|_| Problem::cursor(cursor))?,
            None => 0,
        };
        let limit = at.limit as usize;
        let mut rest = items.into_iter().skip(before);
        let items: Vec<T> = rest.by_ref().take(limit).collect();
        let next = rest.next().map(|_| (before + limit).to_string());
        Ok(Self::new(items, next))
    }
}

/// What is shown of a text at once, with this many line breaks and letters at most, and the rest of it. It is cut between
/// lines, else between words, where that keeps half of it or more.
pub(super) fn beginning(text: &str, breaks_max: usize, letters_max: usize) -> (&str, &str) {
    let breaks = text.match_indices('\n').nth(breaks_max);
    let letters = text.char_indices().nth(letters_max);
    let ends = breaks.map(|(end, _)| end).into_iter();
    let Some(end) = ends.chain(letters.map(|(end, _)| end)).min() else {
        return (text, "");
    };
    let (shown, rest) = text.split_at(end);
    if rest.starts_with('\n') {
        return (shown, rest);
    }
    let is_late = |at: &usize| 2 * at >= end;
    let line = shown.rfind('\n').filter(is_late);
    let between = line.or_else(|| shown.rfind(' ').filter(is_late));
    text.split_at(between.unwrap_or(end))
}

#[cfg(test)]
mod tests {
    use super::beginning;

    #[test]
    fn a_long_text_begins_with_a_few_lines_and_letters() {
        for (text, shown, rest) in [
            ("one", "one", ""),
            ("1\n2\n3", "1\n2\n3", ""),
            ("1\n2\n3\n4", "1\n2\n3", "\n4"),
            ("éééééééééé", "éééééééééé", ""),
            ("ééééééééééx", "éééééééééé", "x"),
            ("1\n2 3 4 5 6", "1\n2 3 4 5", " 6"),
            ("123456\n8 10", "123456", "\n8 10"),
            ("1\n345678901", "1\n34567890", "1"),
            ("bid 20 pass", "bid 20", " pass"),
            ("", "", ""),
        ] {
            assert_eq!(beginning(text, 2, 10), (shown, rest), "{text:?}");
        }
    }
}

//! Lists with several rows a match, newest match first: a cursor is a row's place in its match.

use super::problem::Problem;
use super::reader::Reader;
use super::shapes::{Listed, Paged};
use crate::history::{self, Filter, PageAt};
use crate::store::MatchRow;

/// How often matches are read for one page; after that the page is shorter.
const READS_MAX: usize = 16;

/// A row of a match.
pub(super) struct InMatch<T> {
    /// The match.
    pub match_id: String,
    /// Its place in the match: rises from row to row.
    pub number: u32,
    /// The row.
    pub row: T,
}

/// A list with several rows a match.
pub(super) trait InMatches: Sync {
    /// A row.
    type Item: Send;
    /// How many matches are read at once.
    const READ: u32;

    /// The rows that are wanted of these matches, in their order.
    fn rows(
        &self,
        reader: &Reader,
        matches: Vec<MatchRow>,
    ) -> impl Future<Output = Result<Vec<InMatch<Self::Item>>, Problem>> + Send;
}

/// A page of such a list: of those matches that fit the filter, as far as the caller may ask for them.
pub(super) async fn page<L: InMatches>(
    list: &L,
    reader: &Reader,
    filter: &Filter,
    at: PageAt,
) -> Paged<L::Item> {
    let before = at.after.clone();
    let after = At::read(before.as_deref());
    let limit = at.limit as usize;
    let mut found: Vec<InMatch<L::Item>> = Vec::new();
    // What follows a match's id sorts above it, so that the match itself is read again.
    let mut matches = PageAt {
        after: at.after,
        limit: L::READ.min(at.limit.saturating_add(1)),
    };
    for _ in 0..READS_MAX {
        let page = history::matches(reader.state.store.reader(), filter, &matches).await?;
        // Short although more may follow: the store stopped at its limit of rows to look at.
        let is_short = page.items.len() < matches.limit as usize;
        let rows = list.rows(reader, page.items).await?.into_iter();
        found.extend(rows.filter(|row| !after.has(row)));
        matches.after = page.next;
        if found.len() > limit || matches.after.is_none() || is_short {
            break;
        }
    }
    let mut next = matches.after;
    if found.len() > limit {
        found.truncate(limit);
        let last = found.last();
        next = last.map(|row| format!("{}.{}", row.match_id, row.number));
    }
    let items = found.into_iter().map(|row| row.row);
    Ok(Listed::new(items.collect(), next))
}

/// The row after which a page begins.
struct At<'a> {
    match_id: &'a str,
    number: u32,
}

impl<'a> At<'a> {
    fn read(after: Option<&'a str>) -> Self {
        let (match_id, number) = after
            .and_then(|after| after.split_once('.'))
            .unwrap_or_default();
        let number = number.parse().unwrap_or_default();
        Self { match_id, number }
    }

    /// Whether this row was on a page before.
    fn has<T>(&self, row: &InMatch<T>) -> bool {
        row.match_id == self.match_id && row.number <= self.number
    }
}

//! The matches of a store.

use drover::history::{self, Filter, PageAt};
use drover::store::{MatchRow, Store};

/// Matches read at a time.
const PAGE: u32 = 200;

/// All matches.
pub(crate) async fn matches(store: &Store) -> anyhow::Result<Vec<MatchRow>> {
    let mut rows = Vec::new();
    let mut at = PageAt::first(PAGE);
    loop {
        let page = history::matches(store.reader(), &Filter::default(), &at).await?;
        rows.extend(page.items);
        at.after = page.next;
        if at.after.is_none() {
            return Ok(rows);
        }
    }
}

//! The bluff history.

use super::events::{self, Begin};
use super::lists::Rows;
use super::problem::Problem;
use super::query::Params;
use super::reader::Reader;
use super::shapes::{Listed, Paged};
use super::sight::{Sight, WITHHELD};
use crate::history::{self, BluffRow, Filter, Page, PageAt};

/// The filters of the list.
const FILTERS: &[&str] = &[
    "game", "match", "opponent", "by", "bot", "caught", "since", "until",
];

/// How often rows are read for one page that its caller may see; after that the page is shorter.
const READS_MAX: usize = 100;

/// The list of bluffs.
pub(super) struct Bluffs;

impl Rows for Bluffs {
    type Item = BluffRow;
    type Filters = Filter;
    const FILTERS: &'static [&'static str] = FILTERS;
    const FOLLOW: Option<Begin<Self>> =
        Some(|reader, params| Box::pin(events::Bluffs::begin(reader, params)));

    async fn page(reader: &Reader, params: &Params<Filter>) -> Paged<BluffRow> {
        let listed = page(reader, params).await?;
        reader.expects(listed, params).await
    }
}

/// Bluffs, newest first.
pub(super) async fn page(reader: &Reader, params: &Params<Filter>) -> Paged<BluffRow> {
    let filter = params.filter_for(&reader.sight)?;
    let rows = seen(reader, &filter, params.page()?).await?;
    let mut listed = Listed::page(rows, |row| shown(&reader.sight, row));
    // Sent whether or not anything was left out: the difference would reveal what is happening.
    listed.withheld = (!reader.sight.sees_all()).then_some(WITHHELD);
    Ok(listed)
}

/// The next page of what the caller sees. Its cursor is a row that the caller sees, present only if it sees
/// another one after it, so that it reveals nothing about those between.
async fn seen(reader: &Reader, filter: &Filter, at: PageAt) -> Result<Page<BluffRow>, Problem> {
    let limit = at.limit as usize;
    let mut at = PageAt {
        limit: at.limit + 1,
        ..at
    };
    let mut items = Vec::new();
    for _ in 0..READS_MAX {
        let read = history::bluffs(reader.state.store.reader(), filter, &at).await?;
        let shown = read
            .items
            .into_iter()
            .filter(|row| reader.sight.sees(&row.secrecy));
        items.extend(shown);
        at.after = read.next;
        if items.len() > limit || at.after.is_none() {
            break;
        }
    }
    if items.len() > limit {
        items.truncate(limit);
        at.after = items.last().map(|row| row.id.to_string());
    }
    let next = at.after;
    Ok(Page { items, next })
}

/// A bluff as shown to callers.
pub(super) fn shown(sight: &Sight, row: BluffRow) -> BluffRow {
    let bot = sight.spec(&row.bot, row.secrecy.entrant.as_deref());
    BluffRow {
        bot: bot.to_owned(),
        ..row
    }
}

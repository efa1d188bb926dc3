//! The bluff history.

use super::events::Waiting;
use super::lists::{Begin, Rows, Tail};
use super::problem::Problem;
use super::query::{Params, allowed};
use super::reader::Reader;
use super::shapes::{Listed, Paged};
use super::sight::Sight;
use crate::history::{self, BluffRow, Filter, Page, PageAt};
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;

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
        Some(|reader, params| Box::pin(Following::begin(reader, params)));

    async fn page(reader: &Reader, params: &Params<Filter>) -> Paged<BluffRow> {
        let listed = page(reader, params).await?;
        reader.expects(listed, &params.filters).await
    }
}

/// Bluffs, newest first.
pub(super) async fn page(reader: &Reader, params: &Params<Filter>) -> Paged<BluffRow> {
    let filter = allowed(&params.filters, &reader.sight)?;
    let rows = seen(reader, &filter, params.page()?).await?;
    let mut listed = Listed::page(rows, |row| shown(&reader.sight, row));
    listed.withheld = reader.sight.withheld();
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

/// The bluff history as it grows. Its cursors are bluffs' numbers.
struct Following {
    reader: Reader,
    filter: Filter,
    waiting: Waiting,
    limit: u32,
    /// Up to which bluff all were looked at.
    read: i64,
    /// The last one that the follower has seen: its cursor must reveal nothing of others.
    seen: i64,
    first: Vec<BluffRow>,
}

impl Following {
    /// Follows from the cursor in `params`, or begins with the newest bluffs.
    async fn begin(
        reader: Reader,
        params: Params<Filter>,
    ) -> Result<Box<dyn Tail<BluffRow>>, Problem> {
        let waiting = Waiting::new(reader.state.store.bells().bluffs_bell());
        let (filter, at) = (allowed(&params.filters, &reader.sight)?, params.page()?);
        let (first, read) = match at.after.and_then(|after| after.parse().ok()) {
            Some(after) => (Vec::new(), after),
            None => {
                let last = history::last_bluff(reader.state.store.reader()).await?;
                let mut first = page(&reader, &params).await?.items;
                first.reverse();
                let newest = first.last().map_or(last, |newest| last.max(newest.id));
                (first, newest)
            }
        };
        let known = params.page.cursor.as_ref().map_or(0, |_| read);
        let seen = first.last().map_or(known, |bluff| bluff.id);
        Ok(Box::new(Self {
            reader,
            filter,
            waiting,
            limit: at.limit,
            read,
            seen,
            first,
        }))
    }

    async fn rows(&mut self) -> Result<Listed<BluffRow>, Problem> {
        let mut items = std::mem::take(&mut self.first);
        for reads in 1.. {
            if !items.is_empty() {
                break;
            }
            let store = &self.reader.state.store;
            let after = history::bluffs_after(store.reader(), &self.filter, self.read, self.limit);
            let (rows, upto) = after.await?;
            if upto == self.read {
                break;
            }
            self.read = upto;
            let sight = &self.reader.sight;
            let rows = rows.into_iter().filter(|row| sight.sees(&row.secrecy));
            items.extend(rows.map(|row| shown(sight, row)));
            if reads == READS_MAX {
                self.seen = upto;
                break;
            }
        }
        if let Some(last) = items.last() {
            self.seen = last.id;
        }
        Ok(Listed {
            withheld: self.reader.sight.withheld(),
            ..Listed::new(items, Some(self.seen.to_string()))
        })
    }
}

impl Tail<BluffRow> for Following {
    fn read(&mut self) -> BoxFuture<'_, Result<Listed<BluffRow>, Problem>> {
        self.rows().boxed()
    }

    fn wait(&mut self) -> BoxFuture<'_, ()> {
        self.waiting.wait().boxed()
    }
}

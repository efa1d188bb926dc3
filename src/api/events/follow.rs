//! Lists that are followed: the rows that are there, then those that come.
//!
//! A follower sees what the list would show it. What comes to a match is read once for all who follow it; of lists of
//! matches, sessions and bluffs the commits only say when to read.

use super::all_matches::AT_ONCE;
use super::one_match::{Mark, News, OneMatch};
use super::shared::{Follower, Waiting};
use crate::api::contents::{Seen, Wanted};
use crate::api::lists::{Rows, Tail};
use crate::api::problem::Problem;
use crate::api::query::{LIMIT_MAX, Params, allowed};
use crate::api::reader::Reader;
use crate::api::shapes::Listed;
use crate::api::sight::{Sight, WITHHELD};
use crate::history::{self, Change, Filter, SessionRow};
use crate::store::StoreError;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use std::collections::VecDeque;
use std::sync::Arc;

/// The rows of a match that come with news of it.
pub(in crate::api) trait OfNews: Rows<Filters = Wanted> {
    /// A row's number.
    fn number(row: &Self::Item) -> i64;

    /// The place in the match after the row with this number, and after everything that is not in this list.
    fn after(last: i64) -> Mark;

    /// The rows in the news, in order, each with its session.
    fn rows(news: &News) -> &[(Arc<SessionRow>, Self::Item)];

    /// The row as shown to callers, if it is wanted.
    fn shown(sight: &Sight, wanted: &Wanted, row: &Self::Item) -> Option<Self::Item>;
}

/// A list of one match, the oldest row first: it ends with the match. Its cursors are its rows' numbers.
pub(in crate::api) struct OfMatch<L: OfNews> {
    /// That of the beginning: of each session a follower sees all or nothing.
    sight: Sight,
    wanted: Wanted,
    follower: Follower<OneMatch>,
    /// What has come and is not sent yet.
    come: VecDeque<L::Item>,
    limit: usize,
    /// The last row that was sent.
    last: i64,
    over: bool,
    withheld: Option<&'static str>,
}

impl<L: OfNews> OfMatch<L> {
    /// Follows from the cursor in `params`, or from the first row.
    pub(in crate::api) async fn begin(
        reader: Reader,
        params: Params<Wanted>,
    ) -> Result<Box<dyn Tail<L::Item>>, Problem> {
        let seen = Seen::read(&reader, &params).await?;
        let last = params.number()?.unwrap_or_default();
        let feed = reader.state.feeds.of_match(params.id());
        Ok(Box::new(Self {
            sight: reader.sight,
            follower: feed.follow(L::after(last)),
            come: VecDeque::new(),
            limit: params.page()?.limit as usize,
            wanted: params.filters,
            last,
            over: false,
            withheld: seen.withheld.then_some(WITHHELD),
        }))
    }

    async fn rows(&mut self) -> Result<Listed<L::Item>, Problem> {
        while self.come.is_empty() && !self.over {
            let part = self.follower.read().await?;
            let (sight, wanted) = (&self.sight, &self.wanted);
            let rows = L::rows(&part.rows).iter();
            let rows = rows.filter(|(of, _)| wanted.has(of) && sight.sees(&of.secrecy));
            let shown = rows.filter_map(|(_, row)| L::shown(sight, wanted, row));
            self.come.extend(shown);
            self.over = part.rows.over.is_some();
            if !self.follower.is_behind() {
                break;
            }
        }
        let items = self.come.drain(..self.limit.min(self.come.len()));
        let items: Vec<_> = items.collect();
        self.last = items.last().map_or(self.last, L::number);
        let ends = self.over && self.come.is_empty();
        let next = (!ends).then(|| self.last.to_string());
        Ok(Listed {
            withheld: self.withheld,
            ..Listed::new(items, next)
        })
    }
}

impl<L: OfNews> Tail<L::Item> for OfMatch<L> {
    fn read(&mut self) -> BoxFuture<'_, Result<Listed<L::Item>, Problem>> {
        self.rows().boxed()
    }

    fn wait(&mut self) -> BoxFuture<'_, ()> {
        self.follower.wait().boxed()
    }
}

/// All matches, or sessions: a row whenever it begins or ends. A cursor is the number of a change.
pub(in crate::api) struct Changes<L: Rows> {
    reader: Reader,
    params: Params<Filter>,
    waiting: Waiting,
    /// The change up to which all is sent.
    mark: i64,
    /// The newest rows that were there at the beginning.
    first: Option<Listed<L::Item>>,
    limit: usize,
    kind: Kind<L>,
}

/// What a change is about, of those of its match, if the list has rows for it; and whether a row of the match is the
/// one that changed.
type Kind<L> = (
    fn(&Change) -> Option<i64>,
    fn(&Change, &<L as Rows>::Item) -> bool,
);

impl<L: Rows<Filters = Filter>> Changes<L> {
    /// Follows from the cursor in `params`, or begins with the newest rows.
    pub(in crate::api) async fn begin(
        reader: Reader,
        mut params: Params<Filter>,
        kind: Kind<L>,
    ) -> Result<Box<dyn Tail<L::Item>>, Problem> {
        let store = &reader.state.store;
        let waiting = Waiting::new(store.bells().changes_bell());
        let cursor = params.page.cursor.take();
        let limit = params.page()?.limit as usize;
        allowed(&params.filters, &reader.sight)?;
        let (mark, first) = match cursor {
            Some(cursor) => {
                let mark = cursor.parse::<i64>().ok().filter(|mark| *mark >= 0);
                let mark = mark.ok_or_else(|| Problem::cursor(&cursor))?;
                if !history::follows_change(store.reader(), mark).await? {
                    return Err(StoreError::Forgotten.into());
                }
                (mark, None)
            }
            None => {
                let mark = history::last_change(store.reader()).await?;
                let mut listed = L::page(&reader, &params).await?;
                listed.items.reverse();
                (mark, Some(listed))
            }
        };
        Ok(Box::new(Self {
            reader,
            params,
            waiting,
            mark,
            first,
            limit,
            kind,
        }))
    }

    async fn rows(&mut self) -> Result<Listed<L::Item>, Problem> {
        self.reader.sight = self.reader.sight.now();
        let first = self.first.take();
        let mut listed = first.unwrap_or_else(|| Listed::new(Vec::new(), None));
        let store = self.reader.state.store.clone();
        while listed.items.len() < self.limit {
            let changes = history::changes(store.reader(), self.mark, AT_ONCE).await?;
            let last = changes.last().map(|change| change.id);
            for (at, change) in changes.iter().enumerate() {
                if listed.items.len() >= self.limit {
                    break;
                }
                // Of what changes twice, the later row says it all.
                let mut later = changes[at + 1..].iter();
                let about = (self.kind.0)(change);
                let again = later.any(|later| {
                    later.match_id == change.match_id && (self.kind.0)(later) == about
                });
                if about.is_some() && !again && self.wants(&change.match_id) {
                    let mut of_match = self.params.clone();
                    of_match.filters.match_id = Some(change.match_id.clone());
                    of_match.page.limit = Some(LIMIT_MAX);
                    let rows = L::page(&self.reader, &of_match).await?;
                    let rows = rows.items.into_iter();
                    let rows = rows.filter(|row| (self.kind.1)(change, row));
                    listed.items.extend(rows);
                }
                self.mark = change.id;
            }
            if last.is_none_or(|last| last > self.mark) || changes.len() < AT_ONCE as usize {
                break;
            }
        }
        listed.next = Some(self.mark.to_string());
        Ok(listed)
    }

    fn wants(&self, id: &str) -> bool {
        let wanted = self.params.filters.match_id.as_ref();
        wanted.is_none_or(|wanted| wanted == id)
    }
}

impl<L: Rows<Filters = Filter>> Tail<L::Item> for Changes<L> {
    fn read(&mut self) -> BoxFuture<'_, Result<Listed<L::Item>, Problem>> {
        self.rows().boxed()
    }

    fn wait(&mut self) -> BoxFuture<'_, ()> {
        self.waiting.wait().boxed()
    }
}

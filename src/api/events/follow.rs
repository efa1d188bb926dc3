//! Lists that are followed: the rows that are there, then those that come.
//!
//! Every row is read as a page without `follow` reads it, so that a follower sees what the list would show it; the
//! commits only say when to read.

use super::everything::{Everything, Move};
use super::feed::{Feed, over};
use super::ring;
use crate::api::bluffs::{self, BluffShown};
use crate::api::lists::Rows;
use crate::api::params::{LIMIT_MAX, Params};
use crate::api::problem::Problem;
use crate::api::reader::Reader;
use crate::api::shapes::Listed;
use crate::api::sight::WITHHELD;
use crate::store::Filter;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use std::collections::VecDeque;
use std::sync::Arc;

/// How often bluffs are read for one answer before it is an empty one that leads on.
const READS_MAX: usize = 100;

/// Begins to follow a list.
pub(in crate::api) type Begin<L> =
    fn(Reader, Params) -> BoxFuture<'static, Result<Box<dyn Tail<<L as Rows>::Item>>, Problem>>;

/// Where a follower stands in a list.
pub(in crate::api) trait Tail<T>: Send {
    /// The rows at hand that it has not had, perhaps none. Without a cursor `next`, no more will come.
    fn read(&mut self) -> BoxFuture<'_, Result<Listed<T>, Problem>>;

    /// Waits until there may be more. It may be dropped and called again.
    fn wait(&mut self) -> BoxFuture<'_, ()>;
}

/// A list of one match, the oldest row first: it ends with the match. Its cursors are its rows' numbers.
pub(in crate::api) struct OfMatch<L: Rows> {
    reader: Reader,
    params: Params,
    feed: Arc<Feed>,
    news: ring::Reader,
    number: fn(&L::Item) -> i64,
}

impl<L: Rows> OfMatch<L> {
    /// Follows from the cursor in `params`, or from the first row.
    pub(in crate::api) async fn begin(
        reader: Reader,
        params: Params,
        number: fn(&L::Item) -> i64,
    ) -> Result<Box<dyn Tail<L::Item>>, Problem> {
        crate::api::matches::row(&reader, params.id()).await?;
        let feed = reader.state.feeds.of_match(params.id()).await?;
        let news = feed.board().ring.reader();
        Ok(Box::new(Self {
            reader,
            params,
            feed,
            news,
            number,
        }))
    }

    async fn page(&mut self) -> Result<Listed<L::Item>, Problem> {
        // Before the page: what is committed between them is in it.
        let over = over(&self.reader.state.store, self.params.id()).await?;
        let (mut listed, _) = L::page(&self.reader, &self.params).await?;
        if let Some(last) = listed.items.last() {
            let place = (self.number)(last).to_string();
            self.params = self.params.clone().at(place);
        }
        if listed.next.is_none() && over.is_none() {
            let place = self.params.text("cursor");
            listed.next = place.or_else(|| Some("0".into()));
        }
        Ok(listed)
    }
}

impl<L: Rows> Tail<L::Item> for OfMatch<L> {
    fn read(&mut self) -> BoxFuture<'_, Result<Listed<L::Item>, Problem>> {
        self.page().boxed()
    }

    fn wait(&mut self) -> BoxFuture<'_, ()> {
        async {
            let ring = &self.feed.board().ring;
            if ring.next(&mut self.news).await.is_err() {
                // What it holds is not used: all is read anew.
                self.news = ring.reader();
            }
        }
        .boxed()
    }
}

/// All matches, or sessions: a row whenever it begins or ends. A cursor is a place in what has happened lately.
pub(in crate::api) struct Changes<L: Rows> {
    reader: Reader,
    params: Params,
    everything: Arc<Everything>,
    news: ring::Reader,
    /// How many moves were told of, and those that were not.
    told: u64,
    moves: VecDeque<Arc<Move>>,
    /// The newest rows that were there at the beginning.
    first: Option<Listed<L::Item>>,
    limit: usize,
    kind: Kind<L>,
}

/// The match that a move is about, if the list has its like; and whether a row of that match is the one that moved.
type Kind<L> = (
    fn(&Move) -> Option<String>,
    fn(&Move, &<L as Rows>::Item) -> bool,
);

impl<L: Rows> Changes<L> {
    /// Follows from the cursor in `params`, or begins with the newest rows.
    pub(in crate::api) async fn begin(
        reader: Reader,
        params: Params,
        kind: Kind<L>,
    ) -> Result<Box<dyn Tail<L::Item>>, Problem> {
        let everything = reader.state.feeds.everything_kept();
        let ring = &everything.board.moves;
        let cursor = params.text("cursor");
        let params = params.without("cursor");
        let limit = params.page()?.limit as usize;
        params.filter()?;
        let (news, first) = match cursor {
            Some(cursor) => (place(&everything, &cursor)?, None),
            None => {
                let news = ring.reader();
                let (mut listed, _) = L::page(&reader, &params).await?;
                listed.items.reverse();
                (news, Some(listed))
            }
        };
        Ok(Box::new(Self {
            reader,
            params,
            told: news.read(),
            everything,
            news,
            moves: VecDeque::new(),
            first,
            limit,
            kind,
        }))
    }

    async fn rows(&mut self) -> Result<Listed<L::Item>, Problem> {
        let mut listed = self.first.take().unwrap_or_else(|| Listed {
            items: Vec::new(),
            next: None,
            withheld: None,
        });
        let ring = &self.everything.board.moves;
        if let Some(more) = ring.next(&mut self.news).now_or_never() {
            self.moves.extend(more.map_err(|_| lost())?);
        }
        while listed.items.len() < self.limit
            && let Some(moved) = self.moves.front()
        {
            if matches!(**moved, Move::Missed) {
                return Err(lost());
            }
            if let Some(id) = (self.kind.0)(moved).filter(|id| self.wants(id)) {
                let all = LIMIT_MAX.to_string();
                let of_match = self.params.clone().with("match", id).with("limit", all);
                let (rows, _) = L::page(&self.reader, &of_match).await?;
                let rows = rows.items.into_iter();
                listed
                    .items
                    .extend(rows.filter(|row| (self.kind.1)(moved, row)));
            }
            self.moves.pop_front();
            self.told += 1;
        }
        listed.next = Some(self.everything.id_of(self.told));
        Ok(listed)
    }

    fn wants(&self, id: &str) -> bool {
        self.params.text("match").is_none_or(|wanted| wanted == id)
    }
}

impl<L: Rows> Tail<L::Item> for Changes<L> {
    fn read(&mut self) -> BoxFuture<'_, Result<Listed<L::Item>, Problem>> {
        self.rows().boxed()
    }

    fn wait(&mut self) -> BoxFuture<'_, ()> {
        async {
            if !self.moves.is_empty() {
                return;
            }
            match self.everything.board.moves.next(&mut self.news).await {
                Ok(moves) => self.moves.extend(moves),
                Err(_) => self.moves.push_back(Arc::new(Move::Missed)),
            }
        }
        .boxed()
    }
}

/// A reader of what followed the place of this cursor.
fn place(everything: &Everything, cursor: &str) -> Result<ring::Reader, Problem> {
    let is_one = |(nonce, count): (&str, &str)| {
        ulid::Ulid::from_string(nonce).is_ok() && count.parse::<u64>().is_ok()
    };
    if !cursor.split_once('-').is_some_and(is_one) {
        return Err(Problem::cursor(cursor));
    }
    let count = everything.count_of(cursor);
    let reader = count.and_then(|count| everything.board.moves.reader_from(count));
    reader.ok_or_else(lost)
}

fn lost() -> Problem {
    Problem::gone(
        "what has happened since is no longer known: the daemon was started again, or it is more than a minute or \
         than a thousand changes ago; begin again without a cursor",
    )
}

/// The bluff history as it grows. Its cursors are bluffs' numbers.
pub(in crate::api) struct Bluffs {
    reader: Reader,
    filter: Filter,
    everything: Arc<Everything>,
    news: ring::Reader,
    limit: u32,
    /// Up to which bluff all were looked at.
    read: i64,
    /// The last one that the follower has seen: its cursor must tell nothing of others.
    seen: i64,
    first: Vec<BluffShown>,
}

impl Bluffs {
    /// Follows from the cursor in `params`, or begins with the newest bluffs.
    pub(in crate::api) async fn begin(
        reader: Reader,
        params: Params,
    ) -> Result<Box<dyn Tail<BluffShown>>, Problem> {
        let everything = reader.state.feeds.everything_kept();
        let news = everything.board.moves.reader();
        let (filter, at) = (params.filter()?, params.page()?);
        let (first, read) = match at.after.and_then(|after| after.parse().ok()) {
            Some(after) => (Vec::new(), after),
            None => {
                let last = reader.state.store.last_bluff().await?;
                let mut first = bluffs::page(&reader, &params).await?.items;
                first.reverse();
                let newest = first.last().map_or(last, |newest| last.max(newest.id));
                (first, newest)
            }
        };
        let known = params.text("cursor").map_or(0, |_| read);
        let seen = first.last().map_or(known, |bluff| bluff.id);
        Ok(Box::new(Self {
            reader,
            filter,
            everything,
            news,
            limit: at.limit,
            read,
            seen,
            first,
        }))
    }

    async fn rows(&mut self) -> Result<Listed<BluffShown>, Problem> {
        let mut items = std::mem::take(&mut self.first);
        for reads in 1.. {
            if !items.is_empty() {
                break;
            }
            let store = &self.reader.state.store;
            let after = store.bluffs_after(&self.filter, self.read, self.limit);
            let (rows, upto) = after.await?;
            if upto == self.read {
                break;
            }
            self.read = upto;
            let sight = &self.reader.sight;
            let rows = rows.into_iter().filter(|row| sight.sees(&row.secrecy));
            items.extend(rows.map(|row| bluffs::shown(sight, row)));
            if reads == READS_MAX {
                self.seen = upto;
                break;
            }
        }
        if let Some(last) = items.last() {
            self.seen = last.id;
        }
        Ok(Listed {
            items,
            next: Some(self.seen.to_string()),
            withheld: (!self.reader.sight.sees_all()).then_some(WITHHELD),
        })
    }
}

impl Tail<BluffShown> for Bluffs {
    fn read(&mut self) -> BoxFuture<'_, Result<Listed<BluffShown>, Problem>> {
        self.rows().boxed()
    }

    fn wait(&mut self) -> BoxFuture<'_, ()> {
        async {
            let ring = &self.everything.board.moves;
            loop {
                match ring.next(&mut self.news).await {
                    Ok(moves) => {
                        let told =
                            |moved: &Arc<Move>| matches!(**moved, Move::Bluffs | Move::Missed);
                        if moves.iter().any(told) {
                            return;
                        }
                    }
                    Err(_) => {
                        self.news = ring.reader();
                        return;
                    }
                }
            }
        }
        .boxed()
    }
}

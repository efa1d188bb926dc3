//! What one reader of a stream is sent.

use super::everything::{AT_ONCE, Changed, Everything};
use super::feed::{Feed, Mark, RETRY};
use super::ring::{Missed, Reader};
use super::sending::{Watch, answer};
use super::told::{Then, Told, write};
use crate::api::asked::Asked;
use crate::api::matches::{self, MatchShown};
use crate::api::params::Params;
use crate::api::problem::Problem;
use crate::api::sight::{Sight, WITHHELD};
use crate::link::LeavesAt;
use crate::store::{EntryId, Filter, PageAt, Store, StoreError};
use axum::Extension;
use axum::extract::Path;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use serde::Serialize;
use std::collections::VecDeque;
use std::sync::Arc;
use utoipa::ToSchema;

/// The header in which a reader says how far it has followed a stream.
pub(in crate::api) const LAST_EVENT: &str = "Last-Event-ID";
/// The most live matches in the state of the stream of all.
const LIVE_MAX: u32 = 250;

/// What the stream of a match begins with; what has happened in it follows as events.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::api) struct MatchState {
    /// The match with its sessions.
    #[serde(rename = "match")]
    found: MatchShown,
    /// The id up to which the events that follow are of before.
    #[schema(example = "7204-800")]
    upto: String,
    /// Why there may be more than is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    withheld: Option<&'static str>,
}

/// What the stream of all matches begins with.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::api) struct AllState {
    /// The live matches, newest first, at most 250.
    live: Vec<MatchShown>,
    /// Whether there are more of them.
    more: bool,
}

/// `GET /api/v1/matches/{id}/events`: `state` (the match and its seats), then `entry` and `fact`, first those that are
/// there, page by page as the connection takes them, then as they are committed; at the end `end`.
pub(in crate::api) async fn of_match(
    Path(id): Path<String>,
    leaves: Option<Extension<LeavesAt>>,
    asked: Asked,
) -> Result<Response, Problem> {
    let params = asked.params(&[&["after"]])?;
    let from = followed(&asked, &params)?.map(|at| mark(&at)).transpose()?;
    let (state, sight) = (&asked.state, &asked.sight);
    let (entry, fact) = state.store.last_numbers().await?;
    // A place that this database never had is of another one: all begins anew.
    let from = from.filter(|mark| mark.entry <= entry && mark.fact <= fact);
    matches::row(&asked, &id).await?;
    let feed = state.feeds.of_match(&id).await?;
    let mut watch = MatchWatch {
        reader: None,
        sight: sight.clone(),
        mark: from.unwrap_or(Mark::START),
        feed,
        store: state.store.clone(),
    };
    let mut events = VecDeque::new();
    if from.is_none() {
        let mut sessions = state.store.sessions_of(&id).await?;
        let withheld = sight.keep(&mut sessions);
        let (entry, fact) = state.store.last_numbers_of(&sessions).await?;
        let told = MatchState {
            found: matches::find(&asked, &id).await?,
            upto: Mark { entry, fact }.to_string(),
            withheld: withheld.then_some(WITHHELD),
        };
        events.push_back(event("state", &watch.mark.to_string(), &told));
    }
    let before = watch.mark;
    let over = watch.catch_up(&mut events).await?;
    if over && from == Some(watch.mark) && before == watch.mark {
        // A reader that knows all of it does not come again.
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    let live = (!over).then_some(watch);
    Ok(answer(
        events,
        live,
        asked.dismissed(),
        leaves.map(|at| at.0),
    ))
}

/// `GET /api/v1/events`: `state` (the live matches, the newest 250), then `match` whenever one begins, ends, or is
/// joined or left by one of our sessions. Ids are numbers of changes, the same for ever.
pub(in crate::api) async fn all(
    leaves: Option<Extension<LeavesAt>>,
    asked: Asked,
) -> Result<Response, Problem> {
    let params = asked.params(&[&["after"]])?;
    let from = followed(&asked, &params)?;
    let number = |id: String| {
        let number = id.parse::<i64>().ok().filter(|number| *number >= 0);
        number.ok_or_else(|| no_place(&format!("{id:?} is not a number")))
    };
    let from = from.map(number).transpose()?;
    let (state, sight) = (&asked.state, asked.sight.clone());
    let store = state.store.clone();
    let everything = state.feeds.everything();
    let known = match from {
        Some(from) if store.follows_change(from).await? => Some(from),
        _ => None,
    };
    // Before the state: what changes meanwhile is told after it.
    let mark = match known {
        Some(mark) => mark,
        None => store.last_change().await?,
    };
    let mut events = VecDeque::new();
    if known.is_none() {
        let filter = Filter {
            live: Some(true),
            ..Filter::default()
        };
        let page = store.matches(&filter, &PageAt::first(LIVE_MAX)).await?;
        let more = page.next.is_some();
        let live = page.items.into_iter();
        let live = live.map(|row| matches::shown(&sight, row)).collect();
        events.push_back(event("state", &mark.to_string(), &AllState { live, more }));
    }
    let watch = AllWatch {
        reader: everything.board.ring.reader(),
        sight,
        everything,
        store,
        mark,
        behind: true,
    };
    Ok(answer(
        events,
        Some(watch),
        asked.dismissed(),
        leaves.map(|at| at.0),
    ))
}

/// How far the caller has followed a stream, by its header or the parameter `after`.
fn followed(asked: &Asked, params: &Params) -> Result<Option<String>, Problem> {
    let header = asked.headers.get(LAST_EVENT);
    match header.map(|value| value.to_str()) {
        Some(Ok(value)) => Ok(Some(value.to_owned())),
        Some(Err(_)) => Err(no_place("it is no text")),
        None => Ok(params.text("after")),
    }
}

fn no_place(why: &str) -> Problem {
    let detail = format!("Last-Event-ID (or `after`) is no id of an event of this stream: {why}");
    Problem::parameter("after", detail, [""; 0])
}

/// The mark of an event's id.
fn mark(id: &str) -> Result<Mark, Problem> {
    let numbers = id.split_once('-').and_then(|(entry, fact)| {
        let (entry, fact) = (entry.parse().ok()?, fact.parse().ok()?);
        Some(Mark {
            entry: EntryId(entry),
            fact,
        })
    });
    numbers.ok_or_else(|| no_place(&format!("{id:?} is not two numbers with a hyphen between")))
}

/// Someone who watches a match.
struct MatchWatch {
    /// Reads the news, once all is told that the store has.
    reader: Option<Reader>,
    sight: Sight,
    mark: Mark,
    feed: Arc<Feed>,
    store: Store,
}

impl MatchWatch {
    /// Tells the next page of what the store has; whether the match is over with it.
    async fn catch_up(&mut self, events: &mut VecDeque<Bytes>) -> Result<bool, StoreError> {
        let page = self.feed.page(&self.store, &self.sight, self.mark);
        let (told, reader) = page.await?;
        self.reader = (told.then == Then::News).then_some(reader);
        Ok(self.tell(&told, events))
    }

    fn tell(&mut self, told: &Told, events: &mut VecDeque<Bytes>) -> bool {
        self.mark = told.mark;
        if !told.events.is_empty() {
            events.push_back(told.events.clone());
        }
        told.then == Then::Nothing
    }
}

impl Watch for MatchWatch {
    async fn next(&mut self, events: &mut VecDeque<Bytes>) -> Result<bool, Missed> {
        let Some(reader) = &mut self.reader else {
            let read = self.catch_up(events).await;
            if let Err(error) = &read {
                tracing::warn!(%error, "a match that is watched cannot be read");
                tokio::time::sleep(RETRY).await;
            }
            return Ok(read.unwrap_or(false));
        };
        let feed = Arc::clone(&self.feed);
        let news = feed.board().ring.next(reader).await?;
        Ok(news.iter().any(|news| {
            let told = news.told(&self.sight, self.mark);
            self.tell(&told, events)
        }))
    }
}

/// Someone who watches all matches.
struct AllWatch {
    reader: Reader,
    sight: Sight,
    everything: Arc<Everything>,
    store: Store,
    /// The change up to which all is told.
    mark: i64,
    /// Whether there may be changes since then that the ring does not have.
    behind: bool,
}

impl AllWatch {
    fn tell(&mut self, changed: &Changed, events: &mut VecDeque<Bytes>) {
        let told = changed.told(&self.sight.now(), self.mark);
        if !told.events.is_empty() {
            events.push_back(told.events.clone());
        }
        self.mark = self.mark.max(changed.upto);
    }

    /// Reads what the ring does not have.
    async fn catch_up(&mut self, events: &mut VecDeque<Bytes>) {
        let after = self.mark;
        match self.store.changed(after, AT_ONCE).await {
            Ok((rows, upto)) => {
                self.tell(&Changed::new(after, upto, rows), events);
                self.behind = upto - after >= i64::from(AT_ONCE);
            }
            Err(error) => {
                tracing::warn!(%error, "matches that are watched cannot be read");
                tokio::time::sleep(RETRY).await;
            }
        }
    }
}

impl Watch for AllWatch {
    /// Nobody misses anything: what the ring has no more is read again.
    async fn next(&mut self, events: &mut VecDeque<Bytes>) -> Result<bool, Missed> {
        if self.behind {
            self.catch_up(events).await;
            return Ok(false);
        }
        let everything = Arc::clone(&self.everything);
        let ring = &everything.board.ring;
        match ring.next(&mut self.reader).await {
            Ok(news) => {
                for changed in &news {
                    if changed.after > self.mark {
                        self.behind = true;
                        break;
                    }
                    self.tell(changed, events);
                }
            }
            Err(Missed) => {
                self.reader = ring.reader();
                self.behind = true;
            }
        }
        Ok(false)
    }
}

fn event(kind: &str, id: &str, data: &impl Serialize) -> Bytes {
    let mut events = Vec::new();
    write(&mut events, kind, id, data);
    events.into()
}

//! What one reader of a stream is sent.

use super::everything::{AT_ONCE, Changed, Everything};
use super::feed::{Feed, Mark, News, RETRY as RETRY_READ, over};
use super::ring::{Missed, Reader};
use crate::api::asked::Asked;
use crate::api::entries::{self, EntryShown};
use crate::api::facts;
use crate::api::matches::{self, MatchShown};
use crate::api::params::Params;
use crate::api::problem::Problem;
use crate::api::sight::{Sight, WITHHELD};
use crate::store::{EntryId, FactRow, Filter, MatchEntry, PageAt, Store};
use axum::extract::Path;
use axum::http::StatusCode;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use futures_util::stream;
use serde::Serialize;
use serde_json::json;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use utoipa::ToSchema;

/// How often a silent stream shows that it lives.
const KEEP_ALIVE: Duration = Duration::from_secs(7);
/// How long a reader shall wait before it connects again.
const RETRY: Duration = Duration::from_secs(1);
/// The header in which a reader says how far it has followed a stream.
const LAST_EVENT: &str = "last-event-id";
/// The most live matches in the state of the stream of all.
const LIVE_MAX: u32 = 250;

/// What the stream of a match begins with.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::api) struct MatchState {
    /// The match with its sessions.
    #[serde(rename = "match")]
    found: MatchShown,
    /// Its entries so far that the caller may see.
    entries: Vec<EntryShown>,
    /// Their facts.
    facts: Vec<FactRow>,
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

/// `GET /api/v1/matches/{id}/events`: `state` (the match, its entries and facts so far), then `entry` and `fact` as
/// they are committed, at the end `end`.
pub(in crate::api) async fn of_match(
    Path(id): Path<String>,
    asked: Asked,
) -> Result<Response, Problem> {
    let params = asked.params(&[&["after"]])?;
    let from = followed(&asked, &params)?.map(|at| mark(&at)).transpose()?;
    let (state, sight) = (&asked.state, &asked.sight);
    matches::row(&asked, &id).await?;
    let feed = state.feeds.of_match(&id).await?;
    let reader = feed.board().ring.reader();
    let store = &state.store;
    let mut sessions = store.sessions_of(&id).await?;
    let ended = sessions.iter().all(|session| session.ended_us.is_some());
    let withheld = sight.keep(&mut sessions);
    let start = Mark {
        entry: EntryId(0),
        fact: 0,
    };
    let seen = from.unwrap_or(start);
    let mut entries = store.entries(&sessions).await?;
    entries.retain(|entry| entry.id > seen.entry);
    let mut facts = store.facts_after(&id, seen.fact).await?;
    facts.retain(|fact| sessions.iter().any(|session| session.id == fact.session));
    let over = match ended {
        true => over(store, &id).await?,
        false => None,
    };
    if over.is_some() && from.is_some() && entries.is_empty() && facts.is_empty() {
        // A reader that knows all of it does not come again.
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    let mut watch = MatchWatch {
        reader,
        sight: sight.clone(),
        mark: seen,
        feed,
    };
    let whole = matches::find(&asked, &id).await?;
    let mut events = VecDeque::new();
    match from {
        Some(_) => watch.tell(&mut events, entries, facts),
        None => {
            watch.mark = Mark {
                entry: entries.last().map_or(seen.entry, |entry| entry.id),
                fact: facts.last().map_or(seen.fact, |fact| fact.id),
            };
            let entries = entries
                .into_iter()
                .map(|entry| entries::shown(sight, entry));
            let facts = facts.into_iter().map(|fact| facts::shown(sight, fact));
            let told = MatchState {
                found: whole,
                entries: entries.collect(),
                facts: facts.collect(),
                withheld: withheld.then_some(WITHHELD),
            };
            events.push_back(watch.event("state", &told));
        }
    }
    if let Some(row) = &over {
        events.push_back(watch.event("end", &matches::shown(sight, row.clone())));
    }
    let live = over.is_none().then_some(watch);
    Ok(sse(events, live, state.end.clone()))
}

/// `GET /api/v1/events`: `state` (the live matches, the newest 250), then `match` whenever one begins, ends, or is
/// joined or left by one of our sessions. Ids are numbers of changes, the same for ever.
pub(in crate::api) async fn all(asked: Asked) -> Result<Response, Problem> {
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
    Ok(sse(events, Some(watch), state.end.clone()))
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

/// What a stream is made of.
trait Watch: Send {
    /// Waits for what comes next; whether the stream ends with it.
    fn next(
        &mut self,
        events: &mut VecDeque<Event>,
    ) -> impl Future<Output = Result<bool, Missed>> + Send;
}

/// Someone who watches a match.
struct MatchWatch {
    reader: Reader,
    sight: Sight,
    mark: Mark,
    feed: Arc<Feed>,
}

impl MatchWatch {
    fn event(&self, kind: &str, data: &impl Serialize) -> Event {
        let Mark { entry, fact } = self.mark;
        event(kind, &format!("{}-{fact}", entry.0), data)
    }

    fn tell(
        &mut self,
        events: &mut VecDeque<Event>,
        entries: Vec<MatchEntry>,
        facts: Vec<FactRow>,
    ) {
        for entry in entries {
            self.mark.entry = entry.id;
            events.push_back(self.event("entry", &entries::shown(&self.sight, entry)));
        }
        for fact in facts {
            self.mark.fact = fact.id;
            let fact = facts::shown(&self.sight, fact);
            events.push_back(self.event("fact", &fact));
        }
    }

    /// What of the news is new to this reader, and for its eyes.
    fn take(&mut self, news: &News, events: &mut VecDeque<Event>) -> bool {
        let (sight, mark) = (&self.sight, self.mark);
        let entries = news
            .entries
            .iter()
            .filter(|(session, entry)| entry.id > mark.entry && sight.sees(&session.secrecy));
        let entries = entries.map(|(_, entry)| entry.clone()).collect();
        let facts = news
            .facts
            .iter()
            .filter(|(session, fact)| fact.id > mark.fact && sight.sees(&session.secrecy));
        let facts = facts.map(|(_, fact)| fact.clone()).collect();
        self.tell(events, entries, facts);
        if let Some(row) = &news.over {
            events.push_back(self.event("end", &matches::shown(&self.sight, row.clone())));
        }
        news.over.is_some()
    }
}

impl Watch for MatchWatch {
    async fn next(&mut self, events: &mut VecDeque<Event>) -> Result<bool, Missed> {
        let feed = Arc::clone(&self.feed);
        let news = feed.board().ring.next(&mut self.reader).await?;
        Ok(news.iter().any(|news| self.take(news, events)))
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
    fn tell(&mut self, changed: &Changed, events: &mut VecDeque<Event>) {
        for (id, row) in changed.rows.iter().filter(|(id, _)| *id > self.mark) {
            let shown = matches::shown(&self.sight, row.clone());
            events.push_back(event("match", &id.to_string(), &shown));
        }
        self.mark = self.mark.max(changed.upto);
    }

    /// Reads what the ring does not have.
    async fn catch_up(&mut self, events: &mut VecDeque<Event>) {
        let after = self.mark;
        match self.store.changed(after, AT_ONCE).await {
            Ok((rows, upto)) => {
                self.tell(&Changed { after, upto, rows }, events);
                self.behind = upto - after >= i64::from(AT_ONCE);
            }
            Err(error) => {
                tracing::warn!(%error, "matches that are watched cannot be read");
                tokio::time::sleep(RETRY_READ).await;
            }
        }
    }
}

impl Watch for AllWatch {
    /// Nobody misses anything: what the ring has no more is read again.
    async fn next(&mut self, events: &mut VecDeque<Event>) -> Result<bool, Missed> {
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

/// An event; what cannot be shown is an empty one, as an answer would be.
fn event(kind: &str, id: &str, data: &impl Serialize) -> Event {
    let text = serde_json::to_string(data).unwrap_or_default();
    // JSON has no line breaks of its own.
    Event::default().event(kind).id(id).data(text)
}

/// Says why a stream ends before its time.
fn farewell(reason: &str) -> Event {
    let data = json!({ "reason": reason });
    Event::default().event("close").data(data.to_string())
}

/// These events, then what comes, until `end`.
fn sse<W: Watch + 'static>(
    mut events: VecDeque<Event>,
    watch: Option<W>,
    end: CancellationToken,
) -> Response {
    events.push_front(Event::default().retry(RETRY));
    let following = stream::unfold((events, watch), move |(mut events, mut watch)| {
        let end = end.clone();
        async move {
            loop {
                if let Some(event) = events.pop_front() {
                    return Some((Ok::<_, Infallible>(event), (events, watch)));
                }
                let following = watch.as_mut()?;
                let last = tokio::select! {
                    more = following.next(&mut events) => match more {
                        Ok(last) => last,
                        Err(Missed) => {
                            events.push_back(farewell("you read too slowly: connect again"));
                            true
                        }
                    },
                    () = end.cancelled() => {
                        events.push_back(farewell("the daemon stops"));
                        true
                    }
                };
                if last {
                    watch = None;
                }
            }
        }
    });
    let kept = KeepAlive::new().interval(KEEP_ALIVE);
    Sse::new(following).keep_alive(kept).into_response()
}

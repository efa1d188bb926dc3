//! The two streams of events: what each begins with, and where.

use super::all_matches::AllMatches;
use super::one_match::{Mark, OneMatch};
use super::sending::{Close, Streamed, Watch, answer, write};
use crate::api::asked::Asked;
use crate::api::matches::{self, MatchShown};
use crate::api::problem::Problem;
use crate::api::query::Query;
use crate::api::response::SSE;
use crate::api::sight::{Sight, WITHHELD};
use crate::api::{entries, facts};
use crate::history::{self, FactRow, Filter, MatchEntry, PageAt};
use crate::link::LeavesAt;
use crate::store::EntryId;
use axum::Extension;
use axum::extract::Path;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// The header in which a reader says how far it has followed a stream.
const LAST_EVENT: &str = "Last-Event-ID";
/// The most live matches in the state of the stream of all.
const LIVE_MAX: u32 = 250;

/// How far a stream was followed.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(in crate::api) struct After {
    /// How far the stream was followed before: an event's id.
    after: Option<String>,
}

/// What the stream of a match sends.
#[allow(dead_code)]
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
enum MatchEvent {
    Close(Close),
    State(MatchState),
    Entry(MatchEntry),
    Fact(FactRow),
    End(Box<MatchShown>),
}

/// What the stream of all matches sends.
#[allow(dead_code)]
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
enum AnyEvent {
    Close(Close),
    State(AllState),
    Match(Box<MatchShown>),
}

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

/// A match as it goes on (SSE): `state`, then `entry` and `fact`, at last `end`; `close` says why a stream ends before
/// that.
// First come those entries and facts that are there, page by page as the connection takes them.
#[utoipa::path(get, path = "/api/v1/matches/{id}/events", params(After),
    responses((status = 200, body = inline(MatchEvent), content_type = SSE), (status = 204)))]
pub(in crate::api) async fn of_match(
    Path(id): Path<String>,
    leaves: Option<Extension<LeavesAt>>,
    Query(After { after }): Query<After>,
    asked: Asked,
) -> Result<Response, Problem> {
    let from = followed(&asked, after)?.map(|at| mark(&at)).transpose()?;
    let (state, sight) = (&asked.state, &asked.sight);
    let (entry, fact) = history::last_numbers(state.store.reader()).await?;
    // A place that this database never had is of another one: all of it begins again.
    let from = from.filter(|mark| mark.entry <= entry && mark.fact <= fact);
    asked.match_row(&id).await?;
    let begin = from.unwrap_or(Mark::START);
    let follower = state.feeds.of_match(&id).follow(begin);
    let mut watch = Watch::new(follower, sight.clone(), begin);
    let mut events = Vec::new();
    if from.is_none() {
        let mut sessions = history::sessions_of(state.store.reader(), &id).await?;
        let withheld = sight.keep(&mut sessions);
        let (entry, fact) = history::last_numbers_of(state.store.reader(), &sessions).await?;
        let begun = MatchState {
            found: matches::find(&asked, &id).await?,
            upto: Mark { entry, fact }.to_string(),
            withheld: withheld.then_some(WITHHELD),
        };
        write(&mut events, "state", &begin, &begun);
    }
    let over = watch.read(&mut events).await?;
    if over && from == Some(watch.seen) {
        // A reader that knows all of it does not come again.
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    let live = (!over).then_some(watch);
    Ok(answer(
        &events,
        live,
        asked.dismissed(),
        leaves.map(|at| at.0),
    ))
}

/// All matches as they begin and end (SSE): `state`, then `match`; `close` says why a stream ends.
// `match` comes whenever one begins, ends, or is joined or left by one of our sessions. Ids are numbers of changes, the
// same for ever.
#[utoipa::path(get, path = "/api/v1/events", params(After),
    responses((status = 200, body = inline(AnyEvent), content_type = SSE), (status = 204)))]
pub(in crate::api) async fn all(
    leaves: Option<Extension<LeavesAt>>,
    Query(After { after }): Query<After>,
    asked: Asked,
) -> Result<Response, Problem> {
    let from = followed(&asked, after)?;
    let number = |id: String| {
        let number = id.parse::<i64>().ok().filter(|number| *number >= 0);
        number.ok_or_else(|| no_place(&format!("{id:?} is not a number")))
    };
    let from = from.map(number).transpose()?;
    let (state, sight) = (&asked.state, &asked.sight);
    let store = &state.store;
    let known = match from {
        Some(from) if history::follows_change(store.reader(), from).await? => Some(from),
        _ => None,
    };
    // Before the state: what changes meanwhile is sent after it.
    let mark = match known {
        Some(mark) => mark,
        None => history::last_change(store.reader()).await?,
    };
    let mut events = Vec::new();
    if known.is_none() {
        let filter = Filter {
            live: Some(true),
            ..Filter::default()
        };
        let page = history::matches(store.reader(), &filter, &PageAt::first(LIVE_MAX)).await?;
        let more = page.next.is_some();
        let live = page.items.into_iter();
        let live = live.map(|row| matches::shown(sight, row)).collect();
        write(&mut events, "state", &mark, &AllState { live, more });
    }
    let watch = Watch::new(state.feeds.all().follow(mark), sight.clone(), mark);
    Ok(answer(
        &events,
        Some(watch),
        asked.dismissed(),
        leaves.map(|at| at.0),
    ))
}

/// How far the caller has followed a stream, by its header or the parameter `after`.
fn followed(asked: &Asked, after: Option<String>) -> Result<Option<String>, Problem> {
    let header = asked.headers.get(LAST_EVENT);
    match header.map(|value| value.to_str()) {
        Some(Ok(value)) => Ok(Some(value.to_owned())),
        Some(Err(_)) => Err(no_place("it is no text")),
        None => Ok(after),
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

impl Streamed for AllMatches {
    fn write(rows: &Self::Rows, sight: &Sight, seen: &mut i64, events: &mut Vec<u8>) -> bool {
        let sight = sight.now();
        for (change, row) in rows {
            *seen = *change;
            write(events, "match", seen, &matches::shown(&sight, row.clone()));
        }
        false
    }
}

impl Streamed for OneMatch {
    fn write(news: &Self::Rows, sight: &Sight, seen: &mut Mark, events: &mut Vec<u8>) -> bool {
        for (session, entry) in &news.entries {
            if sight.sees(&session.secrecy) {
                seen.entry = entry.id;
                write(events, "entry", seen, &entries::shown(sight, entry.clone()));
            }
        }
        for (session, fact) in &news.facts {
            if sight.sees(&session.secrecy) {
                seen.fact = fact.id;
                write(events, "fact", seen, &facts::shown(sight, fact.clone()));
            }
        }
        if let Some(row) = &news.over {
            write(
                events,
                "end",
                seen,
                &matches::shown(&sight.now(), row.clone()),
            );
        }
        news.over.is_some()
    }
}

//! Matches.

use super::asked::Asked;
use super::events::Changes;
use super::lists::{Begin, Rows};
use super::problem::Problem;
use super::query::{Checked, Params, Sparse, allowed, parameters, sound};
use super::reader::Reader;
use super::sessions::{self, SessionShown};
use super::shapes::{Listed, Paged, time};
use super::sight::Sight;
use crate::history::{self, CauseWord, Filter};
use crate::store::{MatchRow, Place, SeatRow};
use axum::extract::Path;
use axum::response::Response;
use games::{Cause, Participation};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;
use url::form_urlencoded::Serializer;
use utoipa::ToSchema;

/// The filters of the list.
const FILTERS: &[&str] = &[
    "game",
    "bot",
    "opponent",
    "between",
    "referee",
    "market",
    "side",
    "tournament",
    "entrant",
    "outcome",
    "cause",
    "participation",
    "since",
    "until",
];

/// The filters of the list of matches, each with what it does.
pub fn match_filters() -> impl Iterator<Item = (&'static str, String)> {
    let all = parameters::<Filter>().into_iter();
    all.filter_map(|filter| {
        let name = FILTERS.iter().find(|name| **name == filter.name)?;
        let about = filter.description.unwrap_or_default();
        Some((*name, about.replace('\n', " ")))
    })
}

/// What filters of these names and values ask for.
///
/// # Errors
/// [`Problem`] if there is no such value.
pub fn match_filter(
    given: impl IntoIterator<Item = (&'static str, String)>,
) -> Result<Filter, Problem> {
    let query = Serializer::new(String::new()).extend_pairs(given).finish();
    let checked = Checked::read(&query, &parameters::<Filter>());
    checked.and_then(|checked| sound(checked.get()?))
}

/// A match.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Match)]
pub(super) struct MatchShown {
    /// A ULID: it sorts by time.
    #[schema(example = "01K3ZQ4T5V6W7X8Y9Z0A1B2C3D")]
    pub id: String,
    /// The game's name.
    #[schema(example = "koehandel")]
    pub game: String,
    /// The referee: a name or an address.
    pub referee: String,
    /// The referee's number for it; `null` while it runs, for all but admins.
    pub market: Option<u64>,
    /// Whether our own referee runs it, so that every seat is known.
    pub ours: bool,
    /// Whether it still runs.
    pub live: bool,
    /// When it began.
    pub started: Timestamp,
    /// When it ended.
    pub ended: Option<Timestamp>,
    /// Why it ended.
    #[schema(inline, value_type = Option<CauseWord>)]
    pub cause: Option<Cause>,
    /// The seat at fault for the end.
    pub blame: Option<u8>,
    /// A sentence with details of the end, or empty.
    pub detail: String,
    /// Scores by seat; empty if none are known.
    #[schema(example = json!([2400, 1900, 900, 0]))]
    pub scores: Vec<i64>,
    /// Its place in a tournament, once it has ended in one.
    pub tournament: Option<Place>,
    /// The seats. In a match of another referee they are relative: 0 is ours, then clockwise.
    pub seats: Vec<SeatRow>,
    /// All that our referee started it from, with seed and options, once it is public; `null` for others'.
    #[schema(value_type = Option<Object>)]
    pub setup: Option<Value>,
    /// Its sessions; only where one match is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sessions: Option<Vec<SessionShown>>,
    /// Whether all of it is public and final.
    #[serde(skip)]
    pub open: bool,
}

impl MatchShown {
    /// Whether it has ended, and was not played to its end.
    pub(super) fn ended_by_fault(&self) -> bool {
        self.ended.is_some() && self.cause != Some(Cause::Normal)
    }
}

/// The list of matches.
pub(super) struct Matches;

impl Rows for Matches {
    type Item = MatchShown;
    type Filters = Filter;
    const FILTERS: &'static [&'static str] = FILTERS;
    const FOLLOW: Option<Begin<Self>> = Some(|reader, params| {
        Box::pin(Changes::<Self>::begin(
            reader,
            params,
            (|_| Some(0), |_, _| true),
        ))
    });

    async fn page(reader: &Reader, params: &Params<Filter>) -> Paged<MatchShown> {
        let listed = page(reader, params).await?;
        reader.expects(listed, &params.filters).await
    }
}

/// One match with its sessions.
#[utoipa::path(get, path = "/api/v1/matches/{id}", params(Sparse),
    responses((status = 200, body = MatchShown), (status = 304)))]
pub(super) async fn one(Path(id): Path<String>, asked: Asked) -> Result<Response, Problem> {
    let found = find(&asked, &id).await?;
    asked.answer(found.open, &found)
}

/// The filters, as far as the caller may ask for them.
pub(super) fn filter(reader: &Reader, params: &Params<Filter>) -> Result<Filter, Problem> {
    let mut filter = allowed(&params.filters, &reader.sight)?;
    if filter.market.is_some() && !reader.sight.sees_all() {
        // What sets a match apart must not be found out by asking for it.
        filter.over_by_us = Some(reader.sight.open_us());
    }
    Ok(filter)
}

/// Matches, newest first.
pub(super) async fn page(reader: &Reader, params: &Params<Filter>) -> Paged<MatchShown> {
    let (filter, at) = (filter(reader, params)?, params.page_of_matches()?);
    let rows = history::matches(reader.state.store.reader(), &filter, &at).await?;
    Ok(Listed::page(rows, |row| shown(&reader.sight, row)))
}

/// One match with its sessions.
pub(super) async fn find(reader: &Reader, id: &str) -> Result<MatchShown, Problem> {
    let mut found = shown(&reader.sight, reader.match_row(id).await?);
    let sessions = history::sessions_of(reader.state.store.reader(), id)
        .await?
        .into_iter();
    found.sessions = Some(
        sessions
            .map(|row| sessions::shown(&reader.sight, row))
            .collect(),
    );
    Ok(found)
}

/// A match as shown to callers.
pub(super) fn shown(sight: &Sight, row: MatchRow) -> MatchShown {
    let open = sight.is_open(&row);
    let market = sight.sees_market(&row).then_some(row.market);
    let (seats, live) = (row.seats.into_iter(), row.ended_us.is_none());
    MatchShown {
        id: row.id,
        game: row.game,
        referee: sight.referee(row.referee),
        market,
        ours: row.ours,
        live,
        started: time(row.started_us),
        ended: row.ended_us.map(time),
        cause: row.cause,
        blame: row.blame,
        detail: sight.detail(row.detail),
        scores: row.scores,
        tournament: row.tournament,
        setup: Some(row.setup).filter(|setup| open && !setup.is_null()),
        seats: seats.map(|seat| seated(sight, seat, live)).collect(),
        sessions: None,
        open,
    }
}

fn seated(sight: &Sight, row: SeatRow, live: bool) -> SeatRow {
    let spec = sight.spec(&row.spec, row.known_as()).to_owned();
    let participation = row.participation.filter(|_| !live);
    let participation = participation.map(|part| Participation {
        detail: sight.detail(part.detail),
        ..part
    });
    SeatRow {
        spec,
        participation,
        ..row
    }
}

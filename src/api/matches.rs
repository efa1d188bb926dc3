//! Matches.

use super::asked::Asked;
use super::events::{Begin, Changes};
use super::lists::Rows;
use super::problem::Problem;
use super::query::{Checked, Params, Sparse, parameters, sound};
use super::reader::Reader;
use super::sessions::{self, SessionShown};
use super::shapes::{Listed, Paged, time};
use super::sight::{Sight, WITHHELD};
use crate::history::{self, CauseWord, Contents, Filter, Page, SessionRow};
use crate::store::{MatchRow, Place, SeatRow, StoreError};
use axum::extract::Path;
use axum::response::Response;
use games::Cause;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use url::form_urlencoded::Serializer;
use utoipa::{IntoParams, ToSchema};

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
/// A sentence, if there is no such value.
pub fn match_filter(
    given: impl IntoIterator<Item = (&'static str, String)>,
) -> Result<Filter, String> {
    let query = Serializer::new(String::new()).extend_pairs(given).finish();
    let checked = Checked::read(&query, &parameters::<Filter>());
    let filter = checked.and_then(|checked| sound(checked.get()?));
    filter.map_err(|problem| problem.detail().to_owned())
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
        reader.expects(listed, params).await
    }
}

/// One match with its sessions.
#[utoipa::path(get, path = "/api/v1/matches/{id}", params(Sparse),
    responses((status = 200, body = MatchShown), (status = 304)))]
pub(super) async fn one(Path(id): Path<String>, asked: Asked) -> Result<Response, Problem> {
    let found = find(&asked, &id).await?;
    asked.answer(found.open, &found)
}

/// Matches, newest first.
pub(super) async fn page(reader: &Reader, params: &Params<Filter>) -> Paged<MatchShown> {
    let (mut filter, at) = (params.filter_for(&reader.sight)?, params.page_of_matches()?);
    if filter.market.is_some() && !reader.sight.sees_all() {
        // What tells a match from others must not be found out by asking for it.
        filter.over_by_us = Some(reader.sight.open_us());
    }
    let rows = history::matches(reader.state.store.reader(), &filter, &at).await?;
    Ok(Listed::page(rows, |row| shown(&reader.sight, row)))
}

/// One match with its sessions.
pub(super) async fn find(reader: &Reader, id: &str) -> Result<MatchShown, Problem> {
    let mut found = shown(&reader.sight, row(reader, id).await?);
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

/// The stored match with this id, or the problem that there is none.
pub(super) async fn row(reader: &Reader, id: &str) -> Result<MatchRow, Problem> {
    let row = history::match_row(reader.state.store.reader(), id).await?;
    row.ok_or_else(|| Problem::not_found(format!("there is no match {id}")))
}

/// What is wanted of what is in a match.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct Wanted {
    /// Only of this seat, from 0.
    #[param(maximum = 255, example = 0)]
    pub seat: Option<u8>,
    /// Only of this session.
    #[param(minimum = 0, example = 1)]
    pub session: Option<i64>,
    /// Only facts of this kind.
    #[param(example = "result")]
    pub kind: Option<String>,
    /// Whether of a pruned match there is nothing; else it is refused.
    #[serde(skip)]
    pub even_pruned: bool,
}

impl Wanted {
    /// All of a match's, as its page shows them.
    pub(super) fn all(id: &str) -> Params<Self> {
        let filters = Self {
            even_pruned: true,
            ..Self::default()
        };
        Params {
            of: vec![id.to_owned()],
            filters,
            ..Params::default()
        }
    }

    /// That the match has such a seat and such a session.
    fn check(&self, row: &MatchRow, sessions: &[SessionRow]) -> Result<(), Problem> {
        let absent = |name: &str, given: i64, mut there: Vec<i64>| {
            there.sort_unstable();
            there.dedup();
            let there: Vec<String> = there.iter().map(ToString::to_string).collect();
            let detail = format!("{name} is {given}; the match has {}", there.join(", "));
            Err(Problem::parameter(name, detail, there))
        };
        let seats = row.seats.iter().map(|seat| seat.seat);
        let seats: Vec<i64> = seats
            .chain(sessions.iter().filter_map(|row| row.opened.seat))
            .map(i64::from)
            .collect();
        let ids: Vec<i64> = sessions.iter().map(|row| row.id.0).collect();
        match (self.seat.map(i64::from), self.session) {
            (Some(seat), _) if !seats.contains(&seat) => absent("seat", seat, seats),
            (_, Some(session)) if !ids.contains(&session) => absent("session", session, ids),
            _ => Ok(()),
        }
    }

    /// Whether this session's.
    pub(super) fn has(&self, row: &SessionRow) -> bool {
        self.seat.is_none_or(|seat| row.opened.seat == Some(seat))
            && self.session.is_none_or(|session| row.id.0 == session)
    }
}

/// What is in those sessions of a match that the caller sees and the parameters `seat` and `session` name.
pub(super) struct Seen {
    /// The match.
    pub row: MatchRow,
    /// The sessions, and up to where they are read.
    pub contents: Contents,
    /// Whether there are sessions that the caller does not see.
    pub withheld: bool,
}

impl Seen {
    pub(super) async fn read(reader: &Reader, params: &Params<Wanted>) -> Result<Self, Problem> {
        let id = params.id();
        let row = row(reader, id).await?;
        // What is asked wrongly is wrong whatever is kept.
        params.page()?;
        let wanted = &params.filters;
        let mut contents = history::contents(reader.state.store.reader(), id).await?;
        wanted.check(&row, &contents.sessions)?;
        contents.sessions.retain(|row| wanted.has(row));
        let withheld = reader.sight.keep(&mut contents.sessions);
        let pruned = contents.sessions.iter().all(|row| row.pruned);
        if let Some(first) = contents.sessions.first()
            && pruned
            && !wanted.even_pruned
        {
            let session = first.id.0;
            return Err(StoreError::Pruned { session }.into());
        }
        Ok(Self {
            row,
            contents,
            withheld,
        })
    }

    /// A page of it.
    pub(super) fn listed<Row, Item>(
        &self,
        reader: &Reader,
        rows: Page<Row>,
        shown: impl FnMut(Row) -> Item,
    ) -> Listed<Item> {
        Listed {
            withheld: self.withheld.then_some(WITHHELD),
            lasting: reader.sight.is_open(&self.row),
            ..Listed::page(rows, shown)
        }
    }
}

/// A match as shown to callers.
pub(super) fn shown(sight: &Sight, row: MatchRow) -> MatchShown {
    let open = sight.is_open(&row);
    let market = sight.sees_market(&row).then_some(row.market);
    let (seats, live) = (row.seats.into_iter(), row.ended_us.is_none());
    MatchShown {
        id: row.id,
        game: row.game,
        referee: row.referee,
        market,
        ours: row.ours,
        live,
        started: time(row.started_us),
        ended: row.ended_us.map(time),
        cause: row.cause,
        blame: row.blame,
        detail: row.detail,
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
    SeatRow {
        spec,
        participation,
        ..row
    }
}

//! Sessions: our side of one seat, or our referee's.

use super::asked::Asked;
use super::events::Changes;
use super::lists::{Begin, Rows};
use super::problem::Problem;
use super::query::{Params, Sparse, allowed};
use super::reader::Reader;
use super::shapes::{Listed, Paged, time};
use super::sight::{Sight, WITHHELD};
use crate::history::{self, CauseWord, Change, Filter, SessionRow};
use crate::store::{Durability, SessionId, Side};
use axum::extract::Path;
use axum::response::Response;
use games::Cause;
use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

/// The filters of the list.
const FILTERS: &[&str] = &[
    "game", "bot", "opponent", "referee", "side", "outcome", "cause", "since", "until", "match",
    "live",
];

/// The fact that a session's bot hung and is no longer asked.
const QUARANTINED: &str = "quarantined";

/// A session. Seed and setup stay private: they reveal what a bot will do. The numbers under which it is called,
/// and its transcript and facts, are part of what the seat knows.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Session)]
pub(super) struct SessionShown {
    /// Its number.
    #[schema(value_type = i64)]
    pub id: SessionId,
    /// The match.
    #[serde(rename = "match")]
    pub match_id: String,
    /// Whose transcript it is.
    pub side: Side,
    /// The game's name.
    #[schema(example = "koehandel")]
    pub game: String,
    /// The bot that plays, or the seat's spec for a referee's session.
    #[schema(example = "champion")]
    pub bot: String,
    /// The referee: a name or an address.
    pub referee: String,
    /// The referee's number for the match; `null` while withheld.
    pub market: Option<u64>,
    /// The referee's number for the player; `null` while withheld.
    pub player: Option<u64>,
    /// The seat, where known.
    pub seat: Option<u8>,
    /// What its commits survive.
    pub durability: Durability,
    /// Whether it still runs.
    pub live: bool,
    /// When it began.
    pub started: Timestamp,
    /// When it ended.
    pub ended: Option<Timestamp>,
    /// Why it ended.
    #[schema(inline, value_type = Option<CauseWord>)]
    pub cause: Option<Cause>,
    /// A sentence with details of the end, or empty; `null` while withheld.
    pub detail: Option<String>,
    /// Scores as it received them, own seat first; `null` while withheld.
    pub scores: Option<Vec<i64>>,
    /// How many entries it has; `null` while withheld, and in lists while it runs.
    pub entries: Option<u64>,
    /// Whether its bot hung and is no longer asked; only where one session is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quarantined: Option<bool>,
    /// The sessions that play in one team with it; only where one session is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub team: Option<Vec<Mate>>,
    /// Whether its transcript and facts have been pruned; only where they have.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub pruned: bool,
    /// Why some of it is not shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub withheld: Option<&'static str>,
}

/// Another session of the same team.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(super) struct Mate {
    /// The session.
    #[schema(value_type = i64)]
    pub session: SessionId,
    /// Its player's number.
    pub player: u32,
}

/// The list of sessions.
pub(super) struct Sessions;

impl Rows for Sessions {
    type Item = SessionShown;
    type Filters = Filter;
    const FILTERS: &'static [&'static str] = FILTERS;
    const FOLLOW: Option<Begin<Self>> = Some(|reader, params| {
        let about = |change: &Change| change.session.map(|session| session.0);
        let is = |change: &Change, row: &SessionShown| change.session == Some(row.id);
        Box::pin(Changes::<Self>::begin(reader, params, (about, is)))
    });

    async fn page(reader: &Reader, params: &Params<Filter>) -> Paged<SessionShown> {
        let listed = page(reader, params).await?;
        reader.expects(listed, &params.filters).await
    }
}

/// One session with its team.
#[utoipa::path(get, path = "/api/v1/sessions/{id}", params(Sparse), responses((status = 200, body = SessionShown)))]
pub(super) async fn one(Path(id): Path<String>, asked: Asked) -> Result<Response, Problem> {
    asked.answer(false, &find(&asked, &id).await?)
}

/// Sessions, newest first.
pub(super) async fn page(reader: &Reader, params: &Params<Filter>) -> Paged<SessionShown> {
    let (filter, at) = (allowed(&params.filters, &reader.sight)?, params.page()?);
    let rows = history::sessions(reader.state.store.reader(), &filter, &at).await?;
    Ok(Listed::page(rows, |row| shown(&reader.sight, row)))
}

/// One session with its team.
pub(super) async fn find(reader: &Reader, id: &str) -> Result<SessionShown, Problem> {
    let store = &reader.state.store;
    let unknown = || Problem::not_found(format!("there is no session {id}"));
    let number = id.parse().map_err(|_| unknown())?;
    let row = history::session(store.reader(), SessionId(number)).await?;
    let row = row.ok_or_else(unknown)?;
    let mut found = shown(&reader.sight, row.clone());
    if found.withheld.is_some() {
        return Ok(found);
    }
    if let Some((_, count)) = history::head(store.reader(), &row).await? {
        found.entries = Some(count);
    }
    found.quarantined = Some(history::has_fact(store.reader(), row.id, QUARANTINED).await?);
    let team = store
        .reader()
        .kit(&row.opened.game)
        .and_then(|kit| kit.card().teams)
        .map(|teams| teams.fact);
    let team = match team {
        Some(fact) => history::team_of(store.reader(), row.id, &fact).await?,
        None => Vec::new(),
    };
    let mates = team.into_iter();
    let mates = mates.map(|(session, player)| Mate { session, player });
    found.team = Some(mates.collect());
    Ok(found)
}

/// A session as shown to callers.
pub(super) fn shown(sight: &Sight, row: SessionRow) -> SessionShown {
    let seen = sight.sees(&row.secrecy);
    let opened = row.opened;
    SessionShown {
        id: row.id,
        match_id: opened.match_id,
        side: opened.side,
        game: opened.game,
        bot: sight
            .spec(&opened.bot, row.secrecy.entrant.as_deref())
            .to_owned(),
        referee: sight.referee(opened.referee),
        market: seen.then_some(opened.market),
        player: seen.then_some(opened.player),
        seat: opened.seat,
        durability: opened.durability,
        live: row.ended_us.is_none(),
        started: time(row.opened_us),
        ended: row.ended_us.map(time),
        cause: row.cause,
        detail: seen.then(|| sight.detail(row.detail)),
        scores: seen.then_some(row.scores),
        entries: row.entries.filter(|_| seen),
        quarantined: None,
        team: None,
        pruned: row.pruned,
        withheld: (!seen).then_some(WITHHELD),
    }
}

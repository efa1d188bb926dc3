//! Why a bot decided as it did.

use super::asked::Asked;
use super::lists::Rows;
use super::problem::Problem;
use super::query::{Params, Query};
use super::reader::Reader;
use super::response;
use super::shapes::{Listed, Paged};
use super::sight::WITHHELD;
use crate::history;
use crate::replay::{BotSeat, Decision, ExplainError, Explained, NODES_DEFAULT, bot_session};
use crate::store::{EntryId, SessionId};
use axum::extract::Path;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// Which decision, and how it is thought over again.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct Wanted {
    /// The entry that asked for the decision; without it, all decisions are listed.
    #[param(minimum = 0)]
    entry: Option<i64>,
    /// How long the bot thinks, in nodes.
    #[param(minimum = 1, maximum = 2000000, default = 50000, example = 1000)]
    nodes: Option<u64>,
    /// Which of several of our bots on the seat.
    #[param(minimum = 0)]
    session: Option<i64>,
}

/// What is shown of a seat's decisions.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
pub(super) enum Explanations {
    /// Why it decided so.
    One(Box<Explained>),
    /// Its decisions.
    All {
        /// In the order of the match.
        items: Vec<Decision>,
    },
}

/// The decisions of a seat, in the order of the match.
pub(super) struct Decisions;

impl Rows for Decisions {
    type Item = Decision;
    type Filters = Wanted;
    const FILTERS: &'static [&'static str] = &["session"];
    const REFUSES: &'static [u16] = &[403, 409, 410];

    async fn page(reader: &Reader, params: &Params<Wanted>) -> Paged<Decision> {
        let (seat, at) = (params.both(), params.page_or_whole()?);
        let all = found(reader, seat, &params.filters, |read, _, _| read.decisions()).await?;
        Listed::cut(all, &at)
    }
}

/// Why one of our bots decided so, or the decisions it made.
#[utoipa::path(get, path = "/api/v1/matches/{id}/seats/{seat}/explain", params(Wanted),
    responses((status = 200, body = Explanations), (status = 403), (status = 409), (status = 410)))]
pub(super) async fn one(
    Path((id, seat)): Path<(String, String)>,
    Query(wanted): Query<Wanted>,
    asked: Asked,
) -> Result<Response, Problem> {
    let shown = found(&asked, [&id, &seat], &wanted, explained).await?;
    Ok(response::json(&shown))
}

/// What `think` makes of a seat, the decision asked for and its nodes, on a thread of its own.
pub(super) async fn found<T: Send + 'static>(
    asked: &Reader,
    [id, seat]: [&str; 2],
    wanted: &Wanted,
    think: impl FnOnce(&BotSeat, Option<EntryId>, u64) -> Result<T, ExplainError> + Send + 'static,
) -> Result<T, Problem> {
    let (entry, named) = (wanted.entry.map(EntryId), wanted.session.map(SessionId));
    let nodes = wanted.nodes.unwrap_or(NODES_DEFAULT);
    if nodes > NODES_DEFAULT && asked.public().is_some() {
        let why =
            format!("nodes is {nodes}; more than {NODES_DEFAULT} are for callers with a token");
        return Err(Problem::parameter("nodes", why, [""; 0]));
    }
    let number = seat.parse();
    let number = number.map_err(|_| Problem::not_found(format!("there is no seat {seat}")))?;
    let row = asked.match_row(id).await?;
    let store = &asked.state.store;
    let sessions = history::sessions_of(store.reader(), &row.id).await?;
    let session = bot_session(&row.id, sessions, Some(number), named)?;
    if !asked.sight.sees(&session.secrecy) {
        return Err(Problem::forbidden(WITHHELD));
    }
    let turn = asked.turns().wait().await?;
    let mut read = BotSeat::read(store, &session).await?;
    if asked.sight.is_open(&row) {
        read = read.open(&row, &session);
    }
    Ok(turn.spend(move || think(&read, entry, nodes)).await??)
}

fn explained(
    read: &BotSeat,
    entry: Option<EntryId>,
    nodes: u64,
) -> Result<Explanations, ExplainError> {
    Ok(match entry {
        Some(entry) => Explanations::One(Box::new(read.explain(entry, nodes)?)),
        None => Explanations::All {
            items: read.decisions()?,
        },
    })
}

impl From<ExplainError> for Problem {
    fn from(error: ExplainError) -> Self {
        let why = error.to_string();
        match error {
            ExplainError::NoSeat { .. }
            | ExplainError::Foreign { .. }
            | ExplainError::Program { .. }
            | ExplainError::NoEntry { .. } => Self::not_found(why),
            ExplainError::NoDecision { .. } => Self::parameter("entry", why, [""; 0]),
            ExplainError::Unfoldable(_) => Self::conflict(why),
            ExplainError::Store(error) => error.into(),
        }
    }
}

//! Why a bot decided as it did.

use super::asked::Asked;
use super::lists::Rows;
use super::matches;
use super::params::Params;
use super::problem::Problem;
use super::reader::Reader;
use super::response;
use super::shapes::Listed;
use super::sight::WITHHELD;
use crate::replay::{
    BotSeat, Decision, ExplainError, Explained, NODES_DEFAULT, NODES_MAX, bot_session,
};
use crate::store::{EntryId, SessionId};
use axum::extract::Path;
use axum::response::Response;
use serde::Serialize;
use utoipa::ToSchema;

/// Its parameters.
pub(super) const FILTERS: &[&str] = &["entry", "nodes", "session"];

/// What is told of a seat's decisions.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
pub(super) enum Told {
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
    const FILTERS: &'static [&'static str] = &["session"];
    const REFUSES: &'static [u16] = &[403, 409, 410];

    async fn page(reader: &Reader, params: &Params) -> Result<(Listed<Decision>, bool), Problem> {
        let (seat, at) = ((params.named(0), params.named(1)), params.page_or_whole()?);
        let all = found(reader, seat, params, |read, _, _| read.decisions()).await?;
        Ok((Listed::cut(all, &at)?, false))
    }
}

/// `GET /api/v1/matches/{id}/seats/{seat}/explain`: the decision that `entry` asked for, thought over again with
/// `nodes`; without `entry`, the seat's decisions. `session` names one of several bots of ours.
pub(super) async fn one(
    Path((id, seat)): Path<(String, String)>,
    asked: Asked,
) -> Result<Response, Problem> {
    let params = asked.params(&[FILTERS])?;
    let told = found(&asked, (&id, &seat), &params, explained).await?;
    let value = response::value(&told)?;
    Ok(response::tagged_json(&asked.headers, false, &value))
}

/// What `think` makes of a seat, the decision asked for and its nodes, on a thread of its own.
pub(super) async fn found<T: Send + 'static>(
    asked: &Reader,
    (id, seat): (&str, &str),
    params: &Params,
    think: impl FnOnce(&BotSeat, Option<EntryId>, u64) -> Result<T, ExplainError> + Send + 'static,
) -> Result<T, Problem> {
    let entry = params.number::<i64>("entry")?.map(EntryId);
    let named = params.number::<i64>("session")?.map(SessionId);
    let nodes = params.number::<u64>("nodes")?.unwrap_or(NODES_DEFAULT);
    if !(1..=NODES_MAX).contains(&nodes) {
        let range = format!("1..={NODES_MAX}");
        let detail = format!("nodes is {nodes}; it takes {range}");
        return Err(Problem::parameter("nodes", detail, [range]));
    }
    let number = seat.parse();
    let number = number.map_err(|_| Problem::not_found(format!("there is no seat {seat}")))?;
    let row = matches::row(asked, id).await?;
    let store = &asked.state.store;
    let sessions = store.sessions_of(&row.id).await?;
    let session = bot_session(&row.id, sessions, Some(number), named)?;
    if !asked.sight.sees(&session.secrecy) {
        return Err(Problem::forbidden(WITHHELD));
    }
    let turn = asked.state.turns.wait().await?;
    let read = BotSeat::read(store, &session).await?;
    Ok(turn.spend(move || think(&read, entry, nodes)).await??)
}

fn explained(read: &BotSeat, entry: Option<EntryId>, nodes: u64) -> Result<Told, ExplainError> {
    Ok(match entry {
        Some(entry) => Told::One(Box::new(read.explain(entry, nodes)?)),
        None => Told::All {
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

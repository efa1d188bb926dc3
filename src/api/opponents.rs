//! Opponents and what is known about them.

use super::asked::Asked;
use super::params::{PAGE, Params};
use super::problem::Problem;
use super::reader::Reader;
use super::response;
use super::shapes::{Listed, time};
use super::sight::{Sight, WITHHELD};
use crate::store::{OpponentKind, StoredModel, Teaching};
use axum::extract::Path;
use axum::response::Response;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

/// The filters of the list.
pub(super) const FILTERS: &[&str] = &["game", "kind"];

/// An opponent, or a type of them, of which a model is kept.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Opponent)]
pub(super) struct OpponentShown {
    /// Its number.
    pub id: i64,
    /// The game's name.
    #[schema(example = "koehandel")]
    pub game: String,
    /// Whether it is known by name or a learnt type.
    pub kind: OpponentKind,
    /// The opponent's or type's name.
    pub name: String,
    /// Raised by every match that adds to it; `null` while withheld.
    pub version: Option<i64>,
    /// When it last changed; `null` while withheld.
    pub updated: Option<Timestamp>,
    /// The match that changed it last; `null` while withheld.
    pub last_match: Option<String>,
    /// Why its figures are not shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub withheld: Option<&'static str>,
}

/// An opponent with what is known about it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(super) struct OpponentModel {
    /// Whose model.
    #[serde(flatten)]
    pub opponent: OpponentShown,
    /// What was learnt, in the game's own terms; `null` while withheld.
    #[schema(value_type = Option<Object>)]
    pub model: Option<Value>,
}

/// `GET /api/v1/opponents`
pub(super) async fn list(asked: Asked) -> Result<Response, Problem> {
    let params = asked.params(&[FILTERS, PAGE])?;
    Ok(response::json(&page(&asked, &params).await?))
}

/// `GET /api/v1/opponents/{id}/model`
pub(super) async fn model(Path(id): Path<String>, asked: Asked) -> Result<Response, Problem> {
    Ok(response::json(&find(&asked, &id).await?))
}

/// Opponents, the last one first that was first met last.
pub(super) async fn page(
    reader: &Reader,
    params: &Params,
) -> Result<Listed<OpponentShown>, Problem> {
    let kinds = [OpponentKind::Named, OpponentKind::Type].map(|kind| (kind.word(), kind));
    let kind = params.word("kind", kinds)?;
    let (game, at) = (params.game()?, params.page()?);
    let store = &reader.state.store;
    let rows = store.models(game.as_deref(), kind, &at).await?;
    let taught = taught(reader).await?;
    Ok(Listed::page(rows, |model| {
        shown(&reader.sight, &taught, &model)
    }))
}

/// One opponent with its model.
pub(super) async fn find(reader: &Reader, id: &str) -> Result<OpponentModel, Problem> {
    let store = &reader.state.store;
    let unknown = || Problem::not_found(format!("there is no opponent {id}"));
    let number = id.parse().map_err(|_| unknown())?;
    let stored = store.model_by_id(number).await?.ok_or_else(unknown)?;
    let kit = store
        .kit(&stored.game)
        .ok_or_else(|| Problem::not_found(format!("this version knows no game {}", stored.game)))?;
    let opponent = shown(&reader.sight, &taught(reader).await?, &stored);
    let models = kit.models().filter(|_| opponent.withheld.is_none());
    let model = models.map(|models| models.show(&stored.model));
    Ok(OpponentModel { opponent, model })
}

/// What was learnt from matches that are not public yet.
async fn taught(reader: &Reader) -> Result<Vec<Teaching>, Problem> {
    if reader.sight.sees_all() {
        return Ok(Vec::new());
    }
    let store = &reader.state.store;
    Ok(store.teachings_since(reader.sight.open_us()).await?)
}

/// A model without its figures.
fn shown(sight: &Sight, taught: &[Teaching], model: &StoredModel) -> OpponentShown {
    let seen = sight.sees_model(model, taught);
    OpponentShown {
        id: model.id,
        game: model.game.clone(),
        kind: model.kind,
        name: model.name.clone(),
        version: seen.then_some(model.version),
        updated: seen.then(|| time(model.updated_us)),
        last_match: seen.then(|| model.last_match.clone()),
        withheld: (!seen).then_some(WITHHELD),
    }
}

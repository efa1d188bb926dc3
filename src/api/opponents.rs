//! Opponents and what is known about them.

use super::asked::Asked;
use super::lists::Rows;
use super::problem::Problem;
use super::query::{Params, Sparse};
use super::reader::Reader;
use super::shapes::{Listed, Paged, time};
use super::sight::{Sight, WITHHELD};
use crate::history::{self, GameWord, OpponentKind, Page, StoredModel, Teaching};
use axum::extract::Path;
use axum::response::Response;
use games::Models;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

/// The filters of the list.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct Wanted {
    /// Only this game.
    #[param(inline, value_type = Option<GameWord>, example = "koehandel")]
    game: Option<String>,
    /// Only this kind.
    #[param(inline, example = "named")]
    kind: Option<OpponentKind>,
}

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

/// Opponents, the last one first that was first met last.
pub(super) struct Opponents;

impl Rows for Opponents {
    type Item = OpponentShown;
    type Filters = Wanted;

    async fn page(reader: &Reader, params: &Params<Wanted>) -> Paged<OpponentShown> {
        let (rows, taught) = (rows(reader, params).await?, taught(reader).await?);
        Ok(Listed::page(rows, |model| {
            shown(&reader.sight, &taught, &model)
        }))
    }
}

/// The same with what is known about each.
pub(super) async fn known(reader: &Reader, params: &Params<Wanted>) -> Paged<OpponentModel> {
    let (rows, taught) = (rows(reader, params).await?, taught(reader).await?);
    Ok(Listed::page(rows, |stored| {
        let models = models(reader, &stored.game);
        modelled(&reader.sight, &taught, &stored, models)
    }))
}

/// What a game learns, if it learns.
pub(super) fn models(reader: &Reader, game: &str) -> Option<&'static dyn Models> {
    reader.state.store.reader().kit(game)?.card().models
}

async fn rows(reader: &Reader, params: &Params<Wanted>) -> Result<Page<StoredModel>, Problem> {
    let (Wanted { game, kind }, at) = (&params.filters, params.page()?);
    let store = &reader.state.store;
    Ok(history::models(store.reader(), game.as_deref(), *kind, &at).await?)
}

/// What is known about an opponent.
#[utoipa::path(get, path = "/api/v1/opponents/{id}/model", params(Sparse), responses((status = 200, body = OpponentModel)))]
pub(super) async fn model(Path(id): Path<String>, asked: Asked) -> Result<Response, Problem> {
    asked.answer(false, &find(&asked, &id).await?)
}

/// One opponent with its model.
pub(super) async fn find(reader: &Reader, id: &str) -> Result<OpponentModel, Problem> {
    let (stored, models) = stored(reader, id).await?;
    let taught = taught(reader).await?;
    Ok(modelled(&reader.sight, &taught, &stored, models))
}

/// An opponent with what is known about it, as its game shows that.
fn modelled(
    sight: &Sight,
    taught: &[Teaching],
    stored: &StoredModel,
    models: Option<&dyn Models>,
) -> OpponentModel {
    let opponent = shown(sight, taught, stored);
    let models = models.filter(|_| opponent.withheld.is_none());
    let model = models.map(|models| models.show(&stored.model));
    OpponentModel { opponent, model }
}

/// A stored model and how its game shows it.
pub(super) async fn stored(
    reader: &Reader,
    id: &str,
) -> Result<(StoredModel, Option<&'static dyn Models>), Problem> {
    let store = &reader.state.store;
    let unknown = || Problem::not_found(format!("there is no opponent {id}"));
    let number = id.parse().map_err(|_| unknown())?;
    let stored = history::model_by_id(store.reader(), number)
        .await?
        .ok_or_else(unknown)?;
    let no_game = || Problem::not_found(format!("this version knows no game {}", stored.game));
    let kit = store.reader().kit(&stored.game).ok_or_else(no_game)?;
    Ok((stored, kit.card().models))
}

/// Whether the caller sees the model as it is now.
pub(super) async fn seen(reader: &Reader, model: &StoredModel) -> Result<bool, Problem> {
    Ok(reader.sight.sees_model(model, &taught(reader).await?))
}

/// What was learnt from matches that are not public yet.
async fn taught(reader: &Reader) -> Result<Vec<Teaching>, Problem> {
    if reader.sight.sees_all() {
        return Ok(Vec::new());
    }
    let store = &reader.state.store;
    Ok(history::teachings_since(store.reader(), reader.sight.open_us()).await?)
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

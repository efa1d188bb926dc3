//! Opponents and what is known of them.

use super::params::{PAGE, Params};
use super::problem::Problem;
use super::response::{self, time};
use super::state::ApiState;
use crate::store::{OpponentKind, StoredModel};
use axum::extract::{Path, RawQuery, State};
use axum::response::Response;
use serde_json::{Value, json};

/// `GET /api/v1/opponents`
pub(super) async fn list(
    State(state): State<ApiState>,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    let params = Params::read(query.as_deref(), &[&["game", "kind"], PAGE])?;
    let kinds = [OpponentKind::Named, OpponentKind::Type].map(|kind| (kind.word(), kind));
    let kind = params.word("kind", kinds)?;
    let page = state
        .store
        .models(params.game()?.as_deref(), kind, &params.page()?)
        .await?;
    Ok(response::json(&response::page(page, |model| shown(&model))))
}

/// `GET /api/v1/opponents/{id}/model`
pub(super) async fn model(
    State(state): State<ApiState>,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    let unknown = || Problem::not_found(format!("there is no opponent {id}"));
    let number = id.parse().map_err(|_| unknown())?;
    let stored = state.store.model_by_id(number).await?.ok_or_else(unknown)?;
    let kit = state
        .store
        .kit(&stored.game)
        .ok_or_else(|| Problem::not_found(format!("this version knows no game {}", stored.game)))?;
    let mut value = shown(&stored);
    value["model"] = kit.show_model(&stored.model);
    Ok(response::json(&value))
}

fn shown(model: &StoredModel) -> Value {
    json!({
        "id": model.id,
        "game": model.game,
        "kind": model.kind,
        "name": model.name,
        "version": model.version,
        "updated": time(model.updated_us),
        "last_match": model.last_match,
    })
}

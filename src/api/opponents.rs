//! Opponents and what is known about them.

use super::asked::Asked;
use super::params::PAGE;
use super::problem::Problem;
use super::response::{self, time};
use super::sight::{Sight, WITHHELD};
use super::state::ApiState;
use crate::store::{OpponentKind, StoredModel, Teaching};
use axum::extract::Path;
use axum::response::Response;
use serde_json::{Value, json};

/// `GET /api/v1/opponents`
pub(super) async fn list(asked: Asked) -> Result<Response, Problem> {
    let params = asked.params(&[&["game", "kind"], PAGE])?;
    let kinds = [OpponentKind::Named, OpponentKind::Type].map(|kind| (kind.word(), kind));
    let kind = params.word("kind", kinds)?;
    let page = asked
        .state
        .store
        .models(params.game()?.as_deref(), kind, &params.page()?)
        .await?;
    let taught = taught(&asked.state, &asked.sight).await?;
    Ok(response::json(&response::page(page, |model| {
        shown(&asked.sight, &taught, &model).0
    })))
}

/// `GET /api/v1/opponents/{id}/model`
pub(super) async fn model(Path(id): Path<String>, asked: Asked) -> Result<Response, Problem> {
    let unknown = || Problem::not_found(format!("there is no opponent {id}"));
    let number = id.parse().map_err(|_| unknown())?;
    let stored = asked
        .state
        .store
        .model_by_id(number)
        .await?
        .ok_or_else(unknown)?;
    let kit =
        asked.state.store.kit(&stored.game).ok_or_else(|| {
            Problem::not_found(format!("this version knows no game {}", stored.game))
        })?;
    let (mut value, seen) = shown(
        &asked.sight,
        &taught(&asked.state, &asked.sight).await?,
        &stored,
    );
    value["model"] = match seen {
        true => kit.models().map(|models| models.show(&stored.model)).into(),
        false => Value::Null,
    };
    Ok(response::json(&value))
}

/// What was learnt from matches that are not public yet.
async fn taught(state: &ApiState, sight: &Sight) -> Result<Vec<Teaching>, Problem> {
    if sight.sees_all() {
        return Ok(Vec::new());
    }
    Ok(state.store.teachings_since(sight.open_us()).await?)
}

/// A model without its figures, and whether the caller sees these.
fn shown(sight: &Sight, taught: &[Teaching], model: &StoredModel) -> (Value, bool) {
    let mut value = json!({
        "id": model.id,
        "game": model.game,
        "kind": model.kind,
        "name": model.name,
        "version": model.version,
        "updated": time(model.updated_us),
        "last_match": model.last_match,
    });
    let seen = sight.sees_model(model, taught);
    if !seen {
        for forming in ["version", "updated", "last_match"] {
            value[forming] = Value::Null;
        }
        value["withheld"] = WITHHELD.into();
    }
    (value, seen)
}

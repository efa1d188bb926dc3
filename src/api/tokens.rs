//! Managing tokens.

use super::asked::Asked;
use super::problem::Problem;
use super::response::{self, time};
use crate::access::{AccessError, TokenCard};
use axum::body::Bytes;
use axum::extract::Path;
use axum::http::StatusCode;
use axum::response::Response;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    name: String,
    scopes: Vec<String>,
}

/// `GET /api/v1/tokens`: those that have not been revoked, oldest first.
pub(super) async fn list(asked: Asked) -> Result<Response, Problem> {
    asked.params(&[])?;
    let items: Vec<Value> = asked.state.tokens.list().iter().map(shown).collect();
    Ok(response::json(
        &json!({ "items": items, "next": Value::Null }),
    ))
}

/// `POST /api/v1/tokens` with `{"name": "ann", "scopes": ["bot:champion"]}`: 201, and the token, once.
pub(super) async fn add(asked: Asked, body: Bytes) -> Result<Response, Problem> {
    let wanted: Wanted = serde_json::from_slice(&body).map_err(|error| {
        Problem::body(format!(
            "it takes {{\"name\": \"ann\", \"scopes\": [\"bot:champion\"]}}: {error}"
        ))
    })?;
    let issued = asked.state.tokens.add(&wanted.name, &wanted.scopes).await?;
    let mut value = shown(&issued.card);
    value["token"] = issued.token.into();
    let mut response = response::json(&value);
    *response.status_mut() = StatusCode::CREATED;
    Ok(response)
}

/// `DELETE /api/v1/tokens/{name or id}`: the next request with it is refused.
pub(super) async fn revoke(Path(which): Path<String>, asked: Asked) -> Result<Response, Problem> {
    Ok(response::json(&shown(
        &asked.state.tokens.revoke(&which).await?,
    )))
}

fn shown(card: &TokenCard) -> Value {
    json!({
        "id": card.id,
        "name": card.name,
        "scopes": card.scopes,
        "created": time(card.created_us),
        "last_used": card.used_us.map(time),
    })
}

impl From<AccessError> for Problem {
    fn from(error: AccessError) -> Self {
        let detail = error.to_string();
        match error {
            AccessError::Store(error) => error.into(),
            AccessError::Unknown(_) => Self::not_found(detail),
            AccessError::Name | AccessError::Scopes | AccessError::Scope(_) => Self::body(detail),
            AccessError::Random(_) => Self::unavailable(detail),
            AccessError::Taken(_)
            | AccessError::Full
            | AccessError::NeedsAdmin
            | AccessError::LastAdmin(_) => Self::conflict(detail),
        }
    }
}

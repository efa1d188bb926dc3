//! The built-in bots.

use super::asked::Asked;
use super::problem::Problem;
use super::response;
use axum::response::Response;
use serde_json::{Value, json};

/// `GET /api/v1/bots`
pub(super) async fn list(asked: Asked) -> Result<Response, Problem> {
    let wanted = asked.params(&[&["game"]])?.game()?;
    let mut items = Vec::new();
    for kit in games::ALL
        .iter()
        .filter(|kit| wanted.as_deref().is_none_or(|game| game == kit.game()))
    {
        for bot in kit.bots() {
            items.push(json!({
                "game": kit.game(),
                "name": bot.name,
                "spec": format!("builtin:{}", bot.name),
                "rung": bot.rung,
                "version": bot.version,
                "description": bot.description,
                "signature": format!("{:016x}", bot.signature),
                "thinks": bot.thinks,
            }));
        }
    }
    Ok(response::json(
        &json!({ "items": items, "next": Value::Null }),
    ))
}

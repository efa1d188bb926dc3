//! Who did what to whom.

use super::asked::Asked;
use super::problem::Problem;
use super::response;
use crate::store::{Subject, Versus};
use axum::extract::Path;
use axum::response::Response;
use serde_json::json;

/// `GET /api/v1/bots/{game}/{bot}/versus`: a bot's record against each rival.
pub(super) async fn bot(
    Path((game, bot)): Path<(String, String)>,
    asked: Asked,
) -> Result<Response, Problem> {
    asked.params(&[])?;
    if asked.state.store.kit(&game).is_none() {
        return Err(Problem::not_found(format!("there is no game {game}")));
    }
    let items = versus(&asked, &game, Subject::Bot(&bot)).await?;
    Ok(response::json(
        &json!({ "game": game, "bot": bot, "items": items, "next": null }),
    ))
}

/// `GET /api/v1/opponents/{id}`: each of our bots' record against an opponent.
pub(super) async fn opponent(Path(id): Path<String>, asked: Asked) -> Result<Response, Problem> {
    asked.params(&[])?;
    let unknown = || Problem::not_found(format!("there is no opponent {id}"));
    let number = id.parse().map_err(|_| unknown())?;
    let stored = asked.state.store.model_by_id(number).await?;
    let stored = stored.ok_or_else(unknown)?;
    let items = versus(&asked, &stored.game, Subject::Opponent(&stored.name)).await?;
    Ok(response::json(&json!({
        "id": stored.id,
        "game": stored.game,
        "kind": stored.kind,
        "name": stored.name,
        "items": items,
        "next": null,
    })))
}

async fn versus(asked: &Asked, game: &str, subject: Subject<'_>) -> Result<Vec<Versus>, Problem> {
    // Results are public at once, what happened in a match when it is.
    let open_us = match asked.sight.sees_all() {
        true => i64::MAX,
        false => asked.sight.open_us(),
    };
    let mut all = asked.state.store.versus(game, subject, open_us).await?;
    for versus in &mut all {
        versus.rival = asked.sight.spec(&versus.rival).into_owned();
    }
    Ok(all)
}

//! The facts from a match's transcripts.

use super::asked::Asked;
use super::matches;
use super::problem::Problem;
use super::response;
use super::sight::{Sight, WITHHELD};
use crate::store::FactRow;
use axum::extract::Path;
use axum::response::Response;
use serde_json::{Value, json};
use std::collections::HashSet;

/// `GET /api/v1/matches/{id}/facts`
pub(super) async fn list(Path(id): Path<String>, asked: Asked) -> Result<Response, Problem> {
    let params = asked.params(&[&["seat", "session", "kind"]])?;
    let kind = params.text("kind");
    let (row, sessions, withheld) = matches::seen(&asked, &id, &params).await?;
    let seen: HashSet<_> = sessions.iter().map(|row| row.id).collect();
    let mut facts = asked.state.store.facts(&id).await?;
    facts.retain(|fact| seen.contains(&fact.session));
    facts.retain(|fact| kind.as_ref().is_none_or(|kind| fact.kind == *kind));
    let facts = facts.into_iter().map(|fact| shown(&asked.sight, fact));
    let items: Vec<FactRow> = facts.collect();
    let mut value = json!({ "items": items, "next": Value::Null });
    if withheld {
        value["withheld"] = WITHHELD.into();
    }
    Ok(response::tagged_json(
        &asked.headers,
        asked.sight.is_open(&row),
        &value,
    ))
}

pub(super) fn shown(sight: &Sight, fact: FactRow) -> FactRow {
    let bot = sight.spec(&fact.bot).into_owned();
    FactRow { bot, ..fact }
}

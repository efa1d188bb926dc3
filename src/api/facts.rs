//! The facts from a match's transcripts.

use super::asked::Asked;
use super::matches;
use super::params::Params;
use super::problem::Problem;
use super::reader::Reader;
use super::response;
use super::shapes::Listed;
use super::sight::{Sight, WITHHELD};
use crate::store::FactRow;
use axum::extract::Path;
use axum::response::Response;
use std::collections::HashSet;

/// The filters of the list.
pub(super) const FILTERS: &[&str] = &["seat", "session", "kind"];

/// `GET /api/v1/matches/{id}/facts`
pub(super) async fn list(Path(id): Path<String>, asked: Asked) -> Result<Response, Problem> {
    let params = asked.params(&[FILTERS])?;
    let (listed, open) = page(&asked, &id, &params).await?;
    Ok(response::tagged_json(&asked.headers, open, &listed))
}

/// A match's facts in order, and whether all of them are public and final.
pub(super) async fn page(
    reader: &Reader,
    id: &str,
    params: &Params,
) -> Result<(Listed<FactRow>, bool), Problem> {
    let kind = params.text("kind");
    let (row, sessions, withheld) = matches::seen(reader, id, params).await?;
    let seen: HashSet<_> = sessions.iter().map(|row| row.id).collect();
    let mut facts = reader.state.store.facts(id).await?;
    facts.retain(|fact| seen.contains(&fact.session));
    facts.retain(|fact| kind.as_ref().is_none_or(|kind| fact.kind == *kind));
    let facts = facts.into_iter().map(|fact| shown(&reader.sight, fact));
    let mut listed = Listed::all(facts.collect());
    listed.withheld = withheld.then_some(WITHHELD);
    Ok((listed, reader.sight.is_open(&row)))
}

fn shown(sight: &Sight, fact: FactRow) -> FactRow {
    let bot = sight.spec(&fact.bot).into_owned();
    FactRow { bot, ..fact }
}

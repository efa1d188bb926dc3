//! The bluff history.

use super::asked::Asked;
use super::params::PAGE;
use super::problem::Problem;
use super::response::{self, time};
use super::sight::{Sight, WITHHELD};
use crate::store::{BluffRow, Filter, Page, PageAt, Store};
use axum::response::Response;
use serde_json::{Value, json};

const FILTERS: &[&str] = &[
    "game", "match", "opponent", "by", "bot", "caught", "since", "until",
];

/// How often rows are read for one page that its caller may see; after that the page is shorter.
const READS_MAX: usize = 100;

/// `GET /api/v1/bluffs`
pub(super) async fn list(asked: Asked) -> Result<Response, Problem> {
    let params = asked.params(&[FILTERS, PAGE])?;
    let page = seen(
        &asked.state.store,
        &asked.sight,
        &params.filter()?,
        params.page()?,
    )
    .await?;
    let mut value = response::page(page, |row| shown(&asked.sight, row));
    if !asked.sight.sees_all() {
        // Sent whether or not anything was left out: the difference would reveal what is happening.
        value["withheld"] = WITHHELD.into();
    }
    Ok(response::json(&value))
}

/// The next page of what the caller sees. Its cursor is a row that the caller sees, present only if it sees
/// another one after it, so that it reveals nothing about those between.
async fn seen(
    store: &Store,
    sight: &Sight,
    filter: &Filter,
    at: PageAt,
) -> Result<Page<BluffRow>, Problem> {
    let limit = at.limit as usize;
    let mut at = PageAt {
        limit: at.limit + 1,
        ..at
    };
    let mut items = Vec::new();
    for _ in 0..READS_MAX {
        let read = store.bluffs(filter, &at).await?;
        let shown = read
            .items
            .into_iter()
            .filter(|row| sight.sees(&row.secrecy));
        items.extend(shown);
        at.after = read.next;
        if items.len() > limit || at.after.is_none() {
            break;
        }
    }
    if items.len() > limit {
        items.truncate(limit);
        at.after = items.last().map(|row| row.id.to_string());
    }
    let next = at.after;
    Ok(Page { items, next })
}

fn shown(sight: &Sight, row: BluffRow) -> Value {
    json!({
        "id": row.id,
        "match": row.match_id,
        "game": row.game,
        "session": row.session,
        "bot": sight.spec(&row.bot),
        "entry": row.entry,
        "time": time(row.at_us),
        "by": row.by,
        "seat": row.seat,
        "opponent": row.opponent,
        "bid": row.bid,
        "held": row.held,
        "caught": row.caught,
    })
}

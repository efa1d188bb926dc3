//! Tournaments: what is stored of them, and what follows from it.

use super::asked::Asked;
use super::params::PAGE;
use super::problem::Problem;
use super::response::{self, time};
use super::sight::Sight;
use crate::store::{StoreError, TournamentMatch, TournamentRow};
use crate::tournament::StoredTournament;
use crate::tournament::standings::Standings;
use axum::extract::Path;
use axum::response::Response;
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::sync::Mutex;

/// The most tournaments whose standings are kept.
const KEPT_MAX: usize = 4;

const FILTERS: &[&str] = &["game"];

/// `GET /api/v1/tournaments`
pub(super) async fn list(asked: Asked) -> Result<Response, Problem> {
    let params = asked.params(&[FILTERS, PAGE])?;
    let game = params.text("game");
    let page = params.page_of_matches()?;
    let page = asked
        .state
        .store
        .tournaments(game.as_deref(), &page)
        .await?;
    Ok(response::json(&response::page(page, |row| {
        shown(&asked.sight, &row)
    })))
}

/// `GET /api/v1/tournaments/{id}`
pub(super) async fn one(Path(id): Path<String>, asked: Asked) -> Result<Response, Problem> {
    asked.params(&[])?;
    let row = find(&asked, &id).await?;
    Ok(tagged(&asked, &row, &shown(&asked.sight, &row)))
}

/// `GET /api/v1/tournaments/{id}/standings`: who is where, with all splits.
pub(super) async fn standings(Path(id): Path<String>, asked: Asked) -> Result<Response, Problem> {
    asked.params(&[])?;
    let computed = read(&asked, &id).await?;
    Ok(tagged(&asked, &computed.row, &json!(computed.standings)))
}

/// `GET /api/v1/tournaments/{id}/ratings`: the ratings and their model alone.
pub(super) async fn ratings(Path(id): Path<String>, asked: Asked) -> Result<Response, Problem> {
    asked.params(&[])?;
    let computed = read(&asked, &id).await?;
    let standings = &computed.standings;
    let rated = standings
        .entrants
        .iter()
        .filter_map(|entrant| entrant.rating.as_ref());
    let ratings = json!({
        "model": standings.model,
        "unrated": standings.unrated,
        "players": rated.collect::<Vec<_>>(),
    });
    Ok(tagged(&asked, &computed.row, &ratings))
}

/// `GET /api/v1/tournaments/{id}/crosstable`: what became of each pair.
pub(super) async fn crosstable(Path(id): Path<String>, asked: Asked) -> Result<Response, Problem> {
    asked.params(&[])?;
    let computed = read(&asked, &id).await?;
    let rows = computed.standings.entrants.iter().map(|entrant| {
        json!({
            "rank": entrant.rank,
            "name": entrant.name,
            "house": entrant.house,
            "points": entrant.points,
            "opponents": entrant.opponents,
        })
    });
    let crosstable = json!({ "items": rows.collect::<Vec<_>>() });
    Ok(tagged(&asked, &computed.row, &crosstable))
}

/// `GET /api/v1/tournaments/{id}/schedule`: the rounds in order, each with its matches that have ended.
pub(super) async fn schedule(Path(id): Path<String>, asked: Asked) -> Result<Response, Problem> {
    let page = asked.params(&[PAGE])?.page()?;
    let store = &asked.state.store;
    let row = find(&asked, &id).await?;
    let first = page.after.and_then(|after| after.parse::<u32>().ok());
    let first = first.map_or(0, |after| after.saturating_add(1));
    let end = first.saturating_add(page.limit);
    let rounds = store.tournament_rounds(&id, first..end).await?;
    let matches = store.tournament_matches(&id, first..end).await?;
    let mut matches = matches.iter().peekable();
    let rounds = rounds.iter().map(|round| {
        let tables = round.decision["tables"].as_array().into_iter().flatten();
        let played = std::iter::from_fn(|| matches.next_if(|played| played.round <= round.round));
        json!({
            "round": round.round,
            "decided": time(round.decided_us),
            "why": round.decision["why"],
            "tables": tables.map(|table| names(&row, table)).collect::<Vec<_>>(),
            "byes": names(&row, &round.decision["byes"]),
            "matches": played.map(ended).collect::<Vec<_>>(),
        })
    });
    let schedule = json!({
        "items": rounds.collect::<Vec<_>>(),
        "next": (end < row.rounds).then(|| (end - 1).to_string()),
    });
    Ok(tagged(&asked, &row, &schedule))
}

/// The entrants with these numbers.
fn names(row: &TournamentRow, numbers: &Value) -> Vec<String> {
    let numbers = numbers.as_array().into_iter().flatten();
    let entrant = |number: &Value| row.entrants.get(number.as_u64()? as usize);
    let names = numbers.filter_map(entrant);
    names.map(|entrant| entrant.name.clone()).collect()
}

/// A match of the schedule that has ended.
fn ended(played: &TournamentMatch) -> Value {
    json!({
        "number": played.number,
        "table": played.table,
        "match": played.match_id,
        "entrants": played.entrants,
        "cause": played.cause,
        "scores": played.scores,
    })
}

async fn find(asked: &Asked, id: &str) -> Result<TournamentRow, Problem> {
    let row = asked.state.store.tournament(id).await?;
    row.ok_or_else(|| Problem::not_found(format!("there is no tournament {id}")))
}

/// A tournament with its standings: kept until another match has ended. Thousands of matches take their time: off
/// the async threads, and for one caller at once.
async fn read(asked: &Asked, id: &str) -> Result<Arc<Computed>, Problem> {
    let row = find(asked, id).await?;
    let mut kept = asked.state.standings.0.lock().await;
    if let Some(known) = kept.iter().find(|known| known.row == row) {
        return Ok(Arc::clone(known));
    }
    let stored = StoredTournament::read(&asked.state.store, row).await;
    let stored = stored.map_err(unreadable)?;
    let computed = tokio::task::spawn_blocking(move || {
        let standings = stored.standings()?;
        let row = stored.row;
        anyhow::Ok(Arc::new(Computed { row, standings }))
    });
    let computed = match computed.await {
        Ok(computed) => computed.map_err(unreadable)?,
        Err(error) => return Err(StoreError::Corrupt(error.to_string()).into()),
    };
    kept.retain(|known| known.row.id != id);
    kept.truncate(KEPT_MAX - 1);
    kept.insert(0, Arc::clone(&computed));
    Ok(computed)
}

/// The standings that were asked for last.
#[derive(Clone, Debug, Default)]
pub struct KeptStandings(Arc<Mutex<Vec<Arc<Computed>>>>);

/// A tournament with its standings.
#[derive(Debug)]
struct Computed {
    row: TournamentRow,
    standings: Standings,
}

fn unreadable(error: anyhow::Error) -> Problem {
    StoreError::Corrupt(format!("{error:#}")).into()
}

fn tagged(asked: &Asked, row: &TournamentRow, value: &Value) -> Response {
    response::tagged_json(&asked.headers, row.ended_us.is_none(), value)
}

/// A tournament as shown to callers. Its seed tells the decks of rounds to come: only after its end.
fn shown(sight: &Sight, row: &TournamentRow) -> Value {
    let entrants = row.entrants.iter().map(|entrant| {
        json!({
            "name": entrant.name,
            "spec": sight.spec(&entrant.spec),
            "house": entrant.house,
        })
    });
    let over = row.ended_us.is_some();
    json!({
        "id": row.id,
        "name": row.name,
        "game": row.game,
        "seed": over.then_some(row.seed),
        "schedule": row.setup["schedule"],
        "seats": row.setup["seats"],
        "decks": row.setup["decks"],
        "budget": row.setup["budget"],
        "started": time(row.started_us),
        "ended": row.ended_us.map(time),
        "why": over.then_some(&row.ended_why),
        "rounds": row.rounds,
        "matches": row.matches,
        "entrants": entrants.collect::<Vec<_>>(),
    })
}

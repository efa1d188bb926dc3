//! Tournaments: what is stored of them, and what follows from it.

use super::asked::Asked;
use super::params::PAGE;
use super::problem::Problem;
use super::response::{self, time};
use super::sight::Sight;
use crate::store::{StoreError, TournamentRow};
use crate::tournament::StoredTournament;
use crate::tournament::standings::Standings;
use axum::extract::Path;
use axum::response::Response;
use serde_json::{Value, json};

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
    let (stored, standings) = read(&asked, &id).await?;
    Ok(tagged(&asked, &stored.row, &json!(standings)))
}

/// `GET /api/v1/tournaments/{id}/ratings`: the ratings and their model alone.
pub(super) async fn ratings(Path(id): Path<String>, asked: Asked) -> Result<Response, Problem> {
    asked.params(&[])?;
    let (stored, standings) = read(&asked, &id).await?;
    let rated = standings
        .entrants
        .iter()
        .filter_map(|entrant| entrant.rating.as_ref());
    let ratings = json!({
        "model": standings.model,
        "unrated": standings.unrated,
        "players": rated.collect::<Vec<_>>(),
    });
    Ok(tagged(&asked, &stored.row, &ratings))
}

/// `GET /api/v1/tournaments/{id}/crosstable`: what became of each pair.
pub(super) async fn crosstable(Path(id): Path<String>, asked: Asked) -> Result<Response, Problem> {
    asked.params(&[])?;
    let (stored, standings) = read(&asked, &id).await?;
    let rows = standings.entrants.iter().map(|entrant| {
        json!({
            "rank": entrant.rank,
            "name": entrant.name,
            "house": entrant.house,
            "points": entrant.points,
            "opponents": entrant.opponents,
        })
    });
    let crosstable = json!({ "items": rows.collect::<Vec<_>>() });
    Ok(tagged(&asked, &stored.row, &crosstable))
}

/// `GET /api/v1/tournaments/{id}/schedule`: the rounds, and the matches that have ended.
pub(super) async fn schedule(Path(id): Path<String>, asked: Asked) -> Result<Response, Problem> {
    asked.params(&[])?;
    let store = &asked.state.store;
    let row = find(&asked, &id).await?;
    let names = |table: &Value| {
        let table = table.as_array().into_iter().flatten();
        let entrant = |place: &Value| row.entrants.get(place.as_u64()? as usize);
        table
            .filter_map(entrant)
            .map(|entrant| entrant.name.clone())
            .collect::<Vec<_>>()
    };
    let rounds = store.tournament_rounds(&id).await?;
    let rounds = rounds.iter().map(|round| {
        let tables = round.decision["tables"].as_array().into_iter().flatten();
        json!({
            "round": round.round,
            "decided": time(round.decided_us),
            "why": round.decision["why"],
            "tables": tables.map(names).collect::<Vec<_>>(),
            "byes": names(&round.decision["byes"]),
        })
    });
    let matches = store.tournament_matches(&id).await?;
    let matches = matches.iter().map(|played| {
        json!({
            "number": played.number,
            "round": played.round,
            "table": played.table,
            "match": played.match_id,
            "entrants": played.entrants,
            "cause": played.cause,
            "scores": played.scores,
        })
    });
    let schedule = json!({
        "rounds": rounds.collect::<Vec<_>>(),
        "matches": matches.collect::<Vec<_>>(),
    });
    Ok(tagged(&asked, &row, &schedule))
}

async fn find(asked: &Asked, id: &str) -> Result<TournamentRow, Problem> {
    let row = asked.state.store.tournament(id).await?;
    row.ok_or_else(|| Problem::not_found(format!("there is no tournament {id}")))
}

/// A tournament with its standings. Thousands of matches take their time: off the async threads.
async fn read(asked: &Asked, id: &str) -> Result<(StoredTournament, Standings), Problem> {
    let row = find(asked, id).await?;
    let mut stored = StoredTournament::read(&asked.state.store, row)
        .await
        .map_err(unreadable)?;
    for entrant in &mut stored.entrants {
        entrant.spec = asked.sight.spec(&entrant.spec).into_owned();
    }
    let computed = tokio::task::spawn_blocking(move || {
        let standings = stored.standings()?;
        anyhow::Ok((stored, standings))
    });
    match computed.await {
        Ok(computed) => computed.map_err(unreadable),
        Err(error) => Err(StoreError::Corrupt(error.to_string()).into()),
    }
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

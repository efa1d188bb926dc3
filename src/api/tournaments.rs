//! Tournaments: what is stored of them, and what follows from it.

use super::asked::Asked;
use super::kept_standings::{Computed, Kept, KeptStandings};
use super::lists::Rows;
use super::problem::Problem;
use super::query::{ByGame, Nothing, Params, Sparse};
use super::reader::Reader;
use super::shapes::{Listed, Paged, time};
use super::sight::Sight;
use crate::history::{self, CauseWord, TournamentMatch};
use crate::store::{NewEntrant, StoreError, StoredRound, TournamentRow};
use crate::tournament::standings::{History, OpponentSplit, RatingModel, Standing, Standings};
use crate::tournament::{Drawn, StoredTournament};
use axum::extract::Path;
use axum::response::Response;
use games::Cause;
use jiff::Timestamp;
use ratings::Rated;
use serde::Serialize;
use serde_json::Value;
use std::sync::Arc;
use tokio::sync::OnceCell;
use utoipa::{PartialSchema as _, ToSchema};

/// A tournament.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Tournament)]
pub(super) struct TournamentShown {
    /// A ULID: it sorts by time.
    pub id: String,
    /// Its name; others may have the same.
    pub name: String,
    /// The game's name.
    #[schema(example = "koehandel")]
    pub game: String,
    /// The seed in its file, which takes the secret's place; only after its end.
    pub seed: Option<u64>,
    /// The SHA-256 of its id, a space and its secret.
    pub commitment: Option<String>,
    /// What pairings, decks and numbers on the wire follow from; only after its end.
    pub secret: Option<String>,
    /// How rounds are decided.
    #[schema(value_type = Object)]
    pub schedule: Value,
    /// Players per table.
    #[schema(value_type = Option<u64>)]
    pub seats: Value,
    /// Decks per table.
    #[schema(value_type = Option<u64>)]
    pub decks: Value,
    /// What a bot may think.
    pub budget: Value,
    /// When it began.
    pub started: Timestamp,
    /// When it ended.
    pub ended: Option<Timestamp>,
    /// Why it ended; `null` until then.
    pub why: Option<String>,
    /// How many rounds were decided.
    pub rounds: u32,
    /// How many matches have ended.
    pub matches: u64,
    /// The entrants, in the order given.
    pub entrants: Vec<NewEntrant>,
}

/// Ratings of a tournament and their model.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(super) struct Ratings {
    /// What the ratings have in common; `null` if there are none.
    pub model: Option<RatingModel>,
    /// Why there are no ratings.
    pub unrated: Option<String>,
    /// One for each entrant that has results, in the order of the standings.
    pub players: Vec<Rated>,
}

/// One entrant's row of a crosstable.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(super) struct CrossRow {
    /// Its rank from 1; `null` for a house entrant.
    pub rank: Option<usize>,
    /// Its name.
    pub name: String,
    /// Whether it only fills up groups.
    pub house: bool,
    /// 1 for each pair won, 0.5 for each drawn.
    pub points: f64,
    /// Its results against each entrant whom it met.
    pub opponents: Vec<OpponentSplit>,
}

/// A round of the schedule.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Round)]
pub(super) struct RoundShown {
    /// Its number.
    pub round: u32,
    /// When it was decided.
    pub decided: Timestamp,
    /// Why it was decided so.
    #[schema(value_type = Option<String>)]
    pub why: Value,
    /// The entrants of each table.
    pub tables: Vec<Vec<String>>,
    /// Who sits out.
    pub byes: Vec<String>,
    /// Its matches that have ended.
    pub matches: Vec<PlayedShown>,
}

/// A match of the schedule that has ended.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Played)]
pub(super) struct PlayedShown {
    /// Its number in the whole tournament, from 0.
    pub number: u64,
    /// Its table in the round, from 0.
    pub table: u32,
    /// The match.
    #[serde(rename = "match")]
    pub match_id: String,
    /// The entrants' names, by seat.
    pub entrants: Vec<String>,
    /// Why it ended.
    #[schema(schema_with = CauseWord::schema)]
    pub cause: Cause,
    /// Scores by seat; empty if it has no result.
    pub scores: Vec<i64>,
}

/// Tournaments, newest first.
pub(super) struct Tournaments;

impl Rows for Tournaments {
    type Item = TournamentShown;
    type Filters = ByGame;

    async fn page(reader: &Reader, params: &Params<ByGame>) -> Paged<TournamentShown> {
        let (game, at) = (params.filters.game.as_deref(), params.page_of_matches()?);
        let rows = history::tournaments(reader.state.store.reader(), game, &at).await?;
        Ok(Listed::page(rows, |row| shown(&reader.sight, row)))
    }
}

/// A tournament's rounds in order, each with its matches that have ended.
pub(super) struct Schedule;

impl Rows for Schedule {
    type Item = RoundShown;
    type Filters = Nothing;
    const TAGGED: bool = true;

    async fn page(reader: &Reader, params: &Params<Nothing>) -> Paged<RoundShown> {
        let row = row(reader, params.id()).await?;
        rounds(reader, &row, params).await
    }
}

/// The outcome of each pair.
pub(super) struct Crosstable;

impl Rows for Crosstable {
    type Item = CrossRow;
    type Filters = Nothing;
    const TAGGED: bool = true;
    const REFUSES: &'static [u16] = &[409];

    async fn page(reader: &Reader, params: &Params<Nothing>) -> Paged<CrossRow> {
        let computed = computed(reader, params.id()).await?;
        let rows = computed.standings.entrants.iter().map(cross_row);
        Ok(Listed {
            lasting: computed.row.ended_us.is_some(),
            ..Listed::cut(rows, &params.page_or_all()?)?
        })
    }
}

/// One tournament.
#[utoipa::path(get, path = "/api/v1/tournaments/{id}", params(Sparse),
    responses((status = 200, body = TournamentShown), (status = 304)))]
pub(super) async fn one(Path(id): Path<String>, asked: Asked) -> Result<Response, Problem> {
    asked.answer(true, &find(&asked, &id).await?)
}

/// Who is where, with all splits.
#[utoipa::path(get, path = "/api/v1/tournaments/{id}/standings", params(Sparse),
    responses((status = 200, body = Standings), (status = 304), (status = 409)))]
pub(super) async fn standings(Path(id): Path<String>, asked: Asked) -> Result<Response, Problem> {
    let computed = computed(&asked, &id).await?;
    asked.answer(true, &computed.standings)
}

/// The ratings and their model.
#[utoipa::path(get, path = "/api/v1/tournaments/{id}/ratings", params(Sparse),
    responses((status = 200, body = Ratings), (status = 304), (status = 409)))]
pub(super) async fn ratings(Path(id): Path<String>, asked: Asked) -> Result<Response, Problem> {
    let computed = computed(&asked, &id).await?;
    let standings = &computed.standings;
    let rated = standings.entrants.iter();
    let ratings = Ratings {
        model: standings.model.clone(),
        unrated: standings.unrated.clone(),
        players: rated.filter_map(|entrant| entrant.rating.clone()).collect(),
    };
    asked.answer(true, &ratings)
}

/// One tournament.
pub(super) async fn find(reader: &Reader, id: &str) -> Result<TournamentShown, Problem> {
    Ok(shown(&reader.sight, row(reader, id).await?))
}

/// The stored tournament with this id, or the problem that there is none.
pub(super) async fn row(reader: &Reader, id: &str) -> Result<TournamentRow, Problem> {
    let row = history::tournament(reader.state.store.reader(), id).await?;
    row.ok_or_else(|| Problem::not_found(format!("there is no tournament {id}")))
}

/// A page of a tournament's rounds.
pub(super) async fn rounds(
    reader: &Reader,
    row: &TournamentRow,
    params: &Params<Nothing>,
) -> Paged<RoundShown> {
    let page = params.page()?;
    let store = &reader.state.store;
    let after = params.number()?;
    let first = after.map_or(0, |after: u32| after.saturating_add(1));
    let end = first.saturating_add(page.limit);
    let rounds = history::tournament_rounds(store.reader(), &row.id, first..end).await?;
    let matches = history::tournament_matches(store.reader(), &row.id, first..end).await?;
    let mut matches = matches.into_iter().peekable();
    let rounds = rounds.into_iter().map(|round| {
        let played = std::iter::from_fn(|| matches.next_if(|played| played.round <= round.round));
        let played = played.map(ended).collect();
        decided(row, round, played)
    });
    let next = (end < row.rounds).then(|| (end - 1).to_string());
    Ok(Listed {
        lasting: row.ended_us.is_some(),
        ..Listed::new(rounds.collect(), next)
    })
}

fn decided(row: &TournamentRow, round: StoredRound, matches: Vec<PlayedShown>) -> RoundShown {
    let tables = round.decision["tables"].as_array().into_iter().flatten();
    RoundShown {
        round: round.round,
        decided: time(round.decided_us),
        why: round.decision["why"].clone(),
        tables: tables.map(|table| names(row, table)).collect(),
        byes: names(row, &round.decision["byes"]),
        matches,
    }
}

/// The entrants with these numbers.
fn names(row: &TournamentRow, numbers: &Value) -> Vec<String> {
    let numbers = numbers.as_array().into_iter().flatten();
    let entrant = |number: &Value| row.entrants.get(number.as_u64()? as usize);
    let names = numbers.filter_map(entrant);
    names.map(|entrant| entrant.name.clone()).collect()
}

fn ended(played: TournamentMatch) -> PlayedShown {
    PlayedShown {
        number: played.number,
        table: played.table,
        match_id: played.match_id,
        entrants: played.entrants,
        cause: played.cause,
        scores: played.scores,
    }
}

fn cross_row(entrant: &Standing) -> CrossRow {
    CrossRow {
        rank: entrant.rank,
        name: entrant.name.clone(),
        house: entrant.house,
        points: entrant.points,
        opponents: entrant.opponents.clone(),
    }
}

/// A tournament with its standings: kept until another match has ended. Thousands of matches take their time: off
/// the async threads, and for one caller at once; what is known already waits for nobody.
pub(super) async fn computed(reader: &Reader, id: &str) -> Result<Arc<Computed>, Problem> {
    let row = row(reader, id).await?;
    let KeptStandings { kept, .. } = &reader.state.standings;
    let found = {
        let mut kept = kept.lock().await;
        let found = match kept.iter().position(|known| known.row == row) {
            Some(at) => kept.remove(at),
            None => {
                kept.retain(|known| known.row.id != id);
                // Those asked for last: the newest of every game, for the list of all ratings.
                kept.truncate(games::ALL.len() - 1);
                let (row, computed) = (row.clone(), OnceCell::new());
                Arc::new(Kept { row, computed })
            }
        };
        kept.insert(0, Arc::clone(&found));
        found
    };
    let computed = found.computed.get_or_try_init(|| compute(reader, row));
    computed.await.cloned()
}

/// The same without being kept: for what is asked of many tournaments once.
pub(super) async fn compute(reader: &Reader, row: TournamentRow) -> Result<Arc<Computed>, Problem> {
    let _turn = reader.state.standings.turn.lock().await;
    let stored = StoredTournament::read(&reader.state.store, row).await;
    let stored = stored.map_err(unreadable)?;
    let computed = tokio::task::spawn_blocking(move || {
        let standings = stored.standings()?;
        let (row, history) = (stored.row, OnceCell::new());
        anyhow::Ok(Arc::new(Computed {
            row,
            standings,
            history,
        }))
    });
    match computed.await {
        Ok(computed) => computed.map_err(unreadable),
        Err(error) => Err(StoreError::Corrupt(error.to_string()).into()),
    }
}

/// Its ratings after each round, fitted when they are first asked for.
pub(super) async fn history(reader: &Reader, computed: &Computed) -> Result<Arc<History>, Problem> {
    let fitted = computed.history.get_or_try_init(async || {
        let row = computed.row.clone();
        let stored = StoredTournament::read(&reader.state.store, row).await;
        let stored = stored.map_err(unreadable)?;
        let fitted = tokio::task::spawn_blocking(move || stored.history()).await;
        let fitted = fitted.map_err(|error| StoreError::Corrupt(error.to_string()))?;
        Ok::<_, Problem>(Arc::new(fitted.map_err(unreadable)?))
    });
    fitted.await.cloned()
}

/// That the store fails, or that what it gave is in a form that is not known.
fn unreadable(error: anyhow::Error) -> Problem {
    match error.downcast::<StoreError>() {
        Ok(failed) => failed.into(),
        Err(unknown) => Problem::unreadable(format!("{unknown:#}")),
    }
}

/// A tournament as shown to callers.
pub(super) fn shown(sight: &Sight, row: TournamentRow) -> TournamentShown {
    let over = row.ended_us.is_some();
    let entrants = row.entrants.into_iter().map(|entrant| NewEntrant {
        spec: sight.spec(&entrant.spec, Some(&entrant.name)).to_owned(),
        ..entrant
    });
    let drawn = Drawn::new(&row.id, &row.setup, over);
    TournamentShown {
        id: row.id.clone(),
        name: row.name,
        game: row.game,
        seed: row.setup["seed"].as_u64().filter(|_| over),
        commitment: drawn.as_ref().map(|drawn| drawn.commitment.clone()),
        secret: drawn.and_then(|drawn| drawn.secret),
        schedule: row.setup["schedule"].clone(),
        seats: row.setup["seats"].clone(),
        decks: row.setup["decks"].clone(),
        budget: row.setup["budget"].clone(),
        started: time(row.started_us),
        ended: row.ended_us.map(time),
        why: over.then_some(row.ended_why),
        rounds: row.rounds,
        matches: row.matches,
        entrants: entrants.collect(),
    }
}

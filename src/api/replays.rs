//! What was to be seen of a match, step by step.

use super::asked::Asked;
use super::problem::Problem;
use super::query::{Page, Params};
use super::reader::Reader;
use super::response;
use super::sight::WITHHELD;
use super::step_stderr;
use super::turns::Turns;
use crate::history::{self, SessionRow};
use crate::replay::{Film, Parts, Shape, Step, StepFact, Still, View, seats};
use crate::store::{MatchRow, SessionId, Store};
use axum::extract::Path;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::Arc;
use utoipa::{IntoParams, ToSchema};

/// Why there is nothing to be seen of a match of which several seats' views are known, but none of all.
const SEVERAL: &str = "each seat has a view of its own: ask for one of `seats` by `seat`";

/// Which steps, and what of them.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct Wanted {
    /// Only of this seat, from 0.
    #[param(maximum = 255, example = 0)]
    seat: Option<u8>,
    /// The first step.
    #[param(maximum = 4294967295_u32, example = 1)]
    from: Option<u32>,
    /// Whether each step is drawn.
    #[param(example = true)]
    pictures: Option<bool>,
    /// Whether it is drawn for a phone.
    #[param(example = true)]
    narrow: Option<bool>,
    /// Whether each step has its state, which is most of it.
    #[param(example = true)]
    states: Option<bool>,
    /// Whether each step has the first lines that the caller's own programs wrote to standard error for the decisions that
    /// led to it.
    #[param(example = true)]
    stderr: Option<bool>,
}

/// A page of what was to be seen of a match.
#[derive(Serialize, ToSchema)]
pub(super) struct Replay {
    /// The match.
    #[serde(rename = "match")]
    match_id: String,
    /// The game's name.
    #[schema(example = "koehandel")]
    game: String,
    /// Whether it still runs.
    live: bool,
    /// Whether everything is shown, or what one seat was sent.
    everything: bool,
    /// The seat whose view it is, where it is one's and known.
    seat: Option<u8>,
    /// The session whose view it is, where it is one's.
    #[schema(value_type = Option<i64>)]
    session: Option<SessionId>,
    /// The seats whose views the caller may ask for; `null` for sessions whose seat is not known.
    seats: Vec<Option<u8>>,
    /// The steps, oldest first.
    items: Vec<Step>,
    /// The `cursor` of the next page; `null` on the last one.
    next: Option<String>,
    /// What one of the steps' turns is called, where anything is counted.
    #[schema(example = "deal")]
    #[serde(skip_serializing_if = "str::is_empty")]
    turn: &'static str,
    /// What the steps' figures are, in their order.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    measures: &'static [&'static str],
    /// What the kinds of these steps' facts are called.
    #[schema(example = json!({"fall": "lighthouses lost"}))]
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    kinds: BTreeMap<String, String>,
    /// What all pictures have alike, where pictures are wanted and the game has any.
    #[serde(skip_serializing_if = "Option::is_none")]
    picture: Option<Still>,
    /// How many steps there are in all.
    steps: usize,
    /// Whether the match goes on after the last of them: no more than 20,000 are shown.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    cut: bool,
    /// Where the transcripts differ from what playing them again gives: it may be wrong from there on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    differences: Vec<String>,
    /// Why steps are not shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    withheld: Option<&'static str>,
}

/// What was to be seen of a match, step by step.
// While the match runs, and for the embargo after it, the steps are what one seat was sent, for those who see what the
// seat knows.
#[utoipa::path(get, path = "/api/v1/matches/{id}/replay", params(Wanted, Page),
    responses((status = 200, body = Replay), (status = 304), (status = 410)))]
pub(super) async fn steps(
    Path(id): Path<String>,
    asked: Asked,
    params: Params<Wanted>,
) -> Result<Response, Problem> {
    let wanted = Part::read(&params)?;
    let watched = Watched::read(&asked, &id, wanted.seat).await?;
    let Watched {
        row,
        sessions,
        view,
        open,
        withheld,
    } = &watched;
    let mut replay = Replay {
        match_id: row.id.clone(),
        game: row.game.clone(),
        live: row.ended_us.is_none(),
        everything: matches!(view, Some(View::Everything(_))),
        seat: view.as_ref().and_then(View::seat),
        session: view.as_ref().and_then(View::session),
        seats: seats(sessions),
        items: Vec::new(),
        next: None,
        turn: "",
        measures: &[],
        kinds: BTreeMap::new(),
        picture: None,
        steps: 0,
        cut: false,
        differences: Vec::new(),
        withheld: None,
    };
    let stderr = params.filters.stderr == Some(true);
    match watched.film(&asked).await? {
        Some(film) => {
            replay = wanted
                .show(Arc::clone(&film), asked.turns(), replay)
                .await?;
            for fact in replay.items.iter_mut().flat_map(|step| &mut step.facts) {
                reduce(&asked, &film, fact);
            }
            if let Some(view) = view.as_ref().filter(|_| stderr) {
                step_stderr::add(&asked, sessions, view, &film, &mut replay.items).await?;
            }
        }
        None if *withheld => replay.withheld = Some(WITHHELD),
        None if !sessions.is_empty() => replay.withheld = Some(SEVERAL),
        None => {}
    }
    let value = response::value(&replay)?;
    Ok(response::tagged_json(&asked.headers, *open, &value))
}

/// A match, and whose view of it a caller gets.
pub(super) struct Watched {
    pub(super) row: MatchRow,
    /// The sessions whose knowledge the caller sees.
    sessions: Vec<SessionRow>,
    view: Option<View>,
    open: bool,
    /// Whether there are others.
    pub(super) withheld: bool,
}

impl Watched {
    /// The view of a seat; without one, of everything, or of the only seat that the caller sees.
    pub(super) async fn read(reader: &Reader, id: &str, seat: Option<u8>) -> Result<Self, Problem> {
        let row = reader.match_row(id).await?;
        let mut sessions = history::sessions_of(reader.state.store.reader(), id).await?;
        check(seat, &row, &sessions)?;
        let withheld = reader.sight.keep(&mut sessions);
        let open = reader.sight.is_open(&row);
        let view = View::new(&sessions, seat, open || reader.sight.sees_all());
        Ok(Self {
            row,
            sessions,
            view,
            open,
            withheld,
        })
    }

    /// The view of the first seat that the caller sees, where there is none of all.
    pub(super) fn or_first(mut self) -> Self {
        let seat = self.sessions.first().and_then(|row| row.opened.seat);
        self.view = self.view.or_else(|| View::new(&self.sessions, seat, false));
        self
    }

    /// Whether nothing is shown because the caller may not see it, or not yet.
    pub(super) fn is_withheld(&self) -> bool {
        self.withheld && self.view.is_none()
    }

    /// The session whose transcript has a step's entry.
    pub(super) fn session(&self, step: &Step) -> Option<SessionId> {
        match self.view.as_ref()? {
            View::Seat(row) => Some(row.id),
            View::Everything(rows) => {
                let own = rows.iter().find(|row| row.opened.seat == step.written_by);
                own.map(|row| row.id)
            }
        }
    }

    /// What was to be seen; `None` where there is no view.
    pub(super) async fn film(&self, reader: &Reader) -> Result<Option<Arc<Film>>, Problem> {
        let Some(view) = &self.view else {
            return Ok(None);
        };
        let (store, turns) = (&reader.state.store, reader.turns());
        let (row, open) = (&self.row, self.open);
        let folding = async || fold(store, turns, row, view.clone(), open).await;
        let film = reader.state.films.film(store, row, view, open, folding);
        Ok(Some(film.await?))
    }
}

/// Takes out of a fact, and of its sentence, what the caller does not see.
pub(super) fn reduce(reader: &Reader, film: &Film, fact: &mut StepFact) {
    if reader.sight.reduce(&mut fact.fact.data) {
        film.reword(fact);
    }
}

/// Refuses a seat that the match has not.
fn check(seat: Option<u8>, row: &MatchRow, sessions: &[SessionRow]) -> Result<(), Problem> {
    let Some(seat) = seat else { return Ok(()) };
    let own = sessions.iter().filter_map(|row| row.opened.seat);
    let seats: BTreeSet<u8> = row.seats.iter().map(|row| row.seat).chain(own).collect();
    if seats.contains(&seat) {
        return Ok(());
    }
    let known: Vec<String> = seats.iter().map(u8::to_string).collect();
    let known = match known.as_slice() {
        [] => "none of its seats is known".to_owned(),
        known => format!("it has {}", known.join(", ")),
    };
    let id = &row.id;
    Err(Problem::not_found(format!(
        "match {id} has no seat {seat}: {known}"
    )))
}

/// Where a match that is over is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Opening {
    /// At its beginning.
    First,
    /// Half way, where boards are full.
    Middle,
}

/// The step at which a match is opened, the newest one while it runs, with its picture of each of these shapes; nothing
/// where the caller sees no view of it, or it has no pictures.
pub(super) async fn opening(
    reader: &Reader,
    watched: &Watched,
    opening: Opening,
    shapes: Vec<Shape>,
) -> Result<Vec<(Step, Still)>, Problem> {
    let Some(film) = watched.film(reader).await? else {
        return Ok(Vec::new());
    };
    let at = match (watched.row.ended_us, opening) {
        (Some(_), Opening::First) => 0,
        (Some(_), Opening::Middle) => film.len() / 2,
        (None, _) => film.len().saturating_sub(1),
    };
    let draw = move || -> io::Result<Vec<(Step, Still)>> {
        let mut drawn = Vec::new();
        for shape in shapes {
            let parts = Parts {
                states: false,
                pictures: Some(shape),
            };
            let (steps, still) = film.part(at, 1, parts)?;
            drawn.extend(steps.into_iter().next().zip(still));
        }
        Ok(drawn)
    };
    let turn = reader.turns().wait().await?;
    turn.spend(draw).await?.map_err(failed)
}

fn failed(why: impl std::fmt::Display) -> Problem {
    Problem::unavailable(format!("it cannot be replayed: {why}"))
}

/// Folds a view of a match, once it is its turn.
async fn fold(
    store: &Store,
    turns: &Turns,
    row: &MatchRow,
    view: View,
    open: bool,
) -> Result<Film, Problem> {
    let turn = turns.wait().await?;
    let footage = crate::replay::footage(store, row, view, open).await?;
    let film = turn.spend(move || Film::new(&footage)).await?;
    film.map_err(failed)
}

/// The part that is asked for.
#[derive(Debug)]
struct Part {
    seat: Option<u8>,
    /// The first step.
    from: u32,
    limit: usize,
    parts: Parts,
}

impl Part {
    fn read(params: &Params<Wanted>) -> Result<Self, Problem> {
        let (at, wanted) = (params.page()?, &params.filters);
        let next = params.number()?.map(|after: u32| after.saturating_add(1));
        let shape = match wanted.narrow {
            Some(true) => Shape::Narrow,
            _ => Shape::Wide,
        };
        Ok(Self {
            seat: wanted.seat,
            from: wanted.from.or(next).unwrap_or(0),
            limit: at.limit as usize,
            parts: Parts {
                states: wanted.states != Some(false),
                pictures: (wanted.pictures == Some(true)).then_some(shape),
            },
        })
    }

    /// Adds the page to what is said of the match.
    async fn show(
        self,
        film: Arc<Film>,
        turns: &Turns,
        mut replay: Replay,
    ) -> Result<Replay, Problem> {
        let from = self.from as usize;
        let next = from.saturating_add(self.limit);
        replay.next = (next < film.len()).then(|| (next - 1).to_string());
        replay.steps = film.len();
        (replay.turn, replay.measures) = (film.turn(), film.measures());
        let steps = film.steps().iter().skip(from).take(self.limit);
        let facts = steps.flat_map(|step| &step.facts);
        let kinds = facts.map(|one| (one.fact.kind.clone(), film.kind(&one.fact.kind)));
        replay.kinds = kinds.collect();
        replay.cut = film.remarks().cut;
        replay.differences = film.remarks().differences.clone();
        let part = move || film.part(from, self.limit, self.parts);
        let part = match self.parts.states || self.parts.pictures.is_some() {
            true => turns.wait().await?.spend(part).await?,
            // What happened is at hand.
            false => part(),
        };
        (replay.items, replay.picture) = part.map_err(failed)?;
        Ok(replay)
    }
}

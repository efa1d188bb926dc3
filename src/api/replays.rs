//! What was to be seen of a match, step by step.

use super::asked::Asked;
use super::endpoint::JSON;
use super::matches;
use super::params::{PAGE, Params};
use super::problem::Problem;
use super::response;
use super::sight::WITHHELD;
use crate::replay::{Footage, Step, Still, View, seats};
use crate::store::{MatchRow, SessionId, SessionRow};
use axum::body::Body;
use axum::extract::Path;
use axum::http::HeaderValue;
use axum::response::Response;
use serde::Serialize;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use utoipa::ToSchema;

/// Why there is nothing to be seen of a match of which several seats' views are known, but none of all.
const SEVERAL: &str = "each seat has a view of its own: ask for one of `seats` by `seat`";

/// Its parameters beside those of all pages.
pub(super) const FILTERS: &[&str] = &["seat", "from", "pictures"];

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
    /// Whether everything is shown, or what one seat was told.
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
    /// What all pictures have alike, where pictures are wanted and the game has any.
    #[serde(skip_serializing_if = "Option::is_none")]
    picture: Option<Still>,
    /// Where the transcripts differ from what playing them again gives: it may be wrong from there on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    differences: Vec<String>,
    /// Why steps are not shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    withheld: Option<&'static str>,
}

/// `GET /api/v1/matches/{id}/replay`: a page of steps. While the match runs, and for the embargo after it, they
/// are what one seat was told, for those who see what the seat knows.
pub(super) async fn steps(Path(id): Path<String>, asked: Asked) -> Result<Response, Problem> {
    let params = asked.params(&[FILTERS, PAGE])?;
    let wanted = Wanted::of(&params)?;
    let row = matches::row(&asked, &id).await?;
    let store = &asked.state.store;
    let mut sessions = store.sessions_of(&id).await?;
    wanted.check(&row, &sessions)?;
    let withheld = asked.sight.keep(&mut sessions);
    let open = asked.sight.is_open(&row);
    let view = View::of(&sessions, wanted.seat, open || asked.sight.sees_all());
    let tag = open.then(|| wanted.tag(&row.id, &sessions));
    if let Some(known) = tag
        .as_ref()
        .and_then(|tag| response::known(&asked.headers, tag))
    {
        return Ok(known);
    }
    let mut replay = Replay {
        match_id: row.id.clone(),
        game: row.game.clone(),
        live: row.ended_us.is_none(),
        everything: matches!(view, Some(View::Everything(_))),
        seat: view.as_ref().and_then(View::seat),
        session: view.as_ref().and_then(View::session),
        seats: seats(&sessions),
        items: Vec::new(),
        next: None,
        picture: None,
        differences: Vec::new(),
        withheld: None,
    };
    match view {
        Some(view) => {
            let failed =
                |why: String| Problem::unavailable(format!("it cannot be replayed: {why}"));
            let turn = asked.state.turns.wait().await?;
            let footage = store.footage(&row, view).await?;
            let shown = turn.spend(move || wanted.show(&footage, replay)).await?;
            replay = shown.map_err(failed)?;
        }
        None if withheld => replay.withheld = Some(WITHHELD),
        None if !sessions.is_empty() => replay.withheld = Some(SEVERAL),
        None => {}
    }
    let value = response::value(&replay)?;
    Ok(response::dressed(JSON, tag, Body::from(value.to_string())))
}

/// What is asked for.
#[derive(Debug)]
struct Wanted {
    seat: Option<u8>,
    /// The first step.
    from: u32,
    limit: usize,
    pictures: bool,
}

impl Wanted {
    fn of(params: &Params) -> Result<Self, Problem> {
        let at = params.page()?;
        let after = at.after.map(|cursor| {
            let number = cursor.parse::<u32>();
            number.map_err(|_| Problem::cursor(&cursor))
        });
        let after = after.transpose()?;
        let from = params.number("from")?;
        Ok(Self {
            seat: params.number("seat")?,
            from: from
                .or(after.map(|after| after.saturating_add(1)))
                .unwrap_or(0),
            limit: at.limit as usize,
            pictures: params.truth("pictures")? == Some(true),
        })
    }

    /// Refuses a seat that the match has not.
    fn check(&self, row: &MatchRow, sessions: &[SessionRow]) -> Result<(), Problem> {
        let Some(seat) = self.seat else { return Ok(()) };
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

    /// The tag of a page of a match that is over and public: what it depends on, without the cost of replaying it. The
    /// steps are made by code from transcripts that no longer change, and nothing else tells what the code makes of
    /// them: so the version is part of it, and no page of an older program is taken for one of this.
    fn tag(&self, id: &str, sessions: &[SessionRow]) -> HeaderValue {
        let kept = sessions.iter().filter(|row| !row.pruned).count();
        let of = format!("{} {id} {kept} {self:?}", env!("CARGO_PKG_VERSION"));
        response::tag(&[of.as_bytes()])
    }

    /// Adds the page to what is said of the match.
    fn show(&self, footage: &Footage, mut replay: Replay) -> Result<Replay, String> {
        let (mut next, mut last) = (None, 0_u32);
        let differences = footage.steps(|mut step| {
            if step.step < self.from {
                return ControlFlow::Continue(());
            }
            if replay.items.len() >= self.limit {
                next = Some(last);
                return ControlFlow::Break(());
            }
            if self.pictures
                && let Some(still) = step.draw(footage.kit())
                && replay.picture.is_none()
            {
                replay.picture = Some(still);
            }
            last = step.step;
            replay.items.push(step);
            ControlFlow::Continue(())
        })?;
        replay.next = next.map(|last| last.to_string());
        replay.differences = differences;
        Ok(replay)
    }
}

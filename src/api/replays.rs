//! What was to be seen of a match, step by step.

use super::asked::Asked;
use super::endpoint::JSON;
use super::matches;
use super::params::{PAGE, Params};
use super::problem::Problem;
use super::response;
use super::sight::WITHHELD;
use crate::replay::{Footage, View, seats};
use crate::store::SessionRow;
use axum::body::Body;
use axum::extract::Path;
use axum::http::HeaderValue;
use axum::response::Response;
use serde_json::{Value, json};
use std::ops::ControlFlow;
use tokio::sync::Semaphore;

/// How many replays are made at a time: further requests wait, so that matches that run keep their processors.
const AT_ONCE_MAX: usize = 2;
static TURNS: Semaphore = Semaphore::const_new(AT_ONCE_MAX);

/// Its parameters beside those of all pages.
pub(super) const FILTERS: &[&str] = &["seat", "from", "pictures"];

/// `GET /api/v1/matches/{id}/replay`: a page of steps. While the match runs, and for the embargo after it, they
/// are what one seat was told, for those who see what the seat knows.
pub(super) async fn steps(Path(id): Path<String>, asked: Asked) -> Result<Response, Problem> {
    let params = asked.params(&[FILTERS, PAGE])?;
    let wanted = Wanted::of(&params)?;
    let row = matches::row(&asked, &id).await?;
    let store = &asked.state.store;
    let mut sessions = store.sessions_of(&id).await?;
    let withheld = asked.sight.keep(&mut sessions);
    let open = asked.sight.is_open(&row);
    let view = View::of(&sessions, wanted.seat, open);
    let tag = open.then(|| wanted.tag(&row.id, &sessions));
    if let Some(known) = tag
        .as_ref()
        .and_then(|tag| response::known(&asked.headers, tag))
    {
        return Ok(known);
    }
    let mut value = json!({
        "match": row.id,
        "game": row.game,
        "live": row.ended_us.is_none(),
        "everything": matches!(view, Some(View::Everything(_))),
        "seat": view.as_ref().and_then(View::seat),
        "session": view.as_ref().and_then(View::session),
        "seats": seats(&sessions),
        "items": [],
        "next": Value::Null,
    });
    match view {
        Some(view) => {
            let failed =
                |why: String| Problem::unavailable(format!("it cannot be replayed: {why}"));
            let turn = TURNS.acquire().await;
            let _turn = turn.map_err(|why| failed(why.to_string()))?;
            let footage = store.footage(&row, view).await?;
            let shown = tokio::task::spawn_blocking(move || wanted.show(&footage, value)).await;
            let shown = shown.map_err(|why| failed(why.to_string()))?;
            value = shown.map_err(failed)?;
        }
        None if withheld || (!open && !sessions.is_empty()) => value["withheld"] = WITHHELD.into(),
        None => {}
    }
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
        let after = at.after.and_then(|cursor| cursor.parse::<u32>().ok());
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

    /// The tag of a page of a match that is over and public: what it depends on, without the cost of replaying it.
    fn tag(&self, id: &str, sessions: &[SessionRow]) -> HeaderValue {
        let kept = sessions.iter().filter(|row| !row.pruned).count();
        let of = format!("{} {id} {kept} {self:?}", env!("CARGO_PKG_VERSION"));
        response::tag(&[of.as_bytes()])
    }

    /// Adds the page to what is said of the match.
    fn show(&self, footage: &Footage, mut value: Value) -> Result<Value, String> {
        let (mut items, mut next, mut last) = (Vec::new(), None, 0);
        let differences = footage.steps(|mut step| {
            if step.step < self.from {
                return ControlFlow::Continue(());
            }
            if items.len() >= self.limit {
                next = Some(last);
                return ControlFlow::Break(());
            }
            if self.pictures
                && let Some(still) = step.draw(footage.kit())
                && value["picture"].is_null()
            {
                value["picture"] = json!(still);
            }
            last = step.step;
            items.push(json!(step));
            ControlFlow::Continue(())
        })?;
        value["items"] = items.into();
        value["next"] = json!(next.map(|last: u32| last.to_string()));
        if !differences.is_empty() {
            value["differences"] = differences.into();
        }
        Ok(value)
    }
}

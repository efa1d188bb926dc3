//! Who did what to whom.

use super::asked::Asked;
use super::bots;
use super::lists::Rows;
use super::problem::Problem;
use super::query::{Nothing, Params, Sparse};
use super::reader::Reader;
use super::shapes::{Listed, Paged};
use crate::history::{self, OpponentKind, Subject, Versus};
use axum::extract::Path;
use axum::response::Response;
use serde::Serialize;
use utoipa::ToSchema;

/// A bot's record against each rival, the most frequent one first.
pub(super) struct OfBot;

impl Rows for OfBot {
    type Item = Versus;
    type Filters = Nothing;

    async fn page(reader: &Reader, params: &Params<Nothing>) -> Paged<Versus> {
        let [game, bot] = params.both();
        reader.state.store.reader().known_kit(game)?;
        let at = params.page_or_whole()?;
        let items = versus(reader, game, Subject::Bot(bot)).await?;
        if items.is_empty() {
            bots::find_shown(reader, game, bot).await?;
        }
        Listed::cut(items, &at)
    }
}

/// Each of our bots' record against an opponent; of a type, against the built-in bot that has its name.
pub(super) struct OfOpponent;

impl Rows for OfOpponent {
    type Item = Versus;
    type Filters = Nothing;

    async fn page(reader: &Reader, params: &Params<Nothing>) -> Paged<Versus> {
        let at = params.page_or_whole()?;
        let found = find(reader, params.id()).await?;
        Listed::cut(found.items, &at)
    }
}

/// Our bots' record against an opponent.
#[derive(Serialize, ToSchema)]
pub(super) struct OpponentVersus {
    /// The opponent's number.
    id: i64,
    /// The game.
    #[schema(example = "koehandel")]
    game: String,
    /// The kind of opponent.
    kind: OpponentKind,
    /// Its name.
    #[schema(example = "alice")]
    name: String,
    /// Of each of our bots, `rival`; of a type, against the built-in bot of its name.
    items: Vec<Versus>,
    /// Always `null`: all of it is one page.
    next: Option<String>,
}

/// Each of our bots' record against an opponent; of a type, against the built-in bot of that name.
#[utoipa::path(get, path = "/api/v1/opponents/{id}", params(Sparse), responses((status = 200, body = OpponentVersus)))]
pub(super) async fn opponent(Path(id): Path<String>, asked: Asked) -> Result<Response, Problem> {
    asked.answer(false, &find(&asked, &id).await?)
}

/// An opponent with its record.
async fn find(reader: &Reader, id: &str) -> Result<OpponentVersus, Problem> {
    let unknown = || Problem::not_found(format!("there is no opponent {id}"));
    let number = id.parse().map_err(|_| unknown())?;
    let stored = history::model_by_id(reader.state.store.reader(), number).await?;
    let stored = stored.ok_or_else(unknown)?;
    let subject = match stored.kind {
        OpponentKind::Named => Subject::Opponent(&stored.name),
        OpponentKind::Type => Subject::Type(&stored.name),
    };
    let items = versus(reader, &stored.game, subject).await?;
    Ok(OpponentVersus {
        id: stored.id,
        game: stored.game,
        kind: stored.kind,
        name: stored.name,
        items,
        next: None,
    })
}

/// A bot's or an opponent's record against each rival, as the caller may see it.
pub(super) async fn versus(
    asked: &Reader,
    game: &str,
    subject: Subject<'_>,
) -> Result<Vec<Versus>, Problem> {
    // Results are public at once, what happened in a match when it is.
    let open_us = asked.sight.seen_us();
    // Who is called alike is one rival.
    let called = |name: &str| asked.sight.spec(name, None).to_owned();
    let all = history::versus(asked.state.store.reader(), game, subject, open_us, &called);
    Ok(all.await?)
}

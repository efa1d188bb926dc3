//! A match for frames in other sites' pages: its replay alone.

use super::layout::framed;
use super::stage::Position;
use super::view::{MatchLine, line, now};
use super::visit::Visit;
use crate::api::matches;
use crate::api::problem::Problem;
use crate::api::replays::Opening;
use askama::Template;
use axum::extract::Path;
use axum::response::Response;

/// What the address may say of how it is shown; the player's script reads them.
const NAMES: &[&str] = &["step", "turn", "view", "autoplay", "loop", "speed", "theme"];

#[derive(Template)]
#[template(path = "pages/embed.html")]
struct Embed {
    line: MatchLine,
    position: Position,
}

/// `GET /embed/matches/{id}`
pub(super) async fn page(Path(id): Path<String>, visit: Visit) -> Result<Response, Problem> {
    visit.takes(NAMES)?;
    let found = matches::find(&visit, &id).await?;
    let line = line(&found, now());
    // The script says why nothing can be shown.
    let position = Position::read(&visit, &found, Some(Opening::First))
        .await
        .unwrap_or_default();
    framed(&visit.state.framed_by, &Embed { line, position })
}

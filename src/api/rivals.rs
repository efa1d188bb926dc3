//! Naming rivals at somebody else's referee.

use super::asked::{Asked, Json};
use super::problem::Problem;
use super::response;
use crate::identities::Names;
use crate::session::NamingError;
use crate::store::SessionId;
use axum::extract::Path;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// Who sits where.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RivalNames {
    /// From whose seat the places are seen: the number on the wire of one of our players; without it, of the first
    /// that joins.
    #[schema(example = 3)]
    player: Option<u64>,
    /// Names by place, in the wire's own words: each 1 to 64 letters, no control characters.
    #[schema(example = json!({"W": "alice"}))]
    names: BTreeMap<String, String>,
}

/// Names that were taken.
#[derive(Serialize, ToSchema)]
pub(super) struct RivalsNamed {
    /// The game's name.
    #[schema(example = "koehandel")]
    game: String,
    /// The referee.
    referee: String,
    /// The referee's number of the match.
    market: u64,
    /// From whose seat the places are seen.
    player: Option<u64>,
    /// Names by place.
    #[schema(example = json!({"W": "alice"}))]
    names: BTreeMap<String, String>,
    /// The live session that took them in; `null`: they are for a session that begins later, also where no match ever
    /// comes from such a referee.
    #[schema(value_type = Option<i64>)]
    session: Option<SessionId>,
    /// Whether the match's seats have these names now, so that what it teaches counts for them. `false` for a player of
    /// ours that joined after another one: nobody says where it sits, and the names advise its bot alone. `null` while
    /// none plays there.
    seats_named: Option<bool>,
}

/// Names rivals in a match at somebody else's referee, before or while it runs: merged by place with names given
/// before; a name leaves the place where it was.
#[utoipa::path(put, path = "/api/v1/rivals/{game}/{referee}/{market}", request_body = RivalNames,
    responses((status = 200, body = RivalsNamed)))]
pub(super) async fn name(
    Path((game, referee, market)): Path<(String, String, String)>,
    asked: Asked,
    Json(given): Json<RivalNames>,
) -> Result<Response, Problem> {
    let kit = asked.state.store.reader().known_kit(&game)?;
    // Numbers are stored.
    let fits = |number: &u64| i64::try_from(*number).is_ok();
    if let Some(player) = given.player.filter(|player| !fits(player)) {
        let detail = format!("player is {player}; it takes 0..={}", i64::MAX);
        return Err(Problem::body(detail));
    }
    let market = market
        .parse::<u64>()
        .ok()
        .filter(fits)
        .ok_or_else(|| Problem::not_found(format!("a match has a number, not {market:?}")))?;
    let pairs = given
        .names
        .iter()
        .map(|(place, name)| (place.as_str(), name.as_str()));
    let names = Names {
        rivals: Names::rivals(kit, pairs).map_err(Problem::body)?,
        player: given.player,
        game,
        referee,
        market,
    };
    let taken = asked
        .state
        .sessions
        .name(names.clone())
        .await
        .map_err(refused)?;
    Ok(response::json(&RivalsNamed {
        game: names.game,
        referee: names.referee,
        market,
        player: given.player,
        names: given.names,
        session: taken.map(|taken| taken.session),
        seats_named: taken.map(|taken| taken.seats_named),
    }))
}

fn refused(error: NamingError) -> Problem {
    match error {
        NamingError::Ambiguous(_) => Problem::conflict(error.to_string()),
        NamingError::Busy | NamingError::Full(_) => Problem::unavailable(error.to_string()),
        NamingError::Store(error) => error.into(),
    }
}

//! What happened from one state to the next, for a spectator: lighthouses that change hands, links and triangles. Steps
//! across the island are quiet.

use super::state::{LighthouseState, State, TriangleState};
use drover_game::scene::{News, Scene, Who};
use serde::Deserialize as _;
use serde_json::Value;

/// What nobody waits for, in the words of titles.
const QUIET: [&str; 3] = [" moves to ", " stays at ", " is asked"];

/// What happened. What no state shows has its scene's title.
#[must_use]
pub fn news(before: &Value, now: &Scene) -> Option<News> {
    let was = State::deserialize(before).ok()?;
    let is = State::deserialize(&now.state).ok()?;
    let pairs = || was.lighthouses.iter().zip(&is.lighthouses);
    let changes: Vec<String> = pairs().filter_map(|(was, is)| change(was, is)).collect();
    let mut events: Vec<String> = changes.first().cloned().into_iter().collect();
    match changes.len().saturating_sub(1) {
        0 => events.extend(lit(&was, &is)),
        more => events.push(format!("{more} more change")),
    }
    let linked = pairs().any(|(was, is)| was.links != is.links);
    let charged = pairs().any(|(was, is)| was.energy < is.energy);
    let mut players = was.players.iter().zip(&is.players);
    let dropped = players.any(|(was, is)| was.dropped != is.dropped);
    let over = is.rounds == Some(is.round);
    if events.is_empty() {
        let quiet = QUIET.iter().any(|deed| now.title.contains(deed));
        let quiet = quiet && !now.title.contains("refused");
        let quiet = quiet && !(linked || charged || dropped || over);
        return quiet.then(|| News::quiet(now.title.clone()));
    }
    let mut title = events.join("; ");
    if over {
        title.push_str("; the game is over");
    }
    Some(News::loud(title))
}

/// A lighthouse that has another owner.
fn change(was: &LighthouseState, is: &LighthouseState) -> Option<String> {
    if was.owner == is.owner {
        return None;
    }
    let who = |player: u8| Who(usize::from(player));
    let place = format!("the lighthouse at ({}, {})", is.position.x, is.position.y);
    Some(match (was.owner, is.owner) {
        (Some(from), None) => format!("{} loses {place}: its energy is spent", who(from)),
        (Some(from), Some(to)) => format!("{} takes {place} from {}", who(to), who(from)),
        (None, Some(to)) => format!("{} takes {place}", who(to)),
        (None, None) => return None,
    })
}

/// Triangles that were not there before, of the first player who has any.
fn lit(was: &State, is: &State) -> Option<String> {
    let fresh = is.triangles.iter();
    let fresh = fresh.filter(|lit| !is_among(lit, &was.triangles));
    let fresh: Vec<&TriangleState> = fresh.collect();
    let who = Who(usize::from(fresh.first()?.player));
    let cells = fresh.iter().map(|lit| lit.cells);
    let cells = cells.fold(0, u32::saturating_add);
    Some(match fresh.len() {
        1 => format!("{who} lights a triangle of {cells} cells"),
        more => format!("{who} lights {more} triangles of {cells} cells"),
    })
}

fn is_among(triangle: &TriangleState, others: &[TriangleState]) -> bool {
    let same = |other: &TriangleState| {
        other.player == triangle.player && other.corners == triangle.corners
    };
    others.iter().any(same)
}

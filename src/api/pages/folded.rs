//! Lists of matches in which those of a tournament that come one after another are one row.

use super::filters::query;
use super::leaders::winners;
use super::view::{Folded, MatchLine, lasted, line, now, when};
use super::visit::Visit;
use crate::api::matches::MatchShown;
use crate::api::tournaments;
use games::text::counted;
use jiff::Timestamp;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// Matches as `most` lines at most; those of one tournament that come one after another are one.
pub(super) async fn lines(visit: &Visit, found: &[MatchShown], most: usize) -> Vec<MatchLine> {
    let now = now();
    let (mut lines, mut known) = (Vec::new(), HashMap::new());
    let together = |one: &MatchShown, other: &MatchShown| {
        tournament(one).is_some() && tournament(one) == tournament(other)
    };
    for matches in found.chunk_by(together).take(most) {
        let id = matches.first().and_then(tournament);
        let row = match id.filter(|_| matches.len() > 1) {
            None => None,
            Some(id) => {
                let won = match known.entry(id) {
                    Entry::Occupied(won) => won.into_mut(),
                    Entry::Vacant(unknown) => unknown.insert(winner(visit, id).await),
                };
                folded(matches, won, now)
            }
        };
        match row {
            Some(row) => lines.push(row),
            None => lines.extend(matches.iter().map(|found| line(found, now))),
        }
    }
    lines
}

fn tournament(found: &MatchShown) -> Option<&str> {
    let place = found.tournament.as_ref()?;
    Some(&place.id)
}

/// Who won it; empty while it runs, or if it cannot be read.
async fn winner(visit: &Visit, id: &str) -> String {
    let Ok(found) = tournaments::find(visit, id).await else {
        return String::new();
    };
    winners(visit, &[found]).await.pop().unwrap_or_default()
}

/// Matches of one tournament as a line; `None` if there are none.
fn folded(matches: &[MatchShown], winner: &str, now: Timestamp) -> Option<MatchLine> {
    let lines: Vec<MatchLine> = matches.iter().map(|found| line(found, now)).collect();
    let faulty = lines.iter().filter(|line| !line.well).count();
    let began = matches.iter().map(|found| found.started).min()?;
    let ended = matches.iter().filter_map(|found| found.ended).max()?;
    let places = matches.iter().filter_map(|found| found.tournament.as_ref());
    let rounds = places.map(|place| place.round + 1);
    let (first, last) = (rounds.clone().min()?, rounds.max()?);
    let mut about = match first == last {
        true => format!("round {first}"),
        false => format!("rounds {first} to {last}"),
    };
    if !winner.is_empty() {
        about.push_str(&format!("; the tournament's winner: {winner}"));
    }
    Some(MatchLine {
        started: when(began),
        took: lasted(began, ended),
        end: format!("{faulty} by a fault"),
        well: faulty == 0,
        result: String::new(),
        seats: Vec::new(),
        folded: Some(Folded {
            link: format!(
                "/matches{}",
                query([("tournament", tournament(matches.first()?)?)])
            ),
            count: counted(matches.len(), "match"),
            about,
        }),
        ..lines.into_iter().next()?
    })
}

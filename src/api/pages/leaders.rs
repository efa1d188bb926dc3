//! Who is first in a tournament, and by what.

use super::view::figure;
use super::visit::Visit;
use crate::api::tournaments::{TournamentShown, computed};
use crate::store::TournamentRow;
use crate::tournament::standings::{Standing, Standings, TieBreak};
use games::sentence::listed;

/// The most matches whose standings are computed for a list.
const COUNTED_MAX: u64 = 2_000;

/// Who is first, in a sentence, and by what, if points and ratings do not decide; empty before the first match.
pub(super) fn first_place(standings: &Standings, row: &TournamentRow) -> String {
    let names = firsts(standings);
    let verb = match (row.ended_us.is_some(), names.len()) {
        (_, 0) => return String::new(),
        (true, 1) => "won",
        (true, _) => "share the first place",
        (false, 1) => "leads",
        (false, _) => "lead",
    };
    let by = by_score(standings, games::scores(&row.game).unit);
    format!("{} {verb}{}.", listed(&names), by.unwrap_or_default())
}

/// Who won each of these tournaments, the newest first; empty for those that run, that cannot be read, or that have too
/// many matches together with those before them.
pub(super) async fn winners(visit: &Visit, all: &[TournamentShown]) -> Vec<String> {
    let (mut counted, mut winners) = (0, Vec::new());
    for one in all {
        counted += one.matches;
        let known = one.ended.is_some() && counted <= COUNTED_MAX;
        let computed = match known {
            true => computed(visit, &one.id).await.ok(),
            false => None,
        };
        let names = computed.map(|computed| listed(&firsts(&computed.standings)));
        winners.push(names.unwrap_or_default());
    }
    winners
}

/// The names of those who are first; none before the first match.
fn firsts(standings: &Standings) -> Vec<String> {
    let first = standings.entrants.iter();
    let first = first.filter(|one| one.rank == Some(1) && standings.games > 0);
    first.map(|one| one.name.clone()).collect()
}

/// Whom those who are first are ahead of by no more than their mean score.
fn by_score(standings: &Standings, unit: &str) -> Option<String> {
    let first = standings.entrants.first()?;
    let next = standings.entrants.iter().find(|one| one.rank > Some(1))?;
    let elo = |one: &Standing| one.rating.as_ref().map_or(0.0, |rated| rated.elo);
    for by in &standings.order {
        let equal = match by {
            TieBreak::Rating => (elo(first) - elo(next)).abs() < 1e-6,
            TieBreak::Points => first.points == next.points,
            TieBreak::Share => first.figures.pair_score == next.figures.pair_score,
            TieBreak::Score if first.figures.mean_score > next.figures.mean_score => {
                let mean = |one: &Standing| figure(one.figures.mean_score);
                let (own, theirs, name) = (mean(first), mean(next), &next.name);
                return Some(format!(
                    ", ahead of {name} by mean {unit}s ({own} to {theirs})"
                ));
            }
            _ => false,
        };
        if !equal {
            break;
        }
    }
    None
}

//! Lists of matches in which those of a tournament that come one after another are one row.

use super::filters::query;
use super::leaders::winners;
use super::view::{Folded, MatchLine, SeatLine, lasted, line, now, when};
use super::visit::Visit;
use crate::api::matches::MatchShown;
use crate::api::tournaments;
use games::text::counted;
use jiff::Timestamp;
use std::collections::{BTreeSet, HashMap};

/// What is known of a tournament.
struct Known {
    /// How many of its matches have ended.
    matches: u64,
    /// Who won it; empty while it runs, or if it cannot be read.
    winner: String,
}

/// Matches as `most` lines at most; those of one tournament that come one after another are one. A match that runs has no
/// place in a tournament yet, and a line of its own.
pub(super) async fn lines(visit: &Visit, found: &[MatchShown], most: usize) -> Vec<MatchLine> {
    let now = now();
    let together = |one: &MatchShown, other: &MatchShown| {
        tournament(one).is_some() && tournament(one) == tournament(other)
    };
    let groups: Vec<&[MatchShown]> = found.chunk_by(together).take(most).collect();
    let known = known(visit, &groups).await;
    let lines = groups.into_iter().flat_map(|matches| {
        let row = match matches {
            [first, _, ..] => folded(first, matches, &known, now),
            _ => None,
        };
        match row {
            Some(row) => vec![row],
            None => matches.iter().map(|found| line(found, now)).collect(),
        }
    });
    lines.collect()
}

fn tournament(found: &MatchShown) -> Option<&str> {
    let place = found.tournament.as_ref()?;
    Some(&place.id)
}

/// The tournaments of which there are several matches in a row, by id.
async fn known(visit: &Visit, groups: &[&[MatchShown]]) -> HashMap<String, Known> {
    let groups = groups.iter().filter(|matches| matches.len() > 1);
    let ids = groups.filter_map(|matches| matches.first().and_then(tournament));
    let ids: BTreeSet<&str> = ids.collect();
    let mut all = Vec::new();
    // The newest first.
    for id in ids.into_iter().rev() {
        all.extend(tournaments::find(visit, id).await);
    }
    let winners = winners(visit, &all).await;
    let known = all.into_iter().zip(winners).map(|(one, winner)| {
        let matches = one.matches;
        (one.id, Known { matches, winner })
    });
    known.collect()
}

/// Matches of one tournament, of which this is the first, as a line; `None` if they have no place in one.
fn folded(
    first: &MatchShown,
    matches: &[MatchShown],
    known: &HashMap<String, Known>,
    now: Timestamp,
) -> Option<MatchLine> {
    let id = tournament(first)?;
    let began = matches.iter().map(|found| found.started).min()?;
    let ended = matches.iter().filter_map(|found| found.ended).max()?;
    let places = matches.iter().filter_map(|found| found.tournament.as_ref());
    let rounds = places.map(|place| place.round + 1);
    let (from, to) = (rounds.clone().min()?, rounds.max()?);
    let mut about = match from == to {
        true => format!("round {from}"),
        false => format!("rounds {from} to {to}"),
    };
    let mut count = counted(matches.len(), "match");
    if let Some(known) = known.get(id) {
        if known.matches > matches.len() as u64 {
            let all = counted(known.matches, "match");
            count = format!("{} of its {all}", matches.len());
        }
        if !known.winner.is_empty() {
            about.push_str(&format!("; the tournament's winner: {}", known.winner));
        }
    }
    let end = faults(matches, now);
    Some(MatchLine {
        started: when(began),
        took: lasted(began, ended),
        well: end.is_empty(),
        end,
        result: String::new(),
        seats: Vec::new(),
        folded: Some(Folded {
            link: format!("/matches{}", query([("tournament", id)])),
            count,
            about,
        }),
        ..line(first, now)
    })
}

/// What went wrong, each with the number of matches in which it did, in words; empty: nothing.
fn faults(matches: &[MatchShown], now: Timestamp) -> String {
    let (mut faulty, mut failed, mut fallback) = (0, 0, 0);
    for found in matches {
        let seats = line(found, now).seats;
        let has = |is: fn(&SeatLine) -> bool| seats.iter().any(is);
        let by_fault = found.ended_by_fault();
        faulty += u32::from(by_fault);
        failed += u32::from(!by_fault && has(|seat| !seat.part.is_empty()));
        fallback += u32::from(has(|seat| !seat.fallback.is_empty()));
    }
    let faults = [
        (faulty, "by a fault"),
        (failed, "with a failed player"),
        (fallback, "with fallback answers"),
    ];
    let faults = faults.into_iter().filter(|(count, _)| *count > 0);
    let faults = faults.map(|(count, what)| format!("{count} {what}"));
    faults.collect::<Vec<_>>().join(", ")
}

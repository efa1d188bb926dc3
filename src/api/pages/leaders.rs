//! Who is first in a tournament, and by what.

use super::view::mean_score;
use super::visit::Visit;
use crate::api::problem::Problem;
use crate::api::tournaments::{TournamentShown, compute, row};
use crate::store::TournamentRow;
use crate::tournament::standings::{Standing, Standings, TieBreak, rating_key};
use games::sentence::listed;

/// The most matches whose standings are computed for a list.
const COUNTED_MAX: u64 = 2_000;
/// From how likely a lead is decided: so much lies below the upper end of a 95 % interval.
const DECIDED_MIN: f64 = 0.975;
/// The most tournaments whose winners are kept.
const KEPT_MAX: usize = 1_000;

/// Who is first, in a sentence, and by what, if points and ratings do not decide; empty before the first match.
pub(super) fn first_place(standings: &Standings, row: &TournamentRow) -> String {
    let names = firsts(standings);
    let verb = match (row.ended_us.is_some(), names.len()) {
        (_, 0) => return String::new(),
        (true, 1) => "won",
        (true, _) => "share first place",
        (false, 1) => "leads",
        (false, _) => "lead",
    };
    let by = by_score(standings, games::scores(&row.game).unit);
    format!("{} {verb}{}.", listed(&names), by.unwrap_or_default())
}

/// How likely one of the first two is stronger than the other, by all results, and whether that is enough; `None` where
/// they share the first place, or where results do not compare them. Ranks need not follow ratings: the one that is more
/// likely the stronger is named first.
pub(super) fn lead(standings: &Standings) -> Option<String> {
    let mut ranked = standings.entrants.iter().filter(|one| one.rank.is_some());
    let (first, second) = (ranked.next()?, ranked.next()?);
    if first.rank == second.rank {
        return None;
    }
    let mut met = first.opponents.iter();
    let likely = met.find(|split| split.name == second.name)?.superiority?;
    let (better, worse, likely) = match likely < 0.5 {
        true => (second, first, 1.0 - likely),
        false => (first, second, likely),
    };
    let lower = better.rating.as_ref()?.interval().0;
    let upper = worse.rating.as_ref()?.interval().1;
    let not = match likely >= DECIDED_MIN && lower > upper {
        true => "",
        false => "not ",
    };
    let (better, worse, percent) = (&better.name, &worse.name, 100.0 * likely);
    let likely = match percent > 99.0 {
        true => "more than 99".to_owned(),
        false => format!("{percent:.0}"),
    };
    Some(format!(
        "{better} is stronger than {worse}: {likely}\u{a0}% likely, {not}decided."
    ))
}

/// Who won each of these tournaments, the newest first; empty for those that run, that cannot be read, or that have too
/// many matches together with those before them.
pub(super) async fn winners(visit: &Visit, all: &[TournamentShown]) -> Vec<String> {
    let (mut counted, mut winners) = (0, Vec::new());
    for one in all {
        let ended = one.ended.is_some();
        counted += if ended { one.matches } else { 0 };
        let names = match ended && counted <= COUNTED_MAX {
            true => winner(visit, &one.id).await.unwrap_or_default(),
            false => String::new(),
        };
        winners.push(names);
    }
    winners
}

/// Who won a tournament that has ended; empty if it cannot be read. It is computed once: it does not change.
async fn winner(visit: &Visit, id: &str) -> Result<String, Problem> {
    let kept = &visit.state.standings.winners;
    let known = kept.lock().await.get(id).cloned();
    if let Some(names) = known {
        return Ok(names);
    }
    let names = match compute(visit, row(visit, id).await?).await {
        Ok(computed) => listed(&firsts(&computed.standings)),
        Err(problem) if problem.is_unreadable() => String::new(),
        Err(problem) => return Err(problem),
    };
    let mut kept = kept.lock().await;
    if kept.len() >= KEPT_MAX {
        kept.clear();
    }
    kept.insert(id.to_owned(), names.clone());
    Ok(names)
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
    for by in &standings.order {
        let equal = match by {
            TieBreak::Rating => {
                rating_key(first.rating.as_ref()) == rating_key(next.rating.as_ref())
            }
            TieBreak::Points => first.points == next.points,
            TieBreak::Share => first.figures.pair_score == next.figures.pair_score,
            TieBreak::Score if first.figures.mean_score > next.figures.mean_score => {
                let mean = |one: &Standing| mean_score(one.figures.mean_score);
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

#[cfg(test)]
mod tests {
    use super::lead;
    use crate::tournament::standings::tests::three;
    use crate::tournament::standings::{RankSettings, Standings};

    #[test]
    fn the_likelier_one_of_the_first_two_is_named_first() {
        let (entrants, games) = three();
        let standings = Standings::new(&entrants, &games, &RankSettings::default());
        let (above, among, below) = ([10.0, 20.0], [-15.0, 15.0], [-20.0, -10.0]);
        for (likely, [first, second], expected) in [
            (0.926, [above, below], "anna … bert: 93\u{a0}% likely, not"),
            (0.98, [above, among], "anna … bert: 98\u{a0}% likely, not"),
            (0.99, [above, below], "anna … bert: 99\u{a0}% likely,"),
            (
                0.001,
                [below, above],
                "bert … anna: more than 99\u{a0}% likely,",
            ),
        ] {
            let mut standings = standings.clone();
            standings.entrants[0].opponents[0].superiority = Some(likely);
            for (one, ends) in standings.entrants.iter_mut().zip([first, second]) {
                let rated = one.rating.as_mut().unwrap();
                [rated.table_lower, rated.table_upper] = ends.map(Some);
            }
            let expected = expected.replace('…', "is stronger than") + " decided.";
            assert_eq!(lead(&standings), Some(expected));
        }
        let changes: [fn(&mut Standings); 3] = [
            |shared| shared.entrants[1].rank = Some(1),
            |unmet| unmet.entrants[0].opponents.clear(),
            |apart| apart.entrants[0].opponents[0].superiority = None,
        ];
        for change in changes {
            let mut standings = standings.clone();
            assert!(lead(&standings).is_some());
            change(&mut standings);
            assert_eq!(lead(&standings), None);
        }
    }
}

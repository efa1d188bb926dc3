//! Who is ahead of whom.

use super::records::Records;
use super::tie_break::TieBreak;
use ratings::Rated;

/// Ratings that differ by less, in Elo, are equal.
const EQUAL_ELO: f64 = 1e-6;
/// Sums of fractions that differ by less are equal.
const EQUAL_SUM: f64 = 1e-9;

/// What all of it depends on.
pub(super) struct Order<'a> {
    pub(super) records: &'a Records,
    /// By entrant.
    pub(super) rated: &'a [Option<&'a Rated>],
}

impl Order<'_> {
    /// Groups of entrants who are equal by all of `by`, the best first.
    pub(super) fn groups(&self, entrants: Vec<usize>, by: &[TieBreak]) -> Vec<Vec<usize>> {
        let mut groups = vec![entrants];
        for by in by {
            groups = groups
                .into_iter()
                .flat_map(|group| self.cut(&group, *by))
                .collect();
        }
        groups
    }

    fn cut(&self, group: &[usize], by: TieBreak) -> Vec<Vec<usize>> {
        let mut keyed: Vec<([f64; 2], usize)> = group
            .iter()
            .map(|entrant| (self.key(*entrant, group, by), *entrant))
            .collect();
        keyed.sort_by(|(one, _), (other, _)| {
            let first = other[0].total_cmp(&one[0]);
            first.then(other[1].total_cmp(&one[1]))
        });
        let equal = keyed.chunk_by(|(one, _), (other, _)| one == other);
        equal
            .map(|equal| equal.iter().map(|(_, entrant)| *entrant).collect())
            .collect()
    }

    fn key(&self, entrant: usize, group: &[usize], by: TieBreak) -> [f64; 2] {
        let (Some(total), Some(tally)) = (
            self.records.totals.get(entrant),
            self.records.tally.entrants.get(entrant),
        ) else {
            return [f64::MIN; 2];
        };
        let one = |key: f64| [key, 0.0];
        match by {
            TieBreak::Points => one(total.points()),
            TieBreak::Share => one(total.share.value()),
            TieBreak::Score => one(tally.score.value()),
            TieBreak::Wins => one(rounded(tally.share.value() * tally.games as f64)),
            TieBreak::Buchholz => one(rounded(self.records.buchholz(entrant))),
            TieBreak::HeadToHead => one(self.head_to_head(entrant, group)),
            TieBreak::Rating => rating_key(self.rated.get(entrant).copied().flatten()),
            TieBreak::Progress => match self.records.last.get(entrant) {
                Some(Some((round, results))) => [f64::from(*round), results.share.value()],
                _ => [f64::MIN; 2],
            },
        }
    }

    fn head_to_head(&self, entrant: usize, group: &[usize]) -> f64 {
        let meetings = group
            .iter()
            .filter_map(|other| self.records.meeting(entrant, *other));
        let (points, pairs) = meetings.fold((0.0, 0), |(points, pairs), meeting| {
            (points + meeting.points(), pairs + meeting.pairs())
        });
        if pairs > 0 {
            points / pairs as f64
        } else {
            0.5
        }
    }
}

/// By what a rating is ordered, the greatest first: the same for equal ratings.
pub(crate) fn rating_key(rated: Option<&Rated>) -> [f64; 2] {
    match rated {
        Some(rated) => [-(rated.component as f64), (rated.elo / EQUAL_ELO).round()],
        None => [f64::MIN; 2],
    }
}

fn rounded(sum: f64) -> f64 {
    (sum / EQUAL_SUM).round()
}

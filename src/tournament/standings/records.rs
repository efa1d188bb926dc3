//! What entrants did, added up from matches block by block.

use super::meetings::Meeting;
use super::played::{PlayedGame, blocks};
use crate::tournament::{Counted, Tally};
use std::collections::BTreeMap;

/// The sums behind the standings.
pub(super) struct Records {
    /// Totals by entrant.
    pub(super) tally: Tally,
    /// Totals by entrant and seat: entrant × `seats` + seat.
    pub(super) by_seat: Tally,
    /// The seats of the largest table.
    pub(super) seats: usize,
    /// Results of one entrant against another, and the same the other way round.
    pub(super) meetings: BTreeMap<(usize, usize), Meeting>,
    /// By entrant: all results.
    pub(super) totals: Vec<Meeting>,
    /// By entrant: the last round that it played, and its results there.
    pub(super) last: Vec<Option<(u32, Meeting)>>,
}

impl Records {
    /// Adds up sorted matches.
    pub(super) fn new(entrants: usize, sorted: &[&PlayedGame]) -> Self {
        let sizes = sorted.iter().map(|game| game.counted.table.len());
        let seats = sizes.max().unwrap_or(0);
        let mut records = Self {
            tally: Tally::new(entrants),
            by_seat: Tally::new(entrants * seats),
            seats,
            meetings: BTreeMap::new(),
            totals: vec![Meeting::default(); entrants],
            last: vec![None; entrants],
        };
        for block in blocks(sorted) {
            records.add(block);
        }
        records
    }

    fn add(&mut self, block: &[&PlayedGame]) {
        self.tally.add(block.iter().map(|game| &game.counted));
        let seated = |game: &&PlayedGame| {
            let seats = game.counted.table.iter().enumerate();
            Counted {
                table: seats
                    .map(|(seat, entrant)| entrant * self.seats + seat)
                    .collect(),
                ..game.counted.clone()
            }
        };
        let seated: Vec<Counted> = block.iter().map(seated).collect();
        self.by_seat.add(&seated);
        let mut met: BTreeMap<(usize, usize), Meeting> = BTreeMap::new();
        for (first, second, score) in block.iter().flat_map(|game| game.pairs()) {
            met.entry((first, second)).or_default().count(score);
            met.entry((second, first))
                .or_default()
                .count(score.turned());
        }
        let mut totals: BTreeMap<usize, Meeting> = BTreeMap::new();
        for ((own, other), block) in &met {
            self.meetings
                .entry((*own, *other))
                .or_default()
                .merge(block);
            totals.entry(*own).or_default().merge(block);
        }
        for game in block {
            for entrant in &game.counted.table {
                let Some(last) = self.last.get_mut(*entrant) else {
                    continue;
                };
                if last.as_ref().is_none_or(|(round, _)| *round < game.round) {
                    *last = Some((game.round, Meeting::default()));
                }
            }
        }
        for (own, block) in &totals {
            if let Some(total) = self.totals.get_mut(*own) {
                total.merge(block);
            }
            if let Some(Some((_, last))) = self.last.get_mut(*own) {
                last.merge(block);
            }
        }
    }

    /// Results of one entrant against another; `None` if there are none.
    pub(super) fn meeting(&self, own: usize, other: usize) -> Option<&Meeting> {
        self.meetings.get(&(own, other))
    }

    /// All whom an entrant met, with its results against them.
    pub(super) fn met(&self, own: usize) -> impl Iterator<Item = (usize, &Meeting)> {
        let met = self.meetings.range((own, 0)..=(own, usize::MAX));
        met.map(|((_, other), meeting)| (*other, meeting))
    }

    /// The mean share of those whom an entrant met, by results; 0 if it met nobody.
    pub(super) fn buchholz(&self, own: usize) -> f64 {
        let (mut sum, mut pairs) = (0.0, 0.0);
        for (other, meeting) in self.met(own) {
            let share = self
                .totals
                .get(other)
                .map_or(0.0, |total| total.share.value());
            sum += share * meeting.pairs() as f64;
            pairs += meeting.pairs() as f64;
        }
        if pairs > 0.0 { sum / pairs } else { 0.0 }
    }
}

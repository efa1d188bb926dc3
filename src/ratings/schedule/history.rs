//! What rounds so far say of entrants and of each two of them.

use super::round::{Draw, Field, Past, Round};

/// Counts over all rounds so far, by entrant.
pub(super) struct History {
    field: Field,
    /// How often each two were at one table.
    meetings: Vec<u32>,
    /// How often each was on each seat.
    seatings: Vec<u32>,
    byes: Vec<u32>,
    points: Vec<f64>,
    tables: Vec<u32>,
}

impl History {
    pub(super) fn new(field: &Field, past: &Past<'_>) -> Self {
        assert_eq!(past.rounds.len(), past.points.len());
        let all = field.all();
        let mut history = Self {
            field: *field,
            meetings: vec![0; all * all],
            seatings: vec![0; all * field.seats],
            byes: vec![0; all],
            points: vec![0.0; all],
            tables: vec![0; all],
        };
        for round in past.rounds {
            history.add(round);
        }
        for (round, points) in past.rounds.iter().zip(past.points) {
            for (table, points) in round.tables.iter().zip(points) {
                for (entrant, points) in table.iter().zip(points) {
                    history.points[*entrant] += points;
                }
            }
        }
        history
    }

    fn add(&mut self, round: &Round) {
        for table in &round.tables {
            for (seat, entrant) in table.iter().enumerate() {
                self.tables[*entrant] += 1;
                self.seatings[entrant * self.field.seats + seat] += 1;
                for other in table {
                    self.meetings[entrant * self.field.all() + other] += 1;
                }
            }
        }
        for entrant in &round.byes {
            self.byes[*entrant] += 1;
        }
    }

    /// How often two entrants were at one table.
    pub(super) fn met(&self, one: usize, other: usize) -> u32 {
        self.meetings[one * self.field.all() + other]
    }

    /// How many points an entrant won at a table on average, in billionths.
    pub(super) fn points_a_table(&self, entrant: usize) -> i64 {
        let tables = f64::from(self.tables[entrant].max(1));
        (self.points[entrant] / tables * 1e9).round() as i64
    }

    /// Takes out n to sit out. Nobody does so once more before all of the players did; of equals those who
    /// come first in the order.
    pub(super) fn take_byes(&self, order: &mut Vec<usize>, count: usize) -> Vec<usize> {
        let mut byes = order.clone();
        byes.sort_by_key(|entrant| self.byes[*entrant]);
        byes.truncate(count);
        order.retain(|entrant| !byes.contains(entrant));
        byes
    }

    /// Puts the entrants of each table on seats on which they were seldom.
    pub(super) fn seat(&self, round: &mut Round) {
        let mut rng = self.field.rng(Draw::Seats, round.number as usize);
        let seats = self.field.seats;
        for table in &mut round.tables {
            rng.shuffle(table);
            let often = |shift: &usize| -> u32 {
                let seated = table.iter().enumerate();
                seated
                    .map(|(seat, entrant)| self.seatings[entrant * seats + (seat + shift) % seats])
                    .sum()
            };
            let shift = (0..seats).min_by_key(often).unwrap_or(0);
            table.rotate_right(shift);
        }
    }
}

//! What rounds so far say of entrants and of each two of them.

use super::round::{Draw, Field, Past, Round};

/// Counts over all rounds so far, by entrant.
pub(super) struct History {
    field: Field,
    /// How often each was on each seat.
    seatings: Vec<u32>,
    byes: Vec<u32>,
}

impl History {
    pub(super) fn new(field: &Field, past: &Past<'_>) -> Self {
        let all = field.all();
        let mut history = Self {
            field: *field,
            seatings: vec![0; all * field.seats],
            byes: vec![0; all],
        };
        for round in past.rounds {
            history.add(round);
        }
        history
    }

    fn add(&mut self, round: &Round) {
        for table in &round.tables {
            for (seat, entrant) in table.iter().enumerate() {
                self.seatings[entrant * self.field.seats + seat] += 1;
            }
        }
        for entrant in &round.byes {
            self.byes[*entrant] += 1;
        }
    }

    /// Takes out those who sit out as they fill no table, and the house cannot complete it. Nobody does so once
    /// more before all of the players did; of equals those who come first in the order.
    pub(super) fn take_byes(&self, order: &mut Vec<usize>) -> Vec<usize> {
        let rest = order.len() % self.field.seats;
        if self.field.fills(order.len()) {
            return Vec::new();
        }
        let mut byes = order.clone();
        byes.sort_by_key(|entrant| self.byes[*entrant]);
        byes.truncate(rest);
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

//! Round robins: everybody meets everybody.

use super::round::{Field, Round};

/// How many rounds a lap takes.
pub(super) const fn rounds_a_lap(field: &Field) -> usize {
    field.entrants.next_multiple_of(2) - 1
}

/// Pairs by the circle method: one entrant stays, all others move on by one place a round. With an odd number the
/// place of the one who stays is empty.
pub(super) fn pairs(field: &Field, number: usize) -> Round {
    let moving = rounds_a_lap(field);
    let (lap, turn) = (number / moving, number % moving);
    let order = field.drawn(lap);
    let mut tables = vec![vec![order[turn]]];
    tables[0].extend(order.get(moving));
    for apart in 1..=moving / 2 {
        let place = |at: usize| order[at % moving];
        tables.push(vec![place(turn + apart), place(turn + moving - apart)]);
    }
    field.fill_up(&mut tables);
    let byes = tables
        .extract_if(.., |table| table.len() < field.seats)
        .flatten()
        .collect();
    Round {
        number: number as u32,
        tables,
        byes,
        why: format!("all pairs, lap {}", lap + 1),
    }
}

//! Swiss: those meet who have about as many points.

use super::history::History;
use super::round::{Field, Round};
use super::seating;

/// The next round.
pub(super) fn round(field: &Field, history: &History, number: usize) -> Round {
    // From the last to the first; of equals by chance.
    let mut order = field.drawn(field.pool(), number);
    order.sort_by_key(|entrant| history.points_a_table(*entrant));
    let byes = history.take_byes(&mut order, field.pool() % field.seats);
    order.reverse();

    let twice_place = places(&order, field, history);
    // Two who met are kept apart like the ends of the field, at larger tables like those half of it apart.
    let field_apart = order.len() as u64 * if field.seats == 2 { 2 } else { 1 };
    let cost = |one: usize, other: usize| {
        let apart = twice_place[one].abs_diff(twice_place[other]) as u64;
        let met = u64::from(history.met(one, other));
        apart.pow(2) + (field_apart * met).pow(2)
    };
    let mut tables: Vec<_> = order.chunks(field.seats).map(<[usize]>::to_vec).collect();
    seating::improve(&mut tables, &cost);
    let why = match number {
        0 => "Swiss, drawn at random".to_owned(),
        _ => "Swiss, by points".to_owned(),
    };
    Round {
        number: number as u32,
        tables,
        byes,
        why,
    }
}

/// Twice the place of each entrant in the order; those with equal points share the middle one.
fn places(order: &[usize], field: &Field, history: &History) -> Vec<usize> {
    let mut places = vec![0; field.all()];
    let mut from = 0;
    for equals in
        order.chunk_by(|one, other| history.points_a_table(*one) == history.points_a_table(*other))
    {
        for entrant in equals {
            places[*entrant] = 2 * from + equals.len() - 1;
        }
        from += equals.len();
    }
    places
}

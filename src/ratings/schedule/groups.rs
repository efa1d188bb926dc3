//! The contest's groups: all play in every round, at random first, then by their ratings.

use super::history::History;
use super::round::{Field, Past, Round};
use crate::pairing::{Grouping, Mode};
use std::collections::HashSet;

/// The next round; who of the house is needed to fill up groups is in the pool like everybody else.
pub(super) fn round(
    field: &Field,
    past: &Past<'_>,
    history: &History,
    mode: Mode,
    random_rounds: u32,
) -> Round {
    let number = past.rounds.len();
    let mut pool = field.drawn(field.pool(), number);
    let byes = history.take_byes(&mut pool, field.pool() % field.seats);
    pool.sort_unstable();

    let grouping = Grouping {
        mode,
        seed: field.seed,
        size: field.seats,
        random_rounds: random_rounds as usize,
    };
    let fit = past
        .fit
        .filter(|_| past.results.names().len() >= field.all());
    let why = if grouping.outlook(number, &pool, past.results, fit).is_some() {
        let mode = if mode == Mode::Spec { "spec" } else { "joint" };
        format!("adaptive ({mode})")
    } else if grouping.is_random(number) {
        "random".to_owned()
    } else {
        "random, as not all ratings can be compared yet".to_owned()
    };
    let mut earlier = HashSet::new();
    for table in past.rounds.iter().flat_map(|round| &round.tables) {
        let mut table = table.clone();
        table.sort_unstable();
        earlier.insert(table);
    }
    Round {
        number: number as u32,
        tables: grouping.round(number, &pool, past.results, fit, &earlier),
        byes,
        why,
    }
}

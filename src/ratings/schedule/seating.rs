//! Tables at which as few meet as possible who should not.

/// How often all exchanges are tried at most.
const PASSES_MAX: usize = 30;

/// What it costs that these sit together.
pub(super) fn cost(tables: &[Vec<usize>], of_pair: &impl Fn(usize, usize) -> u64) -> u64 {
    let of_one = |table: &[usize], at: usize| apart(table, at, table[at], of_pair);
    let table = |table: &Vec<usize>| (0..table.len()).map(|at| of_one(table, at)).sum::<u64>();
    tables.iter().map(table).sum::<u64>() / 2
}

/// What an entrant costs in a place of a table.
fn apart(
    table: &[usize],
    at: usize,
    entrant: usize,
    of_pair: &impl Fn(usize, usize) -> u64,
) -> u64 {
    let others = table.iter().enumerate().filter(|(other, _)| *other != at);
    others.map(|(_, other)| of_pair(entrant, *other)).sum()
}

/// Exchanges two entrants of different tables as long as that costs less.
pub(super) fn improve(tables: &mut [Vec<usize>], of_pair: &impl Fn(usize, usize) -> u64) {
    for _ in 0..PASSES_MAX {
        let mut better = false;
        for second in 1..tables.len() {
            let (before, rest) = tables.split_at_mut(second);
            for first in before {
                better |= exchange(first, &mut rest[0], of_pair);
            }
        }
        if !better {
            break;
        }
    }
}

fn exchange(
    first: &mut [usize],
    second: &mut [usize],
    of_pair: &impl Fn(usize, usize) -> u64,
) -> bool {
    let mut better = false;
    for at in 0..first.len() {
        for to in 0..second.len() {
            let (one, other) = (first[at], second[to]);
            let stay = apart(first, at, one, of_pair) + apart(second, to, other, of_pair);
            let go = apart(first, at, other, of_pair) + apart(second, to, one, of_pair);
            if go < stay {
                (first[at], second[to]) = (other, one);
                better = true;
            }
        }
    }
    better
}

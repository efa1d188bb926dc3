//! Round robins: everybody meets everybody.

use super::history::History;
use super::round::{Draw, Field, Round};
use super::{factors, seating};

/// Sets of entrants that are all played, at most.
const SETS_MAX: usize = 10_000;
/// From how many draws the best one is taken.
const DRAWS: usize = 16;

/// What a lap consists of.
enum Lap {
    Pairs,
    Sets,
    /// Each two meet about once.
    Balanced,
}

impl Lap {
    fn for_pool(pool: usize, seats: usize) -> Self {
        match factors::choose(pool, seats) {
            _ if seats == 2 => Self::Pairs,
            1..=SETS_MAX => Self::Sets,
            _ => Self::Balanced,
        }
    }
}

/// How many rounds a lap takes.
pub(super) fn rounds_a_lap(field: &Field) -> usize {
    let (pool, seats) = (field.pool(), field.seats);
    let pairs = |of: usize| of * (of - 1) / 2;
    match Lap::for_pool(pool, seats) {
        Lap::Pairs => pool.next_multiple_of(2) - 1,
        Lap::Sets => factors::choose(pool, seats).div_ceil(pool / seats),
        Lap::Balanced => pairs(pool).div_ceil(pool / seats * pairs(seats)),
    }
}

/// The next round.
pub(super) fn round(field: &Field, history: &History, number: usize) -> Round {
    let a_lap = rounds_a_lap(field);
    let (lap, turn) = (number / a_lap, number % a_lap);
    let (tables, what) = match Lap::for_pool(field.pool(), field.seats) {
        Lap::Pairs => (pairs(&field.drawn(field.pool(), lap), turn), "all pairs"),
        Lap::Sets => (sets(field, lap, turn), "all sets"),
        Lap::Balanced => (balanced(field, history, number), "balanced"),
    };
    let mut playing = vec![false; field.all()];
    for entrant in tables.iter().flatten() {
        playing[*entrant] = true;
    }
    Round {
        number: number as u32,
        tables,
        byes: (0..field.entrants).filter(|at| !playing[*at]).collect(),
        why: format!("{what}, lap {}", lap + 1),
    }
}

/// Pairs by the circle method: one entrant stays, all others move on by one place a round. With an odd number the
/// place of the one who stays is empty.
fn pairs(order: &[usize], turn: usize) -> Vec<Vec<usize>> {
    let moving = order.len().next_multiple_of(2) - 1;
    let place = |at: usize| order[at % moving];
    let stays = order.get(moving).map(|stays| vec![*stays, place(turn)]);
    let others =
        (1..=moving / 2).map(|apart| vec![place(turn + apart), place(turn + moving - apart)]);
    stays.into_iter().chain(others).collect()
}

/// All sets of entrants, those rounds first in which those sit out who did so least.
fn sets(field: &Field, lap: usize, turn: usize) -> Vec<Vec<usize>> {
    let order = field.drawn(field.pool(), lap);
    let full = order.len() / field.seats;
    let (mut rounds, mut short): (Vec<_>, Vec<_>) = factors::rounds(order.len(), field.seats)
        .into_iter()
        .partition(|round| round.len() == full);
    field.rng(Draw::Ties, lap).shuffle(&mut rounds);
    if !order.len().is_multiple_of(field.seats) && turn < rounds.len() {
        evenly(&mut rounds, order.len(), turn);
    }
    rounds.append(&mut short);
    let mut tables = rounds.swap_remove(turn);
    for entrant in tables.iter_mut().flatten() {
        *entrant = order[*entrant];
    }
    tables
}

/// Orders rounds up to `turn` so that everybody sits out about as often.
fn evenly(rounds: &mut [Vec<Vec<usize>>], entrants: usize, turn: usize) {
    let idle = |round: &Vec<Vec<usize>>| -> Vec<usize> {
        let plays = |entrant: &usize| round.iter().any(|table| table.contains(entrant));
        (0..entrants).filter(|entrant| !plays(entrant)).collect()
    };
    let mut idle: Vec<_> = rounds.iter().map(idle).collect();
    let mut byes = vec![0u64; entrants];
    for at in 0..=turn {
        let so_far = |next: &usize| -> u64 { idle[*next].iter().map(|one| byes[*one]).sum() };
        let next = (at..rounds.len()).min_by_key(so_far).unwrap_or(at);
        rounds.swap(at, next);
        idle.swap(at, next);
        for entrant in &idle[at] {
            byes[*entrant] += 1;
        }
    }
}

/// All play whom there is room for; as few as possible meet who met often.
fn balanced(field: &Field, history: &History, number: usize) -> Vec<Vec<usize>> {
    let mut order = field.drawn(field.pool(), number);
    history.take_byes(&mut order, field.pool() % field.seats);
    let mut rng = field.rng(Draw::Ties, number);
    let often = |one, other| u64::from(history.met(one, other)).pow(2);
    let draw = |_| {
        rng.shuffle(&mut order);
        let mut tables: Vec<_> = order.chunks(field.seats).map(<[usize]>::to_vec).collect();
        seating::improve(&mut tables, &often);
        tables
    };
    let draws = (0..DRAWS).map(draw);
    draws
        .min_by_key(|tables| seating::cost(tables, &often))
        .unwrap_or_default()
}

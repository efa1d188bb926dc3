//! Knock-out: the best of each table go on, until one table is left.

use super::history::History;
use super::round::{Field, Past, Round};
use super::seating;
use std::cmp::Reverse;

/// Finals that are played again at most.
const PLAY_OFFS_MAX: usize = 5;

/// How a round is made up.
struct Stage {
    tables: usize,
    byes: usize,
}

impl Stage {
    /// Of a round with n entrants left. The house fills up tables only if somebody goes out at each.
    fn new(field: &Field, advance: usize, left: usize) -> Self {
        let (tables, rest) = (left / field.seats, left % field.seats);
        let filled = field.fills(left) && left / (tables + 1) > advance;
        match rest {
            _ if left <= field.seats => Self { tables: 1, byes: 0 },
            1.. if !filled => Self { tables, byes: rest },
            0 => Self { tables, byes: 0 },
            _ => Self {
                tables: tables + 1,
                byes: 0,
            },
        }
    }
}

/// How many rounds there are.
pub(super) fn rounds(field: &Field, advance: usize) -> usize {
    let (mut rounds, mut left) = (1, field.entrants);
    while left > field.seats {
        let stage = Stage::new(field, advance, left);
        left = stage.tables * advance + stage.byes;
        rounds += 1;
    }
    rounds
}

/// The next round.
pub(super) fn round(field: &Field, past: &Past<'_>, history: &History, advance: usize) -> Round {
    let number = past.rounds.len();
    let mut order = field.drawn(field.entrants, number);
    let (left, out) = match past.rounds.last() {
        Some(last) => after(last, past, history, &order, advance),
        None => (order.clone(), Vec::new()),
    };
    order.retain(|entrant| left.contains(entrant));
    let stage = Stage::new(field, advance, left.len());
    let byes = history.take_byes(&mut order, stage.byes);
    let mut tables = vec![Vec::new(); stage.tables];
    for (at, entrant) in order.into_iter().enumerate() {
        tables[at % stage.tables].push(entrant);
    }
    seating::improve(&mut tables, &|one, other| history.met(one, other).into());
    if left.len() < field.seats && !field.fills(left.len()) {
        tables[0].extend(out.into_iter().take(field.seats - left.len()));
    }
    field.fill_up(&mut tables);
    let why = match left.len() {
        last if last <= field.seats => "knock-out, final".to_owned(),
        more => format!("knock-out, {more} left"),
    };
    Round {
        number: number as u32,
        tables,
        byes,
        why,
    }
}

/// The final again, on other decks, while its best are equal; at most this many times.
pub(super) fn play_off(past: &Past<'_>, played: usize) -> Option<Round> {
    let (last, points) = past.rounds.last().zip(past.points.last())?;
    let mut points = points.first()?.clone();
    points.sort_by(|one, other| other.total_cmp(one));
    let tied = points
        .first()
        .zip(points.get(1))
        .is_some_and(|(one, other)| one - other < 1e-9);
    (tied && played < PLAY_OFFS_MAX).then(|| Round {
        number: past.rounds.len() as u32,
        why: "knock-out, the final again, as its best are equal".to_owned(),
        ..last.clone()
    })
}

/// Who goes on after a round, and who has just gone out, the best first. Equal points at the table are decided by
/// those of all rounds, and these by lot.
fn after(
    last: &Round,
    past: &Past<'_>,
    history: &History,
    lot: &[usize],
    advance: usize,
) -> (Vec<usize>, Vec<usize>) {
    let (mut left, mut out) = (last.byes.clone(), Vec::new());
    let points = &past.points[past.rounds.len() - 1];
    for (table, points) in last.tables.iter().zip(points) {
        let regular = |(entrant, points): (&usize, &f64)| {
            let drawn = lot.iter().position(|other| other == entrant)?;
            let won = (points * 1e9).round() as i64;
            let all = history.points_a_table(*entrant);
            Some(((Reverse(won), Reverse(all), drawn), *entrant))
        };
        let mut ranked: Vec<_> = table.iter().zip(points).filter_map(regular).collect();
        ranked.sort_unstable();
        let rest = ranked.split_off(advance.min(ranked.len()));
        left.extend(ranked.into_iter().map(|(_, entrant)| entrant));
        out.extend(rest);
    }
    out.sort_unstable();
    (left, out.into_iter().map(|(_, entrant)| entrant).collect())
}

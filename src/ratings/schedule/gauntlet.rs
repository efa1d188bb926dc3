//! A gauntlet: each hero meets all rivals, heroes do not meet.

use super::history::History;
use super::round::{Draw, Field, Round};

/// How heroes go round among the rivals.
struct Circuit {
    /// Into how many blocks, one for a table each, the rivals are split.
    blocks: usize,
    /// How many heroes play at once.
    at_once: usize,
}

impl Circuit {
    fn new(field: &Field, heroes: usize) -> Self {
        let rivals = field.entrants - heroes;
        let blocks = rivals.div_ceil(field.seats - 1);
        // A last block that is too small needs rivals who are idle, unless the house completes it.
        let whole = blocks * (field.seats - 1) - rivals <= field.house;
        let tables = if whole { blocks } else { blocks - 1 };
        Self {
            blocks,
            at_once: heroes.min(tables),
        }
    }
}

/// How many rounds a lap takes: each hero meets all rivals in it.
pub(super) fn rounds_a_lap(field: &Field, heroes: usize) -> usize {
    let circuit = Circuit::new(field, heroes);
    heroes.div_ceil(circuit.at_once) * circuit.blocks
}

/// The next round.
pub(super) fn round(field: &Field, history: &History, heroes: usize, number: usize) -> Round {
    let circuit = Circuit::new(field, heroes);
    let a_lap = rounds_a_lap(field, heroes);
    let (lap, turn) = (number / a_lap, number % a_lap);
    let mut rng = field.rng(Draw::Tables, lap);
    let mut byes: Vec<usize> = (0..heroes).collect();
    rng.shuffle(&mut byes);
    let from = turn / circuit.blocks * circuit.at_once;
    let playing: Vec<usize> = byes
        .drain(from..heroes.min(from + circuit.at_once))
        .collect();

    let mut rivals: Vec<usize> = (heroes..field.entrants).collect();
    rng.shuffle(&mut rivals);
    let mut blocks: Vec<_> = rivals.chunks(field.seats - 1).collect();
    let first = turn % blocks.len();
    blocks.rotate_left(first);
    let (met, idle) = blocks.split_at(playing.len());
    let mut tables = Vec::new();
    for (hero, block) in playing.into_iter().zip(met) {
        let mut table = vec![hero];
        table.extend(*block);
        if table.len() < field.seats && field.seats - table.len() > field.house {
            let mut idle: Vec<usize> = idle.iter().copied().flatten().copied().collect();
            idle.sort_by_key(|rival| history.met(hero, *rival));
            table.extend(idle.into_iter().take(field.seats - table.len()));
        }
        tables.push(table);
    }
    field.fill_up(&mut tables);
    Round {
        number: number as u32,
        tables,
        byes,
        why: format!("gauntlet, lap {}", lap + 1),
    }
}

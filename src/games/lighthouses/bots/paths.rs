//! Ways over the island: how far every cell is from every lighthouse, and the richest walks.

use super::memory::Memory;
use crate::rules::{Cell, Chart, Lighthouse};
use smallvec::SmallVec;

/// The distance where no way leads.
pub(super) const FAR: u16 = u16::MAX;

/// Steps to each lighthouse from each cell.
#[derive(Clone)]
pub(super) struct Paths(Vec<Vec<u16>>);

impl Paths {
    pub(super) fn new(chart: &Chart) -> Self {
        let all = chart.lighthouses().iter();
        Self(all.map(|to| flood(chart, *to)).collect())
    }

    /// Steps from a cell to a lighthouse, or [`FAR`].
    pub(super) fn steps(&self, from: Cell, to: Lighthouse) -> u16 {
        let table = self.0.get(to.index());
        let steps = table.and_then(|table| table.get(from.index()));
        steps.copied().unwrap_or(FAR)
    }
}

/// Steps from every cell to this one.
fn flood(chart: &Chart, to: Cell) -> Vec<u16> {
    let mut steps = vec![FAR; chart.cells()];
    if let Some(first) = steps.get_mut(to.index()) {
        *first = 0;
    }
    let (mut open, mut distance) = (vec![to], 0);
    while !open.is_empty() {
        distance += 1;
        let mut next = Vec::new();
        for cell in open {
            for beyond in chart.neighbours(cell) {
                if let Some(unknown) = steps.get_mut(beyond.index()).filter(|at| **at == FAR) {
                    *unknown = distance;
                    next.push(*beyond);
                }
            }
        }
        open = next;
    }
    steps
}

/// A walk: its first cell and the energy that lies on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Walk {
    pub(super) first: Cell,
    pub(super) energy: f32,
}

/// The end of a partial walk.
#[derive(Clone)]
struct End {
    cells: SmallVec<[Cell; 16]>,
    energy: f32,
}

/// How many walks of one length are tracked.
const WIDTH: usize = 16;

/// The richest walk of this many steps, each worth `fade` times the one before. `left` gives the distance to
/// the goal from a cell: a walk that could not arrive in time is discarded.
pub(super) fn richest(
    chart: &Chart,
    memory: &Memory,
    from: Cell,
    steps: u16,
    fade: f32,
    left: impl Fn(Cell) -> u16,
) -> Option<Walk> {
    let mut ends = vec![End {
        cells: SmallVec::new(),
        energy: 0.0,
    }];
    let mut weight = 1.0;
    for step in 1..=steps {
        let mut next: Vec<(Cell, f32, usize)> = Vec::with_capacity(8 * ends.len());
        for (number, end) in ends.iter().enumerate() {
            let at = end.cells.last().copied().unwrap_or(from);
            for cell in chart.neighbours(at) {
                if left(*cell) > steps - step {
                    continue;
                }
                let fresh = *cell != from && !end.cells.contains(cell);
                let energy = if fresh {
                    memory.after(chart, *cell, step)
                } else {
                    0.0
                };
                next.push((*cell, end.energy + weight * energy, number));
            }
        }
        // The best walk to each cell, and then the best of those.
        next.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
        next.dedup_by_key(|(cell, ..)| *cell);
        next.sort_by(|a, b| b.1.total_cmp(&a.1));
        next.truncate(WIDTH);
        let grown = next.iter().filter_map(|(cell, energy, number)| {
            let mut cells = ends.get(*number)?.cells.clone();
            cells.push(*cell);
            Some(End {
                cells,
                energy: *energy,
            })
        });
        ends = grown.collect();
        weight *= fade;
    }
    let best = ends.first()?;
    Some(Walk {
        first: *best.cells.first()?,
        energy: best.energy,
    })
}

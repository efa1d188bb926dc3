//! What follows from the chart alone and never changes: areas, distances from lighthouses.

use crate::rules::{Cell, Chart, Lighthouse};
use std::sync::Arc;

/// No way leads there, or it has not been searched for yet.
pub const FAR: u16 = u16::MAX;
/// Cells examined by one step of [`Terrain::survey`].
const SURVEY_CELLS: usize = 64;

/// A chart with the champion's lookup tables.
#[derive(Clone, Debug)]
pub struct Terrain {
    /// The chart.
    pub chart: Arc<Chart>,
    /// How many lighthouses there are, at most 64.
    pub count: usize,
    /// Where each lighthouse stands.
    pub homes: Vec<Cell>,
    /// What each lighthouse's own cell receives per round.
    pub drip: Vec<u32>,
    areas: Vec<f32>,
    linkable: Vec<u64>,
    /// By lighthouse and cell: steps to the lighthouse.
    steps: Vec<Vec<u16>>,
    queue: Vec<u16>,
    head: usize,
}

impl Terrain {
    /// The terrain of a chart; distances come with [`Terrain::survey`].
    #[must_use]
    pub fn new(chart: Arc<Chart>) -> Self {
        let count = chart.lighthouses().len().min(64);
        let homes: Vec<Cell> = chart.lighthouses().iter().take(count).copied().collect();
        let all = || (0..count as u8).map(Lighthouse);
        let mut areas = Vec::with_capacity(count * count * count);
        for a in all() {
            for b in all() {
                areas.extend(all().map(|c| chart.area(a, b, c) as f32));
            }
        }
        Self {
            count,
            drip: homes
                .iter()
                .map(|at| u32::from(chart.increments()[at.index()]))
                .collect(),
            linkable: all().map(|at| chart.linkable(at)).collect(),
            homes,
            areas,
            steps: Vec::with_capacity(count),
            queue: Vec::new(),
            head: 0,
            chart,
        }
    }

    /// Cells lit by the triangle of three lighthouses.
    #[inline]
    #[must_use]
    pub fn area(&self, a: usize, b: usize, c: usize) -> f32 {
        self.areas[(a * self.count + b) * self.count + c]
    }

    /// The lighthouses to which a link would pass over no third one.
    #[inline]
    #[must_use]
    pub fn linkable(&self, from: usize) -> u64 {
        self.linkable[from]
    }

    /// For each lighthouse x those y for which the link x–y crosses the link a–b.
    #[inline]
    #[must_use]
    pub fn crossings(&self, a: usize, b: usize) -> &[u64] {
        self.chart
            .crossings(Lighthouse(a as u8), Lighthouse(b as u8))
    }

    /// Steps from a cell to a lighthouse, [`FAR`] where not known.
    #[inline]
    #[must_use]
    pub fn steps(&self, to: usize, from: Cell) -> u16 {
        let known = self.steps.get(to).and_then(|steps| steps.get(from.index()));
        known.copied().unwrap_or(FAR)
    }

    /// Measures some more distances. False: all are known.
    pub fn survey(&mut self) -> bool {
        if self.head >= self.queue.len() {
            let next = self.steps.len();
            let Some(home) = self.homes.get(next) else {
                return false;
            };
            let mut steps = vec![FAR; self.chart.cells()];
            steps[home.index()] = 0;
            self.steps.push(steps);
            self.queue.clear();
            self.queue.push(home.0);
            self.head = 0;
        }
        let Some(steps) = self.steps.last_mut() else {
            return false;
        };
        for _ in 0..SURVEY_CELLS {
            let Some(from) = self.queue.get(self.head).copied() else {
                break;
            };
            self.head += 1;
            let beyond = steps[usize::from(from)] + 1;
            for next in self.chart.neighbours(Cell(from)) {
                if steps[next.index()] == FAR {
                    steps[next.index()] = beyond;
                    self.queue.push(next.0);
                }
            }
        }
        true
    }

    /// Whether the distances to this lighthouse are all known.
    #[must_use]
    pub fn surveyed(&self, to: usize) -> bool {
        let known = self.steps.len();
        to + 1 < known || to + 1 == known && self.head >= self.queue.len()
    }
}

//! What follows from the ground alone: ways home for sheep, where they drift when left alone, and how far a
//! dog is from a spot whose bark sends a sheep home.

use crate::options::Key;
use crate::rules::{Direction, Ground, Land, Spot, UNREACHED, flood};
use drover_game::game::Seat;
use std::sync::Arc;

/// No way exists.
pub(super) const FAR: u16 = UNREACHED;
/// The most cells in all tables of [`Terrain::need`] together.
const NEED_CELLS_MAX: usize = 24_000_000;

/// Where a calm sheep ends up if left alone, and after how many strolls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fate {
    /// Strolls until it stands in a pen; [`FAR`] if it never does.
    pub(super) strolls: u16,
    /// The pen's owner.
    pub(super) pen: Seat,
}

/// Tables for one player on one ground.
#[derive(Clone, Debug)]
pub(super) struct Terrain {
    pub(super) ground: Arc<Ground>,
    pub(super) me: Seat,
    /// Steps of a sheep to the own pen, by the sheep's cell.
    home: Vec<u16>,
    /// By cell and direction.
    drift: Vec<Fate>,
    /// By the sheep's cell: steps of a dog, by the dog's cell, to where a bark sends the sheep home.
    need: Vec<Option<Box<[u8]>>>,
    need_cells: usize,
    /// The cell after a step, by cell and direction; the same cell if the way is closed.
    next: Vec<u32>,
}

impl Terrain {
    pub(super) fn new(ground: &Arc<Ground>, me: Seat) -> Self {
        let torus = ground.torus();
        let mut next = Vec::with_capacity(4 * torus.area());
        for cell in 0..torus.area() {
            for way in Direction::ALL {
                let to = torus.next(torus.spot(cell), way);
                let open = ground.land(to).is_open();
                next.push(if open { torus.index(to) } else { cell } as u32);
            }
        }
        let mut terrain = Self {
            ground: Arc::clone(ground),
            me,
            home: Vec::new(),
            drift: Vec::new(),
            need: vec![None; torus.area()],
            need_cells: 0,
            next,
        };
        terrain.home = ground.steps_to_pen(me);
        terrain.drift = terrain.fates();
        terrain
    }

    pub(super) fn cell(&self, spot: Spot) -> usize {
        self.ground.torus().index(spot)
    }

    /// Steps of a sheep to the own pen.
    pub(super) fn home(&self, cell: usize) -> u16 {
        self.home.get(cell).copied().unwrap_or(FAR)
    }

    /// The cell after a step; the same one if landscape closes the way.
    pub(super) fn next(&self, cell: usize, way: Direction) -> usize {
        self.next
            .get(4 * cell + way as usize)
            .map_or(cell, |to| *to as usize)
    }

    /// Where a calm sheep that stands here and looks this way drifts to.
    pub(super) fn fate(&self, cell: usize, way: Direction) -> Fate {
        let fate = self.drift.get(4 * cell + way as usize).copied();
        fate.unwrap_or_else(|| self.never())
    }

    /// The fate of a sheep that never comes to a pen.
    const fn never(&self) -> Fate {
        Fate {
            strolls: FAR,
            pen: self.me,
        }
    }

    /// Walking distances over open ground to the nearest of these cells.
    pub(super) fn distances(&self, sources: Vec<usize>) -> Vec<u16> {
        flood(self.ground.torus().area(), sources, |cell, way| {
            Some(self.next(cell, way))
        })
    }

    /// Follows a lone sheep's strolls from every cell and direction.
    fn fates(&self) -> Vec<Fate> {
        let torus = self.ground.torus();
        let never = self.never();
        let mut fates: Vec<Option<Fate>> = vec![None; 4 * torus.area()];
        let mut path = Vec::new();
        for start in 0..fates.len() {
            path.clear();
            let mut at = start;
            let found = loop {
                if let Some(fate) = fates[at] {
                    break fate;
                }
                let cell = at / 4;
                if let Land::Pen(pen) = self.ground.land(torus.spot(cell)) {
                    let fate = Fate { strolls: 0, pen };
                    fates[at] = Some(fate);
                    break fate;
                }
                // Reached before on this very walk: a loop.
                fates[at] = Some(never);
                path.push(at);
                let ways = Direction::ALL[at % 4].tries();
                match ways.into_iter().find(|way| self.next(cell, *way) != cell) {
                    Some(way) => at = 4 * self.next(cell, way) + way as usize,
                    None => break never,
                }
            };
            let mut strolls = found.strolls;
            for at in path.iter().rev() {
                strolls = strolls.saturating_add(1);
                fates[*at] = Some(Fate {
                    strolls,
                    pen: found.pen,
                });
            }
        }
        fates
            .into_iter()
            .map(|fate| fate.unwrap_or(never))
            .collect()
    }

    /// Steps of a dog at `dog` to the nearest cell from which a bark sends a sheep at `sheep` one step closer
    /// to the own pen, at most 254; 255 if there is no way.
    pub(super) fn need(&mut self, sheep: usize, dog: usize) -> u8 {
        if self.need.get(sheep).is_some_and(Option::is_none) {
            if self.need_cells > NEED_CELLS_MAX {
                self.need.fill(None);
                self.need_cells = 0;
            }
            self.need_cells += self.ground.torus().area();
            let table = self.needs(sheep);
            self.need[sheep] = Some(table);
        }
        let table = self.need.get(sheep).and_then(Option::as_deref);
        table
            .and_then(|table| table.get(dog))
            .copied()
            .unwrap_or(u8::MAX)
    }

    fn needs(&self, sheep: usize) -> Box<[u8]> {
        let torus = self.ground.torus();
        let radius = self.ground.options().get(Key::DogBarkingR);
        let spot = torus.spot(sheep);
        let here = self.home(sheep);
        let homeward = |way: Direction| {
            let to = self.next(sheep, way);
            to != sheep && self.home(to) < here
        };
        let reach = |size: u16| radius.min(u32::from(size) / 2) as i32;
        let (across, down) = (reach(torus.cols()), reach(torus.rows()));
        let mut sources = Vec::new();
        for dx in -across..=across {
            for dy in -down..=down {
                let from = torus.offset(spot, dx, dy);
                if from == spot
                    || !self.ground.land(from).is_open()
                    || !torus.within(from, spot, radius)
                {
                    continue;
                }
                let (x, y) = torus.displacement(from, spot);
                if homeward(Direction::along(x, y)) {
                    sources.push(torus.index(from));
                }
            }
        }
        let far = self.distances(sources).into_iter();
        let need = |steps: u16| match steps {
            FAR => u8::MAX,
            steps => steps.min(u16::from(u8::MAX) - 1) as u8,
        };
        far.map(need).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map::Map;
    use crate::options::Options;
    use crate::rules::{Players, Setup, SmartDog};

    /// The tables of a player alone whose dog barks so far.
    fn terrain(rows: &str, bark: i64) -> Terrain {
        let game = SmartDog::begin(&Setup {
            map: Map::read(rows).unwrap(),
            players: Players::One,
            options: Options::default().with(Key::DogBarkingR, bark).unwrap(),
        });
        Terrain::new(game.ground(), Seat(0))
    }

    fn cell(terrain: &Terrain, x: u16, y: u16) -> usize {
        terrain.cell(Spot { x, y })
    }

    #[test]
    fn ways_home_go_round_walls_and_round_the_world() {
        let terrain = terrain("-.#...\n######\n@.....\n######", 2);
        let home = |x, y| terrain.home(cell(&terrain, x, y));
        // Leftwards round the world, because of the wall to the right of the pen.
        assert_eq!(
            [home(0, 0), home(1, 0), home(5, 0), home(3, 0)],
            [0, 1, 1, 3]
        );
        assert_eq!([home(0, 2), home(3, 2)], [FAR, FAR]);
    }

    #[test]
    fn calm_sheep_drift_as_the_rules_let_them() {
        let terrain = terrain("@.....\n...-..\n......\n######", 2);
        let fate = |x, y, way| {
            let fate = terrain.fate(cell(&terrain, x, y), way);
            (fate.strolls != FAR).then_some(fate.strolls)
        };
        assert_eq!(fate(3, 0, Direction::Down), Some(1));
        assert_eq!(fate(0, 1, Direction::Right), Some(3));
        // Down to the wall, then to the left hand, and round the world for ever.
        assert_eq!(fate(1, 0, Direction::Down), None);
    }

    #[test]
    fn a_dog_needs_to_go_where_its_bark_sends_the_sheep_home() {
        // The pen is to the left: a bark from the right sends the sheep home, one from above does not.
        let mut terrain = terrain("-......@\n######.#\n######.#\n########", 1);
        let (sheep, right) = (cell(&terrain, 2, 0), cell(&terrain, 3, 0));
        let left = cell(&terrain, 1, 0);
        assert_eq!(terrain.need(sheep, right), 0);
        let beyond = cell(&terrain, 6, 2);
        assert_eq!(terrain.need(sheep, beyond), 5);
        // The way round leads through the sheep's own cell, which is open ground.
        assert_eq!(terrain.need(sheep, left), 2);
    }
}

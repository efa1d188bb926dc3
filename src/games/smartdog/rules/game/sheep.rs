//! How sheep run, walk, push and catch fright.

use super::{SmartDog, Thing};
use crate::options::Key;
use crate::rules::{Direction, Land, Sheep, Spot};

/// The neighbours in the order in which a sheep looks for fright.
const NEIGHBOURS: [(i32, i32); 8] = [
    (-1, -1),
    (-1, 0),
    (-1, 1),
    (0, -1),
    (0, 1),
    (1, -1),
    (1, 0),
    (1, 1),
];

impl SmartDog {
    /// The sheep's part of a turn: the frightened run, all walk, fright spreads.
    pub(super) fn drive_sheep(&mut self) {
        self.pushes = 0;
        let calm = self.sheep.iter().all(|sheep| sheep.frightened == 0);
        if calm && !self.is_time_to_stroll() {
            for sheep in &mut self.sheep {
                sheep.moved = true;
            }
            return;
        }
        for sheep in 0..self.sheep.len() {
            if self.sheep[sheep].frightened > 0 {
                self.drive(sheep, false);
            }
        }
        for sheep in 0..self.sheep.len() {
            self.drive(sheep, false);
        }
        for sheep in 0..self.sheep.len() {
            self.catch_fright(sheep);
        }
    }

    /// Whether a calm sheep steps this turn.
    #[must_use]
    pub fn strolls(&self, sheep: &Sheep) -> bool {
        self.is_time_to_stroll() && !matches!(self.ground.land(sheep.spot), Land::Pen(_))
    }

    fn is_time_to_stroll(&self) -> bool {
        let period = self.ground.options().get(Key::SheepStandBy) + 1;
        self.turn.is_multiple_of(period)
    }

    /// Lets a sheep act. Asked aside, it keeps its right to act later unless it steps.
    fn drive(&mut self, sheep: usize, aside: bool) {
        if self.sheep[sheep].moved {
            return;
        }
        self.sheep[sheep].moved = !aside;
        let ahead = self.sheep[sheep].direction;
        if self.sheep[sheep].frightened > 0 {
            if self.walk(sheep, ahead) {
                self.sheep[sheep].moved = true;
            }
        } else if self.strolls(&self.sheep[sheep]) {
            for direction in ahead.tries() {
                if self.walk(sheep, direction) {
                    // Fright caught while others stepped aside may have turned it.
                    self.sheep[sheep].direction = direction;
                    self.sheep[sheep].moved = true;
                    return;
                }
            }
        }
    }

    /// Takes one step if the cell is free, or becomes free when the sheep there is asked aside.
    fn walk(&mut self, sheep: usize, direction: Direction) -> bool {
        let from = self.sheep[sheep].spot;
        let to = self.ground.torus().next(from, direction);
        if let Thing::Sheep(other) = self.thing(to) {
            self.ask_aside(usize::from(other));
        }
        let free = self.is_free(to);
        if free {
            self.sheep[sheep].spot = to;
            self.shift(from, to, Thing::Sheep(sheep as u16));
        }
        free
    }

    fn ask_aside(&mut self, sheep: usize) {
        if self.sheep[sheep].asked || self.pushes == self.pushes_max {
            return;
        }
        self.pushes += 1;
        self.sheep[sheep].asked = true;
        self.catch_fright(sheep);
        self.drive(sheep, true);
        self.sheep[sheep].asked = false;
    }

    /// A calm sheep takes over the fright of the first frightened neighbour, unless it passed
    /// through itself before.
    fn catch_fright(&mut self, sheep: usize) {
        if self.sheep[sheep].frightened > 0 {
            return;
        }
        let Some(source) = self.frightened_neighbour(self.sheep[sheep].spot) else {
            return;
        };
        let Sheep {
            direction,
            ref carriers,
            ..
        } = self.sheep[source];
        if carriers.contains(&(sheep as u16)) {
            return;
        }
        let mut carriers = carriers.clone();
        carriers.push(source as u16);
        let turns = self.ground.options().get(Key::SheepScaryTurns);
        let caught = &mut self.sheep[sheep];
        caught.direction = direction;
        caught.frightened = turns;
        caught.carriers = carriers;
    }

    fn frightened_neighbour(&self, spot: Spot) -> Option<usize> {
        NEIGHBOURS.into_iter().find_map(|(dx, dy)| {
            match self.thing(self.ground.torus().offset(spot, dx, dy)) {
                Thing::Sheep(other) if self.sheep[usize::from(other)].frightened > 0 => {
                    Some(usize::from(other))
                }
                _ => None,
            }
        })
    }
}

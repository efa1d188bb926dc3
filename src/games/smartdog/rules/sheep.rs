//! Sheep: running, walking, pushing and catching fright (README.md, section 4).

use super::game::{SmartDog, Thing};
use super::ground::Land;
use super::torus::{Direction, Spot};
use crate::options::Key;
use smallvec::SmallVec;

/// The most sheep asked aside in one turn. Games in the open need a few dozen; a walled room packed with calm
/// sheep would otherwise try every path through itself.
pub const PUSHES_MAX: u32 = 200_000;

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

/// One sheep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sheep {
    /// Where it stands.
    pub spot: Spot,
    /// Where it looks, and where it runs when frightened.
    pub direction: Direction,
    /// How many turns it still runs, including this one; 0: calm.
    pub frightened: u32,
    /// The sheep through which the fright reached this one. They do not catch it back from here.
    carriers: SmallVec<[u16; 8]>,
    /// It has taken, or tried, its step of this turn.
    moved: bool,
    /// It is being asked aside.
    asked: bool,
}

impl Sheep {
    pub(super) fn new(spot: Spot) -> Self {
        Self {
            spot,
            direction: Direction::Down,
            frightened: 0,
            carriers: SmallVec::new(),
            moved: false,
            asked: false,
        }
    }

    /// An imagined sheep; `frightened` as in the field.
    #[must_use]
    pub fn imagine(spot: Spot, direction: Direction, frightened: u32) -> Self {
        let mut sheep = Self::new(spot);
        sheep.direction = direction;
        sheep.frightened = frightened;
        sheep
    }

    /// The sheep of a position get other numbers, as `renumbered` says: carriers without one are forgotten.
    pub fn renumber(&mut self, renumbered: impl Fn(usize) -> Option<usize>) {
        let carriers = self.carriers.iter();
        let carriers = carriers.filter_map(|at| renumbered(usize::from(*at)));
        self.carriers = carriers.map(|at| at as u16).collect();
    }

    /// It is barked at: older fright is forgotten.
    pub(super) fn flee(&mut self, direction: Direction, turns: u32) {
        self.direction = direction;
        self.frightened = turns;
        self.carriers.clear();
    }

    /// A turn begins; a sheep that becomes calm forgets its carriers.
    pub(super) fn begin_turn(&mut self) {
        self.moved = false;
        self.frightened = self.frightened.saturating_sub(1);
        if self.frightened == 0 {
            self.carriers.clear();
        }
    }
}

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

//! Sheep: running, walking, pushing and catching fright (README.md, section 4).

use super::torus::{Direction, Spot};
use smallvec::SmallVec;

/// The most sheep asked aside in one turn. Games in the open need a few dozen; a walled room packed with calm
/// sheep would otherwise try every path through itself.
pub const PUSHES_MAX: u32 = 200_000;

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
    pub(super) carriers: SmallVec<[u16; 8]>,
    /// It has taken, or tried, its step of this turn.
    pub(super) moved: bool,
    /// It is being asked aside.
    pub(super) asked: bool,
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

//! Dogs: their commands, what a bark does, panic and indignation (README.md, section 4).

use super::torus::Spot;
use drover_game::game::Seat;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A dog of a match, counted from 0 in creation order. Numbers on the wire are up to the hub.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    Default,
    JsonSchema,
)]
#[serde(transparent)]
pub struct DogId(pub u16);

impl DogId {
    /// The dog's index in arrays by dog.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// What an enemy's bark does to a dog.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fright {
    /// Can neither move nor bark.
    Panic,
    /// Cannot bark: the barker stood on the victim's own tile.
    Indignant,
}

/// One dog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dog {
    /// Its owner.
    pub owner: Seat,
    /// Where it stands.
    pub spot: Spot,
    /// How many turns it is still disabled, including this one; 0: able.
    pub disabled: u32,
    /// The kind of its disablement, present or coming.
    pub fright: Fright,
    /// Whether it barked last turn.
    pub voice: bool,
    pub(super) moved: bool,
    pub(super) barked: bool,
    pub(super) hit: bool,
    pub(super) helped: bool,
}

impl Dog {
    /// A dog, able and silent.
    #[must_use]
    pub const fn new(owner: Seat, spot: Spot) -> Self {
        Self {
            owner,
            spot,
            disabled: 0,
            fright: Fright::Panic,
            voice: false,
            moved: false,
            barked: false,
            hit: false,
            helped: false,
        }
    }

    /// How it is disabled now, if at all.
    #[must_use]
    pub const fn suffers(&self) -> Option<Fright> {
        if self.disabled > 0 {
            Some(self.fright)
        } else {
            None
        }
    }

    /// Its state as a player sees it.
    #[must_use]
    pub const fn action(&self) -> DogAction {
        match self.suffers() {
            None => DogAction::Move,
            Some(Fright::Panic) => DogAction::Panic,
            Some(Fright::Indignant) => DogAction::Indignant,
        }
    }

    /// Applies the finished turn's barks: an enemy's beats an ally's, which only ends older fright.
    pub(super) const fn end_turn(&mut self, turns: u32) {
        self.disabled = match (self.hit, self.helped) {
            (true, _) => turns,
            (false, true) => 0,
            (false, false) => self.disabled.saturating_sub(1),
        };
        self.voice = self.barked;
        self.moved = false;
        self.barked = false;
        self.hit = false;
        self.helped = false;
    }
}

/// Why a command is refused: the text of the official `warning`, without the dog's number.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    /// No such dog, or another player's.
    #[error("Unknown id")]
    Unknown,
    /// A second move in one turn.
    #[error("Dog already moved this turn")]
    Moved,
    /// A move in panic.
    #[error("Cannot move - scared :(")]
    Scared,
    /// A move onto wall, tree, dog or sheep. After a refused move another one may follow.
    #[error("Cannot move to {x}, {y} - there is a non traversable landscape or another object")]
    Blocked {
        /// Column of the cell aimed at.
        x: u16,
        /// Row of the cell aimed at.
        y: u16,
    },
    /// A second bark in one turn.
    #[error("Dog with already barked this turn")]
    Barked,
    /// A bark in panic or indignation.
    #[error("Cannot bark because fighted by another dog")]
    Muted,
    /// A command after the end of the match, or from a seat that does not play. The official server has no
    /// such text.
    #[error("You do not play")]
    Ended,
}

impl Refusal {
    /// The refusal in an official `warning`; `None` for other texts.
    #[must_use]
    pub fn from_text(text: &str) -> Option<Self> {
        if let Some(rest) = text.strip_prefix("Cannot move to ") {
            let (x, rest) = rest.split_once(',')?;
            let (y, _) = rest.trim_start().split_once(' ')?;
            let (x, y) = (x.trim().parse().ok()?, y.parse().ok()?);
            return Some(Refusal::Blocked { x, y });
        }
        [
            Refusal::Unknown,
            Refusal::Moved,
            Refusal::Scared,
            Refusal::Barked,
            Refusal::Muted,
            Refusal::Ended,
        ]
        .into_iter()
        .find(|refusal| refusal.to_string() == text)
    }
}

/// A dog's `action` on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum DogAction {
    /// Able.
    Move,
    /// Can neither move nor bark.
    Panic,
    /// Cannot bark.
    Indignant,
}

impl DogAction {
    /// Every action.
    pub const ALL: [DogAction; 3] = [DogAction::Move, DogAction::Panic, DogAction::Indignant];

    /// The word on the wire.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            DogAction::Move => "move",
            DogAction::Panic => "panic",
            DogAction::Indignant => "indignant",
        }
    }
}

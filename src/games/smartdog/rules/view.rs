//! What a player sees and receives at the beginning of a turn (README.md, section 4).

use super::commands::{Command, Orders};
use super::dogs::{DogAction, DogId};
use super::ground::Ground;
use super::torus::{Direction, Spot};
use drover_game::game::{Illegal, Seat};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A sheep's `action` on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum SheepAction {
    /// Stays put this turn.
    StandBy,
    /// Will step at the end of this turn if it can.
    Move,
    /// Runs.
    Panic,
}

impl SheepAction {
    /// Every action.
    pub const ALL: [SheepAction; 3] = [SheepAction::StandBy, SheepAction::Move, SheepAction::Panic];

    /// The word on the wire.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            SheepAction::StandBy => "standBy",
            SheepAction::Move => "move",
            SheepAction::Panic => "panic",
        }
    }
}

/// A dog in sight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct SeenDog<Id = DogId> {
    /// Its id.
    pub id: Id,
    /// Where.
    pub spot: Spot,
    /// Its owner.
    pub owner: Seat,
    /// Its state.
    pub action: DogAction,
    /// Whether it barked last turn.
    pub voice: bool,
}

/// A sheep in sight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct SeenSheep {
    /// Where.
    pub spot: Spot,
    /// Its state.
    pub action: SheepAction,
    /// Where it looks.
    pub direction: Direction,
}

/// One object of a view, its dogs named by `Id`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Seen<Id = DogId> {
    /// A dog in sight.
    Dog(SeenDog<Id>),
    /// A sheep in sight.
    Sheep(SeenSheep),
    /// A dog that barked out of sight last turn, where it stands now.
    Voice(Spot),
}

impl<Id> Seen<Id> {
    /// Where it is.
    pub const fn spot(&self) -> Spot {
        match self {
            Seen::Dog(dog) => dog.spot,
            Seen::Sheep(sheep) => sheep.spot,
            Seen::Voice(spot) => *spot,
        }
    }
}

/// What a player knows at the beginning of a turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct View {
    /// The seat that sees this.
    pub seat: Seat,
    /// The turn, from 1.
    pub turn: u32,
    /// Landscape, tiles and options, as given at the start.
    pub ground: Arc<Ground>,
    /// Everything seen and received, in the order of the wire.
    pub seen: Vec<Seen>,
}

impl View {
    /// Whether orders are for the player's own dogs, each of which steps and barks once at most if it can.
    ///
    /// # Errors
    /// [`Illegal`] names the dog.
    pub fn judge(&self, orders: &Orders) -> Result<(), Illegal> {
        let own = self.seen.iter().filter_map(|seen| match seen {
            Seen::Dog(dog) if dog.owner == self.seat => Some((dog.id, dog.action)),
            _ => None,
        });
        let own: BTreeMap<DogId, DogAction> = own.collect();
        let mut given = BTreeSet::new();
        for command in orders {
            let (id, barks) = match command {
                Command::Move(id, _) => (*id, false),
                Command::Bark(id) => (*id, true),
            };
            let wrong = |why: &str| Err(Illegal(format!("dog {} {why}", id.0)));
            match own.get(&id) {
                None => return wrong("is not one of yours"),
                Some(DogAction::Panic) => return wrong("is in panic"),
                Some(DogAction::Indignant) if barks => return wrong("is indignant"),
                Some(DogAction::Indignant | DogAction::Move) => {}
            }
            if !given.insert((id, barks)) {
                return wrong("has two such orders");
            }
        }
        Ok(())
    }
}

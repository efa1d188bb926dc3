//! What a player sees and hears at the beginning of a turn (README.md, section 4).

use super::dogs::DogId;
use super::game::{Command, Orders, SmartDog, Thing};
use super::ground::Ground;
use super::torus::{Direction, Spot};
use crate::options::Key;
use drover_game::game::{Illegal, Seat};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

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
    /// Everything seen and heard, in the order of the wire.
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

impl SmartDog {
    /// What a seat sees: the discs of its dogs in creation order, each swept column by column over its
    /// bounding square, every cell once; then the voices from out of sight in creation order. Where the
    /// square is wider than the world, a cell comes where the sweep first meets it.
    #[must_use]
    pub fn seen_by(&self, seat: Seat) -> View {
        let torus = self.ground.torus();
        let radius = self.ground.options().get(Key::DogVisibilityR);
        let reach = radius as i32;
        let spots = self.dogs.iter().map(|dog| dog.spot);
        let mut hidden: Vec<Spot> = spots
            .chain(self.sheep.iter().map(|sheep| sheep.spot))
            .collect();
        let (mut seen, mut found) = (Vec::new(), Vec::new());
        for dog in self.dogs.iter().filter(|dog| dog.owner == seat) {
            hidden.retain(|spot| {
                let in_sight = torus.within(dog.spot, *spot, radius);
                if in_sight {
                    let column = met(dog.spot.x, spot.x, torus.cols(), reach);
                    let row = met(dog.spot.y, spot.y, torus.rows(), reach);
                    found.push((column, row, *spot));
                }
                !in_sight
            });
            found.sort_unstable_by_key(|(column, row, _)| (*column, *row));
            seen.extend(
                found
                    .drain(..)
                    .filter_map(|(_, _, spot)| self.seen_at(spot)),
            );
        }
        // The dogs not seen, still in creation order.
        for spot in hidden {
            if let Thing::Dog(id) = self.thing(spot)
                && self.dogs[id.index()].voice
            {
                seen.push(Seen::Voice(spot));
            }
        }
        View {
            seat,
            turn: self.turn,
            ground: Arc::clone(&self.ground),
            seen,
        }
    }

    /// Every dog and then every sheep, each in creation order, as one who saw all would see them.
    #[must_use]
    pub fn everything(&self) -> Vec<Seen> {
        let dogs = self.dogs.iter().map(|dog| dog.spot);
        let spots = dogs.chain(self.sheep.iter().map(|sheep| sheep.spot));
        spots.filter_map(|spot| self.seen_at(spot)).collect()
    }

    fn seen_at(&self, spot: Spot) -> Option<Seen> {
        match self.thing(spot) {
            Thing::Nothing => None,
            Thing::Dog(id) => {
                let dog = &self.dogs[id.index()];
                Some(Seen::Dog(SeenDog {
                    id,
                    spot,
                    owner: dog.owner,
                    action: dog.action(),
                    voice: dog.voice,
                }))
            }
            Thing::Sheep(sheep) => {
                let sheep = &self.sheep[usize::from(sheep)];
                Some(Seen::Sheep(SeenSheep {
                    spot,
                    action: if sheep.frightened > 0 {
                        SheepAction::Panic
                    } else if self.strolls(sheep) {
                        SheepAction::Move
                    } else {
                        SheepAction::StandBy
                    },
                    direction: sheep.direction,
                }))
            }
        }
    }
}

/// How far from −`reach` a sweep meets a column or row: it goes round the world at most once.
fn met(from: u16, to: u16, size: u16, reach: i32) -> i32 {
    (i32::from(to) - i32::from(from) + reach).rem_euclid(i32::from(size))
}

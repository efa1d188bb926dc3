//! What a seat can order.

use super::dogs::DogId;
use super::torus::Direction;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

/// One command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Command {
    /// `do ID move DIRECTION`: once per dog and turn.
    Move(DogId, Direction),
    /// `do ID bark`: once per dog and turn.
    Bark(DogId),
}

/// A seat's whole turn: its commands in the order in which they take effect. Then it ends its turn.
pub type Orders = SmallVec<[Command; 8]>;

//! What a state says, on whichever wire.

use crate::rules::{Planet, PlayerId, ShownFleet};

/// A state as on the wire.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// The planets in the order of their lines.
    pub planets: Vec<Planet>,
    /// The fleets in flight, where the wire shows them.
    pub fleets: Option<Vec<ShownFleet>>,
    /// The word from the ring, if any.
    pub message: Option<u32>,
    /// The recipient.
    pub you: PlayerId,
}

//! What history makes of a game's facts.

use crate::game::Seat;
use crate::wire::Fact;
use serde::Serialize;

/// What history makes of a game's facts.
pub trait History: Sync {
    /// The fact as a bluff, if it is one, in the columns of the bluff history.
    fn bluff(&self, fact: &Fact) -> Option<Bluff>;
    /// A fact of this seat's transcript for those who see all seats: places become seats, as `seat 2`.
    fn seated(&self, fact: Fact, seat: Seat) -> Fact;
}

/// One line of the bluff history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Bluff {
    /// Who bluffed: the place as the session's wire names it.
    pub by: String,
    /// The amount claimed.
    pub bid: i64,
    /// What the bluffer held, where it came to light.
    pub held: Option<i64>,
    /// Whether they were caught.
    pub caught: bool,
}

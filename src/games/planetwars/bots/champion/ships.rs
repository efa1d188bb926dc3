//! Ships on their way.

/// No player, among players' small numbers.
pub(super) const NOBODY: u8 = 0;

/// Ships that land on a planet or leave it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Move {
    /// Turns from now: a landing shows in the state of that turn, a departure is ordered in it.
    pub(super) turn: u8,
    /// Their owner.
    pub(super) owner: u8,
    /// How many.
    pub(super) ships: i32,
}

/// Bit by turn: whether anything happens.
pub(super) fn bits(moves: &[Move]) -> u64 {
    let turns = moves.iter().map(|at| at.turn.min(63));
    turns.fold(0, |bits, turn| bits | 1 << turn)
}

/// Ships of one player in flight, now or later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Order {
    /// Their owner.
    pub(super) owner: u8,
    /// Where they leave.
    pub(super) from: u8,
    /// Where they land.
    pub(super) to: u8,
    /// How many.
    pub(super) ships: i32,
    /// Turns from now until they leave.
    pub(super) wait: u8,
}

/// A known fleet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fleet {
    /// Its owner.
    pub(super) owner: u8,
    /// Where it left.
    pub(super) from: u8,
    /// Where it lands.
    pub(super) to: u8,
    /// How many ships.
    pub(super) ships: i32,
    /// The turn in which it was ordered.
    pub(super) launched: u32,
}

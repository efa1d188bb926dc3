//! The numbers of the champion's judgement.

/// Numbers that were found by measuring (README.md).
#[derive(Clone, Copy, Debug)]
pub struct Knobs {
    /// Turns that are looked ahead, up to the length of a future.
    pub horizon: usize,
    /// Turns after the horizon for which a planet's growth still counts.
    pub beyond: i32,
    /// Sixteenths by which a planet's known future counts.
    pub known: i32,
    /// Sixteenths by which its future counts in which the other side sends all it can spare.
    pub siege: i32,
    /// Sixteenths of what the other side can spare that are expected against any one planet.
    pub menace: i32,
    /// Least gain of a step, in sixteenths of ships.
    pub least: i32,
    /// Sixteenths of its gain that a step loses if somebody else can be first on a planet of nobody's.
    pub late: i32,
}

/// The numbers shipped.
pub const CHAMPION: Knobs = Knobs {
    horizon: 36,
    beyond: 10,
    known: 8,
    siege: 8,
    menace: 12,
    least: 1,
    late: 4,
};

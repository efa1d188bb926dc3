//! The parameters of the champion's evaluation.

/// Parameters found by measurement (README.md).
#[derive(Clone, Copy, Debug)]
pub struct Knobs {
    /// Turns of look-ahead, up to the length of a future.
    pub horizon: usize,
    /// Turns after the horizon for which a planet's growth still counts.
    pub beyond: i32,
    /// Weight of a planet's known future, in sixteenths.
    pub known: i32,
    /// Weight of its future in which the other side sends all it can spare, in sixteenths.
    pub siege: i32,
    /// Share of what the other side can spare that is expected against any one planet, in sixteenths.
    pub menace: i32,
    /// Least gain of a step, in sixteenths of ships.
    pub least: i32,
    /// Sixteenths of its gain that a step loses if another player can be first on a neutral planet.
    pub late: i32,
}

/// The shipped parameters.
pub const CHAMPION: Knobs = Knobs {
    horizon: 36,
    beyond: 10,
    known: 8,
    siege: 8,
    menace: 12,
    least: 1,
    late: 4,
};

//! The parameters of the champion's search.

use drover_game::knobs;

knobs! {
    /// The tunable parameters. [`CHAMPION`] measured best.
    struct Knobs;
    /// The shipped parameters.
    const CHAMPION;
    /// For how many rounds errands are planned, at most `HORIZON_MAX`.
    horizon: usize = 60,
    /// The value of a point one round later.
    discount: f64 = 0.998,
    /// The value of a unit of energy in the purse at the end of a plan.
    purse: f64 = 0.02,
    /// The cost of an opponent's point if there is one opponent.
    against_one: f64 = 0.5,
    /// The cost of an opponent's point if there are several and that opponent alone scored of late; less the nearer
    /// its share of the points is to an equal one.
    against_excess: f64 = 1.0,
    /// Rounds after which income counts for a third in such a share.
    memory: f64 = 60.0,
    /// The share of its merit by which the previous turn's plan is preferred.
    commitment: f64 = 0.02,
    /// How much of the area of the best triangle that a link could become part of counts when links are
    /// chosen.
    promise: f64 = 0.15,
    /// Rounds added to the length of every plan when comparing plans by points per round.
    overhead: f64 = 2.0,
    /// The prior probability that one opponent raids a lighthouse in a round.
    raid: f64 = 0.05,
    /// The typical energy of raids.
    strength: f64 = 400.0,
    /// The probability that an opponent raids one however strong it is.
    siege: f64 = 0.003,
    /// The weight of this prior in lighthouse-rounds, for each energy separately.
    raid_weight: f64 = 250.0,
    /// Of the energy a round that lighthouses lost to shots that did not fell them, how much they are expected to
    /// lose on.
    wear: f64 = 1.0,
    /// Rounds of losses at all lighthouses that count at each.
    wear_weight: f64 = 20.0,
    /// Rounds after which such losses count for a third.
    wear_memory: f64 = 60.0,
    /// How many lighthouses later errands lead to: the nearest ones.
    near: usize = 14,
    /// How many longer ways later errands may take besides the shortest, at most 2.
    detours: usize = 2,
    /// How many tours to triangles are tried: orders of corners, each on all ways known.
    tours: usize = 24,
    /// Plans kept per round.
    width: usize = 48,
}

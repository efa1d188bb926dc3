//! The parameters of the champion's search.

/// The tunable parameters. [`CHAMPION`] measured best.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Knobs {
    /// For how many rounds errands are planned, at most [`HORIZON_MAX`](super::state::HORIZON_MAX).
    pub horizon: usize,
    /// The value of a point one round later.
    pub discount: f64,
    /// The value of a unit of energy in the purse at the end of a plan.
    pub purse: f64,
    /// The cost of an opponent's point if there is one opponent.
    pub against_one: f64,
    /// The cost of the leading opponent's point if there are several.
    pub against_leader: f64,
    /// The cost of another opponent's point.
    pub against_others: f64,
    /// The share of its merit by which the previous turn's plan is preferred.
    pub commitment: f64,
    /// How much of the area of the best triangle that a link could become part of counts when links are
    /// chosen.
    pub promise: f64,
    /// Rounds added to the length of every plan when comparing plans by points per round.
    pub overhead: f64,
    /// The prior probability that one opponent raids a lighthouse in a round.
    pub raid: f64,
    /// The typical energy of raids.
    pub strength: f64,
    /// The probability that an opponent raids one however strong it is.
    pub siege: f64,
    /// The weight of this prior in lighthouse-rounds, for each energy separately.
    pub raid_weight: f64,
    /// How many lighthouses later errands lead to: the nearest ones.
    pub near: usize,
    /// How many longer ways later errands may take besides the shortest, at most 2.
    pub detours: usize,
    /// Plans kept per round.
    pub width: usize,
}

/// The shipped parameters.
pub const CHAMPION: Knobs = Knobs {
    horizon: 60,
    discount: 0.998,
    purse: 0.02,
    against_one: 1.0,
    against_leader: 0.0,
    against_others: 0.0,
    commitment: 0.02,
    promise: 0.15,
    overhead: 2.0,
    raid: 0.15,
    strength: 400.0,
    siege: 0.003,
    raid_weight: 250.0,
    near: 14,
    detours: 2,
    width: 48,
};

impl Default for Knobs {
    fn default() -> Self {
        CHAMPION
    }
}

impl Knobs {
    /// Sets the parameter of this name. False: there is none.
    pub fn set(&mut self, name: &str, value: f64) -> bool {
        match name {
            "horizon" => self.horizon = value as usize,
            "discount" => self.discount = value,
            "purse" => self.purse = value,
            "against_one" => self.against_one = value,
            "against_leader" => self.against_leader = value,
            "against_others" => self.against_others = value,
            "commitment" => self.commitment = value,
            "promise" => self.promise = value,
            "overhead" => self.overhead = value,
            "raid" => self.raid = value,
            "siege" => self.siege = value,
            "strength" => self.strength = value,
            "raid_weight" => self.raid_weight = value,
            "near" => self.near = value as usize,
            "detours" => self.detours = value as usize,
            "width" => self.width = value as usize,
            _ => return false,
        }
        true
    }
}

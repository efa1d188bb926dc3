//! The numbers that the champion's thinking depends on.

/// What can be tuned. [`CHAMPION`] is what measured best.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Knobs {
    /// Rounds that errands are planned ahead, at most [`HORIZON_MAX`](super::state::HORIZON_MAX).
    pub horizon: usize,
    /// What a point is worth a round later.
    pub discount: f64,
    /// What a unit of energy in the purse is worth at the end of a plan.
    pub purse: f64,
    /// What an opponent's point costs where there is one opponent.
    pub against_one: f64,
    /// What the leading opponent's point costs where there are several.
    pub against_leader: f64,
    /// What another opponent's point costs.
    pub against_others: f64,
    /// By what share of its merit the plan of the turn before is preferred.
    pub commitment: f64,
    /// What of the area of the best triangle that a link could become part of counts when links are
    /// chosen.
    pub promise: f64,
    /// Rounds added to the length of every plan when plans are compared by what they bring a round.
    pub overhead: f64,
    /// The chance that one opponent raids a lighthouse in a round, before anything was seen.
    pub raid: f64,
    /// The energy that raids have, about.
    pub strength: f64,
    /// The chance that he raids one however strong it is.
    pub siege: f64,
    /// How many lighthouses times rounds that opinion weighs as much as, each energy by itself.
    pub raid_weight: f64,
    /// Lighthouses that later errands lead to at most: the nearest ones.
    pub near: usize,
    /// Longer ways that later errands may take, besides the shortest, at most 2.
    pub detours: usize,
    /// Plans kept of each round.
    pub width: usize,
}

/// The shipped numbers.
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
    /// Sets the number of this name. False: there is none.
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

//! The numbers that the champion's thinking depends on.

/// What can be tuned. [`CHAMPION`] is what measured best.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mind {
    /// Rounds that errands are planned ahead, at most [`HORIZON_MAX`](super::state::HORIZON_MAX).
    pub horizon: usize,
    /// What a point is worth a round later.
    pub discount: f64,
    /// The same for a player alone, whom nobody attacks.
    pub discount_alone: f64,
    /// What of its worth a point keeps that comes after the horizon.
    pub beyond: f64,
    /// What a unit of energy in the purse is worth at the end of a plan.
    pub purse: f64,
    /// What an opponent's point costs where there is one opponent.
    pub against_one: f64,
    /// What the leading opponent's point costs where there are several.
    pub against_leader: f64,
    /// What another opponent's point costs.
    pub against_others: f64,
    /// How much of the best plan's worth the plan of the turn before is preferred by.
    pub commitment: f64,
    /// What of the area of the best triangle that a link could become part of counts when links are
    /// chosen.
    pub promise: f64,
    /// The chance that a lighthouse falls to an attack in a round, before anything was seen.
    pub hazard: f64,
    /// How many lighthouses times rounds that opinion weighs as much as.
    pub hazard_weight: f64,
    /// What of the chance seen is counted with.
    pub fear: f64,
    /// The chance that one opponent raids a lighthouse in a round, before anything was seen.
    pub raid: f64,
    /// The energy that raids have, about.
    pub strength: f64,
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
pub const CHAMPION: Mind = Mind {
    horizon: 60,
    discount: 0.985,
    discount_alone: 0.99,
    beyond: 0.5,
    purse: 0.02,
    against_one: 1.0,
    against_leader: 0.15,
    against_others: 0.1,
    commitment: 0.02,
    promise: 0.15,
    hazard: 0.01,
    hazard_weight: 500.0,
    fear: 0.0,
    raid: 0.15,
    strength: 400.0,
    raid_weight: 250.0,
    near: 14,
    detours: 2,
    width: 48,
};

impl Default for Mind {
    fn default() -> Self {
        CHAMPION
    }
}

impl Mind {
    /// Sets the number of this name. False: there is none.
    pub fn set(&mut self, name: &str, value: f64) -> bool {
        match name {
            "horizon" => self.horizon = value as usize,
            "discount" => self.discount = value,
            "discount_alone" => self.discount_alone = value,
            "beyond" => self.beyond = value,
            "purse" => self.purse = value,
            "against_one" => self.against_one = value,
            "against_leader" => self.against_leader = value,
            "against_others" => self.against_others = value,
            "commitment" => self.commitment = value,
            "promise" => self.promise = value,
            "hazard" => self.hazard = value,
            "hazard_weight" => self.hazard_weight = value,
            "fear" => self.fear = value,
            "raid" => self.raid = value,
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

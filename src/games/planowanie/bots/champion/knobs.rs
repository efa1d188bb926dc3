//! The parameters of the champion's search.

/// How the champion searches.
#[derive(Clone, Copy, Debug)]
pub struct Knobs {
    /// Weight of exploration, for results in units of the deal's number of cards.
    pub exploring: f32,
    /// How many descents the net's opinion of a card counts as.
    pub trust: f32,
    /// How much the points of others count relative to one's own.
    pub rivalry: f32,
    /// How much the standing in the game counts in the last deals, for results in units of the deal's number of cards.
    pub standing: f32,
    /// In how many last deals of a game it counts.
    pub late_deals: u8,
    /// The lead at the end of the game, in points, that is worth tanh(1), 0.76, of a sure one.
    pub certain: f32,
    /// By how much that is more before a later deal, by its number of cards: 1.25 times the standard deviation of the
    /// difference between two players' points, so that tanh is close to how likely a lead is to last.
    pub swing: f32,
    /// How much is inferred from cards played: 0 nothing, 1 as if all players followed the policy.
    pub reading: f32,
    /// The least spread of declarations around the model's mean, in tricks.
    pub spread_least: f32,
    /// How many exchanges of cards between hidden hands are tried from world to world.
    pub exchanges: u32,
    /// A search ends early once the best card leads by this share of all descents.
    pub settled: f32,
}

/// The parameters of the shipped champion.
pub const CHAMPION: Knobs = Knobs {
    exploring: 0.35,
    trust: 200.0,
    rivalry: 0.5,
    standing: 1.0,
    late_deals: 2,
    certain: 0.5,
    swing: 0.75,
    reading: 0.5,
    spread_least: 0.5,
    exchanges: 4,
    settled: 0.9,
};

impl Knobs {
    /// Sets a parameter by name; false if there is none of this name.
    pub fn set(&mut self, name: &str, value: f32) -> bool {
        let slot = match name {
            "exploring" => &mut self.exploring,
            "trust" => &mut self.trust,
            "rivalry" => &mut self.rivalry,
            "standing" => &mut self.standing,
            "certain" => &mut self.certain,
            "swing" => &mut self.swing,
            "reading" => &mut self.reading,
            "spread_least" => &mut self.spread_least,
            "settled" => &mut self.settled,
            "late_deals" => {
                self.late_deals = value as u8;
                return true;
            }
            "exchanges" => {
                self.exchanges = value as u32;
                return true;
            }
            _ => return false,
        };
        *slot = value;
        true
    }
}

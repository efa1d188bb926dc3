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
    /// How much is inferred from cards played: 0 nothing, 1 as if all players followed the policy.
    pub reading: f32,
    /// How far declarations may stray, in units of the model's spread.
    pub doubt: f32,
    /// The least spread, in tricks.
    pub doubt_least: f32,
    /// How likely a rival declares like players who count their tricks by rules, 0 to 1.
    pub counting: f32,
    /// Cards exchanged between hidden hands from world to world.
    pub swaps: u32,
    /// Deals are solved exactly, with all hands known, from this many tricks before their end.
    pub exact: u8,
    /// A search ends early once the best card leads by this share of all descents.
    pub settled: f32,
}

/// The parameters of the shipped champion.
pub const CHAMPION: Knobs = Knobs {
    exploring: 0.35,
    trust: 200.0,
    rivalry: 0.5,
    standing: 1.0,
    reading: 0.5,
    doubt: 1.0,
    doubt_least: 0.5,
    counting: 0.5,
    swaps: 4,
    exact: 0,
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
            "reading" => &mut self.reading,
            "doubt" => &mut self.doubt,
            "doubt_least" => &mut self.doubt_least,
            "counting" => &mut self.counting,
            "settled" => &mut self.settled,
            "exact" => {
                self.exact = value as u8;
                return true;
            }
            "swaps" => {
                self.swaps = value as u32;
                return true;
            }
            _ => return false,
        };
        *slot = value;
        true
    }
}

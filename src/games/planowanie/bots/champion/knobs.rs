//! The numbers that the champion's thinking depends on.

/// How the champion thinks.
#[derive(Clone, Copy, Debug)]
pub struct Knobs {
    /// Weight of exploring, for results in deals' numbers of cards.
    pub exploring: f32,
    /// How many descents the policy's opinion of a card stands for.
    pub trust: f32,
    /// How much the points of others count against one's own.
    pub rivalry: f32,
    /// How much is read out of cards played: 0 nothing, 1 as if everybody played by the policy.
    pub reading: f32,
    /// How far declarations may stray, in the model's strays.
    pub doubt: f32,
    /// The least stray, in tricks.
    pub doubt_least: f32,
    /// Cards exchanged between hidden hands from world to world.
    pub swaps: u32,
    /// Deals are played out exactly, with all hands known, from so many tricks before their end.
    pub exact: u8,
    /// A search ends early once the best card leads by this part of all descents.
    pub settled: f32,
}

/// How the shipped champion thinks.
pub const CHAMPION: Knobs = Knobs {
    exploring: 0.35,
    trust: 25.0,
    rivalry: 0.5,
    reading: 0.5,
    doubt: 1.0,
    doubt_least: 0.5,
    swaps: 4,
    exact: 0,
    settled: 0.9,
};

impl Knobs {
    /// Sets a number by its name; false if there is none of this name.
    pub fn set(&mut self, name: &str, value: f32) -> bool {
        let slot = match name {
            "exploring" => &mut self.exploring,
            "trust" => &mut self.trust,
            "rivalry" => &mut self.rivalry,
            "reading" => &mut self.reading,
            "doubt" => &mut self.doubt,
            "doubt_least" => &mut self.doubt_least,
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

//! What points are worth, and how long lighthouses are expected to stand.

use crate::rules::UPKEEP;

/// Rounds after which nothing counts any more.
pub const FORESIGHT: usize = 1000;
/// A lighthouse is not expected to stand any longer beyond this energy, in tens.
const LIVES: usize = 1000;
/// Losses a round that are distinguished: each class begins with one.
const WEARS: [f64; 8] = [0.0, 3.0, 6.0, 10.0, 16.0, 26.0, 42.0, 70.0];

/// The value of points by round and owner.
#[derive(Clone, Debug)]
pub struct Worth {
    /// `[t]`: the value of one point per round in the rounds before t.
    sums: [f32; FORESIGHT + 1],
    /// Mine, others', by class of wear: by tens of energy, how many rounds such a lighthouse is expected to stand.
    lives: [[Vec<u16>; WEARS.len()]; 2],
    /// By lighthouse: the class of its wear.
    wear: [u8; 64],
    /// By owner: the value of their points.
    pub owners: [f32; 256],
    /// The searching player.
    pub me: u8,
}

impl Worth {
    /// Everything has the value 0.
    #[must_use]
    pub fn new(me: u8) -> Self {
        Self {
            sums: [0.0; FORESIGHT + 1],
            lives: Default::default(),
            wear: [0; 64],
            owners: [0.0; 256],
            me,
        }
    }

    /// Sets the value of a point in each round.
    pub fn weigh(&mut self, weight: impl Fn(usize) -> f64) {
        let mut sum = 0.0;
        for (round, place) in self.sums.iter_mut().enumerate() {
            *place = sum as f32;
            sum += weight(round);
        }
    }

    /// Sets what a lighthouse is expected to lose a round besides upkeep. [`Worth::expect`] must follow.
    pub fn wears(&mut self, at: usize, loss: f64) {
        let class = WEARS.iter().rposition(|begin| *begin <= loss);
        if let Some(wear) = self.wear.get_mut(at) {
            *wear = class.unwrap_or_default() as u8;
        }
    }

    /// Sets how long lighthouses are expected to stand, mine or others', if in each round one whose energy is
    /// `10 k` falls with probability `hazard(k)`.
    pub fn expect(&mut self, mine: bool, hazard: impl Fn(usize) -> f64) {
        let hazards: Vec<f64> = (0..LIVES).map(hazard).collect();
        let classes = self.lives[usize::from(!mine)].iter_mut().zip(WEARS);
        for (class, (lives, wear)) in classes.enumerate() {
            lives.clear();
            if self.wear.contains(&(class as u8)) {
                fill(lives, &hazards, wear);
            }
        }
    }

    /// How many rounds a lighthouse with this energy is expected to stand.
    #[inline]
    #[must_use]
    pub fn life(&self, at: usize, owner: u8, energy: u32) -> u16 {
        let lives = &self.lives[usize::from(owner != self.me)][usize::from(self.wear[at])];
        let tens = energy.div_ceil(UPKEEP) as usize;
        let life = lives.get(tens).or(lives.last());
        life.copied().unwrap_or_default()
    }

    /// The value of one point per round from one round up to but excluding another.
    #[inline]
    #[must_use]
    pub fn between(&self, from: usize, until: u16) -> f32 {
        let from = from.min(FORESIGHT);
        self.sums[usize::from(until).clamp(from, FORESIGHT)] - self.sums[from]
    }
}

/// By tens of energy: the expected life of a lighthouse that loses upkeep and `wear` in every round.
fn fill(lives: &mut Vec<u16>, hazards: &[f64], wear: f64) {
    let lost = 1.0 + wear / f64::from(UPKEEP);
    let mut life: Vec<f64> = Vec::with_capacity(hazards.len());
    for (tens, hazard) in hazards.iter().enumerate() {
        // One round before the life of what is left then, if it survives that round.
        let left = (tens as f64 - lost).max(0.0);
        let known = |tens: usize| life.get(tens).copied().unwrap_or_default();
        let (low, high) = (known(left as usize), known(left as usize + 1));
        let later = low + left.fract() * (high - low);
        life.push(if tens == 0 {
            0.0
        } else {
            1.0 + (1.0 - hazard) * later
        });
    }
    lives.extend(life.iter().map(|life| life.min(FORESIGHT as f64) as u16));
}

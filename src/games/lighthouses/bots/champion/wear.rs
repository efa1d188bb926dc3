//! What lighthouses lose to shots that do not fell them.

use super::knobs::Knobs;
use super::state::{NOBODY, State};
use super::worth::Worth;
use crate::rules::UPKEEP;

/// Rounds without a loss that are assumed before the first one is seen.
const UNHARMED: f64 = 30.0;

/// A lighthouse as it was seen.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    /// Its owner, [`NOBODY`] if it had none.
    pub owner: u8,
    /// Its energy.
    pub energy: u32,
}

/// Energy that one lighthouse lost of late, and in how many rounds.
#[derive(Clone, Copy, Debug, Default)]
struct Losses {
    lost: f64,
    rounds: f64,
}

impl Losses {
    fn plus(self, other: Self) -> Self {
        Self {
            lost: self.lost + other.lost,
            rounds: self.rounds + other.rounds,
        }
    }
}

/// The losses of all lighthouses. A player that shoots at one without felling it comes back.
#[derive(Clone, Debug, Default)]
pub struct Wear {
    losses: Vec<Losses>,
    /// What the own last act put into a lighthouse.
    put: Option<(usize, u32)>,
}

impl Wear {
    /// The own last act put energy into a lighthouse.
    pub fn put(&mut self, at: usize, strength: u32) {
        self.put = Some((at, strength));
    }

    /// Takes in the present state, `passed` rounds after the one in which lighthouses were seen like this.
    pub fn see(&mut self, knobs: &Knobs, me: u8, before: &[Seen], state: &State, passed: u32) {
        let kept = (-f64::from(passed) / knobs.wear_memory.max(1.0)).exp();
        let put = self.put.take();
        self.losses.resize(before.len(), Losses::default());
        for (at, (losses, seen)) in self.losses.iter_mut().zip(before).enumerate() {
            let Seen { owner, energy } = *seen;
            losses.lost *= kept;
            losses.rounds *= kept;
            let own = put.filter(|(to, _)| *to == at).map_or(0, |(_, put)| put);
            if owner == NOBODY || passed == 0 || own > 0 && owner != me {
                continue;
            }
            losses.rounds += f64::from(passed);
            if state.owner(at) == owner {
                let left = energy.saturating_add(own).saturating_sub(passed * UPKEEP);
                losses.lost += f64::from(left.saturating_sub(state.energy(at)));
            }
        }
    }

    /// What every lighthouse is expected to lose a round besides upkeep: as much as it lost, and as all did
    /// for some rounds more.
    pub fn expect(&self, knobs: &Knobs, worth: &mut Worth) {
        let first = Losses {
            lost: 0.0,
            rounds: UNHARMED,
        };
        let all = self.losses.iter().fold(first, |all, one| all.plus(*one));
        let usual = all.lost / all.rounds;
        for (at, own) in self.losses.iter().enumerate() {
            let weight = knobs.wear_weight;
            let loss = (own.lost + weight * usual) / (own.rounds + weight).max(1.0);
            worth.wears(at, knobs.wear * loss);
        }
    }
}
